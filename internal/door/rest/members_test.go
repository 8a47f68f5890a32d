package rest_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/door/rest"
)

// TestNullResets: in a change of a memory null means none.
func TestNullResets(t *testing.T) {
	t.Parallel()
	e := open(t, rest.Config{Local: true})
	var kept struct{ Memories []trilith.Memory }
	got := e.do("POST", "/api/v1/memories", `{"user": "ana", "note": {"type": "plan", "content": "We meet in June."},
		"tags": ["work"], "metadata": {"room": 4}, "valid_until": "2099-01-01"}`)
	if err := json.Unmarshal([]byte(got.body), &kept); err != nil || len(kept.Memories) != 1 {
		t.Fatalf("POST /memories = %d %s", got.status, got.body)
	}
	id := string(kept.Memories[0].ID)
	for door, change := range map[string]func(body string) answer{
		"PATCH": func(body string) answer { return e.do("PATCH", "/api/v1/memories/"+id+"?user=ana", body) },
		"POST /batch": func(body string) answer {
			return e.do("POST", "/api/v1/batch", `{"user": "ana", "operations": [{"update": {"id": "`+id+`", `+body[1:]+`}]}`)
		},
	} {
		read := func(body string) trilith.Memory {
			t.Helper()
			var one struct {
				trilith.Memory
				Results []trilith.OperationResult
			}
			got := change(body)
			if err := json.Unmarshal([]byte(got.body), &one); err != nil || got.status != 200 {
				t.Fatalf("%s with %s = %d %s", door, body, got.status, got.body)
			}
			if len(one.Results) == 0 {
				return one.Memory
			}
			if one.Results[0].Error != nil {
				t.Fatalf("%s with %s = %s", door, body, got.body)
			}
			return *one.Results[0].Memory
		}
		if m := read(`{"text": null, "state": null, "version": null, "tags": ["work"], "metadata": {"room": 4}, "valid_until": "2099-01-01"}`); m.Text != "We meet in June." || m.Tags == nil || m.Metadata == nil || m.ValidUntil == nil {
			t.Errorf("%s: what cannot be none was changed by null: %+v", door, m)
		}
		if m := read(`{"tags": null, "metadata": null, "valid_until": null}`); m.Tags != nil || m.Metadata != nil || m.ValidUntil != nil {
			t.Errorf("%s: after null there still are tags %q, metadata %v, an end %v", door, m.Tags, m.Metadata, m.ValidUntil)
		}
	}
}

// TestUserNarrowsEveryListing: where an operation takes a user, it has an effect; and a list of nothing is [].
func TestUserNarrowsEveryListing(t *testing.T) {
	t.Parallel()
	e := importing(t, rest.Config{Local: true})
	for _, body := range []string{`{"user": "ana", "wait": "extracted", "messages": [{"role": "user", "speaker": "Ana",
		"content": "I live in Quimper. My sister Marrit works at Zanderhof."}], "session": "s", "agent": "a", "project": "quimper"}`,
		`{"user": "ana", "name": "quimper", "query": "quimper", "alerts": ["match"]}`} {
		path := "/api/v1/memories"
		if strings.Contains(body, `"name"`) {
			path = "/api/v1/searches"
		}
		if got := e.do("POST", path, body); got.status >= 300 {
			t.Fatalf("POST %s = %d %s", path, got.status, got.body)
		}
	}
	if err := e.engine.Settle(t.Context()); err != nil {
		t.Fatal(err)
	}
	told := func(body string) bool {
		return strings.Contains(strings.ToLower(body), "quimper") || strings.Contains(strings.ToLower(body), "ana\"")
	}
	d, hers := describe(t, e), 0
	for _, path := range slices.Sorted(maps.Keys(d.Paths)) {
		target, takes := with(path, ""), false
		if _, endless := d.Paths[path]["get"].Responses["200"].Content["text/event-stream"]; endless {
			continue
		}
		for _, p := range d.Paths[path]["get"].Parameters {
			name := p["name"].(string)
			takes = takes || name == "user"
			if p["in"] == "path" {
				target = strings.ReplaceAll(target, "{"+name+"}", string(unknownID))
			} else if required, _ := p["required"].(bool); required {
				target += fmt.Sprint(name, "=", d.sample(p["schema"].(map[string]any)), "&")
			}
		}
		if !takes {
			continue
		}
		if got := e.do("GET", target+"user=ana", ""); told(got.body) {
			hers++
		}
		got := e.do("GET", target+"user=nobody", "")
		if told(got.body) || strings.Contains(got.body, ":null") || got.status >= 500 {
			t.Errorf("GET %suser=nobody = %d %.400s; want nothing of another's, and [] for no items", target, got.status, got.body)
		}
	}
	if hers < 4 {
		t.Errorf("%d listings show what Ana has; the test asks nothing", hers)
	}
}
