package retrieve

import (
	"testing"

	"github.com/trilith-memory/trilith"
)

func TestPlansAreNotWhatHappened(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		question, verb string
		kind           trilith.FactType
		unasked        bool
	}{
		{"In which lakes did Ana swim?", "wants", trilith.FactPlan, true},
		{"In which lakes did Ana swim?", "visited", trilith.FactEvent, false},
		{"What goal did Ana set?", "wants", trilith.FactPlan, false},
		{"Where will Ana swim?", "wants", trilith.FactPlan, false},
		{"Wo waren Ana und Ben im Urlaub?", "plans", trilith.FactPlan, true},
		{"Welche Ziele hat Ana?", "wants", trilith.FactPlan, false},
	} {
		p := NewPlan(Question{Text: c.question}, true)
		if got := p.unasked(&trilith.Fact{Verb: c.verb, Type: c.kind}); got != c.unasked {
			t.Errorf("%q of %s: unasked is %t, want %t", c.question, c.verb, got, c.unasked)
		}
	}
}
