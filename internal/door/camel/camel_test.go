package camel_test

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/door/camel"
	"github.com/trilith-memory/trilith/internal/door/rest"
	"github.com/trilith-memory/trilith/internal/engine"
	"github.com/trilith-memory/trilith/internal/model/hashembed"
	"github.com/trilith-memory/trilith/internal/store/walk"
	"github.com/trilith-memory/trilith/internal/test/indextest"
	"github.com/trilith-memory/trilith/internal/test/inmem"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// now is the time of all that happens.
func now() time.Time { return time.Date(2026, 1, 15, 12, 0, 0, 0, time.UTC) }

// edge is the dialect beside the API, as the program puts them together.
type edge struct {
	http.Handler
	engine *engine.Engine
	store  *inmem.Store
}

func open(t testing.TB, c rest.Config, change ...func(*engine.Config)) edge {
	t.Helper()
	store := inmem.New(now)
	embedder, err := hashembed.New(32)
	if err != nil {
		t.Fatal(err)
	}
	config := engine.Config{Store: store, Log: store, Queue: store, Text: indextest.NewText(),
		Graph: walk.OverStore(store), Vectors: indextest.NewVector(), Embedder: embedder, Now: now}
	for _, f := range change {
		f(&config)
	}
	c.Engine, err = engine.Open(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Engine.Close() })
	c.Beside = map[string]func(rest.Guard) http.Handler{}
	for _, path := range camel.Paths() {
		c.Beside[path] = func(d rest.Guard) http.Handler { return camel.New(c.Engine, d) }
	}
	return edge{rest.New(c), c.Engine, store}
}

type answer struct {
	status int
	header http.Header
	body   string
}

// do sends a request; headers are pairs of name and value.
func (e edge) do(method, target, body string, headers ...string) answer {
	r := httptest.NewRequest(method, target, strings.NewReader(body))
	r.Host = "localhost:7700"
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	e.ServeHTTP(w, r)
	return answer{w.Code, w.Header(), w.Body.String()}
}

// as is the header of a fresh key.
func (e edge) as(t testing.TB, tenant string, a trilith.Access) []string {
	t.Helper()
	secret, _, err := e.engine.CreateKey(t.Context(), trilith.APIKeyRequest{Name: "phone", Tenant: tenant, Access: a})
	if err != nil {
		t.Fatal(err)
	}
	return []string{"Authorization", "Bearer " + secret}
}

// made is a fact with what most have; edits change it.
func made(text string, s trilith.Scope, second int, f trilith.Fact, edits ...func(*trilith.Memory)) trilith.Memory {
	at := time.Date(2025, 11, 3, 9, 0, second, 0, time.UTC)
	f.EntityID, f.Verb, f.Node = trilith.DeriveID("entity", s.Tenant), "about", trilith.Node{Type: "Matter", Name: text}
	f.FactID, f.AuthorRole, f.Polarity, f.Certainty = f.Node.ID(), trilith.RoleUser, trilith.Affirmed, trilith.Stated
	f.RelationshipKey = f.Key()
	if f.Evidence == nil {
		f.Evidence = []trilith.Evidence{{EpisodeID: trilith.DeriveID("turn", text)}}
	}
	m := trilith.Memory{ID: trilith.FactMemoryID(f.EntityID, f.Verb, f.FactID), Version: 1, Kind: trilith.KindFact,
		Text: text, Scope: s, EventTime: at,
		RecordedAt: at, State: trilith.StateActive, Trust: trilith.TrustUserStated, Fact: &f}
	for _, edit := range edits {
		edit(&m)
	}
	return m
}

