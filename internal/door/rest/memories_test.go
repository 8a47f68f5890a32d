package rest_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/client"
	"github.com/trilith-memory/trilith/internal/door/rest"
	"github.com/trilith-memory/trilith/internal/test/inmem"
)

// decode reads the body of a successful answer.
func decode[T any](tb testing.TB, a answer) T {
	tb.Helper()
	var v T
	if err := json.Unmarshal([]byte(a.body), &v); err != nil || a.status != 200 {
		tb.Fatalf("answer %d %.300s (%v), want 200", a.status, a.body, err)
	}
	return v
}

func TestIdempotencyKey(t *testing.T) {
	t.Parallel()
	e := open(t, rest.Config{Local: true})
	first := decode[trilith.RememberResult](
		t, e.do("POST", "/api/v1/memories", `{"text":"once"}`, "Idempotency-Key", "k"))
	again := decode[trilith.RememberResult](
		t, e.do("POST", "/api/v1/memories", `{"text":"once"}`, "Idempotency-Key", "k"))
	if !again.Replayed || again.Memories[0].ID != first.Memories[0].ID {
		t.Errorf("a repeated request = %+v, want the first answer", again)
	}
	if got := e.do("POST", "/api/v1/memories", `{"text":"twice"}`, "Idempotency-Key", "k"); got.status != 409 {
		t.Errorf("another request under the key = %d, want 409", got.status)
	}
	if got := e.do("POST", "/api/v1/memories", `{"text":"once","request_key":"j"}`, "Idempotency-Key",
		"k"); got.status != 400 {
		t.Errorf("two different keys in one request = %d, want 400", got.status)
	}
}

// A program reads the turns of a conversation that one request brought: in their order, both ways and page by page, and
// forgotten turns only where it asks for them.
func TestListOfASession(t *testing.T) {
	t.Parallel()
	e := open(t, rest.Config{Local: true})
	var said []string
	for i := range 2 {
		var turns []string
		for j := range 7 {
			text := fmt.Sprintf("Turn %d.", 7*i+j)
			said, turns = append(said, text), append(turns, fmt.Sprintf(`{"role":"user","content":%q}`, text))
		}
		decode[trilith.RememberResult](
			t, e.do("POST", "/api/v1/memories", `{"user":"ana","session":"talk","messages":[`+
				strings.Join(turns, ",")+`]}`))
	}
	listed := func(query string) (texts []string) {
		t.Helper()
		for cursor := ""; ; {
			page := decode[trilith.Page](t, e.do("GET", "/api/v1/memories?limit=5&"+query+"&cursor="+cursor, ""))
			for _, m := range page.Items {
				texts = append(texts, m.Text)
			}
			if cursor = page.NextCursor; cursor == "" {
				return texts
			}
		}
	}
	want := func(query string, want []string) {
		t.Helper()
		if diff := cmp.Diff(want, listed(query)); diff != "" {
			t.Errorf("GET /memories?%s (-want +got):\n%s", query, diff)
		}
	}
	backwards := slices.Clone(said)
	slices.Reverse(backwards)
	want("session=talk", said)
	want("user=ana", said)
	want("session=talk&newest=true", backwards)
	decode[trilith.ForgetResult](t, e.do("POST", "/api/v1/forget", `{"filter":{"seq":{"gte":3}}}`))
	want("session=talk", said[:3])
	want("session=talk&states=retracted", said[3:])
	want("session=talk&states=retracted,active", said)
	want("session=talk&states=retracted&states=active&newest=true", backwards)
	want("filter="+url.QueryEscape(`{"state":"retracted"}`), said[3:])
	if p := e.do("GET", "/api/v1/memories?states=gone", "").problem(t); p.Status != 400 ||
		!strings.Contains(p.Detail, "use candidate, active") {
		t.Errorf("an unknown state = %+v", p)
	}
}

