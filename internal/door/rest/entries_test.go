package rest_test

import (
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/client"
	"github.com/trilith-memory/trilith/internal/door/rest"
)

func TestEntries(t *testing.T) {
	t.Parallel()
	e := open(t, rest.Config{Local: true})
	body := `{"domain":"building","session":"monday","category":"Roof","title":"Slate","content":"slate lasts a century","structured":{"years":100},
		"confidence":0.9,"external_id":"slate","tags":["stone"],"metadata":{"by":"Ana"},"wait":"indexed"}`
	m := decode[trilith.Memory](t, e.do("POST", "/api/v1/entries", body))
	if m.Kind != trilith.KindEntry || m.Scope.Domain != "building" || m.Scope.Session != "monday" ||
		m.Entry.Confidence != 0.9 || m.Tags[0] != "stone" {
		t.Errorf("POST /entries = %+v, want the entry", m)
	}
	if again := decode[trilith.Memory](t, e.do("POST", "/api/v1/entries", body)); again.ID != m.ID {
		t.Errorf("POST /entries twice = %s and %s", m.ID, again.ID)
	}
	got := decode[trilith.Memory](t, e.do("GET", "/api/v1/entries/"+string(m.ID), ""))
	if diff := cmp.Diff(m, got); diff != "" {
		t.Errorf("GET /entries/{id} (-posted +got):\n%s", diff)
	}
	for body, want := range map[string]int{`{"domain":"building","text":"slate roof slate lasts a century"}`: 1,
		`{"domain":"building","text":"gutters"}`:                                        0,
		`{"domain":"building","text":"slate","exclude_session":"monday","min_score":0}`: 0} {
		if res := decode[trilith.SimilarEntries](t, e.do("POST", "/api/v1/entries/similar", body)); len(
			res.Items) != want || res.Total != 1 {
			t.Errorf("POST /entries/similar %s = %+v, want %d of 1", body, res, want)
		}
	}
	if got := e.do("POST", "/api/v1/entries/similar",
		`{"domain":"none","text":"x"}`); got.body != `{"items":[],"scale":"cosine","total":0}`+"\n" {
		t.Errorf("POST /entries/similar of an empty domain = %s", got.body)
	}
}

func TestEntriesThroughTheClient(t *testing.T) {
	t.Parallel()
	srv := httptest.NewServer(open(t, rest.Config{Local: true}))
	t.Cleanup(srv.Close)
	c, s := client.New(srv.URL), trilith.Scope{Domain: "building"}
	m, err := c.AddEntry(t.Context(), s,
		trilith.EntryRequest{Entry: trilith.Entry{Title: "Slate", Content: "lasts a century"}, Wait: trilith.WaitIndexed})
	if err != nil {
		t.Fatalf("AddEntry = %v", err)
	}
	if got, err := c.Entry(t.Context(), s, m.ID); err != nil || got.Entry.Title != "Slate" {
		t.Errorf("Entry = %+v, %v", got, err)
	}
	embedding := make(trilith.Vector, 32)
	embedding[0] = 1
	for _, r := range []trilith.SimilarRequest{{Text: "slate", MinScore: new(0.0)},
		{Embedding: embedding, MinScore: new(0.0)}} {
		if res, err := c.SimilarEntries(t.Context(), s, r); err != nil || res.Total != 1 {
			t.Errorf("SimilarEntries(%+v) = %+v, %v; want a total of 1", r, res, err)
		}
	}
	b, err := c.Context(t.Context(), s,
		trilith.ContextRequest{RecallRequest: trilith.RecallRequest{Query: "Slate lasts a century"},
			Format: trilith.FormatKnowledge})
	if err != nil || !strings.Contains(b.Text, "Total entries in domain: 1\n") {
		t.Errorf("Context(knowledge) = %q, %v", b.Text, err)
	}
}

