package mcpserver_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/door/mcpserver"
	"github.com/trilith-memory/trilith/internal/test/inmem"
)

// mortal is a connection whose server dies after some answers: the next one is worked out and never arrives.
type mortal struct {
	mcpserver.Conn
	lines *bufio.Reader
	left  int // answers that arrive; negative: all
	rest  []byte
}

func (m *mortal) Read(p []byte) (int, error) {
	if len(m.rest) == 0 {
		line, err := m.lines.ReadBytes('\n')
		if err != nil {
			return 0, err
		}
		if m.left == 0 {
			return copy(p, line[:len(line)/2]), io.ErrUnexpectedEOF // half of it does
		}
		m.left--
		m.rest = line
	}
	n := copy(p, m.rest)
	m.rest = m.rest[n:]
	return n, nil
}

// bridge runs the client's lines through a bridge whose servers die after as many answers as lives says; the one after
// those lives on. It returns what the client gets, and how many servers there were.
func (r *rig) bridge(t *testing.T, in io.Reader, lives ...int) (got map[int]reply, out string, servers int) {
	t.Helper()
	var heard strings.Builder
	err := mcpserver.Bridge(t.Context(), in, &heard, func(ctx context.Context) (mcpserver.Conn, error) {
		conn := mcpserver.Connect(ctx, r.config(), local())
		left := -1
		if servers < len(lives) {
			left = lives[servers]
		}
		servers++
		return &mortal{Conn: conn, lines: bufio.NewReader(conn), left: left}, nil
	})
	if err != nil {
		t.Errorf("Bridge() = %v", err)
	}
	return replies(t, heard.String()), heard.String(), servers
}

func (r *rig) texts(t *testing.T) []string {
	t.Helper()
	page, err := r.List(t.Context(), trilith.Scope{Tenant: "default"}, trilith.ListRequest{Limit: trilith.MaxPageSize})
	if err != nil {
		t.Fatal(err)
	}
	var texts []string
	for _, m := range page.Items {
		texts = append(texts, m.Text)
	}
	return texts
}

// TestBridgeRepeats: wherever a server dies, the client gets one answer to each call, as if nothing had happened, and
// nothing is stored twice.
func TestBridgeRepeats(t *testing.T) {
	t.Parallel()
	const calls = 12
	var in strings.Builder
	in.WriteString(hello)
	for i := 1; i <= calls; i++ {
		in.WriteString(toolCall(i, "memory_append", args{"content": fmt.Sprintf("Line %d.", i)}))
	}
	for _, lives := range [][]int{nil, {0}, {1}, {2}, {1, 1, 1}, {5, 0, 3}, {12}} {
		r := newRig(t)
		got, out, servers := r.bridge(t, strings.NewReader(in.String()), lives...)
		for i := range calls + 1 {
			if got[i].Result == nil {
				t.Errorf("lives %v: call %d got no result", lives, i)
			}
		}
		if n := strings.Count(out, "\n"); n != calls+1 || strings.Count(out, "Stored memory with ID: ") != 2*calls {
			t.Errorf("lives %v: %d calls got %d answers:\n%s", lives, calls+1, n, out)
		}
		if got := r.texts(t); len(got) != calls {
			t.Errorf("lives %v: %d memories are stored, want %d: %q", lives, len(got), calls, got)
		}
		if servers != len(lives)+1 {
			t.Errorf("lives %v: there were %d servers", lives, servers)
		}
	}
}

