package rest_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/door/rest"
	"github.com/trilith-memory/trilith/internal/test/inmem"
)

// damage makes a store answer an operation as a file does that is damaged there.
func (e *edge) damage(operation string) {
	e.store.Inject(inmem.Fault{Before: func(_ context.Context, op string) error {
		if op == operation {
			return trilith.Errorf(trilith.Internal, "store: the file is damaged")
		}
		return nil
	}})
}

// TestPartial: an answer without what an arm would have found says so, and none at all is 503, never an empty answer.
func TestPartial(t *testing.T) {
	t.Parallel()
	e := open(t, rest.Config{Local: true})
	for _, scope := range []string{`"user": "ana"`, `"user": "ben"`} {
		said := "I live in Bergen."
		if strings.Contains(scope, "ben") {
			said = "Mmh."
		}
		if got := e.do("POST", "/api/v1/graph/assimilate",
			`{`+scope+`, "identifier": {"type": "email", "value": "ana@x.org"}, "content": "`+said+
				`"}`); got.status != 200 {
			t.Fatalf("assimilate = %d %s", got.status, got.body)
		}
	}
	if got := e.do("POST", "/api/v1/entries",
		`{"domain": "ana", "category": "city", "title": "Bergen", "content": "It rains in Bergen."}`); got.status >= 300 {
		t.Fatalf("entries = %d %s", got.status, got.body)
	}
	if err := e.engine.Settle(t.Context()); err != nil {
		t.Fatal(err)
	}
	e.damage("Head") // the text index cannot be caught up
	lookup := "/api/v1/graph/entities/lookup?type=email&value=ana@x.org&rag_query=Bergen&rag_debug=true&user="
	for _, c := range []struct{ method, found, body, nothing, none string }{
		{"POST", "/api/v1/search", `{"query": "Bergen", "user": "ana"}`, "/api/v1/search",
			`{"query": "Bergen", "user": "nobody"}`},
		{"POST", "/api/v1/context", `{"query": "Bergen", "user": "ana"}`, "/api/v1/context",
			`{"query": "Bergen", "user": "nobody"}`},
		{"POST", "/api/v1/facts/search", `{"query": "Bergen", "user": "ana"}`, "/api/v1/facts/search",
			`{"query": "Bergen", "user": "nobody"}`},
		{"POST", "/api/v1/entries/similar", `{"text": "Bergen", "domain": "ana", "min_score": 0.001}`, "", ""},
		{"GET", lookup + "ana", "", lookup + "ben", ""},
		{"GET", strings.Replace(lookup, "?", "?view=summary&", 1) + "ana", "",
			strings.Replace(lookup, "?", "?view=summary&", 1) + "ben", ""},
	} {
		var got struct {
			Abstained bool     `json:"abstained"`
			Partial   bool     `json:"partial"`
			Failed    []string `json:"failed_arms"`
			Debug     *struct {
				Partial bool     `json:"partial"`
				Failed  []string `json:"failed_arms"`
			} `json:"rag_debug"`
		}
		a := e.do(c.method, c.found, c.body)
		if err := json.Unmarshal([]byte(a.body), &got); err != nil || a.status != 200 {
			t.Errorf("%s %s = %d %s", c.found, c.body, a.status, a.body)
			continue
		}
		slices.Sort(got.Failed)
		alone := strings.Contains(c.found, "similar") // there vectors may answer alone, and whole
		if whole := !got.Partial && got.Failed == nil; got.Abstained || whole && !alone || !whole &&
			!slices.Equal(got.Failed, []string{"exact", "lexical"}) {
			t.Errorf("%s %s = %s, want a partial answer that names lexical and exact", c.found, c.body, a.body)
		}
		if got.Debug != nil && (!got.Debug.Partial || len(got.Debug.Failed) != 2) {
			t.Errorf("rag_debug of %s = %+v, want what the answer says", c.found, got.Debug)
		}
		if c.nothing == "" {
			continue
		}
		a = e.do(c.method, c.nothing, c.none)
		p := a.problem(t)
		if a.status != 503 || a.header.Get("Retry-After") == "" || p.Kind != "unavailable" ||
			!strings.Contains(p.Detail, "lexical") || !strings.Contains(p.Detail, "exact") {
			t.Errorf("%s %s where nothing is = %d %s, want 503 that names lexical and exact", c.nothing, c.none,
				a.status, a.body)
		}
	}
}

// TestDoctorNamesDamage: the doctor reports damage, and damage is no failure of the doctor.
func TestDoctorNamesDamage(t *testing.T) {
	t.Parallel()
	for _, operation := range []string{"List", "Records", "Head", "Changes", "Tenants", "Jobs", "Audit"} {
		e := open(t, rest.Config{Local: true})
		if got := e.do("POST", "/api/v1/memories",
			`{"user": "ana", "text": "Ana lives in Bergen."}`); got.status >= 300 {
			t.Fatalf("memories = %d %s", got.status, got.body)
		}
		if err := e.engine.Settle(t.Context()); err != nil {
			t.Fatal(err)
		}
		e.damage(operation)
		got := e.do("GET", "/api/v1/admin?view=doctor", "")
		if operation == "Records" { // keys are records: nobody can be authenticated
			if got.status != 503 || !strings.Contains(got.problem(t).Detail, "store: the file is damaged") {
				t.Errorf("doctor while keys cannot be read = %d %s, want 503 that says why", got.status, got.body)
			}
			continue
		}
		var report trilith.DoctorReport
		if err := json.Unmarshal([]byte(got.body), &report); err != nil || got.status != 200 || report.OK {
			t.Errorf("doctor while %s fails = %d %s, want 200 and a memory that is not well", operation,
				got.status, got.body)
			continue
		}
		named := slices.ContainsFunc(report.Checks, func(c trilith.Check) bool {
			return !c.OK && c.Name != "canary" && strings.Contains(c.Detail, "the file is damaged")
		})
		if !named {
			t.Errorf("doctor while %s fails = %+v, want a check that says what is damaged", operation, report.Checks)
		}
		if operation != "Changes" {
			continue
		}
		if got := e.do("GET", "/readyz", ""); got.status != 503 ||
			!strings.Contains(got.problem(t).Detail, "store: the file is damaged") {
			t.Errorf("/readyz while %s fails = %d %s, want 503 with the reason", operation, got.status, got.body)
		}
	}
}
