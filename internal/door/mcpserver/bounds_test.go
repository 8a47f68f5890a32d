package mcpserver_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/engine"
	"github.com/trilith-memory/trilith/internal/role"
)

// Listings of long facts stay within their size, show one at least, and say how many did not fit or that more exist.
func TestListingsAreBounded(t *testing.T) {
	t.Parallel()
	everyTransport(t, []string{"graph", "review"}, func(t *testing.T, r *rig, p *peer) {
		s := trilith.Scope{Tenant: "default"}
		ana := p.call(t, "memory_assimilate",
			args{"identifier": args{"type": "name", "value": "Ana"}, "content": "The ferry was late."}).Entity.ID
		var b role.Batch
		for n := range 100 {
			f := trilith.Fact{EntityID: ana, Verb: "stays_at", SingleValued: true, Type: trilith.FactTask,
				Node: trilith.Node{Type: "Other", Name: fmt.Sprint(n)}, Polarity: trilith.Affirmed,
				Priority: trilith.PriorityHigh, RequiresAction: true, Financial: &trilith.Financial{Amount: "9000"},
				Verification: trilith.Verification{Status: trilith.NeedsReview}}
			f.FactID = f.Node.ID()
			f.RelationshipKey = f.Key()
			b.Memories = append(b.Memories,
				trilith.Memory{ID: trilith.FactMemoryID(ana, f.Verb, f.FactID), Version: 1, Kind: trilith.KindFact,
					Scope: s, Fact: &f,
					Text:       strings.Repeat(fmt.Sprintf("slate%03d ", n), 16<<10/9),
					EventTime:  time.Unix(int64(n), 0).UTC(),
					RecordedAt: time.Unix(int64(n), 0).UTC(),
					State:      trilith.StateActive, Trust: trilith.TrustUserStated})
		}
		if _, err := r.store.Commit(t.Context(), s, b); err != nil {
			t.Fatal(err)
		}
		for _, c := range []struct {
			tool string
			args args
			more func(answer) bool
		}{
			{"memory_lookup", args{"identifier": args{"type": "name", "value": "Ana"}},
				func(a answer) bool { return a.LeftOut > 0 }},
			{"memory_review", args{"limit": 20}, func(a answer) bool { return len(a.Items[0].Others) > 0 }},
			{"memory_review", args{"what": "actions", "limit": 20},
				func(a answer) bool { return a.LeftOut > 0 || strings.Contains(a.Message, "More wait") }},
			{"memory_review", args{"what": "amounts", "limit": 20},
				func(a answer) bool { return a.LeftOut > 0 || strings.Contains(a.Message, "More wait") }},
			{"memory_search", args{"limit": 20}, func(a answer) bool { return a.LeftOut > 0 }},
		} {
			text := textOf(t, p.try(t, c.tool, c.args))
			got := read(t, text)
			if n := len(got.Facts) + len(got.Items) + len(got.Results); n == 0 || engine.Tokens(text) > 2500 ||
				!c.more(got) {
				t.Errorf("%s %v shows %d in %d tokens, leaves out %d and says %q; want one at least, about 2000, and what is missing",
					c.tool, c.args, n, engine.Tokens(text), got.LeftOut, got.Message)
			}
		}
	})
}
