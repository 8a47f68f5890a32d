package mcpserver_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/test/inmem"
)

// TestPartial: a model hears in a sentence that a part of the search failed, and never that nothing is known for that
// reason.
func TestPartial(t *testing.T) {
	t.Parallel()
	everyTransport(t, []string{"graph", "subagent"}, func(t *testing.T, r *rig, p *peer) {
		ana := args{"type": "name", "value": "Ana"}
		p.call(t, "memory_assimilate", args{"identifier": ana, "content": "I live in Bergen."})
		if err := r.Settle(t.Context()); err != nil {
			t.Fatal(err)
		}
		r.store.Inject(inmem.Fault{Before: func(_ context.Context, op string) error {
			if op == "Head" {
				return trilith.Errorf(trilith.Internal, "store: the file is damaged")
			}
			return nil
		}})
		for _, c := range []struct {
			name string
			args args
		}{
			{"memory_search", args{"query": "Bergen"}},
			{"memory_search", args{"query": "Bergen", "format": "briefing"}},
			{"memory_lookup", args{"identifier": ana, "query": "Bergen"}},
			{"search", args{"query": "Bergen"}},
		} {
			name := c.name
			res, err := p.CallTool(t.Context(), &mcp.CallToolParams{Name: name, Arguments: c.args})
			if err != nil || res.IsError {
				t.Errorf("%s = %+v, %v", name, res, err)
				continue
			}
			for what, text := range map[string]string{"text": res.Content[0].(*mcp.TextContent).Text,
				"structured": string(encoded(t, res.StructuredContent))} {
				var got struct {
					Message    string   `json:"message"`
					Partial    bool     `json:"partial"`
					FailedArms []string `json:"failed_arms"`
				}
				if err := json.Unmarshal([]byte(text), &got); err != nil || !got.Partial || len(got.FailedArms) != 2 ||
					!strings.Contains(got.Message, "The answer is incomplete") {
					t.Errorf("%s of %s = %s, want a partial answer and a sentence that says so", what, name, text)
				}
			}
		}
		for _, format := range []string{"list", "briefing"} {
			p.fails(t, "memory_search", args{"query": "Bergen", "filters": args{"tags": args{"contains": "x"}},
				"format": format}, trilith.Unavailable, "arms: ")
		}
	})
}

func encoded(t *testing.T, v any) []byte {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return b
}
