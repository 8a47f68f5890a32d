package compat_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/trilith-memory/trilith"
)

// TestKeys: a credential of the vendors' schemes leads to its tenant and no further, and reading is not writing.
func TestKeys(t *testing.T) {
	t.Parallel()
	e := open(t, false)
	north, reader := e.as(t, "Token", "north", trilith.AccessWriter), e.as(t, "token", "north", trilith.AccessReader)
	south := e.as(t, "Api-Key", "south", trilith.AccessWriter)
	const add, search = "/compat/mem0/v3/memories/add/", "/compat/mem0/v3/memories/search/"
	const words, question = `{"messages":"I live in Oslo.","user_id":"ana"}`, `{"query":"Oslo","filters":{"user_id":"ana"}}`
	const newUser = `{"user_id":"ana"}`
	for _, c := range []struct {
		name, target, body string
		as                 []string
		status             int
		holds              string
	}{
		{"nobody", search, question, nil, http.StatusUnauthorized, "no API key"},
		{"a wrong key", search, question, []string{"Authorization", "Token none"}, http.StatusUnauthorized, "detail"},
		{"a reader writes", add, words, reader, http.StatusForbidden, "writer"},
		{"a writer writes", add, words, north, http.StatusOK, "Oslo"},
		{"a reader reads", search, question, reader, http.StatusOK, "Oslo"},
		{"another tenant", search, question, south, http.StatusOK, `"results":[]`},
		{"a user of one tenant", "/compat/zep/api/v2/users", newUser, north, http.StatusCreated, "ana"},
		{"the same name in another", "/compat/zep/api/v2/users", newUser, south, http.StatusCreated, "ana"},
	} {
		w := e.do(http.MethodPost, c.target, c.body, c.as...)
		if w.Code != c.status || !strings.Contains(w.Body.String(), c.holds) {
			t.Errorf("%s: %d %s; want %d with %q", c.name, w.Code, w.Body, c.status, c.holds)
		}
		if got := w.Header().Get("Content-Type"); got != "application/json" {
			t.Errorf("%s: content type %q; clients read errors from application/json alone", c.name, got)
		}
	}
}

// TestBoundKeys: with a key that is bound to a user, no request in any dialect reaches another user's memory.
func TestBoundKeys(t *testing.T) {
	t.Parallel()
	e := open(t, false)
	writer := e.as(t, "Token", "north", trilith.AccessWriter)
	ana := e.as(t, "Token", "north", trilith.AccessWriter, trilith.Scope{User: "ana"})
	var ids []string
	for _, r := range [][2]string{
		{"/compat/mem0/v1/memories/", `{"messages":"The safe is behind the mirror.","user_id":"ben"}`},
		{"/compat/zep/api/v2/users", `{"user_id":"ben"}`},
		{"/compat/zep/api/v2/threads", `{"thread_id":"t1","user_id":"ben"}`},
	} {
		w := e.do(http.MethodPost, r[0], r[1], writer...)
		if w.Code >= 300 {
			t.Fatalf("%s: %d %s", r[0], w.Code, w.Body)
		}
		ids = append(ids, uuids.FindAllString(w.Body.String(), -1)...)
	}
	requests := []string{
		`POST /compat/mem0/v3/memories/search/ {"query":"safe","filters":{"user_id":"ben"}}`,
		`POST /compat/mem0/v3/memories/search/ {"query":"safe","filters":{"OR":[{"user_id":"ben"},{"run_id":"x"}]}}`,
		`POST /compat/mem0/v3/memories/ {"filters":{"user_id":"*"}}`,
		`GET /compat/mem0/v1/entities/`,
		`DELETE /compat/mem0/v1/memories/?user_id=ben`,
		`POST /compat/mem0/v1/memories/ {"messages":"I was the safe.","user_id":"ben"}`,
		`GET /compat/zep/api/v2/users/ben`, `GET /compat/zep/api/v2/users-ordered`, `GET /compat/zep/api/v2/threads`,
		`GET /compat/zep/api/v2/users/ben/threads`, `GET /compat/zep/api/v2/threads/t1/messages`,
		`POST /compat/zep/api/v2/threads/t1/messages {"messages":[{"role":"user","content":"The safe."}]}`,
		`POST /compat/zep/api/v2/graph/search {"user_id":"ben","query":"safe","scope":"episodes"}`,
		`GET /compat/zep/api/v2/graph/episodes/user/ben`, `DELETE /compat/zep/api/v2/users/ben`,
	}
	for _, id := range ids {
		requests = append(requests, "GET /compat/mem0/v1/memories/"+id+"/", "GET /compat/mem0/v1/event/"+id+"/",
			"DELETE /compat/mem0/v1/memories/"+id+"/", "GET /compat/mem0/v1/memories/"+id+"/history/",
			"GET /compat/zep/api/v2/graph/episodes/"+id)
	}
	for _, r := range requests {
		parts := append(strings.SplitN(r, " ", 3), "")
		w := e.do(parts[0], parts[1], parts[2], ana...)
		if body := w.Body.String(); w.Code >= 500 || strings.Contains(body, "safe") || w.Code < 300 &&
			(strings.Contains(body, `"ben"`) || parts[0] == http.MethodDelete) {
			t.Errorf("%s: %d %s; want nothing of somebody else's", r, w.Code, body)
		}
	}
	w := e.do(http.MethodPost, "/compat/mem0/v3/memories/search/", `{"query":"safe","filters":{"user_id":"ben"}}`, writer...)
	if !strings.Contains(w.Body.String(), "mirror") {
		t.Errorf("afterwards ben's memory is gone: %d %s", w.Code, w.Body)
	}
	w = e.do(http.MethodPost, "/compat/mem0/v1/memories/", `{"messages":"I sail.","agent_id":"bot"}`, ana...)
	if w.Code != http.StatusOK || !strings.Contains(w.Body.String(), `"user_id":"ana"`) {
		t.Errorf("what a bound key stores: %d %s; want it to be ana's", w.Code, w.Body)
	}
}

// TestDeletingErases: if the operator chooses the vendors' meaning, deleted memories cannot be brought back, and only
// callers who may erase can delete.
func TestDeletingErases(t *testing.T) {
	t.Parallel()
	e := open(t, true)
	writer, admin := e.as(t, "Token", "north", trilith.AccessWriter), e.as(t, "Token", "north", trilith.AccessAdmin)
	const target = "/compat/mem0/v1/memories/"
	e.do(http.MethodPost, target, `{"messages":"I live in Oslo.","user_id":"ana"}`, writer...)
	if w := e.do(http.MethodDelete, target+"?user_id=ana", "", writer...); w.Code != http.StatusForbidden {
		t.Errorf("a writer deletes: %d %s; want 403", w.Code, w.Body)
	}
	if w := e.do(http.MethodDelete, target+"?user_id=ana", "", admin...); w.Code != http.StatusOK {
		t.Errorf("an admin deletes: %d %s; want 200", w.Code, w.Body)
	}
	page, err := e.engine.List(t.Context(), trilith.Scope{Tenant: "north"}, trilith.ListRequest{States: trilith.States()})
	if err != nil || len(page.Items) != 0 {
		t.Errorf("List in all states = %+v, %v; want nothing left", page.Items, err)
	}
}
