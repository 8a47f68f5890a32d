package embedded_test

import (
	"testing"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/search/embedded"
	"github.com/trilith-memory/trilith/internal/search/lexical"
	"github.com/trilith-memory/trilith/internal/test/indextest"
)

// TestSpelling: a word that nobody used is looked for by words spelt alike, among the memories that the search covers.
func TestSpelling(t *testing.T) {
	t.Parallel()
	x := embedded.NewText(nil)
	for i, p := range []struct{ user, text string }{{"ana", "We moved to Kubernetes"}, {"ana", "My mom called"},
		{"ben", "I wrote Kuberntes and mother"}} {
		point := textPoint("team", i, 1, p.text)
		point.Facets.Scope.User = p.user
		if err := x.Apply(t.Context(), []role.TextPoint{point}); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		user, query string
		rules       lexical.Rules
		want        int
		why         string
	}{
		{"ana", "Kuberntes", lexical.RuleSpelling, 1, "that another user used the word changes nothing"},
		{"ana", "Kuberntes", 0, 0, "without the rule only what was asked is found"},
		{"", "Kuberntes", lexical.RuleSpelling, 1, "in the scope of both somebody used it"},
		{"ana", "mother", lexical.RuleSpelling, 1, "another word for it"},
		{"ana", "mother, not mom", lexical.RuleSpelling, 1, "a word of the question stands for itself alone"},
		{"ana", "zebra", lexical.RuleSpelling, 0, "nothing is like it"},
	} {
		got, err := x.Search(t.Context(), trilith.Scope{Tenant: "team", User: c.user},
			indextest.Only(t, x, role.TextProbe{Text: c.query, K: 10}, c.rules))
		if err != nil || len(got.Candidates) != c.want {
			t.Errorf("Search(%q) of %q: %+v, %v, want %d hits: %s", c.query, c.user, got.Candidates, err, c.want, c.why)
		}
		for _, h := range got.Candidates {
			if h.Score > got.Attainable {
				t.Errorf("Search(%q) of %q: score %v, want at most %v", c.query, c.user, h.Score, got.Attainable)
			}
		}
	}
}
