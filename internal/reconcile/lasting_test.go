package reconcile

import (
	"slices"
	"testing"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/extract"
)

// passing are verbs of people whose values end by the way.
var passing = []string{"works_as", "works_at", "works_in", "has_work_status", "runs", "teaches", "studies",
	"studies_in", "learns", "has_condition", "takes_medicine", "speaks",
	"plays", "uses", "has_trait", "has_size", "does_regularly", "likes", "prefers", "favourite_",
	"commutes_by", "provider_", "has_role", "member_of"}

// Every verb of the rules says whether its values end by themselves.
func TestEveryVerbLastsOrPasses(t *testing.T) {
	t.Parallel()
	verbs := extract.Verbs()
	for verb, v := range verbs {
		if (v.Type == trilith.FactProfile || v.Type == trilith.FactPreference) &&
			slices.Contains(lastingVerbs, verb) == slices.Contains(passing, verb) {
			t.Errorf("%s: put it into lastingVerbs, or else into passing of this test", verb)
		}
	}
	for _, verb := range lastingVerbs {
		if _, ok := verbs[verb]; !ok {
			t.Errorf("%s is no verb of the rules any more", verb)
		}
	}
}

func TestWhatLastsOfSomebody(t *testing.T) {
	t.Parallel()
	for verb, want := range map[string]bool{"lives_in": true, "sister_lives_in": true,
		"younger_sister_allergic_to": true, "sister_works_at": false, "has_phone": true, "speaks": false} {
		if got := lasting(&trilith.Fact{Verb: verb, Type: trilith.FactProfile}); got != want {
			t.Errorf("lasting(%s) = %t, want %t", verb, got, want)
		}
	}
}
