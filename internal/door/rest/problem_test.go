package rest_test

import (
	"context"
	"errors"
	"fmt"
	"net/http/httptest"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/client"
	"github.com/trilith-memory/trilith/internal/door/rest"
	"github.com/trilith-memory/trilith/internal/test/inmem"
)

const unknownID = trilith.ID("0197c6a0-0000-7000-8000-000000000001")

// TestKindsThereAndBack walks every kind from the store through the table to a status, and through the client back.
func TestKindsThereAndBack(t *testing.T) {
	t.Parallel()
	statuses := map[trilith.ErrorKind]int{trilith.Invalid: 400, trilith.Unauthenticated: 401, trilith.Forbidden: 403,
		trilith.NotFound: 404,
		trilith.Conflict: 409, trilith.Unsupported: 501, trilith.Exhausted: 429, trilith.Unavailable: 503,
		trilith.Canceled:         499,
		trilith.DeadlineExceeded: 504, trilith.Internal: 500}
	for _, kind := range trilith.ErrorKinds() {
		e := open(t, rest.Config{Local: true})
		srv := httptest.NewServer(e)
		t.Cleanup(srv.Close)
		c := client.New(srv.URL, client.WithWait(func(context.Context, time.Duration) error { return nil }))
		if _, err := c.List(t.Context(), trilith.Scope{}, trilith.ListRequest{}); err != nil {
			t.Fatal(err)
		}
		e.store.Inject(inmem.Fault{Before: func(_ context.Context, op string) error {
			if op != "List" {
				return nil
			}
			return &trilith.Error{Kind: kind, Op: "inmem.List", Msg: "field: the fix", Err: errors.New("hidden cause")}
		}})
		got := e.do("GET", "/api/v1/memories", "")
		p := got.problem(t)
		if got.status != statuses[kind] || p.Status != got.status || p.Kind != kind.String() || p.Title == "" ||
			p.RequestID == "" {
			t.Errorf("GET /memories with a store that answers %s = %d %s, want status %d and the kind", kind,
				got.status, got.body, statuses[kind])
		}
		if retry := got.header.Get("Retry-After"); (retry != "") != (kind == trilith.Unavailable) {
			t.Errorf("a problem of kind %s has Retry-After %q, want it where repeating helps", kind, retry)
		}
		if never := got.header.Get("X-Should-Retry"); (never == "false") != (kind == trilith.Unsupported) {
			t.Errorf("a problem of kind %s has X-Should-Retry %q; clients repeat what will never be there without it", kind, never)
		}
		if strings.Contains(got.body, "hidden cause") || strings.Contains(got.body, "inmem") {
			t.Errorf("a problem of kind %s shows what only the operator may see: %s", kind, got.body)
		}
		_, err := c.List(t.Context(), trilith.Scope{}, trilith.ListRequest{})
		want := "field: the fix"
		if kind == trilith.Internal {
			want = "internal"
		}
		if trilith.KindOf(err) != kind || trilith.MessageOf(err) != want {
			t.Errorf("List through the client = %s %q, want %s %q", trilith.KindOf(err), trilith.MessageOf(err), kind, want)
		}
		if got.status >= 500 && !strings.Contains(e.log.String(), "hidden cause") {
			t.Errorf("the log of a problem of kind %s does not hold its cause", kind)
		}
	}
}

// A full disk is neither the caller's fault nor a quota, so its status is not 429, which clients would repeat.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	e := open(t, rest.Config{Local: true})
	const note = `{"text":"The roof is red."}`
	if got := e.do("POST", "/api/v1/memories", note); got.status >= 300 {
		t.Fatalf("POST /memories = %d %s", got.status, got.body)
	}
	for _, cause := range []error{trilith.ErrNoSpace, syscall.ENOSPC, syscall.EDQUOT} {
		e.store.Inject(inmem.Fault{Before: func(_ context.Context, op string) error {
			if op != "Commit" {
				return nil
			}
			return trilith.WrapError(trilith.Internal, "disk.Commit", fmt.Errorf("at /srv/data: %w", cause))
		}})
		got := e.do("POST", "/api/v1/memories", note)
		p := got.problem(t)
		if got.status != 507 || p.Status != 507 || p.Kind != "exhausted" || p.Title != "Insufficient Storage" ||
			!strings.Contains(p.Detail, "disk is full") || strings.Contains(got.body, "/srv") {
			t.Errorf("POST /memories where the disk says %v = %d %s, want 507 exhausted and what to do", cause,
				got.status, got.body)
		}
		if got.header.Get("Retry-After") != "" {
			t.Errorf("a full disk has Retry-After %s", got.header.Get("Retry-After"))
		}
		if got := e.do("GET", "/api/v1/memories", ""); got.status != 200 {
			t.Errorf("GET /memories on a full disk = %d %s", got.status, got.body)
		}
	}
	e.store.Inject(inmem.Fault{})
	if got := e.do("POST", "/api/v1/memories", note); got.status >= 300 {
		t.Errorf("POST /memories when there is room again = %d %s", got.status, got.body)
	}
}