// fill gives tenant default facts of every sort, and tenant south one.
func fill(t testing.TB, e edge) {
	t.Helper()
	twelve := trilith.Scope{Project: "12", User: "7", Session: "call-3"}
	turn := trilith.Memory{ID: trilith.DeriveID("said"), Version: 1, Kind: trilith.KindEpisode, Role: trilith.RoleUser,
		Text:  "The roofer wants 6,400.50 EUR.",
		Scope: twelve, EventTime: now(), RecordedAt: now(), State: trilith.StateActive, Trust: trilith.TrustUserStated,
		ExternalID: "msg-17"}
	deadline, moved := time.Date(2026, 2, 1, 0, 0, 0, 0, time.UTC), time.Date(2025, 12, 1, 0, 0, 0, 0, time.UTC)
	checked := time.Date(2025, 12, 24, 8, 30, 0, 0, time.UTC)
	bergen := made("Ana lives in Bergen.", trilith.Scope{User: "7"}, 4,
		trilith.Fact{Type: trilith.FactProfile, Confidence: 0.9,
			Verification: trilith.Verification{Status: trilith.Verified, By: "desk", At: &checked}})
	oslo := made("Ana lives in Oslo.", trilith.Scope{User: "7"}, 3, trilith.Fact{Type: trilith.FactProfile, Confidence: 0.9,
		Verification: trilith.Verification{Status: trilith.PendingApproval}}, func(m *trilith.Memory) {
		m.State, m.SupersededBy, m.SupersededAt, m.ValidUntil = trilith.StateSuperseded, bergen.ID, &moved, &moved
	})
	var items []trilith.ExportItem
	for _, m := range []trilith.Memory{
		turn,
		made("The invoice for the roof is 6,400.50 EUR.", twelve, 1,
			trilith.Fact{Type: trilith.FactFinancial, Confidence: 0.75,
				Content: map[string]any{"supplier": "Roof & Co"}, Priority: trilith.PriorityHigh, RequiresAction: true,
				ActionDeadline: &deadline,
				Financial:      &trilith.Financial{Amount: "6400.50", Currency: "EUR", Category: "roof", Type: "invoice"},
				Verification:   trilith.Verification{Status: trilith.PendingApproval},
				Evidence:       []trilith.Evidence{{EpisodeID: turn.ID, Quote: "6,400.50 EUR", End: 12}}}),
		made("The scaffold for the roof has to be inspected.", twelve, 2,
			trilith.Fact{Type: trilith.FactTask, Confidence: 0.9, Priority: trilith.PriorityCritical,
				RequiresAction: true, Verification: trilith.Verification{Status: trilith.PendingApproval}}),
		oslo,
		bergen,
		made("The roof may need 12,000 EUR.", trilith.Scope{Project: "barn"}, 5,
			trilith.Fact{Type: trilith.FactFinancial, Confidence: 0.4,
				Financial:    &trilith.Financial{Amount: "12000"},
				Verification: trilith.Verification{Status: trilith.NeedsReview}}),
	} {
		items = append(items, trilith.ExportItem{Memory: &m})
	}
	restore(t, e, "default", items)
	roof := made("The roof of the south costs 9,000 EUR.", trilith.Scope{Project: "12", User: "7"}, 1,
		trilith.Fact{Type: trilith.FactFinancial, Confidence: 1,
			RequiresAction: true, Financial: &trilith.Financial{Amount: "9000"},
			Verification: trilith.Verification{Status: trilith.PendingApproval}})
	restore(t, e, "south", []trilith.ExportItem{{Memory: &roof}})
	if err := e.engine.Settle(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func restore(t testing.TB, e edge, tenant string, items []trilith.ExportItem) {
	t.Helper()
	if n, _, err := e.engine.Restore(t.Context(), trilith.Scope{Tenant: tenant}, items); err != nil || n != len(items) {
		t.Fatalf("Restore(%s) = %d, %v; want %d", tenant, n, err, len(items))
	}
}

// TestAnswers shows the answer of each operation, one file for each, in sequence on the same facts.
func TestAnswers(t *testing.T) {
	t.Parallel()
	e := open(t, rest.Config{Local: true})
	fill(t, e)
	for _, c := range []struct{ name, method, path, body string }{
		{"search", "POST", "/api/facts/search", `{"query": "What about the roof?"}`},
		{"search_narrow", "POST", "/api/facts/search",
			`{"query": "roof", "projectId": 12, "userId": 7, "sessionId": "call-3", "factTypes": ["financial"],
  "minConfidence": 0.5, "limit": 5, "verificationStatus": ["pending_approval"], "requiresAction": true, "priority": ["high", "critical"],
  "financialOnly": true, "minFinancialAmount": 6400.5}`},
		{"search_wide", "POST", "/api/facts/search",
			`{"query": "Where does Ana live?", "activeOnly": false, "validOnly": false, "minConfidence": 0}`},
		{"search_nothing", "POST", "/api/facts/search", `{"query": "roof", "projectId": 13}`},
		{"actionable", "GET", "/api/facts/actionable/12", ""},
		{"actionable_limit", "GET", "/api/facts/actionable/12?limit=1", ""},
		{"actionable_nothing", "GET", "/api/facts/actionable/13", ""},
		{"unverified", "GET", "/api/facts/financial/unverified", ""},
		{"unverified_narrow", "GET", "/api/facts/financial/unverified?projectId=12&minAmount=6400.50&limit=1", ""},
		{"unverified_nothing", "GET", "/api/facts/financial/unverified?minAmount=12000.01", ""},
		{"verify", "POST", "/api/facts/1/verify",
			`{"status": "verified", "notes": "the sum is right", "verifiedBy": "somebody else"}`},
		{"verified", "POST", "/api/facts/search",
			`{"query": "invoice", "verificationStatus": ["verified"], "financialOnly": true}`},
		{"verify_back", "POST", "/api/facts/1/verify", `{"status": "pending_approval"}`},
		{"verify_bare", "POST", "/api/facts/1/verify", ""},
		{"verify_user", "POST", "/api/facts/1/verify", `{"userId": 7}`},
		{"verified_by_number", "POST", "/api/facts/search",
			`{"query": "invoice", "verificationStatus": ["verified"], "financialOnly": true}`},
		{"verify_review", "POST", "/api/facts/1/verify", `{"status": "needs_review"}`},
		{"reject", "POST", "/api/facts/1/verify", `{"status": "rejected"}`},
		{"rejected", "POST", "/api/facts/search", `{"query": "invoice", "financialOnly": true}`},
		{"regenerate", "POST", "/api/admin/facts/regenerate-embeddings", ""},
		{"unknown_fact", "POST", "/api/facts/99/verify", `{"status": "verified"}`},
		{"unknown_member", "POST", "/api/facts/search", `{"query": "roof", "project": 12}`},
		{"wrong_method", "GET", "/api/facts/search", ""},
		{"unknown_route", "POST", "/api/facts/nothing", "{}"},
	} {
		// similarities are of vectors that the call before made again
		if err := e.engine.Settle(t.Context()); err != nil {
			t.Fatal(err)
		}
		got := e.do(c.method, c.path, c.body)
		var body bytes.Buffer
		if err := json.Indent(&body, []byte(got.body), "", "  "); err != nil {
			t.Fatalf("%s: the answer is not JSON: %s", c.name, got.body)
		}
		text := fmt.Sprintf("%s %s\n%s\n\n%d %s\n%s", c.method, c.path, c.body, got.status,
			got.header.Get("Content-Type"), body.String())
		file := filepath.Join("testdata", c.name+".golden")
		if *update {
			if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), text); diff != "" {
			t.Errorf("%s differs; if it should, run with -update (-want +got):\n%s", file, diff)
		}
	}
}

// wantError checks an answer that refuses: its status, and that its error says what it should.
func wantError(t *testing.T, what string, got answer, status int, says string) {
	t.Helper()
	var body map[string]string
	if err := json.Unmarshal([]byte(got.body), &body); err != nil || len(body) != 1 ||
		got.header.Get("Content-Type") != "application/json" {
		t.Errorf("%s: %s %q is not {error}", what, got.header.Get("Content-Type"), got.body)
	}
	if got.status != status || !strings.Contains(body["error"], says) {
		t.Errorf("%s = %d %q, want %d with %q", what, got.status, body["error"], status, says)
	}
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	e := open(t, rest.Config{Local: true, MaxBody: 4096})
	fill(t, e)
	const search, verify, regenerate = "/api/facts/search", "/api/facts/1/verify",
		"/api/admin/facts/regenerate-embeddings"
	e.do("GET", "/api/facts/actionable/12", "") // gives numbers
	for _, c := range []struct {
		method, path, body string
		status             int
		says               string
	}{
		{"POST", search, ``, 400, "body: is empty"},
		{"POST", search, `{`, 400, "not a JSON object"},
		{"POST", search, `[]`, 400, "not a JSON object"},
		{"POST", search, `null`, 400, "not a JSON object"},
		{"POST", search, `{"query": "x"} {}`, 400, "not a JSON object"},
		{"POST", search, "{\"query\": \"\xff\"}", 400, "UTF-8"},
		{"POST", search, `{"query": "\ud800"}`, 400, "half of a character"},
		{"POST", search, `{"query": "x", "\udfff": 1}`, 400, "half of a character"},
		{"POST", search, `{}`, 400, "query: is empty"},
		{"POST", search, `{"query": ""}`, 400, "query: is empty"},
		{"POST", search, `{"query": "` + strings.Repeat("x", 5000) + `"}`, 413, "4096 bytes"},
		{"POST", search, `{"Query": "x"}`, 400, `"Query" is not known here`},
		{"POST", search, `{"query": "x", "tenant": "south"}`, 400, `"tenant" is not known here`},
		{"POST", search, `{"query": 7}`, 400, "query: must be text, not number"},
		{"POST", search, `{"query": "x", "projectId": "12"}`, 400, "projectId: must be a whole number, not string"},
		{"POST", search, `{"query": "x", "projectId": 1.5}`, 400, "projectId: must be a whole number"},
		{"POST", search, `{"query": "x", "projectId": 99999999999999999999}`, 400, "projectId: must be a whole number"},
		{"POST", search, `{"query": "x", "projectId": 0}`, 400, "projectId: is 0"},
		{"POST", search, `{"query": "x", "userId": -7}`, 400, "userId: is -7"},
		{"POST", search, `{"query": "x", "sessionId": 3}`, 400, "sessionId: must be text"},
		{"POST", search, `{"query": "x", "sessionId": "` + strings.Repeat("s", 256) + `"}`, 400, "session"},
		{"POST", search, `{"query": "x", "minConfidence": 1.1}`, 400, "minConfidence: must lie between"},
		{"POST", search, `{"query": "x", "limit": 0}`, 400, "limit: is 0"},
		{"POST", search, `{"query": "x", "limit": 201}`, 400, "limit: is 201"},
		{"POST", search, `{"query": "x", "factTypes": "task"}`, 400, "factTypes: must be a list"},
		{"POST", search, `{"query": "x", "priority": ["hot"]}`, 400, `priority: "hot" is not one of critical`},
		{"POST", search, `{"query": "x", "verificationStatus": ["ok"]}`, 400, `verificationStatus: "ok" is not one of`},
		{"POST", search, `{"query": "x", "activeOnly": "yes"}`, 400, "activeOnly: must be true or false"},
		{"POST", search, `{"query": "x", "minFinancialAmount": "5000"}`, 400, "minFinancialAmount: must be a number"},
		{"POST", search + "?limit=3", `{"query": "x"}`, 400, `"limit" is not known here`},
		{"GET", "/api/facts/actionable/roof", "", 400, `projectId: "roof" is not a whole number`},
		{"GET", "/api/facts/actionable/012", "", 400, "projectId"},
		{"GET", "/api/facts/actionable/0", "", 400, "projectId"},
		{"GET", "/api/facts/actionable/-1", "", 400, "projectId"},
		{"GET", "/api/facts/actionable/12?limit=0", "", 400, "limit"},
		{"GET", "/api/facts/actionable/12?limit=1001", "", 400, "limit: is 1001"},
		{"GET", "/api/facts/actionable/12?limit=x", "", 400, "limit"},
		{"GET", "/api/facts/actionable/12?limit=1&limit=2", "", 400, "limit: is given 2 times"},
		{"GET", "/api/facts/actionable/12?limit=", "", 400, "limit: is empty"},
		{"GET", "/api/facts/actionable/12?page=2", "", 400, `"page" is not known here`},
		{"GET", "/api/facts/actionable/12?a=%zz", "", 400, "query: cannot be read"},
		{"GET", "/api/facts/financial/unverified?minAmount=1e3", "", 400, "minAmount"},
		{"GET", "/api/facts/financial/unverified?minAmount=NaN", "", 400, "minAmount"},
		{"GET", "/api/facts/financial/unverified?projectId=barn", "", 400, "projectId"},
		{"POST", "/api/facts/x/verify", `{"status": "verified"}`, 400, `id: "x"`},
		{"POST", "/api/facts/01/verify", `{"status": "verified"}`, 400, "id"},
		{"POST", "/api/facts/0/verify", `{"status": "verified"}`, 400, "id"},
		{"POST", "/api/facts/99/verify", `{"status": "verified"}`, 404, "fact 99 does not exist"},
		{"POST", verify, `{"userId": 0}`, 400, "userId"},
		{"POST", verify, `{"userId": "ada"}`, 400, "userId"},
		{"POST", verify, `{"status": ""}`, 400, "status"},
		{"POST", verify, `{"status": "disputed"}`, 400, "status"},
		{"POST", verify, `{"status": "verified", "notes": "` + strings.Repeat("n", 256) + `"}`, 400, "notes"},
		{"POST", verify, `{"status": "verified", "decision": "verify"}`, 400, `"decision" is not known here`},
		{"POST", regenerate, `{"limit": 0}`, 400, "limit"},
		{"POST", regenerate, `{"limit": 1001}`, 400, "limit"},
		{"POST", regenerate + "?limit=5", `{"limit": 5}`, 400, "limit: is in the query and in the body"},
		{"POST", regenerate + "?limit=-5", ``, 400, "limit"},
		{"PUT", search, `{}`, 405, "takes POST"},
		{"DELETE", "/api/facts/actionable/12", ``, 405, "takes GET"},
		{"GET", verify, ``, 405, "takes POST"},
		{"GET", "/api/facts/", ``, 404, "is not an operation"},
		{"POST", "/api/admin/facts/everything", ``, 404, "is not an operation"},
	} {
		wantError(t, fmt.Sprintf("%s %s %.60s", c.method, c.path, c.body), e.do(c.method, c.path, c.body),
			c.status, c.says)
	}
}

// A full disk is distinguished from a limit of the caller's. Reads continue, and writes continue when there is room.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	e := open(t, rest.Config{Local: true})
	fill(t, e)
	e.do("GET", "/api/facts/actionable/12", "") // gives numbers
	const path, body = "/api/facts/1/verify", `{"status": "verified"}`
	e.store.Inject(inmem.Fault{Before: func(_ context.Context, op string) error {
		if op != "Commit" {
			return nil
		}
		return trilith.WrapError(trilith.Internal, "disk.Commit", fmt.Errorf("at /srv/data: %w", trilith.ErrNoSpace))
	}})
	wantError(t, "verify on a full disk", e.do("POST", path, body), 507, "disk is full")
	if got := e.do("GET", "/api/facts/actionable/12", ""); got.status != 200 {
		t.Errorf("reading on a full disk = %d %s", got.status, got.body)
	}
	e.store.Inject(inmem.Fault{})
	if got := e.do("POST", path, body); got.status != 200 {
		t.Errorf("verify when there is room again = %d %s", got.status, got.body)
	}
}

