package assemble

import (
	"strings"
	"testing"

	"github.com/trilith-memory/trilith"
)

// Tasks are in the block for any hits, and leave three quarters of it to the rest.
func TestTodoAlways(t *testing.T) {
	t.Parallel()
	first := "- [HIGH] The scaffold is not inspected. (/trilith-memory) [of tower, since 2025-03-01, said by Ben]\n"
	for _, c := range []struct {
		name        string
		hits        []trilith.Hit
		budget      int
		facts, todo int
	}{
		{"nothing was found", nil, 1000, 0, 3},
		{"room for all", sampleFacts(), 1000, 6, 3},
		{"little room", sampleFacts(), 220, 4, 1},
	} {
		got := build(t, c.hits, Options{Format: trilith.FormatFacts, Budget: c.budget, Todo: sampleTodo()})
		lines := strings.Count(got.Text, "\n- [")
		if lines != c.todo || len(got.Hits) != c.facts || got.Tokens > c.budget || c.todo > 0 &&
			!strings.Contains(got.Text, actionItems+first) {
			t.Errorf("%s: %d facts and %d things to do in %d of %d tokens, want %d and %d:\n%s", c.name, len(got.Hits),
				lines, got.Tokens, c.budget, c.facts, c.todo, got.Text)
		}
	}
}