// TestBridgeRepeatsWhatReplaces: replacing and editing a memory can be cut off like appending.
func TestBridgeRepeatsWhatReplaces(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	done, err := r.Remember(t.Context(), trilith.Scope{Tenant: "default"},
		trilith.RememberRequest{Note: &trilith.Note{Content: "Ana lives in Oslo."}})
	if err != nil {
		t.Fatal(err)
	}
	for name, call := range map[string]string{
		"supersede": toolCall(1, "memory_update",
			args{"id": done.Memories[0].ID, "action": "supersede", "content": "Ana lives in Bergen."}),
		"edit": toolCall(1, "memory_update",
			args{"id": done.Memories[0].ID, "action": "edit", "tags": []string{"home"}}),
	} {
		before := len(r.texts(t))
		got, out, _ := r.bridge(t, strings.NewReader(hello+call), 1)
		if got[1].Result == nil || strings.Contains(out, "isError") {
			t.Errorf("%s, cut off once, is answered with %s", name, out)
		}
		if after := len(r.texts(t)); after > before+1 {
			t.Errorf("%s, cut off once, made %d memories of %d", name, after, before)
		}
	}
}

// TestBridgeGivesUp: a call that crashes every server is answered before all servers are used up.
func TestBridgeGivesUp(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	got, out, servers := r.bridge(t, strings.NewReader(hello+toolCall(1, "memory_search", args{"query": "x"})), 1, 1, 1,
		1, 1, 1, 1, 1)
	if got[1].Error == nil || got[1].Error.Code != -32603 || !strings.Contains(out, `"kind":"unavailable"`) {
		t.Errorf("a call that every server dies of is answered with %s, want unavailable", out)
	}
	if servers > 6 {
		t.Errorf("%d servers died of one call, want 5", servers-1)
	}
}