func TestPanicIsAProblem(t *testing.T) {
	t.Parallel()
	e := open(t, rest.Config{Local: true})
	e.do("GET", "/api/v1/memories", "")
	e.store.Inject(inmem.Fault{Before: func(_ context.Context, op string) error {
		if op == "List" {
			panic("the roof is on fire")
		}
		return nil
	}})
	got := e.do("GET", "/api/v1/memories", "")
	if p := got.problem(t); got.status != 500 || p.Kind != "internal" || strings.Contains(got.body, "roof") {
		t.Errorf("GET /memories that panics = %d %s, want a problem of kind internal", got.status, got.body)
	}
	if !strings.Contains(e.log.String(), "roof is on fire") {
		t.Errorf("the log does not hold the panic: %s", e.log)
	}
}

func TestBadRequests(t *testing.T) {
	t.Parallel()
	e := open(t, rest.Config{Local: true})
	const memories, search, contexts = "POST /api/v1/memories", "POST /api/v1/search", "POST /api/v1/context"
	const assimilate, lookup = "POST /api/v1/graph/assimilate", "GET /api/v1/graph/entities/lookup"
	for _, tc := range []struct {
		name, request, body string
		status              int
		location            string // of the first wrong field; empty: none is named
		detail              string // part of it
	}{
		{"no body", search, "", 400, "", "body is required"},
		{"not JSON", search, "{", 400, "body", "unexpected end of JSON"},
		{"an array", search, "[]", 400, "body", "expected object"},
		{"null", search, "null", 400, "body", "expected object"},
		{"invalid UTF-8", search, "{\"query\":\"\xff\"}", 400, "body", "not valid UTF-8"},
		{"half a character", search, `{"query":"a \ud800"}`, 400, "body", "half of a character"},
		{"half a character in a name", search, `{"query":"x","\udc00":1}`, 400, "body", "half of a character"},
		{"half a character in a filter", search, `{"query":"x","filter":{"tags":{"contains":"\uD83D"}}}`, 400, "body",
			"half of a character"},
		{"half a character in metadata", "POST /api/v1/memories", `{"text":"x","metadata":{"\ude00":"y"}}`, 400, "body",
			"half of a character"},
		{"half a character in structured data", "POST /api/v1/memories",
			`{"entry":{"content":"x","structured":{"a":{"b":["\ud83d"]}}},"domain":"d"}`, 400, "body",
			"half of a character"},
		{"no query", search, "{}", 400, "body", "query"},
		{"empty query", search, `{"query":""}`, 400, "body.query", "query: expected length >= 1"},
		{"unknown field", search, `{"query":"x","topk":3}`, 400, "body.topk", "topk: unexpected property"},
		{"field in another case", search, `{"query":"x","K":3}`, 400, "body.K", "K: unexpected property"},
		{"tenant in the body", search, `{"query":"x","tenant":"acme"}`, 400, "body.tenant", "unexpected property"},
		{"actor in the body", search, `{"query":"x","Actor":"root"}`, 400, "body.Actor", "unexpected property"},
		{"k of the wrong type", search, `{"query":"x","k":"3"}`, 400, "body.k", "expected integer"},
		{"k = 1.5", search, `{"query":"x","k":1.5}`, 400, "body.k", "expected integer"},
		{"k = 0", search, `{"query":"x","k":0}`, 400, "body.k", ">= 1"},
		{"k = 10000", search, `{"query":"x","k":10000}`, 400, "body.k", "<= 200"},
		{"k = 1e999", search, `{"query":"x","k":1e999}`, 400, "body.k", "expected integer"},
		{"too many messages", "POST /api/v1/memories", `{"messages":[` +
			strings.TrimSuffix(strings.Repeat(`{"role":"user","content":"x"},`, 1001), ",") + `]}`, 400,
			"body.messages",
			"messages: expected array length <= 1000; send the rest in another request"},
		{"unknown state", search, `{"query":"x","states":["gone"]}`, 400, "", "states"},
		{"unknown arm", search, `{"query":"x","arms":["leg"]}`, 400, "", "arms"},
		{"long user", search, `{"query":"x","user":"` + strings.Repeat("ü", 200) + `"}`, 400, "", "user: is 400 bytes"},
		{"filter of the wrong type", search, `{"query":"x","filter":[1]}`, 400, "body.filter",
			"filter: must be an object"},
		{"filter with an unknown field", search, `{"query":"x","filter":{"colour":1}}`, 400, "body.filter",
			`unknown field "colour"`},
		{"filter too deep", search, `{"query":"x","filter":` + strings.Repeat(`{"not":`, 20) + `{"kind":"note"}` +
			strings.Repeat("}", 20) + `}`, 400, "body.filter", "deeper"},
		{"as_of", search, `{"query":"x","as_of":"soon"}`, 400, "", "as_of"},
		{"negative budget", contexts, `{"query":"x","budget":-1}`, 400, "body.budget", ">= 1"},
		{"unknown format", contexts, `{"query":"x","format":"poem"}`, 400, "body.format", "one of"},
		{"nothing to remember", memories, `{}`, 400, "", ""},
		{"two things to remember", memories, `{"text":"a","note":{"content":"b"}}`, 400, "", ""},
		{"message role", memories, `{"messages":[{"content":"a"},{"content":"a","role":"king"}]}`, 400,
			"body.messages[1].role", "messages[1].role"},
		{"message without content", memories, `{"messages":[{}]}`, 400, "body.messages[0].content", "content"},
		{"metadata of the wrong type", memories, `{"text":"a","metadata":[]}`, 400, "body.metadata", "expected object"},
		{"too many tags", memories, `{"text":"a","tags":[` + strings.Repeat(`"t",`, 64) + `"t"]}`, 400,
			"body.tags", "<= 64"},
		{"NUL in the scope", memories, `{"text":"a","user":"a\u0000b"}`, 400, "", "user: contains a NUL"},
		{"wrong media type", "POST /api/v1/search text/plain", `{"query":"x"}`, 400, "body", "content type"},
		{"unknown query parameter", "GET /api/v1/memories?colour=red", "", 400, "query.colour",
			"colour: unknown query parameter"},
		{"limit = 0", "GET /api/v1/memories?limit=0", "", 400, "query.limit", ">= 1"},
		{"limit is no number", "GET /api/v1/memories?limit=ten", "", 400, "query.limit", "integer"},
		{"cursor", "GET /api/v1/memories?cursor=zz", "", 400, "", "cursor"},
		{"filter in the query", "GET /api/v1/memories?filter=zz", "", 400, "query.filter", "filter"},
		{"id", "GET /api/v1/memories/zz", "", 400, "", "id"},
		{"unknown id", "GET /api/v1/memories/" + string(unknownID), "", 404, "", "does not exist"},
		{"unknown id to delete", "DELETE /api/v1/memories/" + string(unknownID), "", 404, "", "does not exist"},
		{"unknown id to erase", "DELETE /api/v1/memories/" + string(unknownID) + "?erase=true", "", 404, "",
			"does not exist"},
		{"unknown job", "GET /api/v1/jobs/" + string(unknownID), "", 404, "", "does not exist"},
		{"unknown key", "DELETE /api/v1/admin/keys/" + string(unknownID), "", 404, "", "does not exist"},
		{"update to an unknown state", "PATCH /api/v1/memories/" + string(unknownID), `{"state":"gone"}`, 400,
			"body.state", "one of"},
		{"assimilate nothing", assimilate, `{"identifier":{"type":"email","value":"a@b.c"},"content":""}`, 400,
			"body.content", "content: expected length >= 1"},
		{"assimilate about nobody", assimilate, `{"content":"x"}`, 400, "body", "identifier"},
		{"assimilate about an empty name", assimilate, `{"identifier":{"type":"name","value":""},"content":"x"}`, 400,
			"body.identifier.value", "identifier.value: expected length >= 1"},
		{"assimilate in an unknown role", assimilate,
			`{"identifier":{"type":"name","value":"A"},"content":"x","role":"king"}`, 400, "body.role", "one of"},
		{"assimilate at no time", assimilate,
			`{"identifier":{"type":"name","value":"A"},"content":"x","timestamp":"noon"}`, 400, "", "timestamp"},
		{"lookup without a type", lookup + "?value=x", "", 400, "query.type", "type: required query parameter"},
		{"lookup without a value", lookup + "?type=email", "", 400, "query.value", "value: required query parameter"},
		{"lookup of an empty value", lookup + "?type=email&value=", "", 400, "query.value",
			"value: required query parameter"},
		{"lookup of a strange type", lookup + "?type=E+mail&value=x", "", 400, "",
			"type: must be 1 to 64 of a-z 0-9 _"},
		{"rag_top_k = 0", lookup + "?type=email&value=x&rag_top_k=0", "", 400, "query.rag_top_k",
			"rag_top_k: expected number >= 1"},
		{"rag_top_k = 201", lookup + "?type=email&value=x&rag_top_k=201", "", 400, "query.rag_top_k",
			"rag_top_k: expected number <= 200"},
		{"rag_min_score is no number", lookup + "?type=email&value=x&rag_min_score=much", "", 400,
			"query.rag_min_score", "rag_min_score: expected number"},
		{"rag_min_score = 1.5", lookup + "?type=email&value=x&rag_min_score=1.5", "", 400,
			"query.rag_min_score", "<= 1"},
		{"rag_min_score is not a number", lookup + "?type=email&value=x&rag_query=y&rag_min_score=NaN", "", 400,
			"query.rag_min_score", "min_score"},
		{"rag_expand_hops = 3", lookup + "?type=email&value=x&rag_expand_hops=3", "", 400, "query.rag_expand_hops",
			"rag_expand_hops: expected number <= 2"},
		{"rag_debug is neither", lookup + "?type=email&value=x&rag_debug=maybe", "", 400, "query.rag_debug",
			"rag_debug: expected boolean"},
		{"unknown state of facts", lookup + "?type=email&value=x&states=active,gone", "", 400, "",
			"use candidate, active"},
		{"long rag_query", lookup + "?type=email&value=x&rag_query=" + strings.Repeat("q", 8193), "", 400,
			"query.rag_query", "rag_query: expected length <= 8192"},
		{"lookup of nobody", lookup + "?type=email&value=x", "", 404, "", "no entity has the email"},
		{"lookup by nearly a type", lookup + "?type=user&value=x", "", 404, "", "did you mean user_id?"},
		{"summary of nobody", lookup + "?view=summary&type=email&value=x", "", 404, "", "no entity has the email"},
		{"id of an entity", "GET /api/v1/graph/entities/zz", "", 400, "", "id"},
		{"unknown entity", "GET /api/v1/graph/entities/" + string(unknownID), "", 404, "", "does not exist"},
		{"hops of a neighborhood", "GET /api/v1/graph/entities/" + string(unknownID) + "?view=neighborhood&hops=3", "", 400,
			"query.hops", "<= 2"},
		{"neighborhood of nobody", "GET /api/v1/graph/entities/" + string(unknownID) + "?view=neighborhood", "", 404, "",
			"does not exist"},
		{"history of nobody", "GET /api/v1/graph/entities/" + string(unknownID) + "?view=history", "", 404, "",
			"does not exist"},
		{"update of nobody", "PATCH /api/v1/graph/entities/" + string(unknownID), `{"name": "x"}`, 404, "",
			"does not exist"},
		{"misspelt update", "PATCH /api/v1/graph/entities/" + string(unknownID), `{"nmae": "x"}`, 400, "body.nmae",
			"unexpected"},
		{"merge without from", "POST /api/v1/graph/entities/" + string(unknownID) + "/merge", `{}`, 400,
			"body", "from"},
		{"merge of nobody", "POST /api/v1/graph/entities/" + string(unknownID) + "/merge",
			`{"from": "0197c6a0-0000-7000-8000-000000000002"}`, 404, "", "does not exist"},
		{"empty split", "POST /api/v1/graph/entities/" + string(unknownID) + "/split", `{}`, 400, "", "identifiers"},
		{"limit of entities", "GET /api/v1/graph/entities?limit=1001", "", 400, "query.limit", "<= 1000"},
		{"cursor of entities", "GET /api/v1/graph/entities?cursor=zz", "", 400, "", "cursor"},
		{"unknown route", "GET /api/v2/memories", "", 404, "", "not an operation"},
		{"unknown method", "PUT /api/v1/memories", "", 405, "", "takes GET, HEAD, POST"},
		{"a backup with NUL in its name", "POST /api/v1/admin/jobs?do=backup", `{"path":"x\u0000.db"}`, 400, "",
			"path: holds a NUL"},
		{"no backup", "POST /api/v1/admin/jobs?do=backup", `{"path":"/x"}`, 501, "", "no backup"},
	} {
		request := strings.Fields(tc.request)
		headers := []string{}
		if len(request) == 3 {
			headers = []string{"Content-Type", request[2]}
		}
		got := e.do(request[0], request[1], tc.body, headers...)
		p := got.problem(t)
		location := ""
		if len(p.Errors) > 0 {
			location = p.Errors[0].Location
		}
		if got.status != tc.status || location != tc.location || !strings.Contains(p.Detail, tc.detail) {
			t.Errorf("%s: %s %.80s = %d at %q: %.300s\nwant %d at %q with %q", tc.name, tc.request, tc.body, got.status,
				location, got.body,
				tc.status, tc.location, tc.detail)
		}
		if len(got.body) > 4096 {
			t.Errorf("%s: the problem has %d bytes, which is more than a person reads", tc.name, len(got.body))
		}
	}
}

