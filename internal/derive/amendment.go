package derive

import (
	"context"
	"slices"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/entities"
	"github.com/trilith-memory/trilith/internal/extract"
	"github.com/trilith-memory/trilith/internal/reconcile"
)

// withAmendments adds to the facts of episodes the changes that they make to earlier facts. Within a turn a change
// comes first: what the turn states is not what it takes back.
func withAmendments(all []finding, episodes []trilith.Memory, amendments []extract.Amendment) []finding {
	for _, c := range amendments {
		m := episodes[c.Turn]
		if steered(&m, c.Start, c.End) {
			continue
		}
		for _, subject := range c.Subjects {
			f := finding{episode: m,
				amendment: &reconcile.Amendment{Verbs: c.Verbs, Any: c.Any, Whole: c.Whole, Exact: c.Exact,
					Kind: c.Kind, Was: c.Was, Values: c.Values, Instead: c.Instead, Due: c.Due, When: c.When,
					Except: c.Except, Over: c.Over, Replaces: c.Replaces, Back: c.Back, Days: c.Days},
				Found: extract.Found{Turn: c.Turn, Start: c.Start, End: c.End, Rule: c.Rule,
					Subject:  subject,
					Polarity: trilith.Affirmed, Certainty: trilith.Stated, Confidence: changeConfidence}}
			all = append(all, f)
		}
	}
	slices.SortStableFunc(all, func(a, b finding) int {
		switch {
		case a.Turn != b.Turn:
			return a.Turn - b.Turn
		case a.amendment != nil && b.amendment == nil:
			return -1
		case a.amendment == nil && b.amendment != nil:
			return 1
		}
		return 0
	})
	return all
}

// changeConfidence is the confidence in a rule about changes that has matched a known fact.
const changeConfidence = 0.85

// aboutFinding returns the entity and owner of a finding. A finding that changes a known fact may concern the speaker or
// the project: it goes to the one that has the fact.
func (dv *Deriver) aboutFinding(ctx context.Context, s trilith.Scope, subject entities.Party, f finding) (
	[]entities.Party, error) {
	if f.amendment == nil {
		about, ok, err := dv.about(ctx, s, subject, f)
		if !ok || err != nil {
			return nil, err
		}
		return []entities.Party{about}, nil
	}
	m := &f.episode
	var parties []entities.Party
	add := func(v entities.Party, owner trilith.Owner, err error) error {
		if err == nil {
			v.Holder = owner
			parties = append(parties, v)
		}
		return entities.UnlessErased(err)
	}
	var err error
	switch others := m.Speaker != "" && !entities.SameName(&subject.Entity, m.Speaker); {
	case !others, f.Subject != extract.SpeakerSubject && subject.Type != "person":
		err = add(subject, m.Scope.Owner(), nil)
	case f.Subject == extract.SpeakerSubject: // and nothing of the person for whom the words are stored
		speaker := entities.Within(m.Scope, trilith.Identifier{Type: "name", Value: m.Speaker})
		about, missing := dv.entities.Find(ctx, s, speaker)
		err = add(about, m.Scope.Owner(), missing)
	}
	if err != nil {
		return nil, err
	}
	known := len(parties) > 0
	if owner := m.Scope.MatterOwner(); owner == trilith.ProjectOwner(m.Scope.Project) &&
		isStoredFor(&subject.Entity, m.Scope) {
		v, err := dv.entities.Find(ctx, s, trilith.Identifier{Type: "project", Value: m.Scope.Project})
		if err := add(v, owner, err); err != nil {
			return nil, err
		}
	}
	if f.amendment.Any && known {
		return dv.withPeople(ctx, s, parties, m.Scope)
	}
	return parties, nil
}

// mostPeople limits how many of somebody's people a correction may concern.
const mostPeople = 20

// withPeople adds the people that the first candidate has named to those whom a correction may concern: "Leer, not
// Leeds" may be about a brother.
func (dv *Deriver) withPeople(ctx context.Context, s trilith.Scope, parties []entities.Party, scope trilith.Scope) (
	[]entities.Party, error) {
	facts, err := dv.truth.FactsOf(ctx, s, parties[0].ID)
	if err != nil {
		return nil, err
	}
	seen := map[trilith.ID]bool{}
	for _, p := range parties {
		seen[p.ID] = true
	}
	for _, m := range facts {
		if m.Fact.Owner != scope.Owner() || m.State != trilith.StateActive || m.Fact.Node.Type != "Person" ||
			len(seen) > mostPeople {
			continue
		}
		v, err := dv.entities.Find(
			ctx, s, entities.Within(scope, trilith.Identifier{Type: "name", Value: m.Fact.Node.Name}))
		if err := entities.UnlessErased(err); err != nil {
			return nil, err
		}
		if err == nil && !seen[v.ID] {
			seen[v.ID], v.Holder = true, scope.Owner()
			parties = append(parties, v)
		}
	}
	return parties, nil
}

// changing makes the assertion for a finding that changes a known fact.
func changing(about entities.Party, f finding) reconcile.Assertion {
	m := f.episode
	return reconcile.Assertion{
		Amendment: f.amendment, Memory: trilith.Memory{Version: 1, Kind: trilith.KindFact, Scope: m.Scope.Bare(),
			Role: m.Role, Speaker: m.Speaker,
			SourceID: m.SourceID, EventTime: m.EventTime, RecordedAt: m.RecordedAt, State: trilith.StateActive,
			Trust: m.Trust,
			Fact: &trilith.Fact{Owner: about.Holder, Guest: about.Holder != about.Owner, EntityID: about.ID,
				AuthorRole: m.Role, Rule: f.Rule, Polarity: f.Polarity, Certainty: f.Certainty,
				Confidence: f.Confidence,
				Priority:   trilith.PriorityNormal,
				Evidence: []trilith.Evidence{
					{EpisodeID: m.ID, Quote: m.Text[f.Start:f.End], Start: f.Start, End: f.End}}}}}
}
