package rest_test

import (
	"context"
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/door/rest"
	"github.com/trilith-memory/trilith/internal/test/inmem"
)

// assimilate says something about ana@example.com.
func (e *edge) assimilate(tb testing.TB, content, at string, headers ...string) trilith.AssimilateResult {
	tb.Helper()
	body, err := json.Marshal(
		trilith.AssimilateRequest{Identifier: trilith.Identifier{Type: "email", Value: "ana@example.com"}, Content: content,
			Timestamp: at})
	if err != nil {
		tb.Fatal(err)
	}
	return decode[trilith.AssimilateResult](tb, e.do("POST", "/api/v1/graph/assimilate", string(body), headers...))
}

// lookup asks for her; further parameters are pairs of name and value.
func (e *edge) lookup(parameters ...string) answer {
	q := url.Values{"type": {"email"}, "value": {"ana@example.com"}}
	for i := 0; i < len(parameters); i += 2 {
		q.Set(parameters[i], parameters[i+1])
	}
	return e.do("GET", "/api/v1/graph/entities/lookup?"+q.Encode(), "")
}

func nodes(ms []trilith.Memory) []string {
	var out []string
	for _, m := range ms {
		out = append(out, m.Fact.Verb+" "+m.Fact.Node.ID())
	}
	slices.Sort(out)
	return out
}

func TestAssimilateAndLookup(t *testing.T) {
	t.Parallel()
	e := open(t, rest.Config{Local: true})
	told := e.assimilate(t, "I moved to Bergen.", "2025-01-10")
	if diff := cmp.Diff([]string{"lives_in Location:Bergen"}, nodes(told.Facts)); diff != "" || told.SourceID == "" ||
		told.Entity.Type != "person" {
		t.Fatalf("POST /graph/assimilate = %+v; facts (-want +got):\n%s", told, diff)
	}
	e.assimilate(t, "I am allergic to walnuts.", "2025-02-01")
	e.assimilate(t, "I moved to Oslo.", "2025-06-02")

	all := decode[trilith.LookupResult](t, e.lookup())
	if diff := cmp.Diff([]string{"allergic_to Substance:walnuts", "lives_in Location:Oslo"},
		nodes(all.Facts)); diff != "" || all.Entity.ID != told.Entity.ID || all.Debug != nil {
		t.Errorf("lookup = entity %s, debug %v, want %s and none; facts (-want +got):\n%s", all.Entity.ID, all.Debug,
			told.Entity.ID, diff)
	}
	before := decode[trilith.LookupResult](t, e.lookup("states", "superseded"))
	if diff := cmp.Diff([]string{"lives_in Location:Bergen"}, nodes(before.Facts)); diff != "" {
		t.Errorf("lookup of superseded facts (-want +got):\n%s", diff)
	}

	few := decode[trilith.LookupResult](t, e.lookup("rag_query", "Oslo", "rag_top_k", "1", "rag_debug", "true"))
	if diff := cmp.Diff([]string{"lives_in Location:Oslo"}, nodes(few.Facts)); diff != "" {
		t.Fatalf("lookup with a query (-want +got):\n%s", diff)
	}
	n := few.Debug
	if n == nil || n.Query != "Oslo" || n.TopK != 1 || n.VerifiedCount != 1 || len(n.TimingsMS) == 0 ||
		!slices.ContainsFunc(n.Hits, func(h trilith.LookupHit) bool {
			return h.Verified && h.RelationshipKey == few.Facts[0].Fact.RelationshipKey && h.Score > 0
		}) {
		t.Errorf("rag_debug = %+v, want the query, k and the verified hit of %s", n, few.Facts[0].Fact.RelationshipKey)
	}

	told2 := decode[trilith.SummaryResult](t, e.lookup("view", "summary"))
	if told2.FactCount != 2 || !strings.Contains(told2.Summary, "Oslo") || strings.Contains(told2.Summary, "Bergen") {
		t.Errorf("summary = %+v, want two facts, Oslo and not Bergen", told2)
	}

	page := decode[trilith.EntityPage](t, e.do("GET", "/api/v1/graph/entities", ""))
	one := decode[trilith.Entity](t, e.do("GET", "/api/v1/graph/entities/"+string(told.Entity.ID), ""))
	if diff := cmp.Diff([]trilith.Entity{one}, page.Items); diff != "" {
		t.Errorf("the list of entities and the one in it differ (-one +list):\n%s", diff)
	}
}