func TestNothingFromOutsideMakesAProblemHuge(t *testing.T) {
	t.Parallel()
	e := open(t, rest.Config{Local: true})
	var body strings.Builder
	body.WriteString(`{"query":"x"`)
	for i := range 5000 {
		fmt.Fprintf(&body, `,"unknown%d":1`, i)
	}
	body.WriteString("}")
	got := e.do("POST", "/api/v1/search", body.String())
	if p := got.problem(t); got.status != 400 || len(p.Errors) > 16 || !strings.Contains(p.Detail, "more") {
		t.Errorf("POST /search with 5000 unknown fields = %d with %d errors: %.200s", got.status,
			len(p.Errors), p.Detail)
	}
}

func TestBodyTooLarge(t *testing.T) {
	t.Parallel()
	e := open(t, rest.Config{Local: true})
	huge := `{"text":"` + strings.Repeat("x", rest.DefaultMaxBody) + `"}`
	got := e.do("POST", "/api/v1/memories", huge)
	if p := got.problem(t); got.status != 413 || p.Kind != "exhausted" || p.Status != 413 {
		t.Errorf("POST /memories with more than 10 MiB = %d %.200s, want 413 exhausted", got.status, got.body)
	}
	small := open(t, rest.Config{Local: true, MaxBody: 16})
	if got := small.do("POST", "/api/v1/search", `{"query":"1234"}`); got.status != 200 {
		t.Errorf("POST /search with a body of exactly MaxBody = %d %s, want 200", got.status, got.body)
	}
	got = small.do("POST", "/api/v1/search", `{"query":"12345"}`)
	if got.status != 413 || !strings.Contains(got.problem(t).Detail, "body: has 17 bytes; at most 16 bytes are taken") ||
		!strings.Contains(got.problem(t).Detail, "--max-body") {
		t.Errorf("POST /search with one byte more than MaxBody = %d %s, want 413 with both sizes and the setting", got.status, got.body)
	}
}

