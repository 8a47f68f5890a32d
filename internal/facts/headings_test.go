package facts

import (
	"slices"
	"testing"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/extract"
	"github.com/trilith-memory/trilith/internal/profile"
)

// steady are verbs of people whose values nobody asks about again.
var steady = []string{"has_name", "goes_by", "comes_from", "born_in", "has_nationality", "has_age", "has_birthday",
	"has_children", "has_degree",
	"has_trait", "speaks", "plays", "owns", "does_regularly"}

// Every verb of the rules has a heading under which it is listed, and says whether its values come and go.
func TestEveryVerbHasAHeading(t *testing.T) {
	t.Parallel()
	verbs := extract.Verbs()
	for verb, v := range verbs {
		f := &trilith.Fact{Verb: verb, Type: v.Type}
		if v.Type == trilith.FactProfile && headingOfVerb[verb] == "" || HeadingOf(f) == "Other" {
			t.Errorf("%s (%s) is told under %q: give it a place in partOfVerb", verb, v.Type, HeadingOf(f))
		}
		if v.Type == trilith.FactProfile && slices.Contains(steady, verb) == changeable[verb] {
			t.Errorf("%s: say whether its values come and go: in changeable, or else in steady of this test", verb)
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
	for verb := range changeable {
		known(verb)
	}
	for verb := range permanentRelations {
		known(verb)
	}
}

func TestHeadingsAndChangeability(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		verb       string
		kind       trilith.FactType
		heading    string
		changeable bool
	}{
		{"lives_in", trilith.FactProfile, "Home", true},
		{"favourite_colour", trilith.FactPreference, "Tastes", false},
		{"sister_lives_in", trilith.FactProfile, "People", true},
		{"younger_sister_lives_in", trilith.FactProfile, "People", true},
		{"daughter_has_birthday", trilith.FactProfile, "People", false},
		{"brother_in_law_works_at", trilith.FactProfile, "People", true},
		{"has_sibling", trilith.FactRelationship, "People", false},
		{"has_boss", trilith.FactRelationship, "People", true},
		{"sister_likes", trilith.FactPreference, "Tastes", false},
		{"collects", trilith.FactProfile, "Who", false},
		{"wants", trilith.FactPlan, "Plans", true},
	} {
		f := &trilith.Fact{Verb: c.verb, Type: c.kind}
		if got := HeadingOf(f); got != c.heading {
			t.Errorf("HeadingOf(%s) = %q, want %q", c.verb, got, c.heading)
		}
		if got := Changeable(f); got != c.changeable {
			t.Errorf("Changeable(%s) = %t, want %t", c.verb, got, c.changeable)
		}
	}
}
