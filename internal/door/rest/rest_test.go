package rest_test

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/client"
	"github.com/trilith-memory/trilith/internal/door/rest"
	"github.com/trilith-memory/trilith/internal/engine"
	"github.com/trilith-memory/trilith/internal/model/hashembed"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/store/walk"
	"github.com/trilith-memory/trilith/internal/test/indextest"
	"github.com/trilith-memory/trilith/internal/test/inmem"
	"github.com/trilith-memory/trilith/internal/test/scenario"
)

var update = flag.Bool("update", false, "rewrite testdata/openapi.json")

// edge is a handler over a fresh memory.
type edge struct {
	http.Handler
	engine *engine.Engine
	store  *inmem.Store
	log    *journal
}

// journal is a log that can be read while it is written.
type journal struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (j *journal) Write(p []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.Write(p)
}

func (j *journal) String() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.String()
}

func open(tb testing.TB, c rest.Config, edits ...func(*engine.Config)) *edge {
	tb.Helper()
	store := inmem.New(time.Now)
	embedder, err := hashembed.New(32)
	if err != nil {
		tb.Fatal(err)
	}
	c.Metrics = rest.NewMetrics("test")
	ec := engine.Config{Store: store, Log: store, Queue: store, Meter: c.Metrics,
		Text: indextest.NewText(), Graph: walk.OverStore(store), Vectors: indextest.NewVector(), Embedder: embedder,
		EmbedderName: "hash:32", Embedders: openHash, Named: nameHash}
	for _, edit := range edits {
		edit(&ec)
	}
	if c.Engine, err = engine.Open(tb.Context(), ec); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { c.Engine.Close() })
	log := new(journal)
	c.Logger = slog.New(slog.NewJSONHandler(log, nil))
	return &edge{rest.New(c), c.Engine, store, log}
}

// nameHash knows the names of two embedders.
func nameHash(name string) (string, error) {
	if setting, ok := map[string]string{"hash:32": "hash:32", "larger": "hash:64"}[name]; ok {
		return setting, nil
	}
	return "", trilith.Errorf(trilith.Invalid, "embedder: no setting names it")
}

// openHash opens the embedder hash:DIMS.
func openHash(_ context.Context, name string) (role.Embedder, error) {
	var dims int
	if _, err := fmt.Sscanf(name, "hash:%d", &dims); err != nil {
		return nil, trilith.Errorf(trilith.Invalid, "embedder: %q is none", name)
	}
	return hashembed.New(dims)
}

func (e *edge) key(tb testing.TB, tenant string, a trilith.Access) string {
	tb.Helper()
	secret, _, err := e.engine.CreateKey(tb.Context(), trilith.APIKeyRequest{Name: tenant + " " + string(a),
		Tenant: tenant, Access: a})
	if err != nil {
		tb.Fatal(err)
	}
	return secret
}

// answer is a decoded response.
type answer struct {
	status int
	header http.Header
	body   string
}

func (a answer) problem(tb testing.TB) rest.Problem {
	tb.Helper()
	var p rest.Problem
	if err := json.Unmarshal([]byte(a.body), &p); err != nil ||
		a.header.Get("Content-Type") != "application/problem+json" {
		tb.Errorf("answer %d %s is not a problem: %v\n%.300s", a.status, a.header.Get("Content-Type"), err, a.body)
	}
	return p
}

// do sends a request; headers are pairs of name and value.
func (e *edge) do(method, target, body string, headers ...string) answer {
	r := httptest.NewRequest(method, target, strings.NewReader(body))
	r.Host = "localhost:7700"
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i < len(headers); i += 2 {
		if r.Header.Set(headers[i], headers[i+1]); headers[i] == "Host" {
			r.Host = headers[i+1]
		}
	}
	w := httptest.NewRecorder()
	e.ServeHTTP(w, r)
	return answer{w.Code, w.Header(), w.Body.String()}
}

func TestStoriesThroughTheClient(t *testing.T) {
	t.Parallel()
	memory := func(t *testing.T) scenario.Memory {
		t.Helper()
		e := open(t, rest.Config{Local: true})
		srv := httptest.NewServer(e)
		t.Cleanup(srv.Close)
		return scenario.Through(client.New(srv.URL), e.engine)
	}
	scenario.Run(t, "../../../internal/test/scenario/testdata/stories", memory, scenario.OneTenant)
	scenario.SuitesSample(t, memory, scenario.OneTenant)
}

