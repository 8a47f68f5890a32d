package client_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"iter"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/client"
)

const id = trilith.ID("0197c6a0-0000-7000-8000-000000000001")

// serve starts a server with one handler and returns its address.
func serve(tb testing.TB, h http.HandlerFunc) string {
	tb.Helper()
	srv := httptest.NewServer(h)
	tb.Cleanup(srv.Close)
	return srv.URL
}

// pauses records the waits of a client instead of waiting.
type pauses []time.Duration

func (p *pauses) wait(ctx context.Context, d time.Duration) error {
	*p = append(*p, d)
	return ctx.Err()
}

func TestErrorsComeBack(t *testing.T) {
	t.Parallel()
	for _, kind := range trilith.ErrorKinds() {
		base := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/problem+json")
			w.WriteHeader(http.StatusTeapot) // the kind counts, not the status
			json.NewEncoder(w).Encode(
				map[string]any{"kind": kind.String(), "detail": "field: is wrong", "request_id": "r-1"})
		})
		c := client.New(base, client.WithWait(new(pauses).wait))
		_, err := c.Recall(t.Context(), trilith.Scope{}, trilith.RecallRequest{Query: "x"})
		if trilith.KindOf(err) != kind {
			t.Errorf("Recall against a problem of kind %s: kind %s (%v)", kind, trilith.KindOf(err), err)
		}
		if got := trilith.MessageOf(err); kind != trilith.Internal && got != "field: is wrong" {
			t.Errorf("Recall against a problem of kind %s: message %q, want that of the problem", kind, got)
		}
		if err == nil || !strings.Contains(err.Error(), "r-1") {
			t.Errorf("Recall against a problem of kind %s: %v does not name the request", kind, err)
		}
	}
}

func TestAnswersOfOthers(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		status int
		body   string
		want   trilith.ErrorKind
	}{
		{401, "", trilith.Unauthenticated}, {403, "<html>", trilith.Forbidden}, {404, "", trilith.NotFound},
		{409, "", trilith.Conflict},
		{413, "", trilith.Exhausted}, {429, "", trilith.Exhausted}, {501, "", trilith.Unsupported},
		{502, "bad gateway", trilith.Unavailable},
		{503, "", trilith.Unavailable}, {504, "", trilith.DeadlineExceeded}, {422, "{}", trilith.Invalid},
		{500, "", trilith.Internal},
		{302, "", trilith.Internal}, {200, "<html>", trilith.Internal},
	} {
		base := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(tc.status)
			io.WriteString(w, tc.body)
		})
		_, err := client.New(base, client.WithWait(new(pauses).wait)).Get(t.Context(), trilith.Scope{}, id)
		if err == nil || trilith.KindOf(err) != tc.want {
			t.Errorf("Get answered with %d %q = %v, want kind %s", tc.status, tc.body, err, tc.want)
		}
	}
}