func TestListsAreNeverNull(t *testing.T) {
	t.Parallel()
	e := open(t, rest.Config{Local: true})
	for _, tc := range []struct{ request, body, want string }{
		{"GET /api/v1/memories", "", `"items":[]`},
		{"GET /api/v1/jobs", "", `"items":[]`},
		{"GET /api/v1/admin/keys", "", `"items":[]`},
		{"GET /api/v1/admin?view=audit", "", `"items":[]`},
		{"POST /api/v1/search", `{"query":"x"}`, `"hits":[]`},
		{"POST /api/v1/context", `{"query":"x"}`, `"hits":[]`},
		{"POST /api/v1/forget", `{"filter":{"kind":"note"}}`, `"ids":[]`},
		{"POST /api/v1/memories", `{"text":" ","dry_run":true}`, `"memories":[]`},
		{"POST /api/v1/memories", `{"text":"x"}`, `"rejected":[]`},
		{"POST /api/v1/import", "", `"bad":[]`},
		{"GET /api/v1/graph/entities", "", `"items":[]`},
		{"POST /api/v1/graph/assimilate", `{"identifier":{"type":"name","value":"Ana"},"content":"Hm."}`,
			`"assimilated_facts":[]`},
		{"GET /api/v1/graph/entities/lookup?type=name&value=Ana", "", `"facts":[]`},
		{"GET /api/v1/graph/entities/lookup?type=name&value=Ana&rag_query=x&rag_debug=true", "", `"vector_hits":[]`},
	} {
		method, target, _ := strings.Cut(tc.request, " ")
		if got := e.do(method, target, tc.body); got.status != 200 || !strings.Contains(got.body, tc.want) {
			t.Errorf("%s %s = %d %s, want %s", tc.request, tc.body, got.status, got.body, tc.want)
		}
	}
}

func TestListPages(t *testing.T) {
	t.Parallel()
	e := open(t, rest.Config{Local: true})
	for i := range 5 {
		decode[trilith.RememberResult](
			t, e.do("POST", "/api/v1/memories", fmt.Sprintf(`{"text":"turn %d","user":"ana"}`, i)))
	}
	decode[trilith.RememberResult](t, e.do("POST", "/api/v1/memories", `{"text":"of someone else","user":"ben"}`))
	q := url.Values{"user": {"ana"}, "limit": {"2"}, "filter": {`{"kind":"episode"}`}}
	var sizes []int
	seen := map[trilith.ID]bool{}
	for {
		page := decode[trilith.Page](t, e.do("GET", "/api/v1/memories?"+q.Encode(), ""))
		sizes = append(sizes, len(page.Items))
		for _, m := range page.Items {
			seen[m.ID] = true
		}
		if page.NextCursor == "" {
			break
		}
		q.Set("cursor", page.NextCursor)
	}
	if diff := cmp.Diff([]int{2, 2, 1}, sizes); diff != "" || len(seen) != 5 {
		t.Errorf("pages of two over five memories: %d different ones, sizes (-want +got):\n%s", len(seen), diff)
	}
}

func TestAuditPages(t *testing.T) {
	t.Parallel()
	e := open(t, rest.Config{Local: true})
	for range 3 {
		e.do("POST", "/api/v1/memories", `{"text":"x"}`)
	}
	type page struct {
		Items      []trilith.AuditEntry
		NextCursor string `json:"next_cursor"`
	}
	first := decode[page](t, e.do("GET", "/api/v1/admin?view=audit&limit=2", ""))
	second := decode[page](t, e.do("GET", "/api/v1/admin?view=audit&limit=2&cursor="+first.NextCursor, ""))
	all := append(first.Items, second.Items...)
	if err := trilith.VerifyAudit(trilith.AuditEntry{}, all); err != nil || len(all) != 3 || second.NextCursor != "" {
		t.Errorf("audit over two pages: %d entries, next %q, %v; want an unbroken chain of 3", len(all),
			second.NextCursor, err)
	}
}

