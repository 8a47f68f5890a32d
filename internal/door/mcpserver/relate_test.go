package mcpserver_test

import (
	"strings"
	"testing"

	"github.com/trilith-memory/trilith"
)

// TestRelate: a model says how two facts bear on each other, sees it from both ends, and closes no circle.
func TestRelate(t *testing.T) {
	t.Parallel()
	everyTransport(t, []string{"graph"}, func(t *testing.T, _ *rig, p *peer) {
		ana := args{"type": "email", "value": "ana@example.com"}
		learned := func(words string) trilith.ID {
			facts := p.call(t, "memory_assimilate", args{"identifier": ana, "content": words}).Facts
			if len(facts) != 1 {
				t.Fatalf("memory_assimilate of %q = %d facts, want 1", words, len(facts))
			}
			return facts[0].ID
		}
		home, work := learned("I live in Oslo."), learned("I work at Nordlicht.")
		related := textOf(t, p.try(t, "memory_relate",
			args{"fact": home, "type": "causes", "to": work, "note": "She took the job to stay in Oslo."}))
		if !strings.Contains(related, "She took the job to stay in Oslo.") {
			t.Errorf("memory_relate says %s, want the note", related)
		}
		for _, id := range []trilith.ID{home, work} {
			if got := textOf(t, p.try(t, "memory_relations", args{"fact": id})); !strings.Contains(got, "causes") {
				t.Errorf("memory_relations of %s says %s, want causes", id, got)
			}
		}
		p.call(t, "memory_relate", args{"fact": home, "type": "depends_on", "to": work})
		p.fails(t, "memory_relate", args{"fact": work, "type": "depends_on", "to": home}, trilith.Conflict, "")
		p.fails(t, "memory_relate", args{"fact": home, "type": "likes", "to": work}, trilith.Invalid, "type: ")
		p.fails(t, "memory_relate", args{"fact": home, "type": "causes", "to": trilith.DeriveID("x")}, trilith.NotFound, "")
		p.fails(t, "memory_relations", args{"fact": home, "hops": 9}, trilith.Invalid, "hops: ")
	})
}
