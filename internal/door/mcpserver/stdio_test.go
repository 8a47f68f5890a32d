package mcpserver_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/door/mcpserver"
	"github.com/trilith-memory/trilith/internal/test/inmem"
)

const hello = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
`

func toolCall(id int, tool string, a args) string {
	body, err := json.Marshal(a)
	if err != nil {
		panic(err)
	}
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":%s}}`+"\n",
		id, tool, body)
}

// reply is a message of the server.
type reply struct {
	ID     *int
	Error  *struct{ Code int }
	Result json.RawMessage
}

func replies(t *testing.T, out string) map[int]reply {
	t.Helper()
	all := map[int]reply{}
	for line := range strings.Lines(out) {
		var r reply
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatalf("%q is no message: %v", line, err)
		}
		if r.ID != nil {
			all[*r.ID] = r
		}
	}
	return all
}

// TestEverythingAskedIsAnswered: a script that pipes its requests in and closes gets all answers, and the server ends.
func TestEverythingAskedIsAnswered(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	var in strings.Builder
	in.WriteString(hello)
	for i := 1; i <= 50; i++ {
		in.WriteString(toolCall(i, "memory_append", args{"content": fmt.Sprintf("Line %d.", i)}))
	}
	for _, input := range []io.Reader{strings.NewReader(in.String()),
		iotest.OneByteReader(strings.NewReader(strings.TrimSpace(in.String())))} {
		var out bytes.Buffer
		if err := mcpserver.Serve(t.Context(), r.config(), local(), input, &out); err != nil {
			t.Errorf("Serve to the end of its input = %v, want no error", err)
		}
		if got := replies(t, out.String()); len(got) != 51 {
			t.Errorf("51 requests got %d answers", len(got))
		}
	}
}

// TestStrayLines: a line that is no message is answered and does not end the connection.
func TestStrayLines(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	c := r.config()
	c.MaxMessage = 10_000
	for _, stray := range []struct {
		line string
		code int
	}{
		{"Loading plugins…", -32700},
		{"{", -32700},
		{"\xff", -32700},
		{"42", -32600},
		{"{}", -32600},
		{`{"jsonrpc":"1.0","id":1,"method":"ping"}`, -32600},
		{`[{"jsonrpc":"2.0","id":1,"method":"ping"}]`, -32600},
		{`{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":"` + strings.Repeat("x", 70_000) + `"}}`, -32600},
	} {
		var out bytes.Buffer
		in := hello + stray.line + "\r\n\n" + toolCall(7, "memory_append", args{"content": "Still here."})
		if err := mcpserver.Serve(t.Context(), c, local(), strings.NewReader(in), &out); err != nil {
			t.Errorf("%.40q: Serve = %v", stray.line, err)
		}
		if got := replies(t, out.String()); got[7].Result == nil {
			t.Errorf("%.40q: the call after it got no result: %s", stray.line, out.String())
		}
		if !strings.Contains(out.String(), fmt.Sprintf(`"id":null,"error":{"code":%d`, stray.code)) {
			t.Errorf("%.40q is answered with %s, want error %d", stray.line, out.String(), stray.code)
		}
	}
}

