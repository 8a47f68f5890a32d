package projects_test

import (
	"slices"
	"testing"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/test/rig"
)

// The families of projects are read in a scope with a project and under a profile for projects, and nowhere else.
func TestFamiliesOfProjects(t *testing.T) {
	t.Parallel()
	e := rig.Open(t, rig.NewLasting().Config())
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
		{"code", trilith.Scope{Tenant: "acme", Actor: "tester", User: "f"}, "code", true},
		{"code in a project", trilith.Scope{Tenant: "acme", Actor: "tester", Project: "g"}, "code", true},
		{"a project with a profile for persons", trilith.Scope{Tenant: "acme", Actor: "tester", Project: "h"}, "personal", false},
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

// A timeline of plain statements holds each of them.
func TestTimelineOfPlainStatements(t *testing.T) {
	t.Parallel()
	e := rig.Open(t, rig.NewLasting().Config())
	s := trilith.Scope{Tenant: "acme", Project: "mill", Actor: "tester"}
	said := []string{"The roofing is scheduled from 2026-06-20 to 2026-07-05.", "The topping-out milestone is 2026-07-10.",
		"The crane is available until 12 June 2026.", "Drywall starts on 3 August.", "We pour the foundation on 2026-12-10.",
		"The permit expires on 2026-12-31.", "Kessler delivers the windows on 12 June.", "Der Estrich kommt am 4. Juli 2026."}
	for _, text := range said {
		if _, err := e.Remember(t.Context(), s, trilith.RememberRequest{Text: text, Extract: trilith.ExtractRules,
			Wait: trilith.WaitExtracted, Timestamp: "2026-03-11"}); err != nil {
			t.Fatal(err)
		}
	}
	line, err := e.Timeline(t.Context(), s, trilith.TimelineQuery{})
	if err != nil || len(line.Items) != len(said) {
		t.Errorf("Timeline = %+v, %v; want %d items", line.Items, err, len(said))
	}
}
