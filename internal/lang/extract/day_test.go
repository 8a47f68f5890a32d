package extract

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/trilith-memory/trilith"
)

// TestTwoDays: of several days in a sentence each is that of its own clause, and a value ends before the clause of the next.
// A sentence behind a star is one of a project; behind "<" is since when a fact holds.
func TestTwoDays(t *testing.T) {
	t.Parallel()
	for _, row := range rows(t, "days.tsv") {
		said, project := strings.CutPrefix(row[0], "* ")
		var got []string
		for _, f := range Find([]Turn{{Role: trilith.RoleUser, Text: said, Project: project, At: spoken}}) {
			s := shown(f)
			if f.From != nil && f.Content["when"] == nil {
				s += " <" + f.From.Format(time.DateOnly)
			}
			got = append(got, s)
		}
		if slices.Sort(got); strings.Join(got, "; ") != row[1] {
			t.Errorf("%s: %q, want %q", row[0], strings.Join(got, "; "), row[1])
		}
	}
}