func TestTimeout(t *testing.T) {
	t.Parallel()
	e := open(t, rest.Config{Local: true, Timeout: time.Millisecond})
	e.do("GET", "/healthz", "")
	e.store.Inject(inmem.Fault{Before: func(ctx context.Context, op string) error {
		if op == "List" {
			<-ctx.Done()
		}
		return ctx.Err()
	}})
	got := e.do("GET", "/api/v1/memories", "")
	if p := got.problem(t); got.status != 504 || p.Kind != "deadline_exceeded" {
		t.Errorf("GET /memories of a store that hangs = %d %s, want 504", got.status, got.body)
	}
}

// FuzzBodies holds the promise that no body makes the server fail: it is accepted or the sender's fault.
func FuzzBodies(f *testing.F) {
	e := open(f, rest.Config{Local: true, MaxBody: 1 << 16})
	for _, seed := range []string{
		`{"query":"x"}`, `{"query":"x","filter":{"not":{"kind":"note"}},"k":3,"explain":true}`,
		`{"query":"x","filter":{"metadata.a.b":{"gte":1}},"as_of":"2025-01-01","neighbors":2}`,
		`{"query":"\u0000","states":["active"],"arms":["dense"]}`,
		`{"text":"x","user":"\ud800","tags":["a"],"metadata":{"a":{"b":[1,null]}},"timestamp":"2025-01-01"}`,
		`{"messages":[{"content":"x","role":"assistant"}],"session":"s"}`,
		`{"note":{"content":"x"},"supersedes":["x"]}`,
		`{"entry":{"content":"x","structured":{"a":1e308}},"wait":"indexed"}`,
		`{"document":{"name":"a.md","content":"# x\n"},"dry_run":true}`,
		`[`, `{}`, `null`, `{"query":"x","k":1e99}`, "\xff"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, body string) {
		for _, path := range []string{"/api/v1/search", "/api/v1/memories", "/api/v1/context", "/api/v1/forget"} {
			if got := e.do("POST", path, body); got.status >= 500 {
				t.Errorf("POST %s %q = %d %s", path, body, got.status, got.body)
			}
		}
	})
}