func TestRetries(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name  string
		call  func(context.Context, *client.Client) error
		calls int // while the server stays unavailable
	}{
		{"recall", func(ctx context.Context, c *client.Client) error {
			_, err := c.Recall(ctx, trilith.Scope{}, trilith.RecallRequest{Query: "x"})
			return err
		}, 4},
		{"remember with a key", func(ctx context.Context, c *client.Client) error {
			_, err := c.Remember(ctx, trilith.Scope{}, trilith.RememberRequest{Text: "x", RequestKey: "k"})
			return err
		}, 4},
		{"remember", func(ctx context.Context, c *client.Client) error {
			_, err := c.Remember(ctx, trilith.Scope{}, trilith.RememberRequest{Text: "x"})
			return err
		}, 1},
		{"assimilate with a key", func(ctx context.Context, c *client.Client) error {
			_, err := c.Assimilate(ctx, trilith.Scope{}, trilith.AssimilateRequest{Content: "x", RequestKey: "k"})
			return err
		}, 4},
		{"assimilate", func(ctx context.Context, c *client.Client) error {
			_, err := c.Assimilate(ctx, trilith.Scope{}, trilith.AssimilateRequest{Content: "x"})
			return err
		}, 1},
		{"add an entry with an external id", func(ctx context.Context, c *client.Client) error {
			_, err := c.AddEntry(ctx, trilith.Scope{}, trilith.EntryRequest{ExternalID: "k"})
			return err
		}, 4},
		{"add an entry", func(ctx context.Context, c *client.Client) error {
			_, err := c.AddEntry(ctx, trilith.Scope{}, trilith.EntryRequest{})
			return err
		}, 1},
		{"similar entries", func(ctx context.Context, c *client.Client) error {
			_, err := c.SimilarEntries(ctx, trilith.Scope{}, trilith.SimilarRequest{})
			return err
		}, 4},
		{"lookup", func(ctx context.Context, c *client.Client) error {
			_, err := c.Lookup(ctx, trilith.Scope{}, trilith.LookupRequest{})
			return err
		}, 4},
		{"erase", func(ctx context.Context, c *client.Client) error {
			_, err := c.Erase(ctx, trilith.Scope{}, trilith.EraseRequest{IDs: []trilith.ID{id}})
			return err
		}, 1},
		{"update", func(ctx context.Context, c *client.Client) error {
			_, err := c.Update(ctx, trilith.Scope{}, id, trilith.UpdateRequest{})
			return err
		}, 1},
	} {
		calls := 0
		base := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			calls++
			w.WriteHeader(http.StatusServiceUnavailable)
		})
		var waits pauses
		err := tc.call(t.Context(), client.New(base, client.WithWait(waits.wait)))
		if trilith.KindOf(err) != trilith.Unavailable || calls != tc.calls || len(waits) != tc.calls-1 {
			t.Errorf("%s: %d calls and %d pauses, error %v; want %d calls with a pause between, unavailable", tc.name,
				calls, len(waits), err, tc.calls)
		}
		for i := 1; i < len(waits); i++ {
			if waits[i] <= waits[i-1] {
				t.Errorf("%s: pauses %v do not grow", tc.name, waits)
			}
		}
	}
}

func TestRetrySucceeds(t *testing.T) {
	t.Parallel()
	calls := 0
	base := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		if calls++; calls < 3 {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		io.WriteString(w, `{"hits":[],"abstained":true}`)
	})
	got, err := client.New(base, client.WithWait(new(pauses).wait)).Recall(t.Context(), trilith.Scope{},
		trilith.RecallRequest{Query: "x"})
	if err != nil || !got.Abstained || calls != 3 {
		t.Errorf("Recall = %+v, %v after %d calls; want an answer after 3", got, err, calls)
	}
}

func TestNobodyListens(t *testing.T) {
	t.Parallel()
	srv := httptest.NewServer(http.NotFoundHandler())
	srv.Close()
	var waits pauses
	_, err := client.New(srv.URL, client.WithWait(waits.wait)).Get(t.Context(), trilith.Scope{}, id)
	if trilith.KindOf(err) != trilith.Unavailable || len(waits) != 3 {
		t.Errorf("Get from nobody = %v after %d pauses, want unavailable after 3", err, len(waits))
	}
}

func TestContextEndsPassUnwrapped(t *testing.T) {
	t.Parallel()
	base := serve(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) })
	ctx, cancel := context.WithCancel(t.Context())
	c := client.New(base, client.WithWait(func(ctx context.Context, _ time.Duration) error {
		cancel()
		return ctx.Err()
	}))
	if _, err := c.Get(ctx, trilith.Scope{}, id); err != context.Canceled {
		t.Errorf("Get canceled between two attempts = %v, want context.Canceled itself", err)
	}
	if _, err := c.Get(ctx, trilith.Scope{}, id); err != context.Canceled {
		t.Errorf("Get with a canceled context = %v, want context.Canceled itself", err)
	}
}

func TestAnswerTooLarge(t *testing.T) {
	t.Parallel()
	base := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		block := bytes.Repeat([]byte(" "), 1<<20)
		for range client.MaxResponseBytes>>20 + 1 {
			if _, err := w.Write(block); err != nil {
				return
			}
		}
	})
	if _, err := client.New(base).Get(t.Context(), trilith.Scope{}, id); trilith.KindOf(err) != trilith.Exhausted {
		t.Errorf("Get of an endless answer = %v, want exhausted", err)
	}
}