// The same keys and rights as the API, and one tenant's numbers lead to nothing of another's.
func TestTenancy(t *testing.T) {
	t.Parallel()
	e := open(t, rest.Config{})
	fill(t, e)
	reader, writer, admin := e.as(t, "default", trilith.AccessReader), e.as(t, "default", trilith.AccessWriter),
		e.as(t, "default", trilith.AccessAdmin)
	south := e.as(t, "south", trilith.AccessAdmin)
	const search, regenerate = "/api/facts/search", "/api/admin/facts/regenerate-embeddings"

	for _, c := range []struct {
		what    string
		got     answer
		status  int
		message string
	}{
		{"search without a key", e.do("POST", search, `{"query": "roof"}`), 401, "no API key"},
		{"search with a key that is none",
			e.do("POST", search, `{"query": "roof"}`, "Authorization", "Bearer nonsense"), 401, ""},
		{"a reader verifies", e.do("POST", "/api/facts/1/verify", `{"status": "verified"}`, reader...), 403,
			"needs the right writer"},
		{"a writer regenerates", e.do("POST", regenerate, "", writer...), 403, "needs the right admin"},
	} {
		wantError(t, c.what, c.got, c.status, c.message)
	}
	if got := e.do("POST", search, `{"query": "roof"}`); got.header.Get("WWW-Authenticate") != "Bearer" {
		t.Errorf("a search without a key is told %q, want what to send", got.header.Get("WWW-Authenticate"))
	}

	for _, key := range [][]string{south, reader} {
		for _, got := range []answer{
			e.do("POST", search, `{"query": "roof costs EUR", "activeOnly": false, "minConfidence": 0}`, key...),
			e.do("GET", "/api/facts/actionable/12", "", key...),
			e.do("GET", "/api/facts/financial/unverified", "", key...)} {
			if own := &key[0] == &south[0]; got.status != 200 || strings.Contains(got.body, "of the south") != own ||
				strings.Contains(got.body, `"id":1,`) != true {
				t.Errorf("own = %v: %d %s; want one's own facts, numbered from 1, and no others", own,
					got.status, got.body)
			}
		}
	}
	before := e.do("POST", search, `{"query": "invoice"}`, reader...).body
	unknown := e.do("POST", "/api/facts/99/verify", `{"status": "rejected"}`, south...)
	foreign := e.do("POST", "/api/facts/4/verify", `{"status": "rejected"}`, south...) // default has four
	if strings.Replace(foreign.body, "4", "99", 1) != unknown.body || foreign.status != 404 {
		t.Errorf("verifying a foreign fact = %d %s, an unknown one %d %s; want the same", foreign.status, foreign.body,
			unknown.status, unknown.body)
	}
	e.do("POST", "/api/facts/1/verify", `{"status": "rejected"}`, south...) // its own first
	if after := e.do("POST", search, `{"query": "invoice"}`, reader...).body; after != before {
		t.Errorf("another tenant changed a fact:\n%s\n%s", before, after)
	}
	if got := e.do("POST", regenerate, "", admin...); got.status != 200 {
		t.Errorf("an admin regenerates = %d %s", got.status, got.body)
	}
	if got := e.do("POST", "/api/facts/1/verify", `{"status": "verified", "verifiedBy": "the chief"}`,
		writer...); got.status != 200 {
		t.Errorf("a writer verifies = %d %s", got.status, got.body)
	}
	if got := e.do("POST", search, `{"query": "invoice"}`, reader...); !strings.Contains(
		got.body, `"verifiedBy":"phone"`) {
		t.Errorf("verified by = %s, want the name of the key", got.body)
	}
}