func TestAssimilateIsIdempotent(t *testing.T) {
	t.Parallel()
	e := open(t, rest.Config{Local: true})
	first := e.assimilate(t, "I moved to Bergen.", "2025-01-10", "Idempotency-Key", "k")
	again := e.assimilate(t, "I moved to Bergen.", "2025-01-10", "Idempotency-Key", "k")
	if first.SourceID != again.SourceID || len(again.Facts) != 1 || len(again.Facts[0].Fact.Evidence) != 1 {
		t.Errorf("a repeated request = %+v, want the first answer %+v", again, first)
	}
	const other = `{"identifier":{"type":"email","value":"ana@example.com"},"content":"I moved to Oslo."`
	if got := e.do("POST", "/api/v1/graph/assimilate", other+"}", "Idempotency-Key", "k"); got.status != 409 {
		t.Errorf("another request under the key = %d, want 409", got.status)
	}
	if got := e.do("POST", "/api/v1/graph/assimilate", other+`,"request_key":"j"}`, "Idempotency-Key",
		"k"); got.status != 400 {
		t.Errorf("two different keys in one request = %d, want 400", got.status)
	}
}

func TestFactsStayInTheirTenant(t *testing.T) {
	t.Parallel()
	e := open(t, rest.Config{})
	const body = `{"identifier":{"type":"email","value":"ana@example.com"},"content":"I moved to Bergen."}`
	north := []string{"Authorization", "Bearer " + e.key(t, "north", trilith.AccessWriter)}
	south := []string{"Authorization", "Bearer " + e.key(t, "south", trilith.AccessAdmin)}
	told := decode[trilith.AssimilateResult](t, e.do("POST", "/api/v1/graph/assimilate", body, north...))
	for _, path := range []string{"/lookup?type=email&value=ana@example.com",
		"/lookup?view=summary&type=email&value=ana@example.com", "/" + string(told.Entity.ID)} {
		if got := e.do("GET", "/api/v1/graph/entities"+path, "", south...); got.status != 404 {
			t.Errorf("GET /graph/entities%s from another tenant = %d %s, want 404", path, got.status, got.body)
		}
	}
	if got := e.do("GET", "/api/v1/graph/entities", "", south...); !strings.Contains(got.body, `"items":[]`) {
		t.Errorf("GET /graph/entities from another tenant = %d %s, want none", got.status, got.body)
	}
}

// A text whose facts cannot be derived in time is stored and accepted, under a job that can be looked at.
func TestAssimilateIsAccepted(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		e := open(t, rest.Config{Local: true})
		e.store.Inject(inmem.Fault{Before: func(_ context.Context, op string) error {
			if op == "Lease" {
				return trilith.Errorf(trilith.Unavailable, "no work today")
			}
			return nil
		}})
		first := `{"user":"ben","messages":[{"role":"user","content":"I work as a baker."}],"extract":"rules"}`
		if got := e.do("POST", "/api/v1/memories", first); got.status >= 300 { // read before what is said later
			t.Fatalf("POST /memories = %d %s", got.status, got.body)
		}
		body := `{"identifier":{"type":"email","value":"ana@example.com"},"content":"I moved to Bergen."}`
		got := e.do("POST", "/api/v1/graph/assimilate", body)
		var res trilith.AssimilateResult
		if err := json.Unmarshal([]byte(got.body), &res); got.status != 202 || err != nil || !res.Pending ||
			res.Facts == nil {
			t.Fatalf("POST /graph/assimilate without workers = %d %s, %v; want 202 and what is pending", got.status,
				got.body, err)
		}
		if job := decode[trilith.Job](
			t, e.do("GET", "/api/v1/jobs/"+string(res.JobID), "")); job.State != trilith.JobReady {
			t.Errorf("GET /jobs/{id} = %+v, want a job that is ready", job)
		}
		if page := decode[trilith.Page](t, e.do("GET", "/api/v1/memories", "")); len(page.Items) != 2 {
			t.Errorf("GET /memories = %+v, want the words of both", page)
		}
		e.store.Inject(inmem.Fault{})
		<-time.After(time.Minute)
		if job := decode[trilith.Job](t, e.do("GET", "/api/v1/jobs/"+string(res.JobID), "")); job.State != trilith.JobDone {
			t.Errorf("GET /jobs/{id} a minute later = %+v, want it done", job)
		}
		if told := decode[trilith.LookupResult](t, e.lookup()); len(told.Facts) != 1 {
			t.Errorf("lookup a minute later = %+v, want the fact", told)
		}
	})
}