func TestKeyStaysHome(t *testing.T) {
	t.Parallel()
	asked := false
	other := serve(t, func(http.ResponseWriter, *http.Request) { asked = true })
	base := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer sesame" || r.UserAgent() != "tests" {
			t.Errorf("Authorization %q, User-Agent %q", r.Header.Get("Authorization"), r.UserAgent())
		}
		http.Redirect(w, r, other, http.StatusTemporaryRedirect)
	})
	c := client.New(base, client.WithKey("sesame"), client.WithUserAgent("tests"))
	if _, err := c.Get(t.Context(), trilith.Scope{}, id); err == nil || asked {
		t.Errorf("Get redirected = %v, other host asked: %v; want an error and no second request", err, asked)
	}
}

func TestRequests(t *testing.T) {
	t.Parallel()
	text, scope := "x", trilith.Scope{Tenant: "ignored", User: "ana & ben", Project: "Küche"}
	for _, tc := range []struct {
		name string
		call func(context.Context, *client.Client) error
		want string // method, URI and body
	}{
		{"remember", func(ctx context.Context, c *client.Client) error {
			_, err := c.Remember(ctx, scope, trilith.RememberRequest{Text: "x"})
			return err
		}, `POST /api/v1/memories {"project":"Küche","user":"ana \u0026 ben","text":"x"}`},
		{"recall", func(ctx context.Context, c *client.Client) error {
			_, err := c.Recall(ctx, scope,
				trilith.RecallRequest{Query: "x", Filter: trilith.Where("kind", trilith.OpEq, "note")})
			return err
		}, `POST /api/v1/search {"project":"Küche","user":"ana \u0026 ben","query":"x","filter":{"kind":{"eq":"note"}}}`},
		{"context", func(ctx context.Context, c *client.Client) error {
			_, err := c.Context(ctx, scope,
				trilith.ContextRequest{RecallRequest: trilith.RecallRequest{Query: "x"}, Budget: 9})
			return err
		}, `POST /api/v1/context {"project":"Küche","user":"ana \u0026 ben","query":"x","budget":9}`},
		{"get", func(ctx context.Context, c *client.Client) error {
			_, err := c.Get(ctx, scope, id)
			return err
		}, `GET /api/v1/memories/` + string(id) + `?project=K%C3%BCche&user=ana+%26+ben `},
		{"list", func(ctx context.Context, c *client.Client) error {
			_, err := c.List(ctx, trilith.Scope{},
				trilith.ListRequest{Limit: 5, Cursor: "c", Newest: true, Filter: trilith.Where("seq", trilith.OpGt, 1)})
			return err
		}, `GET /api/v1/memories?cursor=c&filter=%7B%22seq%22%3A%7B%22gt%22%3A1%7D%7D&limit=5&newest=true `},
		{"update", func(ctx context.Context, c *client.Client) error {
			_, err := c.Update(ctx, trilith.Scope{User: "u"}, id, trilith.UpdateRequest{Text: &text})
			return err
		}, `PATCH /api/v1/memories/` + string(id) + `?user=u {"text":"x"}`},
		{"forget", func(ctx context.Context, c *client.Client) error {
			_, err := c.Forget(ctx, trilith.Scope{}, trilith.ForgetRequest{IDs: []trilith.ID{id}})
			return err
		}, `POST /api/v1/forget {"ids":["` + string(id) + `"]}`},
		{"erase", func(ctx context.Context, c *client.Client) error {
			_, err := c.Erase(ctx, trilith.Scope{}, trilith.EraseRequest{IDs: []trilith.ID{id}})
			return err
		}, `POST /api/v1/admin/erase {"ids":["` + string(id) + `"]}`},
		{"history", func(ctx context.Context, c *client.Client) error {
			_, err := c.History(ctx, trilith.Scope{}, id)
			return err
		}, `GET /api/v1/memories/` + string(id) + `?view=history `},
		{"share", func(ctx context.Context, c *client.Client) error {
			_, err := c.Share(ctx, trilith.Scope{User: "u"}, id, trilith.ShareRequest{
				Scope: trilith.Scope{Tenant: "ignored", User: "ben"}})
			return err
		}, `POST /api/v1/memories/` + string(id) + `/share?user=u {"scope":{"user":"ben"}}`},
		{"assimilate", func(ctx context.Context, c *client.Client) error {
			_, err := c.Assimilate(ctx, scope,
				trilith.AssimilateRequest{Identifier: trilith.Identifier{Type: "email", Value: "ana@example.com"},
					Content: "x"})
			return err
		}, `POST /api/v1/graph/assimilate {"project":"Küche","user":"ana \u0026 ben","identifier":{"type":"email","value":"ana@example.com"},"content":"x"}`},
		{"lookup", func(ctx context.Context, c *client.Client) error {
			_, err := c.Lookup(ctx, trilith.Scope{User: "u"},
				trilith.LookupRequest{Identifier: trilith.Identifier{Type: "name", Value: "Ana & Ben"}})
			return err
		}, `GET /api/v1/graph/entities/lookup?type=name&user=u&value=Ana+%26+Ben `},
		{"lookup with a query", func(ctx context.Context, c *client.Client) error {
			_, err := c.Lookup(ctx, trilith.Scope{},
				trilith.LookupRequest{Identifier: trilith.Identifier{Type: "name", Value: "v"}, Query: "home?", TopK: 3,
					MinScore: 0.25, ExpandHops: 1, Debug: true,
					IncludeStates: []trilith.State{trilith.StateActive, trilith.StateSuperseded}})
			return err
		}, `GET /api/v1/graph/entities/lookup?rag_debug=true&rag_expand_hops=1&rag_min_score=0.25&rag_query=home%3F&rag_top_k=3&states=active%2Csuperseded&type=name&value=v `},
		{"lookup summary", func(ctx context.Context, c *client.Client) error {
			_, err := c.LookupSummary(
				ctx, trilith.Scope{}, trilith.LookupRequest{Identifier: trilith.Identifier{Type: "name", Value: "v"}})
			return err
		}, `GET /api/v1/graph/entities/lookup?type=name&value=v&view=summary `},
		{"entity", func(ctx context.Context, c *client.Client) error {
			_, err := c.Entity(ctx, trilith.Scope{}, id)
			return err
		}, `GET /api/v1/graph/entities/` + string(id) + ` `},
		{"entities", func(ctx context.Context, c *client.Client) error {
			_, err := c.Entities(ctx, trilith.Scope{}, trilith.EntitiesQuery{Limit: 5, Cursor: "c"})
			return err
		}, `GET /api/v1/graph/entities?cursor=c&limit=5 `},
		{"update entity", func(ctx context.Context, c *client.Client) error {
			_, err := c.UpdateEntity(ctx, trilith.Scope{User: "u"}, id, trilith.EntityUpdate{Name: &text, Version: 3})
			return err
		}, `PATCH /api/v1/graph/entities/` + string(id) + `?user=u {"name":"x","version":3}`},
		{"merge entities", func(ctx context.Context, c *client.Client) error {
			_, err := c.MergeEntities(ctx, trilith.Scope{}, id, trilith.MergeRequest{From: "other"})
			return err
		}, `POST /api/v1/graph/entities/` + string(id) + `/merge {"from":"other"}`},
		{"split entity", func(ctx context.Context, c *client.Client) error {
			_, err := c.SplitEntity(ctx, trilith.Scope{}, id, trilith.SplitRequest{Merged: "other"})
			return err
		}, `POST /api/v1/graph/entities/` + string(id) + `/split {"merged":"other"}`},
		{"entity history", func(ctx context.Context, c *client.Client) error {
			_, err := c.EntityHistory(ctx, trilith.Scope{}, id, trilith.EntityHistoryQuery{Limit: 5, Cursor: "7"})
			return err
		}, `GET /api/v1/graph/entities/` + string(id) + `?cursor=7&limit=5&view=history `},
		{"neighborhood", func(ctx context.Context, c *client.Client) error {
			_, err := c.Neighborhood(ctx, trilith.Scope{}, id, trilith.NeighborhoodQuery{Hops: 2})
			return err
		}, `GET /api/v1/graph/entities/` + string(id) + `?hops=2&view=neighborhood `},
		{"facts", func(ctx context.Context, c *client.Client) error {
			_, err := c.Facts(ctx, scope,
				trilith.FactQuery{Query: "x", ActiveOnly: new(false), Types: []trilith.FactType{"task"}, MinAmount: 2.5})
			return err
		}, `POST /api/v1/facts/search {"project":"Küche","user":"ana \u0026 ben","query":"x","fact_types":["task"],"active_only":false,"min_financial_amount":2.5}`},
		{"actionable", func(ctx context.Context, c *client.Client) error {
			_, err := c.Actionable(ctx, trilith.Scope{Project: "p"}, trilith.ActionableQuery{Limit: 5, Days: 3})
			return err
		}, `GET /api/v1/facts?days=3&limit=5&project=p&view=actionable `},
		{"unverified financial", func(ctx context.Context, c *client.Client) error {
			_, err := c.UnverifiedFinancial(ctx, trilith.Scope{},
				trilith.UnverifiedQuery{MinAmount: "99.50", Limit: 5})
			return err
		}, `GET /api/v1/facts?limit=5&min_amount=99.50&view=unverified `},
		{"exposure", func(ctx context.Context, c *client.Client) error {
			_, err := c.Exposure(ctx, trilith.Scope{User: "u"})
			return err
		}, `GET /api/v1/facts?user=u&view=exposure `},
		{"project ledger", func(ctx context.Context, c *client.Client) error {
			_, err := c.ProjectLedger(ctx, trilith.Scope{Project: "a b", User: "u"}, trilith.LedgerQuery{
				AsOf: "2026-01-02", Tolerance: "2%", Rates: []string{"EUR:USD=1.08"}})
			return err
		}, `GET /api/v1/projects/a%20b?as_of=2026-01-02&rate=EUR%3AUSD%3D1.08&tolerance=2%25&user=u&view=ledger `},
		{"project trends", func(ctx context.Context, c *client.Client) error {
			_, err := c.ProjectTrends(ctx, trilith.Scope{Project: "p"}, trilith.TrendQuery{})
			return err
		}, `GET /api/v1/projects/p?view=trends `},
		{"project report", func(ctx context.Context, c *client.Client) error {
			_, err := c.ProjectReport(ctx, trilith.Scope{Project: "p"}, trilith.ReportQuery{
				From: "2026-01-02", Plain: true})
			return err
		}, `GET /api/v1/projects/p?from=2026-01-02&plain=true&view=report `},
		{"fact stats", func(ctx context.Context, c *client.Client) error {
			_, err := c.FactStats(ctx, trilith.Scope{})
			return err
		}, `GET /api/v1/facts?view=stats `},
		{"verify fact", func(ctx context.Context, c *client.Client) error {
			_, err := c.VerifyFact(ctx, trilith.Scope{User: "u"}, id,
				trilith.VerifyRequest{Decision: trilith.DecideReject, Note: "no"})
			return err
		}, `POST /api/v1/facts/` + string(id) + `?do=verify&user=u {"decision":"reject","note":"no"}`},
		{"inbox", func(ctx context.Context, c *client.Client) error {
			_, err := c.Inbox(ctx, trilith.Scope{User: "u"},
				trilith.InboxQuery{Reasons: []trilith.ReviewReason{trilith.ReviewConflict, trilith.ReviewLowTrust},
					Limit: 5, Cursor: "c"})
			return err
		}, `GET /api/v1/review?cursor=c&limit=5&reasons=conflict%2Clow_trust&user=u `},
		{"decide", func(ctx context.Context, c *client.Client) error {
			_, err := c.Decide(ctx, trilith.Scope{User: "u"},
				trilith.BulkDecision{IDs: []trilith.ID{id}, Decision: trilith.DecideDispute, Note: "no"})
			return err
		}, `POST /api/v1/review?do=decide {"user":"u","ids":["` + string(id) + `"],"decision":"dispute","note":"no"}`},
		{"supersede fact", func(ctx context.Context, c *client.Client) error {
			_, err := c.SupersedeFact(ctx, trilith.Scope{User: "u"}, id, trilith.SupersedeRequest{By: id, At: "2025-01-01"})
			return err
		}, `POST /api/v1/facts/` + string(id) + `?do=supersede&user=u {"by":"` + string(id) + `","at":"2025-01-01"}`},
		{"auto-verify", func(ctx context.Context, c *client.Client) error {
			_, err := c.AutoVerify(ctx, trilith.Scope{User: "u"},
				trilith.AutoVerifyRequest{MinTrust: trilith.TrustImported, MinEvidence: 3, DryRun: true})
			return err
		}, `POST /api/v1/review?do=auto-verify {"user":"u","min_trust":"imported","min_evidence":3,"dry_run":true}`},
		{"similar facts", func(ctx context.Context, c *client.Client) error {
			_, err := c.SimilarFacts(ctx, trilith.Scope{User: "u"}, id,
				trilith.SimilarFactsQuery{MinScore: 0.5, Limit: 3})
			return err
		}, `GET /api/v1/facts/` + string(id) + `?limit=3&min_score=0.5&user=u&view=similar `},
		{"duplicate facts", func(ctx context.Context, c *client.Client) error {
			_, err := c.DuplicateFacts(ctx, trilith.Scope{},
				trilith.DuplicatesQuery{Threshold: 0.9, Limit: 3, Cursor: "c"})
			return err
		}, `GET /api/v1/facts?cursor=c&limit=3&threshold=0.9&view=duplicates `},
		{"fact conflicts", func(ctx context.Context, c *client.Client) error {
			_, err := c.FactConflicts(ctx, trilith.Scope{User: "u"}, trilith.GroupsQuery{Limit: 3, Cursor: "c"})
			return err
		}, `GET /api/v1/facts?cursor=c&limit=3&user=u&view=conflicts `},
		{"stale facts", func(ctx context.Context, c *client.Client) error {
			_, err := c.StaleFacts(ctx, trilith.Scope{}, trilith.StaleQuery{Days: 7, Limit: 3})
			return err
		}, `GET /api/v1/facts?days=7&limit=3&view=stale `},
		{"sweep", func(ctx context.Context, c *client.Client) error {
			_, err := c.Sweep(ctx, trilith.Scope{User: "u"})
			return err
		}, `POST /api/v1/admin/jobs?do=sweep&user=u `},
		{"archive", func(ctx context.Context, c *client.Client) error {
			_, err := c.Archive(ctx, trilith.Scope{}, trilith.ArchiveRequest{Days: 30, DryRun: true})
			return err
		}, `POST /api/v1/admin/jobs?days=30&do=archive&dry_run=true `},
		{"regenerate embeddings", func(ctx context.Context, c *client.Client) error {
			_, err := c.RegenerateEmbeddings(ctx, trilith.Scope{}, trilith.RegenerateRequest{Limit: 7})
			return err
		}, `POST /api/v1/admin/jobs?do=embed&limit=7 `},
		{"regenerate what was cut", func(ctx context.Context, c *client.Client) error {
			_, err := c.RegenerateEmbeddings(ctx, trilith.Scope{}, trilith.RegenerateRequest{Limit: 7, Cut: true})
			return err
		}, `POST /api/v1/admin/jobs?cut=true&do=embed&limit=7 `},
		{"generations", func(ctx context.Context, c *client.Client) error {
			_, err := c.Generations(ctx)
			return err
		}, `GET /api/v1/admin?view=vectors `},
		{"switch to", func(ctx context.Context, c *client.Client) error {
			_, err := c.SwitchTo(ctx, "hash:64")
			return err
		}, `POST /api/v1/admin/jobs?do=reindex {"to":"hash:64"}`},
		{"roll back", func(ctx context.Context, c *client.Client) error {
			_, err := c.Rollback(ctx)
			return err
		}, `POST /api/v1/admin/jobs?do=reindex {"rollback":true}`},
		{"forget the previous generation", func(ctx context.Context, c *client.Client) error {
			_, err := c.ForgetPrevious(ctx)
			return err
		}, `POST /api/v1/admin/jobs?do=reindex {"forget_old":true}`},
		{"list what was archived too", func(ctx context.Context, c *client.Client) error {
			_, err := c.List(ctx, trilith.Scope{}, trilith.ListRequest{Archived: true})
			return err
		}, `GET /api/v1/memories?archived=true `},
		{"retry job", func(ctx context.Context, c *client.Client) error {
			_, err := c.RetryJob(ctx, trilith.Scope{}, id)
			return err
		}, `POST /api/v1/jobs/` + string(id) + `/retry `},
	} {
		var got string
		base := serve(t, func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			got = r.Method + " " + r.RequestURI + " " + string(body)
			io.WriteString(w, "{}")
		})
		if err := tc.call(t.Context(), client.New(base+"/")); err != nil || got != tc.want {
			t.Errorf("%s: sent %s, %v; want %s", tc.name, got, err, tc.want)
		}
	}
}