// A second surface beside the API changes nothing about it, and obeys its limits.
func TestBesideTheAPI(t *testing.T) {
	t.Parallel()
	e := open(t, rest.Config{Local: true})
	fill(t, e)
	if got := e.do("GET", "/api/v1/nothing", ""); got.header.Get("Content-Type") != "application/problem+json" {
		t.Errorf("an unknown path of the API answers %s %s", got.header.Get("Content-Type"), got.body)
	}
	if got := e.do("GET", "/api/facts/actionable/12", "", "Origin", "http://evil.example"); got.status != 403 {
		t.Errorf("another web site's request = %d %s, want 403", got.status, got.body)
	}
	e.store.Inject(inmem.Fault{Before: func(_ context.Context, op string) error {
		if op == "Find" {
			return trilith.Errorf(trilith.Internal, "a secret of the store")
		}
		return nil
	}})
	got := e.do("POST", "/api/facts/1/verify", `{"status": "verified"}`)
	wantError(t, "a store that fails", got, 500, "something failed on the server")
	if strings.Contains(got.body, "secret") {
		t.Errorf("an internal error tells %s", got.body)
	}
	slow := open(t, rest.Config{Local: true, Timeout: time.Millisecond})
	slow.store.Inject(inmem.Fault{Before: func(ctx context.Context, op string) error {
		if op == "List" {
			<-ctx.Done()
		}
		return ctx.Err()
	}})
	wantError(t, "a store that hangs", slow.do("GET", "/api/facts/actionable/12", ""), 504, "")
}

