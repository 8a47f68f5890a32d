package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/door/camel"
	"github.com/trilith-memory/trilith/internal/door/page"
)

// service is a running trilith serve.
type service struct {
	url    string
	pid    int // if it is a process of its own
	client *http.Client
}

// serve starts the service in this process on a port of the system's choice. It ends with the test or when the returned
// function is called, which gives the exit code.
func (s *shell) serve(t testing.TB, args ...string) (*service, func() int) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	out, w := io.Pipe()
	var stderr bytes.Buffer
	ended := make(chan int, 1)
	go func() {
		code := run(ctx, s.waits, append([]string{"serve", "--addr", "127.0.0.1:0"}, args...),
			func(name string) string { return s.env[name] }, strings.NewReader(""), w, &stderr)
		w.Close()
		ended <- code
	}()
	lines := bufio.NewReader(out)
	first, err := lines.ReadString('\n')
	if err != nil {
		cancel()
		t.Fatalf("serve said nothing and ended with %d: %s", <-ended, stderr.String())
	}
	go io.Copy(io.Discard, lines)
	stop := func() int {
		cancel()
		code := <-ended
		ended <- code
		return code
	}
	t.Cleanup(func() { stop() })
	return newService(t, first), stop
}

// newService reads the address out of the line that serve begins with.
func newService(t testing.TB, line string) *service {
	t.Helper()
	_, url, ok := strings.Cut(strings.TrimSpace(line), " on ")
	if !ok {
		t.Fatalf("serve begins with %q, want its address", line)
	}
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	return &service{url: url, client: &http.Client{Transport: transport}}
}

// call sends body as JSON, or GETs if it is empty, and decodes the answer into result unless that is nil.
func (c *service) call(t testing.TB, path, body string, result any) (status int) {
	t.Helper()
	method := http.MethodGet
	if body != "" {
		method = http.MethodPost
	}
	req, err := http.NewRequestWithContext(t.Context(), method, c.url+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	res, err := c.client.Do(req)
	if err != nil {
		t.Fatalf("%s %s: %v", method, path, err)
	}
	defer res.Body.Close()
	answer, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatalf("%s %s: %v", method, path, err)
	}
	if result != nil {
		if err := json.Unmarshal(answer, result); err != nil {
			t.Fatalf("%s %s = %d %s: %v", method, path, res.StatusCode, answer, err)
		}
	}
	return res.StatusCode
}

func TestServe(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	s.ok(t, "remember", "The command line was here first.", "--user", "ana")
	srv, stop := s.serve(t)
	if status := srv.call(t, "/readyz", "", nil); status != 200 {
		t.Errorf("GET /readyz = %d, want 200", status)
	}
	var stored trilith.RememberResult
	if status := srv.call(t, "/api/v1/memories", `{"text": "The roof quote is 14,200 euros.", "user": "ana"}`,
		&stored); status != 200 || len(stored.Memories) != 1 {
		t.Fatalf("POST /memories = %d with %d memories, want 200 with one", status, len(stored.Memories))
	}
	for query, want := range map[string]string{
		"What does the roof cost?":  "The roof quote is 14,200 euros.",
		"Who was first?":            "The command line was here first.",
		"What did the command say?": "The command line was here first.",
	} {
		var found trilith.RecallResult
		status := srv.call(t, "/api/v1/search", fmt.Sprintf(`{"query": %q, "user": "ana"}`, query), &found)
		if status != 200 || len(found.Hits) == 0 || found.Hits[0].Memory.Text != want {
			t.Errorf("POST /search %q = %d with %d hits, want 200 and first %q", query, status, len(found.Hits), want)
		}
	}

	// The camelCase dialect is served beside the API, over the same facts.
	srv.call(t, "/api/v1/graph/assimilate",
		`{"identifier": {"type": "project", "value": "12"}, "project": "12", "content": "I need to mend the roof by 1 July 2030."}`, nil)
	var todo struct {
		Facts []struct {
			ID, ProjectID int64
			FactSummary   string
		}
	}
	if status := srv.call(t, "/api/facts/actionable/12", "", &todo); status != 200 || len(todo.Facts) != 1 ||
		todo.Facts[0].ID != 1 || todo.Facts[0].ProjectID != 12 {
		t.Errorf("GET /api/facts/actionable/12 = %d %+v, want fact 1 of project 12", status, todo)
	}

	// Writes of another process are found at once, and the other way round.
	s.ok(t, "remember", "The ladder came from the neighbours.", "--user", "ana")
	var found trilith.RecallResult
	if srv.call(t, "/api/v1/search", `{"query": "ladder", "user": "ana", "strong_only": true}`, &found); len(
		found.Hits) != 1 {
		t.Errorf("POST /search for what the command line just stored = %d hits, want 1", len(found.Hits))
	}
	if out := s.ok(t, "recall", "roof", "--user", "ana"); !strings.Contains(out, "14,200") {
		t.Errorf("trilith recall roof = %q, want what the service stored", out)
	}
	if code := stop(); code != 0 {
		t.Errorf("serve ended with %d after its context did, want 0", code)
	}
	s.ok(t, "doctor")
}