func TestRefusedBeforeSending(t *testing.T) {
	t.Parallel()
	base := serve(t, func(_ http.ResponseWriter, r *http.Request) { t.Errorf("sent %s %s", r.Method, r.URL) })
	c := client.New(base)
	for name, call := range map[string]func() error{
		"no id":          func() error { _, err := c.Get(t.Context(), trilith.Scope{}, ""); return err },
		"path in the id": func() error { _, err := c.History(t.Context(), trilith.Scope{}, "../admin/keys"); return err },
		"job id":         func() error { _, err := c.RetryJob(t.Context(), trilith.Scope{}, "?"); return err },
		"fact id": func() error {
			_, err := c.VerifyFact(t.Context(), trilith.Scope{}, "stats",
				trilith.VerifyRequest{Decision: trilith.DecideVerify})
			return err
		},
		"superseded id": func() error {
			_, err := c.SupersedeFact(t.Context(), trilith.Scope{}, "x/y", trilith.SupersedeRequest{By: id})
			return err
		},
		"similar to no id": func() error {
			_, err := c.SimilarFacts(t.Context(), trilith.Scope{}, "", trilith.SimilarFactsQuery{})
			return err
		},
		"invalid UTF-8 in words": func() error {
			_, err := c.SupersedeFact(t.Context(), trilith.Scope{}, id, trilith.SupersedeRequest{Text: "\xff"})
			return err
		},
		"invalid UTF-8 in the note of many": func() error {
			_, err := c.Decide(t.Context(), trilith.Scope{},
				trilith.BulkDecision{IDs: []trilith.ID{id}, Decision: trilith.DecideVerify, Note: "\xff"})
			return err
		},
		"invalid UTF-8 in a note": func() error {
			_, err := c.VerifyFact(t.Context(), trilith.Scope{}, id,
				trilith.VerifyRequest{Decision: trilith.DecideVerify, Note: "\xff"})
			return err
		},
		"entity id": func() error { _, err := c.Entity(t.Context(), trilith.Scope{}, "lookup"); return err },
		"invalid UTF-8 to assimilate": func() error {
			_, err := c.Assimilate(t.Context(), trilith.Scope{}, trilith.AssimilateRequest{Content: "a\xff"})
			return err
		},
		"invalid UTF-8": func() error {
			_, err := c.Remember(t.Context(), trilith.Scope{},
				trilith.RememberRequest{Messages: []trilith.Message{{Content: "a\xff"}}})
			return err
		},
	} {
		if err := call(); err == nil || trilith.KindOf(err) != trilith.Invalid {
			t.Errorf("%s: %v, want invalid", name, err)
		}
	}
}