// TestPage: the page about the dialect names every member of a fact and of a search.
func TestPage(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", "camelcase.md"))
	if err != nil {
		t.Fatal(err)
	}
	e := open(t, rest.Config{Local: true})
	fill(t, e)
	var found struct{ Results []map[string]any }
	if err := json.Unmarshal([]byte(e.do("POST", "/api/facts/search", `{"query": "roof"}`).body), &found); err != nil ||
		len(found.Results) == 0 {
		t.Fatalf("search = %+v, %v", found, err)
	}
	for member := range found.Results[0] {
		if !strings.Contains(string(page), `"`+member+`": `) {
			t.Errorf("docs/camelcase.md does not show %s of a fact", member)
		}
	}
	_, known, _ := strings.Cut(
		strings.TrimSuffix(strings.TrimSpace(e.do("POST", "/api/facts/search", `{"x": 1}`).body), `"}`), "use ")
	if known == "" {
		t.Fatal("a search does not say what it knows")
	}
	for member := range strings.SplitSeq(known, ", ") {
		if !strings.Contains(string(page), "`"+member+"`") {
			t.Errorf("docs/camelcase.md does not explain %s of a search", member)
		}
	}
}

func FuzzSearch(f *testing.F) {
	e := open(f, rest.Config{Local: true})
	fill(f, e)
	for _, seed := range []string{
		`{"query": "roof"}`, `{"query": "x", "projectId": 12, "limit": 3, "priority": ["high"]}`, `{"query": "\u0000"}`,
		`{"query": "x", "minConfidence": 1e400}`,
		`{"query": "x", "sessionId": "\u0000"}`, `[`, `null`, `{"query": null}`, "\xff", `{"query":"x","query":7}`,
		`{"query":"x","minFinancialAmount":1e308}`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, body string) {
		if got := e.do("POST", "/api/facts/search", body); got.status >= 500 || !json.Valid([]byte(got.body)) {
			t.Errorf("POST /api/facts/search %q = %d %s", body, got.status, got.body)
		}
	})
}

