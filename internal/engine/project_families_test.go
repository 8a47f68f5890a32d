package engine_test

import (
	"slices"
	"testing"

	"github.com/trilith-memory/trilith"
)

// The families of projects are read in a scope with a project and under a profile for projects, and nowhere else.
func TestFamiliesOfProjects(t *testing.T) {
	t.Parallel()
	e := open(t, newLasting().config())
	for _, c := range []struct {
		name    string
		scope   trilith.Scope
		profile string
		inside  bool
	}{
		{"a project", trilith.Scope{Tenant: "acme", Actor: "tester", Project: "p"}, "", true},
		{"a profile for projects", trilith.Scope{Tenant: "acme", Actor: "tester", User: "b"}, "construction", true},
		{"a dialect for projects", trilith.Scope{Tenant: "acme", Actor: "tester", User: "c"}, "", true},
		{"a person", trilith.Scope{Tenant: "acme", Actor: "tester", User: "d"}, "", false},
		{"a profile for persons", trilith.Scope{Tenant: "acme", Actor: "tester", User: "e"}, "personal", false},
	} {
		_, err := e.Remember(t.Context(), c.scope, trilith.RememberRequest{
			Text:    "Holm quoted 4,000 EUR for the roof. The permit expires on 2026-12-31. We need to plaster the walls.",
			Extract: trilith.ExtractRules, Wait: trilith.WaitExtracted, Profile: c.profile, Timestamp: "2026-03-11",
			InProject: c.name == "a dialect for projects"})
		if err != nil {
			t.Fatal(err)
		}
		page, err := e.List(t.Context(), c.scope,
			trilith.ListRequest{Filter: trilith.Where("kind", trilith.OpEq, trilith.KindFact)})
		if err != nil {
			t.Fatal(err)
		}
		var got, want []string
		for _, m := range page.Items {
			got = append(got, m.Fact.Verb)
		}
		if slices.Sort(got); c.inside {
			want = []string{"has_deadline", "has_quote", "has_task"}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", c.name, got, want)
		}
	}
}