func collect(seq iter.Seq2[trilith.ExportItem, error]) (n int, err error) {
	for _, err := range seq {
		if err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}

func TestExport(t *testing.T) {
	t.Parallel()
	line := `{"memory":{"id":"` + string(id) + `","text":"x"}}` + "\n"
	for _, tc := range []struct {
		name  string
		write func(http.ResponseWriter)
		items int
		kind  trilith.ErrorKind
		fails bool
	}{
		{"whole", func(w http.ResponseWriter) { io.WriteString(w, line+line) }, 2, 0, false},
		{"empty", func(http.ResponseWriter) {}, 0, 0, false},
		{"cut between lines", func(w http.ResponseWriter) { cut(w, line+line) }, 2, trilith.Unavailable, true},
		{"cut inside a line", func(w http.ResponseWriter) { cut(w, line+line[:20]) }, 1, trilith.Unavailable, true},
		{"not an export", func(w http.ResponseWriter) { io.WriteString(w, line+"<html>\n"+line) }, 1,
			trilith.Internal, true},
		{"refused", func(w http.ResponseWriter) { w.WriteHeader(403) }, 0, trilith.Forbidden, true},
	} {
		base := serve(t, func(w http.ResponseWriter, _ *http.Request) { tc.write(w) })
		n, err := collect(client.New(base).Export(t.Context(), trilith.Scope{}))
		if n != tc.items || (err != nil) != tc.fails || err != nil && trilith.KindOf(err) != tc.kind {
			t.Errorf("%s: Export gave %d items and %v, want %d, failure %v of kind %s", tc.name, n, err, tc.items,
				tc.fails, tc.kind)
		}
	}
}

// cut sends a part of an answer and breaks the connection.
func cut(w http.ResponseWriter, part string) {
	io.WriteString(w, part)
	http.NewResponseController(w).Flush()
	panic(http.ErrAbortHandler)
}

func TestImport(t *testing.T) {
	t.Parallel()
	items := func(err error) iter.Seq2[trilith.ExportItem, error] {
		return func(yield func(trilith.ExportItem, error) bool) {
			for range 3 {
				if !yield(trilith.ExportItem{Memory: &trilith.Memory{ID: id, Text: "x"}}, nil) {
					return
				}
			}
			if err != nil {
				yield(trilith.ExportItem{}, err)
			}
		}
	}
	base := serve(t, func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		json.NewEncoder(w).Encode(client.ImportResult{Stored: bytes.Count(body, []byte("\n"))})
	})
	got, err := client.New(base).Import(t.Context(), items(nil))
	if err != nil || got.Stored != 3 {
		t.Errorf("Import of 3 items = %+v, %v", got, err)
	}
	broken := errors.New("the disk is gone")
	if _, err := client.New(base).Import(t.Context(), items(broken)); !errors.Is(err, broken) {
		t.Errorf("Import of items that fail = %v, want their own error", err)
	}
	refuses := serve(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(403) })
	if _, err := client.New(refuses).Import(t.Context(), items(nil)); trilith.KindOf(err) != trilith.Forbidden {
		t.Errorf("Import refused = %v, want forbidden", err)
	}
}