// TestAdopted: a fact of another application is known by the number that it had there, and by its own message.
func TestAdopted(t *testing.T) {
	t.Parallel()
	e := open(t, rest.Config{Local: true})
	at := time.Date(2025, 3, 1, 8, 0, 0, 0, time.UTC)
	f := trilith.ForeignFact{Ref: trilith.ForeignRef{Name: "conversation_facts/4711",
		Scope: trilith.Scope{Project: "12", User: "7"}}, Memory: trilith.Memory{
		Text: "The mill has two stones.", EventTime: at, RecordedAt: at, State: trilith.StateActive,
		Trust: trilith.TrustImported, Version: 3,
		Metadata: map[string]any{"source_message_id": "801"},
		Fact: &trilith.Fact{Type: trilith.FactMaterial, LegacyID: 4711, Confidence: 0.9,
			Verification: trilith.Verification{Status: trilith.Verified}}}}
	if _, err := e.engine.ImportFacts(t.Context(), trilith.Scope{Tenant: "default"}, []trilith.ForeignFact{f}); err != nil {
		t.Fatal(err)
	}
	if err := e.engine.Settle(t.Context()); err != nil {
		t.Fatal(err)
	}
	got := e.do("POST", "/api/facts/search", `{"query": "mill"}`).body
	for _, want := range []string{`"id":4711,`, `"projectId":12,`, `"version":3,`, `"verificationStatus":"verified"`,
		`"verifiedBy":null`, `"sourceMessageId":"801"`, `"createdAt":"2025-03-01T08:00:00Z"`} {
		if !strings.Contains(got, want) {
			t.Errorf("a search has no %s: %s", want, got)
		}
	}
}

// TestSearchWrapsFacts: callers read result.fact.factSummary; the flat members stay for those who read them.
func TestSearchWrapsFacts(t *testing.T) {
	t.Parallel()
	e := open(t, rest.Config{Local: true})
	fill(t, e)
	var found struct {
		Results []struct {
			Fact struct {
				FactSummary string
				Embedding   []float64
			}
			FactSummary                string
			Similarity, RelevanceScore *float64
		}
	}
	got := e.do("POST", "/api/facts/search", `{"query": "invoice for the roof"}`)
	if err := json.Unmarshal([]byte(got.body), &found); err != nil || len(found.Results) == 0 {
		t.Fatalf("search = %s, %v", got.body, err)
	}
	for _, r := range found.Results {
		if r.Fact.FactSummary == "" || r.Fact.FactSummary != r.FactSummary || r.Similarity == nil ||
			r.RelevanceScore == nil || len(r.Fact.Embedding) != 32 {
			t.Errorf("a result is %+v, want the fact with its vector, the same members beside it and both scores", r)
		}
	}
}
