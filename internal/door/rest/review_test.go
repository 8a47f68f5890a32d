package rest_test

import (
	"net/http/httptest"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/client"
	"github.com/trilith-memory/trilith/internal/door/rest"
)

// factTexts are what a page of facts says, in its order.
func factTexts(hits []trilith.FactHit) []string {
	out := []string{}
	for _, h := range hits {
		out = append(out, h.Memory.Fact.Node.ID())
	}
	return out
}

func TestReview(t *testing.T) {
	t.Parallel()
	e := open(t, rest.Config{Local: true})
	told := e.assimilate(t, "I moved to Bergen.", "2025-01-10")
	e.assimilate(t, "Remind me to renew my passport by 1 March 2025.", "2025-01-11")
	id := told.Facts[0].ID

	found := decode[trilith.FactPage](
		t, e.do("POST", "/api/v1/facts/search", `{"query":"Bergen","fact_types":["`+
			string(told.Facts[0].Fact.Type)+`"]}`))
	if diff := cmp.Diff([]string{"Location:Bergen"}, factTexts(found.Items)); diff != "" ||
		found.Items[0].Relevance <= 0 {
		t.Errorf("POST /facts/search = %+v (-want +got):\n%s", found, diff)
	}
	todo := decode[trilith.Page](t, e.do("GET", "/api/v1/facts?view=actionable", ""))
	if len(todo.Items) != 1 || todo.Items[0].Fact.Verb != "has_task" {
		t.Errorf("GET /facts?view=actionable = %+v, want the task alone", todo)
	}
	if got := decode[trilith.Page](t, e.do("GET", "/api/v1/facts?view=actionable&project=other", "")); len(got.Items) != 0 {
		t.Errorf("GET /facts?view=actionable of another project = %+v, want none", got)
	}

	m := decode[trilith.Memory](
		t, e.do("POST", "/api/v1/facts/"+string(id)+"?do=verify", `{"decision":"reject","note":"a joke"}`))
	if v := m.Fact.Verification; m.State != trilith.StateRetracted || v.Status != trilith.Rejected || v.Note != "a joke" ||
		v.By == "" || v.At == nil {
		t.Errorf("rejecting = %s, %+v", m.State, v)
	}
	if got := decode[trilith.FactPage](
		t, e.do("POST", "/api/v1/facts/search", `{"fact_types":["`+string(m.Fact.Type)+`"]}`)); len(got.Items) != 0 {
		t.Errorf("a rejected fact is found: %+v", got)
	}
	stats := decode[trilith.FactStats](t, e.do("GET", "/api/v1/facts?view=stats", ""))
	if stats.Total != 2 || stats.Verification[trilith.Rejected] != 1 || stats.States[trilith.StateRetracted] != 1 {
		t.Errorf("GET /facts?view=stats = %+v, want 2 with one rejected", stats)
	}
}

// The client's calls and the service agree, down to the exact amounts.
func TestReviewThroughTheClient(t *testing.T) {
	t.Parallel()
	srv := httptest.NewServer(open(t, rest.Config{Local: true}))
	t.Cleanup(srv.Close)
	c, s := client.New(srv.URL), trilith.Scope{Project: "roof"}
	told, err := c.Assimilate(
		t.Context(), s, trilith.AssimilateRequest{Identifier: trilith.Identifier{Type: "project", Value: "roof"},
			Content: "We got an invoice of 6,400 EUR.", Timestamp: "2025-01-10"})
	if err != nil || len(told.Facts) != 1 {
		t.Fatalf("Assimilate = %+v, %v; want one fact", told, err)
	}
	if _, err := c.VerifyFact(t.Context(), s, told.Facts[0].ID,
		trilith.VerifyRequest{Decision: trilith.DecideReview}); err != nil {
		t.Fatalf("VerifyFact = %v", err)
	}
	for amount, want := range map[string]int{"": 1, "6400": 1, "6400.01": 0} {
		if page, err := c.UnverifiedFinancial(t.Context(), s,
			trilith.UnverifiedQuery{MinAmount: amount}); err != nil || len(page.Items) != want {
			t.Errorf("UnverifiedFinancial(%q) = %+v, %v; want %d", amount, page, err, want)
		}
	}
	sums, err := c.Exposure(t.Context(), s)
	want := trilith.Exposure{Sums: []trilith.ExposureSum{
		{Project: "roof", Type: "invoice", Currency: "EUR", Amount: "6400", Facts: 1}}}
	if diff := cmp.Diff(want, sums); err != nil || diff != "" {
		t.Errorf("Exposure = %v (-want +got):\n%s", err, diff)
	}
	todo, err := c.Actionable(t.Context(), s, trilith.ActionableQuery{Limit: 1})
	if err != nil || len(todo.Items) != 1 {
		t.Errorf("Actionable = %+v, %v; want the invoice", todo, err)
	}
	stats, err := c.FactStats(t.Context(), s)
	if err != nil || stats.Total != 1 || stats.Verification[trilith.NeedsReview] != 1 {
		t.Errorf("FactStats = %+v, %v", stats, err)
	}
	page, err := c.Facts(t.Context(), s, trilith.FactQuery{FinancialOnly: true, ActiveOnly: new(false)})
	if err != nil || len(page.Items) != 1 || page.Items[0].Memory.ID != told.Facts[0].ID {
		t.Errorf("Facts = %+v, %v; want the invoice", page, err)
	}
}

func TestReviewRefuses(t *testing.T) {
	t.Parallel()
	e := open(t, rest.Config{})
	id := string(e.assimilate(t, "I moved to Bergen.", "", "Authorization",
		"Bearer "+e.key(t, "north", trilith.AccessWriter)).Facts[0].ID)
	verify := "/api/v1/facts/" + id + "?do=verify"
	for _, tc := range []struct {
		name, tenant       string
		access             trilith.Access
		method, path, body string
		status             int
	}{
		{"a reader decides", "north", trilith.AccessReader, "POST", verify, `{"decision":"verify"}`, 403},
		{"another tenant decides", "south", trilith.AccessWriter, "POST", verify, `{"decision":"verify"}`, 404},
		{"another user's scope", "north", trilith.AccessWriter, "POST", verify + "&user=ben",
			`{"decision":"verify"}`, 404},
		{"no decision", "north", trilith.AccessWriter, "POST", verify, `{}`, 400},
		{"an unknown decision", "north", trilith.AccessWriter, "POST", verify, `{"decision":"perhaps"}`, 400},
		{"an unknown priority", "north", trilith.AccessReader, "POST", "/api/v1/facts/search",
			`{"priority":["hot"]}`, 400},
		{"a limit too high", "north", trilith.AccessReader, "POST", "/api/v1/facts/search", `{"limit":201}`, 400},
		{"no decimal", "north", trilith.AccessReader, "GET",
			"/api/v1/facts?view=unverified&min_amount=1e3", "", 400},
		{"a negative limit", "north", trilith.AccessReader, "GET", "/api/v1/facts?view=actionable&limit=-1", "", 400},
	} {
		got := e.do(tc.method, tc.path, tc.body, "Authorization", "Bearer "+e.key(t, tc.tenant, tc.access))
		if got.status != tc.status {
			t.Errorf("%s: %d %s, want %d", tc.name, got.status, got.body, tc.status)
		}
	}
}