func TestDelete(t *testing.T) {
	t.Parallel()
	e := open(t, rest.Config{Local: true})
	m := decode[trilith.RememberResult](t, e.do("POST", "/api/v1/memories", `{"text":"x","user":"ana"}`)).Memories[0]
	path := "/api/v1/memories/" + string(m.ID)
	if got := e.do("DELETE", path+"?user=ben", ""); got.status != 404 {
		t.Errorf("DELETE from another user's scope = %d, want 404", got.status)
	}
	for range 2 {
		if got := e.do("DELETE", path, ""); got.status != 200 || !strings.Contains(got.body, string(m.ID)) {
			t.Errorf("DELETE = %d %s, want 200, the second time too", got.status, got.body)
		}
	}
	if got := decode[trilith.Memory](t, e.do("GET", path, "")); got.State != trilith.StateRetracted {
		t.Errorf("after DELETE the memory is %s, want %s", got.State, trilith.StateRetracted)
	}
	if got := decode[trilith.Memory](t, e.do("PATCH", path, `{"state":"active"}`)); got.State != trilith.StateActive {
		t.Errorf("after PATCH the memory is %s, want %s", got.State, trilith.StateActive)
	}
	if got := e.do("DELETE", path+"?erase=true", ""); got.status != 200 || !strings.Contains(got.body, `"receipt"`) {
		t.Errorf("DELETE with erase = %d %s, want a receipt", got.status, got.body)
	}
	if got := e.do("GET", path, ""); got.status != 404 {
		t.Errorf("GET of what was erased = %d, want 404", got.status)
	}
}

func TestBackup(t *testing.T) {
	t.Parallel()
	var path string
	e := open(t, rest.Config{Local: true, Backup: func(_ context.Context, p string) error {
		path = p
		return nil
	}})
	if got := e.do("POST", "/api/v1/admin/jobs?do=backup", `{"path":"copy.db"}`); got.status != 200 || path != "copy.db" {
		t.Errorf("POST /admin/jobs?do=backup = %d %s with path %q", got.status, got.body, path)
	}
}

func TestExportImport(t *testing.T) {
	t.Parallel()
	from, to := open(t, rest.Config{Local: true}), open(t, rest.Config{Local: true})
	for i := range 7 {
		decode[trilith.RememberResult](
			t, from.do("POST", "/api/v1/memories", fmt.Sprintf(`{"text":"turn %d","session":"s"}`, i)))
	}
	a, b := httptest.NewServer(from), httptest.NewServer(to)
	t.Cleanup(a.Close)
	t.Cleanup(b.Close)
	source, target := client.New(a.URL), client.New(b.URL)
	got, err := target.Import(t.Context(), source.Export(t.Context(), trilith.Scope{}))
	if err != nil || got.Stored != 14 || got.Failed != 0 {
		t.Fatalf("Import of an export of 7 turns = %+v, %v; want 7 sources and 7 memories stored", got, err)
	}
	again, err := target.Import(t.Context(), source.Export(t.Context(), trilith.Scope{}))
	if err != nil || again.Stored != 0 || again.Skipped != 14 {
		t.Errorf("Import repeated = %+v, %v; want all skipped", again, err)
	}
	list := func(e *edge) string { return e.do("GET", "/api/v1/memories?filter=%7B%22seq%22%3A3%7D", "").body }
	if diff := cmp.Diff(decode[trilith.Page](t, answer{status: 200, body: list(from)}).Items[0].Text,
		decode[trilith.Page](t, answer{status: 200, body: list(to)}).Items[0].Text); diff != "" {
		t.Errorf("the fourth turn differs (-from +to):\n%s", diff)
	}
}

