package facts

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/truth"
)

// evidence maps ids to the memories that facts rest on, as they are stored now.
type evidence map[trilith.ID]*trilith.Memory

// EvidenceStep is how many facts are read together with their evidence.
const EvidenceStep = 500

// EachWithEvidence calls f with each fact of the scope that passes the filter and the check, by ascending id, and with
// the episodes that it rests on.
func (fs *Facts) EachWithEvidence(ctx context.Context, s trilith.Scope, filter trilith.Filter,
	worth func(*trilith.Memory) bool, f func(m *trilith.Memory, episodes []*trilith.Memory)) error {
	facts := make([]trilith.Memory, 0, EvidenceStep)
	look := func() error {
		v, err := fs.EvidenceOf(ctx, s, facts)
		if err != nil {
			return err
		}
		for i := range facts {
			f(&facts[i], v.Of(&facts[i]))
		}
		facts = facts[:0]
		return nil
	}
	for m, err := range fs.truth.List(ctx, s, role.Listing{Filter: trilith.AllOf(filter, truth.Unshared)}) {
		if err != nil {
			return err
		}
		if !worth(&m) {
			continue
		}
		if facts = append(facts, m); len(facts) == EvidenceStep {
			if err := look(); err != nil {
				return err
			}
		}
	}
	return look()
}

// EvidenceOf reads the episodes that facts rest on, including those outside a narrow scope, because several people's
// words may support a fact. The episodes are evaluated and never returned to a caller.
func (fs *Facts) EvidenceOf(ctx context.Context, s trilith.Scope, facts []trilith.Memory) (evidence, error) {
	var ids []trilith.ID
	for i := range facts {
		if facts[i].Fact != nil {
			for _, ev := range facts[i].Fact.Evidence {
				ids = append(ids, ev.EpisodeID)
			}
		}
	}
	slices.Sort(ids)
	out := evidence{}
	for chunk := range slices.Chunk(slices.Compact(ids), role.MaxBatch) {
		ms, err := fs.truth.Memories(ctx, truth.TenantOf(s), chunk)
		if err != nil {
			return nil, err
		}
		for i := range ms {
			out[ms[i].ID] = &ms[i]
		}
	}
	return out, nil
}

// Of returns the episodes that support a fact and still exist, each once, in the order of its quotes.
func (v evidence) Of(m *trilith.Memory) []*trilith.Memory {
	var out []*trilith.Memory
	if m.Fact == nil {
		return nil
	}
	for _, ev := range m.Fact.Evidence {
		if ep := v[ev.EpisodeID]; ep != nil && !ev.Withdrawn && !ev.Ends && !slices.Contains(out, ep) {
			out = append(out, ep)
		}
	}
	return out
}

// LastSeen returns when a fact was last stated in the episodes that it rests on, or verified; without episodes, when it
// began.
func LastSeen(m *trilith.Memory, episodes []*trilith.Memory) time.Time {
	seen := m.EventTime
	if len(episodes) > 0 {
		seen = time.Time{}
	}
	for _, ep := range episodes {
		seen = truth.Later(seen, ep.EventTime)
	}
	if v := m.Fact.Verification; v.Status == trilith.Verified && v.At != nil && v.Decided() {
		seen = truth.Later(seen, *v.At)
	}
	return seen
}

// ProposedTasks returns the tasks among facts that an episode proposes and that are not retracted, in the order of
// their quotes in it.
func ProposedTasks(list []trilith.Memory, episode trilith.ID) []trilith.Memory {
	type task struct {
		at int
		m  trilith.Memory
	}
	var out []task
	for _, m := range list {
		i := slices.IndexFunc(m.Fact.Evidence, func(e trilith.Evidence) bool {
			return e.EpisodeID == episode && e.Proposed && !e.Withdrawn
		})
		if i >= 0 && m.Fact.Type == trilith.FactTask &&
			(m.State == trilith.StateCandidate || m.State == trilith.StateActive) {
			out = append(out, task{m.Fact.Evidence[i].Start, m})
		}
	}
	slices.SortStableFunc(out, func(a, b task) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.m.ID, b.m.ID))
	})
	ms := make([]trilith.Memory, len(out))
	for i := range out {
		ms[i] = out[i].m
	}
	return ms
}
