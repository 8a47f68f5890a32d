package mcpserver_test

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/door/mcpserver"
	"github.com/trilith-memory/trilith/internal/door/rest"
	"github.com/trilith-memory/trilith/internal/engine"
	"github.com/trilith-memory/trilith/internal/model/hashembed"
	"github.com/trilith-memory/trilith/internal/store/walk"
	"github.com/trilith-memory/trilith/internal/test/indextest"
	"github.com/trilith-memory/trilith/internal/test/inmem"
)

var update = flag.Bool("update", false, "rewrite the files of testdata")

// rig is a fresh memory and what the edge logs.
type rig struct {
	*engine.Engine
	store *inmem.Store
	log   *journal
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

func newRig(tb testing.TB) *rig {
	tb.Helper()
	embedder, err := hashembed.New(32)
	if err != nil {
		tb.Fatal(err)
	}
	return openRig(tb, engine.Config{Vectors: indextest.NewVector(), Embedder: embedder})
}

// wordsOnly is a rig without vectors, which come when they are ready: its scores are the same every time.
func wordsOnly(tb testing.TB) *rig {
	tb.Helper()
	return openRig(tb, engine.Config{})
}

func openRig(tb testing.TB, c engine.Config) *rig {
	tb.Helper()
	store := inmem.New(time.Now)
	c.Store, c.Log, c.Queue, c.Text, c.Graph = store, store, store, indextest.NewText(), walk.OverStore(store)
	e, err := engine.Open(tb.Context(), c)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { e.Close() })
	return &rig{e, store, new(journal)}
}

func (r *rig) config() mcpserver.Config {
	return mcpserver.Config{Engine: r.Engine, Logger: slog.New(slog.NewTextHandler(r.log, nil)), Version: "test"}
}

func (r *rig) key(tb testing.TB, tenant string, a trilith.Access) string {
	tb.Helper()
	secret, _, err := r.CreateKey(tb.Context(), trilith.APIKeyRequest{Name: tenant + " " + string(a), Tenant: tenant,
		Access: a})
	if err != nil {
		tb.Fatal(err)
	}
	return secret
}

// local is the session of the user who starts trilith mcp.
func local(sets ...string) mcpserver.Session {
	return mcpserver.Session{
		Who: trilith.Identity{Name: "local", Tenant: "default", Access: trilith.AccessAdmin}, Tools: sets}
}

// pipes starts the edge over pipes and returns the ends of the client. Serving ends with the test, or when in is
// closed; ended then says how.
func (r *rig) pipes(tb testing.TB, s mcpserver.Session) (in *io.PipeWriter, out *io.PipeReader, ended <-chan error) {
	tb.Helper()
	serverIn, in := io.Pipe()
	out, serverOut := io.Pipe()
	done := make(chan error, 1)
	ctx, cancel := context.WithCancel(context.WithoutCancel(tb.Context()))
	go func() {
		err := mcpserver.Serve(ctx, r.config(), s, serverIn, serverOut)
		serverOut.Close()
		done <- err
	}()
	tb.Cleanup(func() {
		in.Close()
		out.Close()
		cancel()
	})
	return in, out, done
}

// web serves the whole HTTP edge.
func (r *rig) web(tb testing.TB, isLocal bool) string {
	tb.Helper()
	srv := httptest.NewServer(rest.New(rest.Config{Engine: r.Engine, Version: "test", Local: isLocal,
		Logger: slog.New(slog.NewTextHandler(r.log, nil)), Beside: map[string]func(rest.Guard) http.Handler{
			"/mcp": func(d rest.Guard) http.Handler { return mcpserver.NewHandler(r.config(), d) }}}))
	tb.Cleanup(srv.Close)
	return srv.URL
}

// peer is the SDK's own client, connected.
type peer struct {
	*mcp.ClientSession
	schemas map[string]*jsonschema.Resolved // of results, by tool
}

func connect(tb testing.TB, t mcp.Transport) *peer {
	tb.Helper()
	c := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	session, err := c.Connect(tb.Context(), t, nil)
	if err != nil {
		tb.Fatalf("Connect: %v", err)
	}
	tb.Cleanup(func() { session.Close() })
	p := &peer{session, map[string]*jsonschema.Resolved{}}
	for tool, err := range session.Tools(tb.Context(), nil) {
		if err != nil {
			tb.Fatal(err)
		}
		data, err := json.Marshal(tool.OutputSchema)
		if err != nil {
			tb.Fatal(err)
		}
		var schema jsonschema.Schema
		if err := json.Unmarshal(data, &schema); err != nil {
			tb.Fatalf("%s: output schema: %v", tool.Name, err)
		}
		if p.schemas[tool.Name], err = schema.Resolve(nil); err != nil {
			tb.Fatalf("%s: output schema: %v", tool.Name, err)
		}
	}
	return p
}

func (r *rig) overPipes(tb testing.TB, s mcpserver.Session) *peer {
	tb.Helper()
	in, out, _ := r.pipes(tb, s)
	return connect(tb, &mcp.IOTransport{Reader: out, Writer: in})
}

// bearer sends a key with every request.
type bearer struct{ key string }

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	if b.key != "" {
		r = r.Clone(r.Context())
		r.Header.Set("Authorization", "Bearer "+b.key)
	}
	return http.DefaultTransport.RoundTrip(r)
}

func overHTTP(tb testing.TB, url, key string) *peer {
	tb.Helper()
	return connect(tb, &mcp.StreamableClientTransport{Endpoint: url, HTTPClient: &http.Client{Transport: bearer{key}},
		DisableStandaloneSSE: true, MaxRetries: -1})
}

