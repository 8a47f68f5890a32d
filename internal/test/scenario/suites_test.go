package scenario

import (
	"slices"
	"testing"
)

// The stories that are made of tables parse, and have names of their own.
func TestMadeStories(t *testing.T) {
	t.Parallel()
	var names []string
	for _, m := range slices.Concat(deletions(), corrections(), turns()) {
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
