package compat_test

import (
	"strings"
	"testing"

	"github.com/trilith-memory/trilith"
)

// TestRestrictionHoldsOrIsRefused: what shall restrict what is stored or found, and cannot, is refused by its name, and
// nothing is done. Without a value it restricts nothing.
func TestRestrictionHoldsOrIsRefused(t *testing.T) {
	t.Parallel()
	e := open(t, false)
	const add = `{"messages":"My card ends in 4411.","user_id":"ana",`
	if got := e.do("POST", "/compat/zep/api/v2/users", `{"user_id":"ana"}`); got.Code != 201 && got.Code != 200 {
		t.Fatalf("a user of Zep: %d %s", got.Code, got.Body)
	}
	for _, c := range []struct{ method, path, body, names string }{
		{"POST", "mem0/v1/memories", add + `"excludes":"payment"}`, "excludes"},
		{"POST", "mem0/v3/memories/add", add + `"includes":"sports"}`, "includes"},
		{"POST", "mem0/v1/memories", add + `"custom_instructions":"Never store payment data"}`, "custom_instructions"},
		{"POST", "mem0/v1/memories", add + `"custom_categories":[{"money":"all about money"}]}`, "custom_categories"},
		{"POST", "mem0/v1/memories", add + `"immutable":true}`, "immutable"},
		{"PATCH", "mem0/api/v1/orgs/organizations/o/projects/p", `{"custom_instructions":"Only food."}`,
			"custom_instructions"},
		{"PATCH", "mem0/api/v1/orgs/organizations/o/projects/p", `{"custom_categories":[{"food":"all"}]}`,
			"custom_categories"},
		{"POST", "mem0/v2/memories/search", `{"query":"x","filters":{"user_id":"ana"},"filter_memories":true}`,
			"filter_memories"},
		{"POST", "zep/api/v2/graph/search", `{"query":"x","user_id":"ana","min_fact_rating":0.7}`, "min_fact_rating"},
		{"POST", "zep/api/v2/graph/search", `{"query":"x","user_id":"ana","search_filters":{"exclude_node_labels":["a"]}}`,
			"search_filters.exclude_node_labels"},
		{"POST", "zep/api/v2/graph/search", `{"query":"x","user_id":"ana","search_filters":{"node_labels":["a"]}}`,
			"search_filters.node_labels"},
		{"POST", "zep/api/v2/graph/search", `{"query":"x","user_id":"ana","scope":"nodes","search_filters":{"edge_types":["a"]}}`,
			"search_filters"},
		{"POST", "zep/api/v2/graph/search", `{"query":"x","user_id":"ana","scope":"episodes","search_filters":{"edge_types":["a"]}}`,
			"search_filters"},
		{"GET", "zep/api/v2/threads/t/context?minRating=0.5", "", "minRating"},
	} {
		if got := e.do(c.method, "/compat/"+c.path, c.body); got.Code != 501 ||
			!strings.Contains(got.Body.String(), c.names) {
			t.Errorf("%s %s %s = %d %s, want 501 with %s", c.method, c.path, c.body, got.Code, got.Body, c.names)
		}
	}
	list := func() int {
		page, err := e.engine.List(t.Context(), trilith.Scope{Tenant: "default"}, trilith.ListRequest{})
		if err != nil {
			t.Fatal(err)
		}
		return len(page.Items)
	}
	if n := list(); n > 0 {
		t.Errorf("%d memories are stored by refused calls", n)
	}
	if got := e.do("POST", "/compat/mem0/v1/memories", add+`"excludes":null,"includes":"","immutable":false}`); got.Code != 200 ||
		list() == 0 {
		t.Errorf("restrictions without values: %d %s", got.Code, got.Body)
	}
}

// TestNothingStoredIsAnError: a call of which nothing is stored fails, and one of which something is stored does not.
func TestNothingStoredIsAnError(t *testing.T) {
	t.Parallel()
	e := open(t, false)
	for _, path := range []string{"users", "threads"} {
		if got := e.do("POST", "/compat/zep/api/v2/"+path, `{"user_id":"ana","thread_id":"t"}`); got.Code >= 300 {
			t.Fatalf("%s of Zep: %d %s", path, got.Code, got.Body)
		}
	}
	for _, c := range []struct{ path, body string }{
		{"mem0/v1/memories", `{"user_id":"ana","messages":[{"role":"user","content":"` + "\u200b" + `"}GOOD]}`},
		{"mem0/v1/memories", `{"user_id":"ana","infer":false,"messages":[{"role":"user","content":"` + "\u200b" + `"}GOOD]}`},
		{"zep/api/v2/threads/t/messages", `{"messages":[{"role":"user","content":"` + "\u200b" + `"}GOOD]}`},
	} {
		for good, want := range map[string]int{"": 400, `,{"role":"user","content":"I row."}`: 200} {
			body := strings.Replace(c.body, "GOOD", good, 1)
			if got := e.do("POST", "/compat/"+c.path, body); got.Code != want || want == 400 &&
				!strings.Contains(got.Body.String(), "empty") {
				t.Errorf("%s %q = %d %s, want %d", c.path, body, got.Code, got.Body, want)
			}
		}
	}
}
