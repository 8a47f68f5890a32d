package compat_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/door/compat"
	"github.com/trilith-memory/trilith/internal/door/compat/mem0"
	"github.com/trilith-memory/trilith/internal/door/compat/zep"
)

var parts = regexp.MustCompile(`\{\w+\}`)

// TestBlankScope: in no dialect does a name that is empty, blank or null stand for everybody. It is a bad request in
// the form of the vendor's errors, and nothing is read or written.
func TestBlankScope(t *testing.T) {
	t.Parallel()
	e := open(t, false)
	writer := e.as(t, "Token", "north", trilith.AccessWriter)
	for _, user := range []string{"ana", "ben"} {
		if w := e.do(http.MethodPost, "/compat/mem0/v1/memories/", `{"messages":"I am allergic to nuts.","user_id":"`+user+
			`","agent_id":"bot"}`, writer...); w.Code != http.StatusOK {
			t.Fatalf("add: %d %s", w.Code, w.Body)
		}
	}
	stored := func() int {
		page, err := e.engine.List(t.Context(), trilith.Scope{Tenant: "north"},
			trilith.ListRequest{States: trilith.States(), Limit: 1000})
		if err != nil {
			t.Fatal(err)
		}
		return len(page.Items)
	}
	before, asked := stored(), 0
	refused := func(d *compat.Dialect, method, target, body, name string) {
		t.Helper()
		asked++
		w := e.do(method, target, body, writer...)
		var got, want any
		if json.Unmarshal(w.Body.Bytes(), &got) != nil || w.Code != 400 ||
			!strings.Contains(w.Body.String(), name+": is ") {
			t.Errorf("%s %s %s = %d %s; want 400 that names %s", method, target, body, w.Code, w.Body, name)
		}
		form, err := json.Marshal(d.Problem(400, ""))
		if err != nil || json.Unmarshal(form, &want) != nil || len(want.(map[string]any)) != len(got.(map[string]any)) {
			t.Errorf("%s %s = %s; want an error of the form %s", method, target, w.Body, form)
		}
	}
	for _, d := range dialects {
		for _, route := range d.Routes {
			target := strings.TrimSuffix(d.Prefix(), "/") + parts.ReplaceAllString(route.Path, "x")
			for _, name := range d.Whose {
				for _, blank := range []string{"", "  ", "\u00a0"} {
					refused(d, route.Method, target+"?"+name+"="+url.QueryEscape(blank), "", name)
				}
				for _, blank := range []string{`""`, `"  "`, `"\u00a0"`, `null`} {
					refused(d, route.Method, target, `{"query":"nuts","agent_id":"bot","`+name+`":`+blank+`}`, name)
				}
			}
		}
	}
	for _, filters := range []string{`{"user_id":""}`, `{"user_id":null}`, `{"AND":[{"user_id":" "},{"agent_id":"bot"}]}`,
		`{"OR":[{"user_id":{"eq":""}},{"agent_id":"bot"}]}`, `{"agent_id":"bot","user_id":{"in":["ana",""]}}`} {
		for _, path := range []string{"v3/memories/search/", "v2/memories/", "v3/memories/add/"} {
			body := `{"query":"nuts","messages":"I sail.","filters":` + filters + `}`
			w := e.do(http.MethodPost, "/compat/mem0/"+path, body, writer...)
			if w.Code != 400 || !strings.Contains(w.Body.String(), "leave it out") {
				t.Errorf("POST %s %s = %d %s; want 400", path, body, w.Code, w.Body)
			}
		}
	}
	for _, path := range []string{"zep/api/v2/graph/episodes/user/%20"} {
		if w := e.do(http.MethodGet, "/compat/"+path, "", writer...); w.Code != 400 {
			t.Errorf("GET %s = %d %s; want 400", path, w.Code, w.Body)
		}
	}
	if after := stored(); after != before || asked < 500 {
		t.Errorf("after %d requests %d memories are stored; want %d", asked, after, before)
	}

	// Under a key that is bound to a user, null is what a client sends that leaves a member out.
	ana := e.as(t, "Token", "north", trilith.AccessWriter, trilith.Scope{User: "ana"})
	w := e.do(http.MethodPost, "/compat/mem0/v3/memories/search/", `{"query":"nuts","user_id":null,"agent_id":"bot"}`, ana...)
	if w.Code != 200 || !strings.Contains(w.Body.String(), `"ana"`) || strings.Contains(w.Body.String(), `"ben"`) {
		t.Errorf("null under the key of ana = %d %s; want what is hers", w.Code, w.Body)
	}
	if !slices.Contains(mem0.Dialect.Whose, "user_id") || !slices.Contains(zep.Dialect.Whose, "user_id") {
		t.Error("the dialects with users do not name them")
	}
}

// TestSessionOfNobody: a session of Zep's second version may have no user. What is known for it is its own, and not
// what is known of everybody.
func TestSessionOfNobody(t *testing.T) {
	t.Parallel()
	e := open(t, false)
	for _, r := range [][2]string{
		{"/compat/mem0/v1/memories/", `{"messages":"I am allergic to nuts.","user_id":"ben"}`},
		{"/compat/zep/api/v2/sessions", `{"session_id":"s1"}`},
		{"/compat/zep/api/v2/sessions/s1/memory", `{"messages":[{"role":"Ana","role_type":"user",
			"content":"Who is allergic to nuts?"}]}`},
	} {
		if w := e.do(http.MethodPost, r[0], r[1]); w.Code >= 300 {
			t.Fatalf("POST %s: %d %s", r[0], w.Code, w.Body)
		}
	}
	w := e.do(http.MethodGet, "/compat/zep/api/v2/sessions/s1/memory", "")
	if body := w.Body.String(); w.Code != 200 || strings.Contains(body, "ben") ||
		strings.Contains(body, "I am allergic") {
		t.Errorf("the memory of a session without a user = %d %s; want nothing of ben", w.Code, body)
	}
}
