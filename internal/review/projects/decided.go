package projects

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/review/ledger"
)

// belonging are the verbs of relations by which a person says that one paper belongs to another.
var belonging = []string{string(trilith.Settles), string(trilith.PartOf)}

// BelongsBy is the type of the relation from a paper to the one that it belongs to.
func BelongsBy(f *trilith.Fact) trilith.RelationType {
	if f.Financial != nil && f.Financial.Type == ledger.Payment {
		return trilith.Settles
	}
	return trilith.PartOf
}

// decidedIn reads a person's decisions about papers from relations, the oldest first: an active relation joins them, a
// rejected one keeps them apart. Relations that rules or a model found decide nothing.
func decidedIn(ms []trilith.Memory) []ledger.Decided {
	ids := map[trilith.ID]trilith.ID{}
	for i := range ms {
		if !ms[i].Fact.IsRelation() {
			ids[ms[i].Fact.AssertionID()] = ms[i].ID
		}
	}
	for i := range ms { // whose id is the one that was told comes before another's who asserts the same
		ids[ms[i].ID] = ms[i].ID
	}
	find := func(e trilith.RelationEnd) trilith.ID { return cmp.Or(ids[e.ID], ids[e.Assertion]) }
	type decision struct {
		ledger.Decided
		at time.Time
	}
	var out []decision
	for i := range ms {
		m := &ms[i]
		if !m.Fact.IsRelation() || m.Trust != trilith.TrustUserConfirmed {
			continue
		}
		from, to := m.Fact.Ends()
		d := decision{ledger.Decided{Paper: find(from), Of: find(to)}, m.RecordedAt}
		switch d.Not = m.Fact.Verification.Status == trilith.Rejected; {
		case d.Paper == "", d.Of == "", !d.Not && m.State != trilith.StateActive:
			continue
		}
		out = append(out, d)
	}
	slices.SortFunc(out, func(a, b decision) int {
		return cmp.Or(a.at.Compare(b.at), cmp.Compare(a.Paper, b.Paper), cmp.Compare(a.Of, b.Of))
	})
	decided := make([]ledger.Decided, len(out))
	for i := range out {
		decided[i] = out[i].Decided
	}
	return decided
}

// Doubt is a paper of a project that could belong to several.
type Doubt struct {
	Paper trilith.Memory
	Among []trilith.Memory
}

// Doubts are the papers of a project that could belong to several now, in order of time. A scope without a project has
// none, nor has a project with more facts than a ledger takes.
func (ps *Projects) Doubts(ctx context.Context, s trilith.Scope) ([]Doubt, error) {
	if s.Project == "" {
		return nil, nil
	}
	ms, err := ps.money(ctx, s)
	if err != nil {
		if trilith.KindOf(err) == trilith.Exhausted {
			err = nil
		}
		return nil, err
	}
	usual, err := ledger.ParseTolerance("")
	if err != nil {
		return nil, err
	}
	byID := map[trilith.ID]*trilith.Memory{}
	for i := range ms {
		byID[ms[i].ID] = &ms[i]
	}
	var out []Doubt
	for _, f := range ledgerOf(s.Project, ms, ledger.Terms{AsOf: ps.truth.Now(), Tolerance: usual}).Findings {
		if f.Kind != trilith.FindingAmbiguous {
			continue
		}
		d := Doubt{Paper: *byID[f.FactIDs[0]]}
		for _, id := range f.Others {
			d.Among = append(d.Among, *byID[id])
		}
		out = append(out, d)
	}
	return out, nil
}
