package facts

import (
	"slices"
	"testing"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/facts/profile"
	"github.com/trilith-memory/trilith/internal/lang/extract"
)

// Every verb of the rules has a heading under which it is listed.
func TestEveryVerbHasAHeading(t *testing.T) {
	t.Parallel()
	verbs := extract.Verbs()
	for verb, v := range verbs {
		f := &trilith.Fact{Verb: verb, Type: v.Type}
		if v.Type == trilith.FactProfile && headingOfVerb[verb] == "" || HeadingOf(f) == "Other" {
			t.Errorf("%s (%s) is told under %q: give it a place in headingOfVerb", verb, v.Type, HeadingOf(f))
		}
	}
	profiles, err := profile.Shipped()
	if err != nil {
		t.Fatal(err)
	}
	known := func(verb string) {
		t.Helper()
		_, ok := verbs[verb]
		if !ok && !slices.ContainsFunc(profiles, func(p trilith.Profile) bool {
			return slices.ContainsFunc(p.Verbs, func(v trilith.ProfileVerb) bool { return v.Name == verb })
		}) {
			t.Errorf("%s is no verb of the rules or of a profile any more", verb)
		}
	}
	for verb := range headingOfVerb {
		known(verb)
	}
}

func TestHeadings(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		verb    string
		kind    trilith.FactType
		heading string
	}{
		{"lives_in", trilith.FactProfile, "Home"},
		{"favourite_colour", trilith.FactPreference, "Tastes"},
		{"sister_lives_in", trilith.FactProfile, "People"},
		{"younger_sister_lives_in", trilith.FactProfile, "People"},
		{"daughter_has_birthday", trilith.FactProfile, "People"},
		{"brother_in_law_works_at", trilith.FactProfile, "People"},
		{"has_sibling", trilith.FactRelationship, "People"},
		{"has_boss", trilith.FactRelationship, "People"},
		{"sister_likes", trilith.FactPreference, "Tastes"},
		{"collects", trilith.FactProfile, "Who"},
		{"wants", trilith.FactPlan, "Plans"},
	} {
		f := &trilith.Fact{Verb: c.verb, Type: c.kind}
		if got := HeadingOf(f); got != c.heading {
			t.Errorf("HeadingOf(%s) = %q, want %q", c.verb, got, c.heading)
		}
	}
}
