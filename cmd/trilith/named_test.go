package main

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/compose"
	"github.com/trilith-memory/trilith/internal/test/providertest"
)

// embedService answers as a service of embeddings of OpenAI's form with vectors of some dimensions, and notes the
// credentials.
type embedService struct {
	url  string
	mu   sync.Mutex
	keys []string
}

func newEmbedService(t *testing.T, dims int) *embedService {
	s := new(embedService)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.keys = append(s.keys, r.Header.Get("Authorization"))
		s.mu.Unlock()
		var asked struct{ Input []string }
		if err := json.NewDecoder(r.Body).Decode(&asked); err != nil {
			t.Errorf("a request to the service: %v", err)
		}
		var data []string
		for i, text := range asked.Input {
			data = append(data, fmt.Sprintf(`{"index": %d, "embedding": %s}`, i,
				providertest.Numbers(providertest.Vector(text, dims))))
		}
		fmt.Fprintf(w, `{"data": [%s], "usage": {"total_tokens": 1}}`, strings.Join(data, ","))
	}))
	t.Cleanup(srv.Close)
	s.url = srv.URL
	return s
}

// seen returns the credentials of all requests so far.
func (s *embedService) seen() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.keys)
}

// untilActive waits until an embedder is in force and nothing is being built.
func (c *service) untilActive(t *testing.T, embedder string) {
	t.Helper()
	ticker := time.NewTicker(50 * time.Millisecond)
	defer ticker.Stop()
	for deadline := time.After(2 * time.Minute); ; {
		active, idle := c.active(t)
		if active == embedder && idle {
			return
		}
		select {
		case <-deadline:
			t.Fatalf("%s is in force, want %s", active, embedder)
		case <-ticker.C:
		}
	}
}

// TestReindexByName: over HTTP an embedder is chosen by a name of the settings, which alone say where texts go and with
// which key.
func TestReindexByName(t *testing.T) {
	t.Parallel()
	named, other := newEmbedService(t, 8), newEmbedService(t, 8)
	setting := "openai:m?base_url=" + named.url + "&dims=8&key_env=NEAR_KEY"
	s := newShell(t)
	s.env["NEAR_KEY"], s.env["SECRET"], s.env["OPENAI_API_KEY"] = "near-1", "secret-1", "sk-1"
	s.env["TRILITH_EMBEDDERS"] = "near=" + setting + "  small=hash:64"
	srv, _ := s.serve(t)
	srv.call(t, "/api/v1/memories", `{"text": "The boat is called Petrel.", "wait": "indexed"}`, nil)
	for _, to := range []string{
		"openai:m?base_url=" + other.url + "&dims=8",
		"openai:m?base_url=" + other.url + "&dims=8&key_env=SECRET",
		"openai:m?base_url=" + other.url + "&dims=8&key_file=/etc/hostname",
		"openai:m?base_url=" + named.url + "&dims=8&key_env=SECRET",
		"near=openai:m?base_url=" + other.url,
		"near?base_url=" + other.url,
		"openai:text-embedding-3-small",
		"hash:64?pad=100",
		"local:/etc",
		"none",
	} {
		body, _ := json.Marshal(map[string]string{"to": to})
		var p struct{ Kind, Detail string }
		if status := srv.call(t, "/api/v1/admin/jobs?do=reindex", string(body), &p); status != 400 || p.Kind != "invalid" ||
			!strings.Contains(p.Detail, "TRILITH_EMBEDDERS") {
			t.Errorf("POST /admin/jobs?do=reindex %s = %d %+v, want 400 that names the setting", body, status, p)
		}
	}
	if keys := slices.Concat(named.seen(), other.seen()); len(keys) != 0 {
		t.Errorf("services were asked: %q", keys)
	}
	for _, step := range []struct{ body, active string }{
		{`{"to": "near"}`, setting},
		{`{"to": "small"}`, "hash:64"},
		{`{"rollback": true}`, setting},
		{`{"to": "builtin:"}`, "builtin:"},
	} {
		if status := srv.call(t, "/api/v1/admin/jobs?do=reindex", step.body, nil); status != 200 {
			t.Fatalf("POST /admin/jobs?do=reindex %s = %d", step.body, status)
		}
		srv.untilActive(t, step.active)
		srv.call(t, "/api/v1/search", `{"query": "What is the boat called?"}`, nil)
	}
	keys := named.seen()
	if len(keys) == 0 || slices.ContainsFunc(keys, func(k string) bool { return k != "Bearer near-1" }) {
		t.Errorf("the service was asked with %q, want the key of its setting", keys)
	}
	if keys := other.seen(); len(keys) != 0 {
		t.Errorf("the service that no setting names was asked with %q", keys)
	}
}