// waiting makes the store hold every commit until release is called; entered tells of each.
func waiting(store *inmem.Store) (entered <-chan struct{}, release func()) {
	in, out := make(chan struct{}, 100), make(chan struct{})
	store.Inject(inmem.Fault{Before: func(ctx context.Context, op string) error {
		if op != "Commit" {
			return nil
		}
		in <- struct{}{}
		select {
		case <-out:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}})
	return in, func() { close(out) }
}

// TestCloseInTheMiddle: a client that goes away while a call is under way has it finished, and the server ends.
func TestCloseInTheMiddle(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	entered, release := waiting(r.store)
	in, out, ended := r.pipes(t, local())
	go io.Copy(io.Discard, out)
	if _, err := io.WriteString(in, hello+toolCall(1, "memory_append", args{"content": "Half said."})); err != nil {
		t.Fatal(err)
	}
	<-entered
	in.Close()
	release()
	if err := <-ended; err != nil {
		t.Errorf("Serve after its client left = %v, want no error", err)
	}
	page, err := r.List(t.Context(), trilith.Scope{Tenant: "default"}, trilith.ListRequest{})
	if err != nil || len(page.Items) != 1 {
		t.Errorf("the memory holds %d after a call whose client left, want the one that was asked for: %v",
			len(page.Items), err)
	}
}

// TestEndInTheMiddle: when the program is told to end, it does not wait for calls that hang.
func TestEndInTheMiddle(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	entered, _ := waiting(r.store)
	ctx, cancel := context.WithCancel(t.Context())
	serverIn, in := io.Pipe()
	defer in.Close()
	ended := make(chan error, 1)
	go func() { ended <- mcpserver.Serve(ctx, r.config(), local(), serverIn, io.Discard) }()
	if _, err := io.WriteString(in, hello+toolCall(1, "memory_append", args{"content": "Never said."})); err != nil {
		t.Fatal(err)
	}
	<-entered
	cancel()
	if err := <-ended; err != nil {
		t.Errorf("Serve after its context ended = %v, want no error", err)
	}
}

// TestCancelledCall: the client may take a call back; the next ones work, and the end of the input ends the server.
func TestCancelledCall(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	entered, _ := waiting(r.store)
	in, out, ended := r.pipes(t, local())
	answered := make(chan struct{})
	go func() {
		lines := bufio.NewScanner(out)
		for lines.Scan() {
			if strings.Contains(lines.Text(), `"id":2`) {
				close(answered)
			}
		}
	}()
	if _, err := io.WriteString(in, hello+toolCall(1, "memory_append", args{"content": "Taken back."})); err != nil {
		t.Fatal(err)
	}
	<-entered
	if _, err := io.WriteString(in, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`+
		"\n"+toolCall(2, "memory_search", args{"query": "x"})); err != nil {
		t.Fatal(err)
	}
	<-answered
	r.store.Inject(inmem.Fault{})
	in.Close()
	if err := <-ended; err != nil {
		t.Errorf("Serve = %v", err)
	}
	page, err := r.List(t.Context(), trilith.Scope{Tenant: "default"}, trilith.ListRequest{})
	if err != nil || len(page.Items) != 0 {
		t.Errorf("the memory holds %d after a call that was taken back, want none: %v", len(page.Items), err)
	}
}

// TestFailuresBelow: a store that fails or panics costs one answer, which tells nothing of its inside; the log does.
func TestFailuresBelow(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	p := r.overPipes(t, local())
	r.store.Inject(inmem.Fault{Before: func(_ context.Context, op string) error {
		if op == "Commit" {
			return fmt.Errorf("disk /dev/sd7 is on fire")
		}
		return nil
	}})
	p.fails(t, "memory_append", args{"content": "The secret garden."}, trilith.Internal, "something failed in the memory")
	r.store.Inject(inmem.Fault{Before: func(_ context.Context, op string) error {
		if op == "Commit" {
			panic("upside down")
		}
		return nil
	}})
	if res, err := p.CallTool(
		t.Context(), callParams("memory_append", args{"content": "The secret garden."})); err == nil ||
		strings.Contains(err.Error(), "upside") {
		t.Errorf("a panic below answers %v, %v, want an error that does not tell of it", res, err)
	}
	r.store.Inject(inmem.Fault{})
	p.call(t, "memory_append", args{"content": "The secret garden."})
	p.call(t, "memory_search", args{"query": "secret garden"})
	p.resource(t, "memory://search?q=secret garden")
	for _, want := range []string{"disk /dev/sd7 is on fire", "upside down", "tool=memory_search", "request_id="} {
		if !strings.Contains(r.log.String(), want) {
			t.Errorf("the log does not say %q:\n%s", want, r.log)
		}
	}
	if strings.Contains(r.log.String(), "garden") {
		t.Errorf("the log holds what was said:\n%s", r.log)
	}
}

// TestCallsHaveAnEnd: a call that hangs answers that its time is over.
func TestCallsHaveAnEnd(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	waiting(r.store)
	c := r.config()
	c.Timeout = 1
	var out bytes.Buffer
	if err := mcpserver.Serve(
		t.Context(), c, local(), strings.NewReader(hello+toolCall(1, "memory_append", args{"content": "x"})),
		&out); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), "deadline_exceeded") {
		t.Errorf("a call that hangs is answered with %s", out.String())
	}
}

func TestSessionsAreChecked(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	for says, s := range map[string]mcpserver.Session{
		"tools: ":  local("everything"),
		"tenant: ": {},
		"user: ":   {Who: local().Who, Scope: trilith.Scope{User: strings.Repeat("x", 256)}},
	} {
		err := mcpserver.Serve(t.Context(), r.config(), s, strings.NewReader(""), io.Discard)
		if err == nil || trilith.KindOf(err) != trilith.Invalid || !strings.HasPrefix(trilith.MessageOf(err), says) {
			t.Errorf("Serve(%+v) = %v, want an invalid error that begins with %q", s, err, says)
		}
	}
}
