package retrieve_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/trilith-memory/trilith/internal/lang/extract"
	"github.com/trilith-memory/trilith/internal/search/retrieve"
)

// A verb without a line is found by the words of its name alone, in English.
func TestEveryVerbHasAGloss(t *testing.T) {
	t.Parallel()
	for verb := range extract.Verbs() {
		name := strings.ReplaceAll(strings.TrimSuffix(verb, "_"), "_", " ")
		if got := strings.TrimSpace(retrieve.Gloss(verb)); got == name || got == "" {
			t.Errorf("Gloss(%q) = %q; want a line in gloss.txt with the words, English and German, that people ask for it with", verb, got)
		}
	}
}

func TestGloss(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		verb, why string
		want      []string
		without   []string
	}{
		{"lives_in", "a line of its own", []string{"address", "wohnen"}, nil},
		{"favourite_colour", "the line of its family, and its name", []string{"best", "liebling", "colour"}, nil},
		{"budget_for_kitchen", "the line of its family, and its name", []string{"spend", "kitchen"}, nil},
		{"sister_lives_in", "whose it is, and what it is", []string{"sister", "schwester", "live", "wohnen"},
			[]string{"brother"}},
		{"younger_sister_lives_in", "which one it is, whose and what",
			[]string{"younger", "jüngere", "schwester", "wohnen"}, []string{"older"}},
		{"brother_in_law_works_as", "a relation of several words is no brother", []string{"schwager", "job", "beruf"},
			[]string{"geschwister"}},
		{"aunt_has_birthday", "a relative", []string{"tante", "geburtstag"}, []string{"onkel"}},
		{"daughter_favourite_colour", "a family, of somebody", []string{"tochter", "liebling", "colour"}, nil},
		{"drives_a_tram", "a verb that nobody has described", []string{"drives", "tram"}, nil},
	} {
		words := strings.Fields(retrieve.Gloss(c.verb))
		for _, w := range c.want {
			if !slices.Contains(words, w) {
				t.Errorf("Gloss(%q) lacks %q: %s (has %v)", c.verb, w, c.why, words)
			}
		}
		for _, w := range c.without {
			if slices.Contains(words, w) {
				t.Errorf("Gloss(%q) holds %q: %s", c.verb, w, c.why)
			}
		}
	}
}
