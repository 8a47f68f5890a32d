package derive

import (
	"cmp"
	"slices"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/facts/entities"
	"github.com/trilith-memory/trilith/internal/facts/reconcile"
	"github.com/trilith-memory/trilith/internal/lang/extract"
)

// withAmendments adds to the facts of episodes the changes that they make to earlier facts. Within a turn changes
// come first, because a turn never takes back its own statement.
func withAmendments(all []finding, episodes []trilith.Memory, amendments []extract.Amendment) []finding {
	for _, c := range amendments {
		m := episodes[c.Turn]
		if steered(&m, c.Start, c.End) {
			continue
		}
		all = append(all, finding{episode: m,
			amendment: &reconcile.Amendment{Verbs: c.Verbs, Value: c.Value, Instead: c.Instead, Over: c.Over},
			Found: extract.Found{Turn: c.Turn, Start: c.Start, End: c.End, Rule: c.Rule, Subject: c.Subject,
				Polarity: trilith.Affirmed, Certainty: trilith.Stated, Confidence: changeConfidence}})
	}
	first := func(f finding) int {
		if f.amendment != nil {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(all, func(a, b finding) int { return cmp.Or(a.Turn-b.Turn, first(a)-first(b)) })
	return all
}

// changeConfidence is the confidence in a rule about changes that has matched a known fact.
const changeConfidence = 0.85

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