func TestImportNamesBadLines(t *testing.T) {
	t.Parallel()
	e := open(t, rest.Config{Local: true, MaxBody: 2048})
	good := func(n int) string {
		return fmt.Sprintf(`{"memory":{"id":"0197c6a0-0000-7000-8000-%012d","version":1,"kind":"note","text":"n","scope":{},"seq":0,`+
			`"event_time":"2025-01-01T00:00:00Z","recorded_at":"2025-01-01T00:00:00Z","state":"active","trust":"user_stated"}}`, n)
	}
	lines := []string{`{"trilith_export":{"format":1,"at":"2025-01-01T00:00:00Z","version":"t"}}`, good(1), `{"memory":`,
		`{"colour":1}`, "", `{}`,
		good(2), `{"memory":{"id":"zz"}}`, good(2), good(3) + good(4), `{"memory":{"text":"` + "\xff" + `"}}`, good(5)}
	got := decode[client.ImportResult](
		t, e.do("POST", "/api/v1/import", strings.Join(lines, "\n"), "Content-Type", "application/x-ndjson"))
	var bad []int
	for _, b := range got.Bad {
		bad = append(bad, b.Line)
	}
	slices.Sort(bad) // a line that the engine refuses is known after its batch
	if diff := cmp.Diff([]int{3, 4, 6, 8, 10, 11}, bad); diff != "" || got.Failed != 6 || got.Stored != 3 {
		t.Errorf("import = %+v, want 3 stored; bad lines (-want +got):\n%s", got, diff)
	}
	if got := e.do("POST", "/api/v1/import", `{"trilith_export":{"format":9}}`+"\n"+good(7)); got.status != 501 {
		t.Errorf("import of an unknown format = %d %s, want 501", got.status, got.body)
	}
	if got := e.do("POST", "/api/v1/import", strings.Repeat("x", 4096)); got.status != 413 ||
		!strings.Contains(got.body, "line 1") {
		t.Errorf("import of an endless line = %d %s, want 413", got.status, got.body)
	}
}

func TestExportThatBreaksIsNotTakenForWhole(t *testing.T) {
	t.Parallel()
	e := open(t, rest.Config{Local: true})
	decode[trilith.RememberResult](t, e.do("POST", "/api/v1/memories", `{"text":"x"}`))
	e.store.Inject(inmem.Fault{Before: func(_ context.Context, op string) error {
		if op == "List" {
			return trilith.Errorf(trilith.Internal, "broken")
		}
		return nil
	}})
	srv := httptest.NewServer(e)
	t.Cleanup(srv.Close)
	var last error
	for _, err := range client.New(srv.URL).Export(t.Context(), trilith.Scope{}) {
		last = err
	}
	if trilith.KindOf(last) != trilith.Unavailable || !strings.Contains(e.log.String(), "broken") {
		t.Errorf("Export of a store that breaks after the header ended with %v, want unavailable; log:\n%s", last,
			e.log)
	}
}

func FuzzImport(f *testing.F) {
	e := open(f, rest.Config{Local: true, MaxBody: 1 << 16})
	f.Add(`{"trilith_export":{"format":1}}` + "\n" + `{"source":{"id":"x"}}`)
	f.Add(`{"erased":{"receipt":{},"salt":"zz","hashes":["a"],"ids":["b"]}}`)
	f.Add("{\"memory\":{\"id\":\"0197c6a0-0000-7000-8000-000000000001\",\"version\":1,\"kind\":\"note\",\"text\":\"\xff\"}}\n\n[]")
	f.Fuzz(func(t *testing.T, body string) {
		got := e.do("POST", "/api/v1/import", body)
		if got.status >= 500 && got.status != 501 {
			t.Errorf("POST /import %q = %d %s", body, got.status, got.body)
		}
	})
}

// This measures the cost of the edge over the engine: routing, authentication, decoding, validation, encoding, logging.
func BenchmarkGet(b *testing.B) {
	e := open(b, rest.Config{})
	key := e.key(b, "acme", trilith.AccessWriter)
	m := decode[trilith.RememberResult](b, e.do("POST", "/api/v1/memories", `{"text":"x"}`, "X-API-Key", key)).Memories[0]
	path := "/api/v1/memories/" + string(m.ID)
	b.ReportAllocs()
	for b.Loop() {
		if got := e.do("GET", path, "", "X-API-Key", key); got.status != 200 {
			b.Fatal(got.body)
		}
	}
}

func BenchmarkSearch(b *testing.B) {
	e := open(b, rest.Config{})
	key := e.key(b, "acme", trilith.AccessReader)
	b.ReportAllocs()
	for b.Loop() {
		if got := e.do("POST", "/api/v1/search", `{"query":"x","user":"ana","filter":{"kind":"note"}}`, "X-API-Key",
			key); got.status != 200 {
			b.Fatal(got.body)
		}
	}
}