func TestEntriesRefuse(t *testing.T) {
	t.Parallel()
	e := open(t, rest.Config{})
	writer := e.key(t, "north", trilith.AccessWriter)
	m := decode[trilith.Memory](
		t, e.do("POST", "/api/v1/entries", `{"domain":"building","content":"x"}`, "Authorization", "Bearer "+writer))
	for _, tc := range []struct {
		name, tenant       string
		access             trilith.Access
		method, path, body string
		status             int
	}{
		{"a reader stores", "north", trilith.AccessReader, "POST", "/entries", `{"content":"x"}`, 403},
		{"no content", "north", trilith.AccessWriter, "POST", "/entries", `{"title":"x"}`, 400},
		{"an unknown member", "north", trilith.AccessWriter, "POST", "/entries", `{"content":"x","note":{}}`, 400},
		{"too sure", "north", trilith.AccessWriter, "POST", "/entries", `{"content":"x","confidence":1.5}`, 400},
		{"another tenant's entry", "south", trilith.AccessReader, "GET", "/entries/" + string(m.ID), "", 404},
		{"another domain's entry", "north", trilith.AccessReader, "GET", "/entries/" + string(m.ID) +
			"?domain=shop", "", 404},
		{"an unknown entry", "north", trilith.AccessReader, "GET", "/entries/" + string(unknownID), "", 404},
		{"no domain", "north", trilith.AccessReader, "POST", "/entries/similar", `{"text":"x"}`, 400},
		{"neither text nor embedding", "north", trilith.AccessReader, "POST", "/entries/similar",
			`{"domain":"building"}`, 400},
		{"too few dimensions", "north", trilith.AccessReader, "POST", "/entries/similar",
			`{"domain":"building","embedding":[1]}`, 400},
		{"a component that is none", "north", trilith.AccessReader, "POST", "/entries/similar",
			`{"domain":"building","embedding":[1e300]}`, 400},
		{"a limit too high", "north", trilith.AccessReader, "POST", "/entries/similar",
			`{"domain":"building","text":"x","limit":51}`, 400},
		{"a score too high", "north", trilith.AccessReader, "POST", "/entries/similar",
			`{"domain":"building","text":"x","min_score":1.1}`, 400},
	} {
		got := e.do(tc.method, "/api/v1"+tc.path, tc.body, "Authorization", "Bearer "+e.key(t, tc.tenant, tc.access))
		if got.status != tc.status {
			t.Errorf("%s: %d %s, want %d", tc.name, got.status, got.body, tc.status)
		}
	}
	if res := decode[trilith.SimilarEntries](
		t, e.do("POST", "/api/v1/entries/similar", `{"domain":"building","text":"x","min_score":0}`,
			"Authorization", "Bearer "+e.key(t, "south", trilith.AccessReader))); res.Total != 0 || len(res.Items) != 0 {
		t.Errorf("another tenant finds %+v", res)
	}
}

// TestAnswersSayWhatWasMasked: answers with stored texts name the masked secrets beside them, also through the client;
// later reads do not.
func TestAnswersSayWhatWasMasked(t *testing.T) {
	t.Parallel()
	e := open(t, rest.Config{Local: true})
	srv := httptest.NewServer(e)
	t.Cleanup(srv.Close)
	c, s := client.New(srv.URL), trilith.Scope{User: "ana"}
	const key = "AKIAIOSFODNN7EXAMPLE"
	posted := e.do("POST", "/api/v1/entries", `{"user":"ana","title":"Slate","content":"the key is `+key+
		`","structured":{"keys":["x","`+key+`"]}}`)
	if want := `"masked_in":["content","structured.keys[1]"]`; !strings.Contains(posted.body, want) ||
		!strings.Contains(posted.body, `"masked":`) {
		t.Errorf("POST /entries = %s, want %s", posted.body, want)
	}
	id := decode[trilith.Memory](t, posted).ID
	if read := e.do("GET", "/api/v1/entries/"+string(id)+"?user=ana", "").body; strings.Contains(read, "masked") {
		t.Errorf("GET /entries/{id} = %s, want nothing of what was masked", read)
	}
	m, err := c.Update(t.Context(), s, id, trilith.UpdateRequest{Metadata: &map[string]any{"token": key}})
	if diff := cmp.Diff(trilith.Masking{Masked: 1, MaskedIn: []string{"metadata.token"}}, m.Masking); err != nil ||
		diff != "" {
		t.Errorf("Update = %v (-want +got):\n%s", err, diff)
	}
	told, err := c.Assimilate(
		t.Context(), s, trilith.AssimilateRequest{Identifier: trilith.Identifier{Type: "email", Value: "ben@example.org"},
			Content: "I live in Oslo.", Timestamp: "2025-01-10"})
	if err != nil || len(told.Facts) != 1 {
		t.Fatalf("Assimilate = %+v, %v; want one fact", told, err)
	}
	v, err := c.UpdateEntity(t.Context(), s, told.Entity.ID,
		trilith.EntityUpdate{SetAttributes: map[string]any{"token": key}})
	if diff := cmp.Diff(trilith.Masking{Masked: 1, MaskedIn: []string{"set_attributes.token"}}, v.Masking); err != nil ||
		diff != "" {
		t.Errorf("UpdateEntity = %v (-want +got):\n%s", err, diff)
	}
	pair, err := c.SupersedeFact(t.Context(), s, told.Facts[0].ID,
		trilith.SupersedeRequest{Text: "I live in Bergen.", At: "2025-06-02", Note: key})
	if diff := cmp.Diff(trilith.Masking{Masked: 1, MaskedIn: []string{"note"}}, pair.Masking); err != nil || diff != "" {
		t.Errorf("SupersedeFact = %v (-want +got):\n%s", err, diff)
	}
}