// TestReindexToWrongDimensions: reindex refuses an embedder whose service makes other vectors than its setting says.
func TestReindexToWrongDimensions(t *testing.T) {
	t.Parallel()
	wrong := newEmbedService(t, 3)
	setting := "openai:m?base_url=" + wrong.url + "&dims=8"
	s := newShell(t)
	s.env["TRILITH_EMBEDDERS"] = "wrong=" + setting
	srv, _ := s.serve(t)
	const want = "a vector of 3 dimensions, not of the 8 that the settings say"
	var p struct {
		Kind, Detail string
		Status       int
	}
	if status := srv.call(t, "/api/v1/admin/jobs?do=reindex", `{"to": "wrong"}`, &p); status != 502 || p.Status != 502 ||
		p.Kind != "internal" || !strings.Contains(p.Detail, want) {
		t.Errorf("POST /admin/jobs?do=reindex = %d %+v, want 502 that says %q", status, p, want)
	}
	if _, errs, code := s.run(t.Context(), "reindex", "--to", setting); code != 1 || !strings.Contains(errs, want) {
		t.Errorf("trilith reindex --to = %d %s, want 1 and %q", code, errs, want)
	}
	if embedder, idle := srv.active(t); embedder != "builtin:" || !idle {
		t.Errorf("afterwards %s is in force, idle %t", embedder, idle)
	}
}

// TestReindexOnTheCommandLine: the command may name any embedder, with and without a process that owns the memory. The
// owner asks no service because the memory says so: its own settings name none.
func TestReindexOnTheCommandLine(t *testing.T) {
	t.Parallel()
	for _, owned := range []bool{false, true} {
		t.Run(fmt.Sprintf("owned %t", owned), func(t *testing.T) {
			t.Parallel()
			near := newEmbedService(t, 8)
			s := newShell(t)
			s.env["TRILITH_LOG_LEVEL"] = "error"
			s.ok(t, "remember", "The boat is called Petrel.")
			var srv *service
			if owned {
				srv, _ = s.serve(t)
			}
			setting := "openai:m?base_url=" + near.url + "&dims=8"
			if out := s.ok(t, "reindex", "--to", setting); !strings.Contains(out, "active    openai:m") {
				t.Errorf("reindex --to says\n%s", out)
			}
			if len(near.seen()) == 0 {
				t.Error("the service was not asked")
			}
			if owned {
				asked := len(near.seen())
				var found trilith.RecallResult
				if status := srv.call(t, "/api/v1/search", `{"query": "Petrel"}`, &found); status != 200 ||
					len(found.Hits) != 1 {
					t.Errorf("POST /search beside it = %d with %d hits, want the hit by its words", status,
						len(found.Hits))
				}
				if n := len(near.seen()); n != asked {
					t.Errorf("the owner asked a service that none of its settings names, %d times", n-asked)
				}
			}
			if out := s.ok(t, "reindex", "--rollback"); !strings.Contains(out, "active    builtin:") {
				t.Errorf("reindex --rollback says\n%s", out)
			}
			// back to what only the store names
			if out := s.ok(t, "reindex", "--rollback"); !strings.Contains(out, "active    openai:m") {
				t.Errorf("the second reindex --rollback says\n%s", out)
			}
			s.ok(t, "reindex", "--to", "hash:32")
			s.ok(t, "reindex", "--rollback")
			if out := s.ok(t, "reindex", "--to", "builtin:"); !strings.Contains(out, "active    builtin:") {
				t.Errorf("reindex --to builtin: says\n%s", out)
			}
		})
	}
}

