package scenario

import (
	"slices"
	"strings"
	"testing"
)

// The stories that are made of tables parse, and have names of their own.
func TestMadeStories(t *testing.T) {
	t.Parallel()
	var names []string
	for _, m := range everyMade() {
		if _, err := parse(m.name, []byte(m.text)); err != nil {
			t.Error(err)
		}
		if slices.Contains(names, m.name) {
			t.Errorf("two stories are called %s", m.name)
		}
		names = append(names, m.name)
	}
	if len(names) != 2*len(doomedKinds)+len(correctionRows)*len(cells)+len(turnRows) {
		t.Errorf("%d stories are made, want two for each of %d kinds and one for each of %d×%d cells and %d turns",
			len(names), len(doomedKinds), len(correctionRows), len(cells), len(turnRows))
	}
}

// A sample has every kind of memory, both ways of deleting, every correction and every rule for them, and every kind of
// change of mind.
func TestSample(t *testing.T) {
	t.Parallel()
	var parts []string
	for _, m := range sampled() {
		parts = append(parts, strings.Split(m.name, "/")...)
	}
	var want []string
	for _, m := range everyMade() {
		for _, part := range strings.Split(m.name, "/") {
			if number := strings.Contains(part, "."); !number { // of a change of mind, of which one for each kind will do
				want = append(want, part)
			}
		}
	}
	for _, part := range want {
		if !slices.Contains(parts, part) {
			t.Errorf("no story of the sample is about %s", part)
		}
	}
}
