package lexical_test

import (
	"testing"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/search/lexical"
)

func TestParseRules(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text string
		want lexical.Rules
		why  string
	}{
		{"all", lexical.AllRules, "the default by its name"},
		{"none", 0, "plain BM25"},
		{"nearby, names", lexical.RuleNearby | lexical.RuleNames, "those that are named, no other"},
		{"-dates", lexical.AllRules &^ lexical.RuleDates, "who begins by taking away begins with all"},
		{"none,words", lexical.RuleWords, "one by one"},
		{"nearby,-nearby", 0, "the last word counts"},
	} {
		got, err := lexical.ParseRules(c.text)
		if err != nil || got != c.want {
			t.Errorf("ParseRules(%q) = %v, %v, want %v: %s", c.text, got, err, c.want, c.why)
		}
		if again, err := lexical.ParseRules(got.String()); err != nil || again != got {
			t.Errorf("ParseRules(%q) = %v, %v, want what was written: %v", got.String(), again, err, got)
		}
	}
	for _, bad := range []string{"", "everything", "-all", "nearby,,names"} {
		if got, err := lexical.ParseRules(bad); trilith.KindOf(err) != trilith.Invalid {
			t.Errorf("ParseRules(%q) = %v, %v, want Invalid", bad, got, err)
		}
	}
}
