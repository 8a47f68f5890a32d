package mcpserver_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/door/mcpserver"
)

// A model looks at earlier conversations: which there are, their turns in order, what a prompt needs, and a summary.
// What would be pruned it is shown, and prunes nothing.
func TestSessions(t *testing.T) {
	t.Parallel()
	everyTransport(t, []string{"sessions"}, func(t *testing.T, r *rig, p *peer) {
		for i := range 4 {
			p.call(t, "memory_append", args{"content": fmt.Sprintf("The ferry number %d sails at %d:40.", i, 6+i),
				"session": "spring", "user": "ana"})
		}
		for i := range 3 {
			if _, err := r.Remember(t.Context(), trilith.Scope{Tenant: "default", User: "ana", Session: "talk"},
				trilith.RememberRequest{Messages: []trilith.Message{{Role: trilith.RoleUser,
					Content: fmt.Sprintf("On %d March 2025 we decided to paint boat %d red.", i+1, i)}}}); err != nil {
				t.Fatal(err)
			}
		}
		list := p.call(t, "memory_session", args{})
		if len(list.Sessions) != 1 || list.Sessions[0].ID != "talk" || list.Sessions[0].Turns != 3 {
			t.Fatalf("list = %+v, want the conversation", list)
		}
		got := p.call(t, "memory_session", args{"action": "get", "id": "talk", "limit": 2})
		if len(got.Turns) != 2 || !strings.Contains(got.Turns[0].Content, "boat 0") || got.NextCursor == "" {
			t.Errorf("get = %+v, want the first two turns and a cursor", got)
		}
		rest := p.call(t, "memory_session", args{"action": "get", "id": "talk", "cursor": got.NextCursor})
		if len(rest.Turns) != 1 || !strings.Contains(rest.Turns[0].Content, "boat 2") {
			t.Errorf("the next page = %+v, want the third turn", rest)
		}
		made := p.call(t, "memory_session", args{"action": "summarize", "id": "talk"})
		if !strings.Contains(made.Summary.Content, "March 2025") {
			t.Errorf("summarize = %+v, want a summary", made)
		}
		context := p.call(t, "memory_session", args{"action": "context", "id": "talk", "query": "When does ferry 2 sail?"})
		if len(context.Turns) != 3 || !strings.Contains(context.Text, "Recent Summary: ") ||
			!strings.Contains(context.Text, "ferry number 2") {
			t.Errorf("context = %+v, want the window, the summary and the past", context)
		}
		pruned := p.call(t, "memory_session", args{"action": "prune", "id": "talk", "max_memories": 1})
		if pruned.Status != "preview" || len(pruned.Pruned) != 2 {
			t.Errorf("prune = %+v, want a preview of two", pruned)
		}
		if all := p.call(t, "memory_session", args{"action": "get", "id": "talk"}); len(all.Turns) != 3 {
			t.Errorf("after a preview there are %d turns, want 3", len(all.Turns))
		}
		p.fails(t, "memory_session", args{"action": "get", "id": "nothing"}, trilith.NotFound, "session ")
		p.fails(t, "memory_session", args{"action": "get"}, trilith.Invalid, "id: is missing")
		p.fails(t, "memory_session", args{"action": "dance", "id": "talk"}, trilith.Invalid, "action: ")
		p.fails(t, "memory_session", args{"action": "get", "id": "talk", "session": "spring"}, trilith.Forbidden, "session: ")
	})
}

// A reader makes no summary.
func TestSessionsOfReaders(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	if _, err := r.Remember(t.Context(), trilith.Scope{Tenant: "default", User: "ana", Session: "talk"},
		trilith.RememberRequest{Text: "The boat is red."}); err != nil {
		t.Fatal(err)
	}
	reader := local("sessions")
	reader.Who.Access = trilith.AccessReader
	reader.Scope = trilith.Scope{User: "ben"}
	p := r.overPipes(t, reader)
	if list := p.call(t, "memory_session", args{}); len(list.Sessions) != 0 {
		t.Errorf("another user is shown %+v", list.Sessions)
	}
	p.fails(t, "memory_session", args{"action": "get", "id": "talk"}, trilith.NotFound, "session ")
	p.fails(t, "memory_session", args{"action": "summarize", "id": "talk"}, trilith.Forbidden, "this needs the right")
	if err := mcpserver.CheckTools([]string{"sessions"}); err != nil {
		t.Error(err)
	}
}
