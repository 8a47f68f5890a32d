package scenario

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// made is a story that is made of a table.
type made struct{ name, text string }

// Suites plays the stories that are made of tables, each on a fresh memory: every way of deleting every kind of memory,
// and every way of correcting a statement, with everything that must not undo it.
func Suites(t *testing.T, open func(t *testing.T) Memory, limits ...Limit) {
	t.Helper()
	for _, m := range slices.Concat(deletions(), corrections(), turns()) {
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			s, err := parse(m.name, []byte(m.text))
			if err != nil {
				t.Fatal(err)
			}
			s.skip(t, limits)
			if err := play(t.Context(), s, func() Memory { return open(t) }); err != nil {
				t.Errorf("%v\nthe story:\n%s", err, numbered(m.text))
			}
		})
	}
}

func numbered(text string) string {
	var b strings.Builder
	for i, line := range strings.Split(text, "\n") {
		fmt.Fprintf(&b, "%3d  %s\n", i+1, line)
	}
	return b.String()
}