// TestBridgeTakesBack: a call that the client has cancelled is not repeated.
func TestBridgeTakesBack(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	entered, _ := waiting(r.store)
	in, w := io.Pipe()
	servers := make(chan mcpserver.Conn, 2)
	ended := make(chan error, 1)
	answers, out := io.Pipe()
	go func() {
		ended <- mcpserver.Bridge(t.Context(), in, out, func(ctx context.Context) (mcpserver.Conn, error) {
			conn := mcpserver.Connect(ctx, r.config(), local())
			servers <- conn
			return conn, nil
		})
	}()
	heard := bufio.NewScanner(answers)
	say := func(lines string) {
		t.Helper()
		if _, err := io.WriteString(w, lines); err != nil {
			t.Fatal(err)
		}
	}
	say(hello)
	heard.Scan()
	say(toolCall(1, "memory_append", args{"content": "Taken back."}))
	<-entered
	say(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}` + "\n")
	say(toolCall(2, "memory_search", args{"query": "x"}))
	for heard.Scan() && !strings.Contains(heard.Text(), `"id":2`) {
	}
	r.store.Inject(inmem.Fault{})
	_ = (<-servers).Close()
	<-servers
	go io.Copy(io.Discard, answers)
	_ = w.Close()
	if err := <-ended; err != nil {
		t.Errorf("Bridge() = %v", err)
	}
	if got := r.texts(t); len(got) != 0 {
		t.Errorf("the memory holds %q after the only call was taken back", got)
	}
}

// TestBridgeAnswersStrayLines: a line that is no message does not reach the server, and does not end the connection.
func TestBridgeAnswersStrayLines(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	got, out, _ := r.bridge(
		t, strings.NewReader(hello+"Loading plugins…\n"+toolCall(7, "memory_append", args{"content": "Still here."})))
	if got[7].Result == nil || !strings.Contains(out, `"id":null,"error":{"code":-32700`) {
		t.Errorf("a stray line and a call are answered with %s", out)
	}
}

// TestBridgeEnds: the bridge ends with its context, if no server can be started, and when the client stops reading.
func TestBridgeEnds(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	in, w := io.Pipe()
	defer w.Close()
	ctx, cancel := context.WithCancel(t.Context())
	connect := func(ctx context.Context) (mcpserver.Conn, error) {
		return mcpserver.Connect(ctx, r.config(), local()), nil
	}
	err := mcpserver.Bridge(ctx, in, io.Discard, func(ctx context.Context) (mcpserver.Conn, error) {
		cancel()
		return connect(ctx)
	})
	if err != nil {
		t.Errorf("Bridge after its context ended = %v, want no error", err)
	}
	err = mcpserver.Bridge(t.Context(), in, io.Discard, func(context.Context) (mcpserver.Conn, error) {
		return nil, trilith.Errorf(trilith.Conflict, "no server")
	})
	if trilith.KindOf(err) != trilith.Conflict {
		t.Errorf("Bridge without a server = %v, want what kept it from one", err)
	}
	closed, out := io.Pipe()
	_ = closed.Close()
	if err := mcpserver.Bridge(t.Context(), strings.NewReader(hello), out, connect); err == nil {
		t.Error("Bridge to a client that does not listen = nil, want an error")
	}
}

// TestBridgeRepeatsDecisions: a call that forgets or decides can be cut off too, and its repetition answers as if it
// had not been.
func TestBridgeRepeatsDecisions(t *testing.T) {
	t.Parallel()
	for name, call := range map[string]func(t *testing.T, r *rig) string{
		"forget": func(t *testing.T, r *rig) string {
			ids := []trilith.ID{r.note(t, "Ana lives in Oslo.")}
			preview, out, _ := r.bridge(t, strings.NewReader(hello+toolCall(1, "memory_forget", args{"ids": ids})))
			handle, _ := preview[1].structured(t)["confirm"].(string)
			if handle == "" {
				t.Fatalf("the preview is %s", out)
			}
			return toolCall(1, "memory_forget", args{"ids": ids, "confirm": handle})
		},
		"restore": func(t *testing.T, r *rig) string {
			id := r.note(t, "Ana lives in Oslo.")
			if _, err := r.Forget(t.Context(), trilith.Scope{Tenant: "default"},
				trilith.ForgetRequest{IDs: []trilith.ID{id}}); err != nil {
				t.Fatal(err)
			}
			return toolCall(1, "memory_update", args{"id": id, "action": "edit", "restore": true})
		},
		"verify": func(t *testing.T, r *rig) string {
			return toolCall(1, "memory_update", args{"id": r.fact(t), "action": "verify", "decision": "reject"})
		},
		"supersede": func(t *testing.T, r *rig) string {
			return toolCall(1, "memory_update",
				args{"id": r.fact(t), "action": "supersede", "content": "I am allergic to peanuts."})
		},
	} {
		r := newRig(t)
		line := call(t, r)
		got, out, servers := r.bridge(t, strings.NewReader(hello+line), 1)
		if servers != 2 {
			t.Fatalf("%s: there were %d servers, want one that dies and another", name, servers)
		}
		if strings.Contains(out, `"isError":true`) || got[1].structured(t)["status"] != "success" ||
			strings.Contains(out, "nothing to forget") {
			t.Errorf("%s, cut off once, is answered with %s", name, out)
		}
	}
}

// structured is the structured content of a tool's result.
func (r reply) structured(t *testing.T) map[string]any {
	t.Helper()
	var res struct{ StructuredContent map[string]any }
	if err := json.Unmarshal(r.Result, &res); err != nil {
		t.Fatalf("%s is no result: %v", r.Result, err)
	}
	return res.StructuredContent
}

func (r *rig) note(t *testing.T, text string) trilith.ID {
	t.Helper()
	done, err := r.Remember(t.Context(), trilith.Scope{Tenant: "default"},
		trilith.RememberRequest{Note: &trilith.Note{Content: text}})
	if err != nil {
		t.Fatal(err)
	}
	return done.Memories[0].ID
}

func (r *rig) fact(t *testing.T) trilith.ID {
	t.Helper()
	done, err := r.Assimilate(t.Context(), trilith.Scope{Tenant: "default"}, trilith.AssimilateRequest{
		Identifier: trilith.Identifier{Type: "email", Value: "ana@example.com"}, Content: "I am allergic to walnuts.",
		Timestamp: "2025-01-01"})
	if err != nil || len(done.Facts) == 0 {
		t.Fatal(done, err)
	}
	return done.Facts[0].ID
}
