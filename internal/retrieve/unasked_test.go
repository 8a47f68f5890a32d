package retrieve

import (
	"testing"

	"github.com/cairn-memory/cairn"
)

func TestPlansAreNotWhatHappened(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		question, verb string
		kind           cairn.FactType
		unasked        bool
	}{
		{"In which lakes did Ana swim?", "wants", cairn.FactPlan, true},
		{"In which lakes did Ana swim?", "visited", cairn.FactEvent, false},
		{"What goal did Ana set?", "wants", cairn.FactPlan, false},
		{"Where will Ana swim?", "wants", cairn.FactPlan, false},
		{"Wo waren Ana und Ben im Urlaub?", "plans", cairn.FactPlan, true},
		{"Welche Ziele hat Ana?", "wants", cairn.FactPlan, false},
	} {
		p := NewPlan(Question{Text: c.question}, true)
		if got := p.unasked(&cairn.Fact{Verb: c.verb, Type: c.kind}); got != c.unasked {
			t.Errorf("%q of %s: unasked is %t, want %t", c.question, c.verb, got, c.unasked)
		}
	}
}
