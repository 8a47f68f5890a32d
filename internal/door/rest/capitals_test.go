package rest_test

import (
	"encoding/json"
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/trilith-memory/trilith/internal/door/rest"
)

// TestIDsInCapitals: an id in capitals is that id, in each path, query and filter: the answer is that to the id as it
// is written.
func TestIDsInCapitals(t *testing.T) {
	t.Parallel()
	prepare := func() (e *edge, ids func(string) string) {
		e = open(t, rest.Config{Local: true})
		var stored struct {
			Memories []struct {
				ID       string
				SourceID string `json:"source_id"`
			}
		}
		var saved struct{ ID string }
		for _, r := range []struct {
			path, body string
			into       any
		}{
			{"/api/v1/memories", `{"user":"ana","text":"The lamp is in the attic.","wait":"indexed"}`, &stored},
			{"/api/v1/searches", `{"user":"ana","name":"lamps","of":"memories","query":"lamp"}`, &saved}, // no alert of the lamp
		} {
			if got := e.do("POST", r.path, r.body); got.status != 200 || json.Unmarshal([]byte(got.body), r.into) != nil {
				t.Fatalf("POST %s = %d %s", r.path, got.status, got.body)
			}
		}
		return e, strings.NewReplacer("MEMORY", stored.Memories[0].ID, "SOURCE", stored.Memories[0].SourceID,
			"SEARCH", saved.ID).Replace
	}
	varies := regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|\d{4}-\d\d-\d\dT[^"]*|"latency_ms":\d+`)
	for _, c := range []struct{ method, path, body string }{
		{"GET", "/memories/MEMORY", ""},
		{"GET", "/memories/MEMORY?view=history", ""},
		{"PATCH", "/memories/MEMORY", `{"tags":["lamp"],"version":1}`},
		{"POST", "/memories/MEMORY/share?user=ana", `{"scope":{"user":"ben"}}`},
		{"DELETE", "/memories/MEMORY", ""},
		{"GET", "/searches/SEARCH", ""},
		{"DELETE", "/searches/SEARCH", ""},
		{"GET", "/alerts?search=SEARCH", ""},
		{"POST", "/search", `{"query":"lamp","filter":{"id":"MEMORY"}}`},
		{"POST", "/search", `{"query":"lamp","filter":{"id":{"in":["MEMORY"]}}}`},
		{"POST", "/search", `{"query":"lamp","filter":{"not":{"id":{"nin":["MEMORY"]}}}}`},
		{"POST", "/forget", `{"user":"ana","filter":{"source_id":"SOURCE"},"dry_run":true}`},
		{"GET", "/memories?filter=" + url.QueryEscape(`{"id":"`) + "MEMORY" + url.QueryEscape(`"}`), ""},
	} {
		answers := map[bool]string{}
		for _, capitals := range []bool{false, true} {
			e, ids := prepare()
			path, body := "/api/v1"+c.path, c.body
			for _, name := range []string{"MEMORY", "SOURCE", "SEARCH"} {
				id := ids(name)
				if capitals {
					id = strings.ToUpper(id)
				}
				path, body = strings.ReplaceAll(path, name, id), strings.ReplaceAll(body, name, id)
			}
			got := e.do(c.method, path, body)
			answers[capitals] = fmt.Sprint(got.status, " ", varies.ReplaceAllString(got.body, "…"))
		}
		if answers[true] != answers[false] || !strings.HasPrefix(answers[false], "20") {
			t.Errorf("%s %s %s answers %s\nin capitals: %s", c.method, c.path, c.body, answers[false], answers[true])
		}
	}
}