// TestRequestsHaveDeadlines: whatever a request asks the store has a deadline, before it is known who sends it and
// after it was answered too. A store tells by it what may wait for long.
func TestRequestsHaveDeadlines(t *testing.T) {
	t.Parallel()
	type ofRequest struct{}
	for _, local := range []bool{true, false} {
		e := open(t, rest.Config{Local: local, Timeout: time.Minute})
		key := ""
		if !local {
			key = e.key(t, "default", trilith.AccessAdmin)
		}
		var mu sync.Mutex
		endless := map[string]bool{}
		e.store.Inject(inmem.Fault{Before: func(ctx context.Context, op string) error {
			if _, limited := ctx.Deadline(); ctx.Value(ofRequest{}) != nil && !limited {
				mu.Lock()
				defer mu.Unlock()
				endless[op] = true
			}
			return nil
		}})
		for _, c := range [][3]string{{"GET", "/healthz"}, {"GET", "/readyz"}, {"GET", "/no/such/path"}, {"GET", "/ui"},
			{"GET", "/api/v1/me"}, {"GET", "/api/v1/memories"}, {"GET", "/api/v1/stats"}, {"GET", "/api/v1/media"},
			{"POST", "/api/v1/memories", `{"text": "The pump is in the cellar.", "user": "ana"}`},
			{"POST", "/api/v1/memories", `{"text": "I live in Bergen.", "user": "ana", "extract": "rules", "wait": "indexed"}`},
			{"PUT", "/api/v1/memories/by-key/pump", `{"content": "In the cellar."}`},
			{"POST", "/api/v1/search", `{"query": "pump"}`}, {"POST", "/api/v1/context", `{"query": "pump"}`},
			{"POST", "/api/v1/forget", `{"filter": {"user": "ana"}}`},
			{"POST", "/api/v1/sessions/s/items", `{"items": [{"role": "user", "content": "A pump."}]}`},
			{"POST", "/compat/mem0/v1/memories/", `{"messages": [{"role": "user", "content": "A pump."}], "user_id": "ana"}`}} {
			r := httptest.NewRequest(c[0], c[1], strings.NewReader(c[2]))
			r = r.WithContext(context.WithValue(r.Context(), ofRequest{}, true))
			r.Host = "localhost"
			r.Header.Set("Content-Type", "application/json")
			if key != "" {
				r.Header.Set("Authorization", "Bearer "+key)
			}
			clear(endless)
			e.ServeHTTP(httptest.NewRecorder(), r)
			if mu.Lock(); len(endless) > 0 {
				t.Errorf("%s %s, local: %t: asks the store without a deadline: %v", c[0], c[1], local, endless)
			}
			mu.Unlock()
		}
	}
}