func FuzzProblem(f *testing.F) {
	f.Add(400, `{"kind":"invalid","detail":"k: too large"}`)
	f.Add(500, `<html>`)
	f.Add(200, `{"hits":[{"score":"x"}]}`)
	f.Add(200, `null`)
	f.Fuzz(func(t *testing.T, status int, body string) {
		if status < 200 || status > 599 {
			return
		}
		rt := roundTrip(func(*http.Request) (*http.Response, error) {
			return &http.Response{StatusCode: status, Status: "x", Body: io.NopCloser(strings.NewReader(body)),
				Header: http.Header{}}, nil
		})
		c := client.New("http://localhost", client.WithHTTPClient(&http.Client{Transport: rt}),
			client.WithWait(new(pauses).wait))
		if _, err := c.Recall(t.Context(), trilith.Scope{}, trilith.RecallRequest{Query: "x"}); status != 200 &&
			err == nil {
			t.Errorf("Recall answered with %d %q = no error", status, body)
		}
	})
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// A service that accepts an assimilation whose facts are to follow is not one that fails.
func TestAccepted(t *testing.T) {
	t.Parallel()
	base := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusAccepted)
		io.WriteString(w, `{"entity":{},"assimilated_facts":[],"pending":true,"job_id":"7c41ca18-9a1e-5b0d-8f63-3d205e0b71a4"}`)
	})
	res, err := client.New(base).Assimilate(t.Context(), trilith.Scope{}, trilith.AssimilateRequest{Content: "x"})
	if err != nil || !res.Pending || res.JobID != "7c41ca18-9a1e-5b0d-8f63-3d205e0b71a4" {
		t.Errorf("Assimilate answered by 202 = %+v, %v; want what is pending", res, err)
	}
}