// TestServeNeedsKeysInTheOpen: an address that others can reach is refused until a key is made, and then asks for it.
func TestServeNeedsKeysInTheOpen(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	for _, addr := range []string{"0.0.0.0:0", "[::]:0", ":0"} {
		out, errs, code := s.run(t.Context(), "serve", "--addr", addr)
		if strings.Contains(errs, "cannot assign") || strings.Contains(errs, "not supported") {
			continue // a machine without this family of addresses
		}
		if code != 4 || !strings.Contains(errs, "trilith keys create") || out != "" {
			t.Errorf("serve --addr %s without keys: exit %d, %q, %q, want 4 and the command that helps", addr,
				code, out, errs)
		}
	}
	if _, errs, code := s.run(t.Context(), "serve", "--addr", "nowhere"); code != 2 {
		t.Errorf("serve --addr nowhere: exit %d (%s), want 2", code, errs)
	}

	s.ok(t, "keys", "create", "phone")
	srv, _ := s.serve(t)
	var problem struct{ Kind string }
	if status := srv.call(t, "/api/v1/search", `{"query": "x"}`, &problem); status != 401 ||
		problem.Kind != "unauthenticated" {
		t.Errorf("POST /search without a key = %d %s, want 401 unauthenticated", status, problem.Kind)
	}
}

// TestFirstKeyClosesARunningService: the first key ends the rights of everybody, also when another process makes it.
func TestFirstKeyClosesARunningService(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	srv, _ := s.serve(t)
	if status := srv.call(t, "/api/v1/memories", "", nil); status != 200 {
		t.Fatalf("GET /memories without keys = %d, want 200", status)
	}
	s.ok(t, "keys", "create", "phone")
	if status := srv.call(t, "/api/v1/memories", "", nil); status != 401 {
		t.Errorf("GET /memories after trilith keys create = %d, want 401", status)
	}
}

// TestServeMCP: agents find the same memory at /mcp, and a key closes that too.
func TestServeMCP(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	s.ok(t, "remember", "The kettle is red.", "--user", "ana")
	srv, _ := s.serve(t)
	call := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"memory_search","arguments":{"query":"kettle"}}}`
	for path, want := range map[string]int{"/mcp": 1, "/mcp?user=ana": 1, "/mcp?user=ben": 0} {
		var answer struct {
			Result struct {
				StructuredContent struct{ Results []struct{ Content string } }
			}
		}
		if status := srv.call(t, path, call, &answer); status != 200 ||
			len(answer.Result.StructuredContent.Results) != want {
			t.Errorf("POST %s = %d with %+v, want 200 with %d results", path, status, answer, want)
		}
	}
	s.ok(t, "keys", "create", "phone")
	var refusal struct {
		Error struct{ Data struct{ Kind string } }
	}
	if status := srv.call(t, "/mcp", call, &refusal); status != 401 || refusal.Error.Data.Kind != "unauthenticated" {
		t.Errorf("POST /mcp without the key that was made = %d %+v, want 401 unauthenticated", status, refusal)
	}
}

// TestFirstAddress: the first address that a person types leads to the page, where there is one.
func TestFirstAddress(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{nil, {"--no-ui"}} {
		srv, _ := newShell(t).serve(t, args...)
		got, err := srv.ask(t.Context(), "GET", "/", "")
		if found := bytes.Contains(got.body, []byte("<html")); err != nil || found != (args == nil && page.New() != nil) {
			t.Errorf("GET / of serve %q = %v, %v", args, got, err)
		}
	}
}

// TestDocsShowEveryOperation: the page of documentation leaves out nothing that is served.
func TestDocsShowEveryOperation(t *testing.T) {
	t.Parallel()
	srv, _ := newShell(t).serve(t)
	page, err := srv.ask(t.Context(), "GET", "/docs", "")
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"POST</span> /mcp", "GET</span> /healthz"}
	for _, o := range camel.Operations() {
		want = append(want, o.Method+"</span> "+o.Path)
	}
	for _, operation := range want {
		if !strings.Contains(string(page.body), operation) {
			t.Errorf("/docs does not show %s", operation)
		}
	}
}

// said is what a service answered.
type said struct {
	status int
	header http.Header
	body   []byte
}

func (a said) String() string { return fmt.Sprintf("%d %.300s", a.status, a.body) }

// decode reads an answer that has to be a success.
func (a said) decode(into any) error {
	if a.status != http.StatusOK {
		return fmt.Errorf("the answer is %s", a)
	}
	return json.Unmarshal(a.body, into)
}

// ask sends a request as [service.call] does, with headers in pairs, from any goroutine.
func (c *service) ask(ctx context.Context, method, path, body string, headers ...string) (said, error) {
	req, err := http.NewRequestWithContext(ctx, method, c.url+path, strings.NewReader(body))
	if err != nil {
		return said{}, err
	}
	req.Header.Set("Content-Type", "application/json")
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	res, err := c.client.Do(req)
	if err != nil {
		return said{}, err
	}
	defer res.Body.Close()
	answer, err := io.ReadAll(res.Body)
	return said{res.StatusCode, res.Header, answer}, err
}

// post sends what is to be remembered under an idempotency key.
func (c *service) post(ctx context.Context, key, body string) (res trilith.RememberResult, err error) {
	a, err := c.ask(ctx, "POST", "/api/v1/memories", body, "Idempotency-Key", key)
	if err == nil {
		err = a.decode(&res)
	}
	if err == nil && len(res.Memories) == 0 {
		err = fmt.Errorf("nothing is stored: %s", a)
	}
	return res, err
}

// keep stores a text. More are members of the request.
func (c *service) keep(ctx context.Context, key, text, more string) (trilith.RememberResult, error) {
	return c.post(ctx, key, fmt.Sprintf(`{"text": %q, "user": "ana"%s}`, text, more))
}