// everyTransport runs a story over each way of connecting, on a memory of its own.
func everyTransport(t *testing.T, sets []string, story func(t *testing.T, r *rig, p *peer)) {
	t.Run("stdio", func(t *testing.T) {
		t.Parallel()
		r := newRig(t)
		story(t, r, r.overPipes(t, local(sets...)))
	})
	t.Run("http", func(t *testing.T) {
		t.Parallel()
		r := newRig(t)
		story(t, r, overHTTP(t, r.web(t, true)+"/mcp?tools="+strings.Join(sets, ","), ""))
	})
}

type args = map[string]any

// try calls a tool and returns its result, after checking the promises that every result makes.
func (p *peer) try(tb testing.TB, tool string, a args) *mcp.CallToolResult {
	tb.Helper()
	res, err := p.CallTool(tb.Context(), &mcp.CallToolParams{Name: tool, Arguments: a})
	if err != nil {
		tb.Fatalf("%s %v: %v", tool, a, err)
	}
	text := textOf(tb, res)
	if res.IsError {
		if res.StructuredContent != nil {
			tb.Errorf("%s %v: an error carries structured content, which no schema allows", tool, a)
		}
		return res
	}
	listedAs := tool
	if tool == "memory_context" { // not listed
		listedAs = "memory_search"
	}
	if err := p.schemas[listedAs].Validate(res.StructuredContent); err != nil {
		tb.Errorf("%s: its result is not what its schema says: %v\n%s", tool, err, text)
	}
	if slices.Contains(ownTexts, tool) {
		return res
	}
	var fromText any
	if err := json.Unmarshal([]byte(text), &fromText); err != nil {
		tb.Fatalf("%s: its text is not JSON: %s", tool, text)
	}
	if diff := cmp.Diff(res.StructuredContent, fromText); diff != "" {
		tb.Errorf("%s: structured content and text differ:\n%s", tool, diff)
	}
	return res
}

// ownTexts are the tools whose text is what programs of others read, and not their structured content.
var ownTexts = []string{"memory", "memory__search", "memory__index", "create_entities", "create_relations",
	"add_observations", "delete_entities", "delete_observations", "delete_relations"}

func textOf(tb testing.TB, res *mcp.CallToolResult) string {
	tb.Helper()
	if len(res.Content) != 1 {
		tb.Fatalf("a result has %d pieces of content, want one", len(res.Content))
	}
	return res.Content[0].(*mcp.TextContent).Text
}

// answer is what any tool answers.
type answer struct {
	Status     string
	Message    string
	Note       string
	Kind       string
	MemoryID   trilith.ID `json:"memory_id"`
	Change     trilith.ID
	Results    []result
	LeftOut    int `json:"left_out"`
	Text       string
	Abstained  bool
	Tokens     int
	Memory     trilith.Memory
	NextOffset int `json:"next_offset"`
	History    []result
	Count      int
	Confirm    string
	Entity     trilith.Entity
	Facts      []fact
	Items      []struct {
		ID           trilith.ID
		Reason       string
		Content      string
		Verification string `json:"verification_status"`
		Others       []string
	}
	Sessions []struct {
		ID    string
		Turns int
	}
	Turns      []result
	Summary    result
	Pruned     []result
	NextCursor string `json:"next_cursor"`
}

type result struct {
	ID        trilith.ID
	Content   string
	Score     float64 `json:"relevance_score"`
	Type      string
	Timestamp string
	Metadata  args
	State     string
	Session   string
	Planned   bool
	Truncated bool
}

type fact struct {
	ID           trilith.ID
	Content      string
	State        string
	Certainty    string
	Verification string `json:"verification_status"`
	Quotes       []string
}

func read(tb testing.TB, text string) answer {
	tb.Helper()
	var a answer
	if err := json.Unmarshal([]byte(text), &a); err != nil {
		tb.Fatalf("%s: %v", text, err)
	}
	return a
}

// call calls a tool, which must succeed.
func (p *peer) call(tb testing.TB, tool string, a args) answer {
	tb.Helper()
	res := p.try(tb, tool, a)
	if res.IsError {
		tb.Fatalf("%s %v: %s", tool, a, textOf(tb, res))
	}
	return read(tb, textOf(tb, res))
}

// fails calls a tool, which must fail with this kind and a sentence that begins so.
func (p *peer) fails(tb testing.TB, tool string, a args, kind trilith.ErrorKind, says string) {
	tb.Helper()
	res := p.try(tb, tool, a)
	got := read(tb, textOf(tb, res))
	if !res.IsError || got.Status != "error" || got.Kind != kind.String() || !strings.HasPrefix(got.Message, says) {
		tb.Errorf("%s %v = isError %t, %s, want %v %q…", tool, a, res.IsError, textOf(tb, res), kind, says)
	}
}

// resource reads a resource, which must exist.
func (p *peer) resource(tb testing.TB, uri string) string {
	tb.Helper()
	res, err := p.ReadResource(tb.Context(), &mcp.ReadResourceParams{URI: uri})
	if err != nil {
		tb.Fatalf("resource %s: %v", uri, err)
	}
	if len(res.Contents) != 1 || res.Contents[0].MIMEType != "application/json" {
		tb.Fatalf("resource %s has %d contents of type %s, want one of JSON", uri, len(res.Contents),
			res.Contents[0].MIMEType)
	}
	return res.Contents[0].Text
}

func contents(rs []result) []string {
	out := make([]string, len(rs))
	for i, r := range rs {
		out[i] = r.Content
	}
	return out
}