// TestNothingIsAskedForARequest: a server whose settings name no provider sends nothing anywhere, for any request.
func TestNothingIsAskedForARequest(t *testing.T) {
	t.Parallel()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ln.Close() })
	go func() {
		for {
			conn, err := ln.Accept()
			if err != nil {
				return
			}
			t.Error("the server has connected to an address of a request")
			conn.Close()
		}
	}()
	address := ln.Addr().String()
	s := newShell(t)
	for _, name := range compose.Outside {
		s.env[name] = "key-1"
	}
	s.env["OLLAMA_HOST"] = address
	srv, stop := s.serve(t, "--embedder", "hash:32")
	srv.call(t, "/api/v1/memories", `{"text": "The anchor weighs twelve kilos.", "user": "ana", "wait": "indexed"}`,
		nil)
	var settings []string
	for _, scheme := range []string{"openai", "voyage", "gemini", "vertex", "ollama", "deepseek", "anthropic", "cohere",
		"jina", "tei", "local"} {
		for _, rest := range []string{":m", ":m?dims=8", ":m?dims=8&base_url=http://" + address,
			":m?dims=8&allow_http=true&key_env=HOME&base_url=http://" + address + "/v1",
			":m?key_file=/etc/hostname&base_url=http://" + address} {
			settings = append(settings, scheme+rest)
		}
	}
	settings = append(settings, "http://"+address, "file://"+address+"/x", "postgres://"+address+"/x", "sqlite:http://"+
		address, "//"+address, "llm", "rules", "auto", "none", "m", address, "https://"+address+"/m")
	requests := []string{
		`POST /api/v1/admin/jobs?do=reindex {"to": %s}`,
		`POST /api/v1/admin/jobs?do=backup {"path": %s}`,
		`POST /api/v1/memories {"text": "Ana sails.", "user": "ana", "extract": %s}`,
		`POST /api/v1/memories {"text": "Ana sails.", "user": "ana", "model": %[1]s, "embedder": %[1]s}`,
		`POST /api/v1/memories {"document": {"text": "Ana sails.", "source": %[1]s, "url": %[1]s}, "user": "ana"}`,
		`POST /api/v1/graph/assimilate {"identifier": {"type": "name", "value": "Ana"}, "content": "Ana sails.", "extract": %s}`,
		`POST /api/v1/search {"query": "anchor", "reranker": %s}`,
		`POST /api/v1/search {"query": "anchor", "rerank": %s}`,
		`POST /api/v1/search {"query": "anchor", "arms": [%s]}`,
		`POST /api/v1/context {"query": "anchor", "model": %s}`,
		`POST /api/v1/import {"memory": {"text": "x", "embedding": {"model": %s}}}`,
		`POST /api/v1/import {"trilith_export": {"format": 1, "at": "2026-01-01T00:00:00Z", "version": %s}}`,
		`PUT /api/v1/admin/profile {"profile": %s}`,
		`PUT /api/v1/profile {"name": %s}`,
		`PUT /api/v1/settings?of=languages {"languages": [%s]}`,
		`POST /api/facts/search {"query": "anchor", "model": %s}`,
		`POST /api/admin/facts/regenerate-embeddings {"model": %s}`,
		`POST /mcp {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "memory_append", "arguments": {"content": "Ana sails.", "model": %s}}}`,
		`POST /mcp {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "memory_assimilate", "arguments": {"identifier": {"type": "name", "value": "Ana"}, "content": "Ana sails.", "extract": %s}}}`,
		`POST /mcp {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "memory_search", "arguments": {"query": "anchor", "reranker": %s}}}`,
		`POST /mcp {"jsonrpc": "2.0", "id": 1, "method": "resources/read", "params": {"uri": %s}}`,
	}
	for _, setting := range settings {
		value, _ := json.Marshal(setting)
		for _, request := range requests {
			parts := strings.SplitN(fmt.Sprintf(request, value), " ", 3)
			req, err := http.NewRequestWithContext(t.Context(), parts[0], srv.url+parts[1], strings.NewReader(parts[2]))
			if err != nil {
				t.Fatal(err)
			}
			req.Header.Set("Content-Type", "application/json")
			req.Header.Set("Accept", "application/json, text/event-stream")
			res, err := srv.client.Do(req)
			if err != nil {
				t.Fatalf("%s: %v", request, err)
			}
			if res.Body.Close(); res.StatusCode >= 500 && res.StatusCode != 501 {
				t.Errorf("%s with %s = %d", request, value, res.StatusCode)
			}
		}
	}
	srv.call(t, "/api/v1/search", `{"query": "anchor"}`, nil)
	if code := stop(); code != 0 { // what runs in the background has ended
		t.Errorf("serve ends with %d", code)
	}
}