func TestDescription(t *testing.T) {
	t.Parallel()
	got := open(t, rest.Config{Local: true, Version: "golden"}).do("GET", "/openapi.json", "")
	var pretty bytes.Buffer
	if err := json.Indent(&pretty, []byte(got.body), "", "  "); err != nil {
		t.Fatal(err)
	}
	pretty.WriteByte('\n')
	const path = "testdata/openapi.json"
	want, err := os.ReadFile(path)
	if err != nil && !*update {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(pretty.String(), "\n")); diff != "" {
		if !*update {
			t.Fatalf("/openapi.json is not %s; run with -update if that is meant (-want +got):\n%s", path, diff)
		}
		t.Log(diff)
		if err := os.WriteFile(path, pretty.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func TestDocsNeedNothing(t *testing.T) {
	t.Parallel()
	got := open(t, rest.Config{Local: true}).do("GET", "/docs", "")
	for _, operation := range []string{"/api/v1/memories/{id}?view=history", "/api/v1/admin/erase", "/api/v1/export",
		"Idempotency-Key", "/healthz", "/readyz", "/metrics", "/openapi.json"} {
		if !strings.Contains(got.body, operation) {
			t.Errorf("/docs does not show %s", operation)
		}
	}
	for _, foreign := range []string{"<script", "http://", "https://", "src="} {
		if strings.Contains(got.body, foreign) {
			t.Errorf("/docs holds %q and would need more than itself", foreign)
		}
	}
	if csp := got.header.Get("Content-Security-Policy"); !strings.HasPrefix(csp, "default-src 'none'") {
		t.Errorf("/docs has the policy %q", csp)
	}
}

func TestHealth(t *testing.T) {
	t.Parallel()
	e := open(t, rest.Config{})
	for _, path := range []string{"/healthz", "/readyz"} {
		if got := e.do("GET", path, ""); got.status != 200 {
			t.Errorf("GET %s without a key = %d %s, want 200", path, got.status, got.body)
		}
	}
	e.store.Inject(inmem.Fault{
		Before: func(context.Context, string) error { return trilith.Errorf(trilith.Unavailable, "gone") }})
	if got := e.do("GET", "/readyz", ""); got.status != 503 || got.problem(t).Kind != "unavailable" {
		t.Errorf("GET /readyz without a store = %d %s, want 503", got.status, got.body)
	}
	if got := e.do("GET", "/healthz", ""); got.status != 200 {
		t.Errorf("GET /healthz without a store = %d, want 200: the process itself is well", got.status)
	}
}

func TestServeEndsGracefully(t *testing.T) {
	t.Parallel()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	begun, finish := make(chan struct{}), make(chan struct{})
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		ended <- rest.Serve(ctx, ln, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			close(begun)
			<-finish
			io.WriteString(w, "finished")
		}))
	}()
	answered := make(chan string, 1)
	go func() {
		resp, err := http.Get("http://" + ln.Addr().String())
		if err != nil {
			answered <- err.Error()
			return
		}
		defer resp.Body.Close()
		body, _ := io.ReadAll(resp.Body)
		answered <- string(body)
	}()
	<-begun
	cancel()
	close(finish)
	if got := <-answered; got != "finished" {
		t.Errorf("a request in flight got %q, want its whole answer", got)
	}
	if err := <-ended; err != nil {
		t.Errorf("Serve = %v after its context ended, want nil", err)
	}
	if _, err := net.Dial("tcp", ln.Addr().String()); err == nil {
		t.Error("the listener is still open after Serve returned")
	}
}

func TestRequestID(t *testing.T) {
	t.Parallel()
	e := open(t, rest.Config{Local: true})
	for _, tc := range []struct {
		given string
		taken bool
	}{{"trace-1.A_b", true}, {"", false}, {"two words", false}, {strings.Repeat("x", 65), false}, {"a\tb", false}} {
		got := e.do("GET", "/nothing/here", "", "X-Request-Id", tc.given)
		id := got.header.Get("X-Request-Id")
		if (id == tc.given) != tc.taken || id == "" || got.problem(t).RequestID != id {
			t.Errorf("X-Request-Id %q came back as %q, in the problem as %q; want it taken: %v", tc.given, id,
				got.problem(t).RequestID, tc.taken)
		}
	}
}

func TestLogHoldsNoContent(t *testing.T) {
	t.Parallel()
	e := open(t, rest.Config{})
	secret := e.key(t, "acme", trilith.AccessWriter)
	e.do("POST", "/api/v1/memories?x=querytext", `{"text":"bodytext"}`, "Authorization", "Bearer "+secret)
	e.do("POST", "/api/v1/memories", `{"text":"bodytext","user":"scopetext"}`, "Authorization", "Bearer "+secret,
		"X-Request-Id", "r-7")
	log := e.log.String()
	for _, private := range []string{"bodytext", "querytext", "scopetext", secret} {
		if strings.Contains(log, private) {
			t.Errorf("the log holds %q:\n%s", private, log)
		}
	}
	var line map[string]any
	lines := strings.Split(strings.TrimSpace(log), "\n")
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &line); err != nil {
		t.Fatal(err)
	}
	delete(line, "time")
	delete(line, "ms")
	want := map[string]any{"level": "INFO", "msg": "request", "method": "POST", "route": "POST /api/v1/memories",
		"status": 200.0, "tenant": "acme", "request_id": "r-7"}
	if diff := cmp.Diff(want, line); diff != "" {
		t.Errorf("the line of a request (-want +got):\n%s", diff)
	}
}
