package rest_test

import (
	"encoding/json"
	"maps"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/door/rest"
)

// scopes calls f with a place for each value of a scope in what a schema takes: it puts a value there into a sample.
func (d *described) scopes(s map[string]any, f func(at string, put func(value any) any)) {
	s = d.resolve(s)
	properties, _ := s["properties"].(map[string]any)
	for name, p := range properties {
		with := func(value any) any {
			out := d.sample(s).(map[string]any)
			out[name] = value
			return out
		}
		of := d.resolve(p.(map[string]any))
		if slices.Contains(trilith.ScopeMembers, name) {
			f(name, with)
			continue
		}
		items, isList := of["items"].(map[string]any)
		if isList {
			of = items
		}
		d.scopes(of, func(at string, put func(any) any) {
			if isList {
				f(name+"[0]."+at, func(value any) any { return with([]any{put(value)}) })
				return
			}
			f(name+"."+at, func(value any) any { return with(put(value)) })
		})
	}
}

// TestBlankScope: an application that has lost its user says "", blanks or null. No operation takes that for everybody:
// each says what is wrong, reads nothing and writes nothing.
func TestBlankScope(t *testing.T) {
	t.Parallel()
	e := importing(t, rest.Config{Local: true})
	for _, user := range []string{"ana", "ben"} {
		if got := e.do("POST", "/api/v1/memories", `{"user": "`+user+`", "text": "`+user+` is allergic to nuts."}`); got.status != 200 {
			t.Fatalf("POST /memories = %d %s", got.status, got.body)
		}
	}
	if err := e.engine.Settle(t.Context()); err != nil {
		t.Fatal(err)
	}
	head := func() trilith.Cursor {
		c, err := e.store.Head(t.Context(), trilith.AsSystem("test"), 0)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	before, asked := head(), 0
	refused := func(method, target, name, body string) {
		t.Helper()
		asked++
		got := e.do(method, "/api/v1"+target, body)
		p := got.problem(t)
		if got.status != 400 || p.Kind != "invalid" || !strings.Contains(p.Detail, name+": is ") ||
			!strings.Contains(p.Detail, "leave it out") {
			t.Errorf("%s %s %.300s = %d %.300s; want 400 that says what %s is", method, target, body, got.status, got.body,
				name)
		}
		if now := head(); now != before {
			t.Errorf("%s %s %.300s was refused, and the store has changed", method, target, body)
			before = now
		}
	}
	blanks := []any{"", "  ", "\u00a0", nil}
	d := describe(t, e)
	for _, path := range slices.Sorted(maps.Keys(d.Paths)) {
		for method, operation := range d.Paths[path] {
			method, target := strings.ToUpper(method), strings.TrimPrefix(path, "/api/v1")
			query := []string{}
			for _, p := range operation.Parameters {
				name := p["name"].(string)
				here := "x"
				if p["in"] == "query" && slices.Contains(trilith.ScopeMembers, name) {
					query = append(query, name)
				}
				target = strings.ReplaceAll(target, "{"+name+"}", here)
			}
			for _, name := range query {
				for _, blank := range blanks[:3] {
					value := url.QueryEscape(blank.(string))
					refused(method, with(target, name+"="+value), name, "")
					refused(method, with(target, name+"=ana&"+name+"="+value), name, "")
				}
			}
			for media, content := range operation.RequestBody.Content {
				d.scopes(content.Schema, func(at string, put func(any) any) {
					for _, blank := range blanks {
						body, err := json.Marshal(put(blank))
						if err != nil {
							t.Fatal(err)
						}
						if media == "application/json" {
							refused(method, target, at, string(body))
						}
					}
				})
			}
		}
	}
	if asked < 1000 {
		t.Errorf("%d requests were made; the description is not walked", asked)
	}
	for _, path := range []string{"/projects/%20?view=ledger", "/projects/%20?view=timeline", "/domains/%20/gaps", "/sessions/%20"} {
		if got := e.do("GET", "/api/v1"+path, ""); got.status != 400 {
			t.Errorf("GET %s = %d %s; want 400", path, got.status, got.body)
		}
	}
	for _, blank := range blanks[:3] {
		for _, name := range trilith.ScopeMembers {
			_, got := e.upload(t, []string{name + "=" + blank.(string)}, [][2]string{{"chat.json", chat}})
			if p := got.problem(t); got.status != 400 || !strings.Contains(p.Detail, name+": is ") || head() != before {
				t.Errorf("POST /imports with %s=%q = %d %s; want 400", name, blank, got.status, got.body)
			}
		}
	}
	for _, line := range []string{`{"memory":{"kind":"note","text":"x","scope":{"user":""}}}`, `{"memory":{"kind":"note","text":"x","scope":{"user":null}}}`} {
		got := e.do("POST", "/api/v1/import", line)
		if !strings.Contains(got.body, `"failed":1`) || !strings.Contains(got.body, "user: is ") || head() != before {
			t.Errorf("POST /import %s = %d %s; want the line refused", line, got.status, got.body)
		}
	}
}

// TestBlankScopeInJSON: a decoder that has no scope of its own takes its names as they are.
func TestBlankScopeInJSON(t *testing.T) {
	t.Parallel()
	for body, ok := range map[string]bool{
		`{"metadata": {"user": ""}, "text": "x"}`: true, `{"tags": [null]}`: true, `[]`: true, `{`: true,
		`{"user": 7}`: true, `{"text": "x"}`: true, `{"user": "ana"}`: true, `{"user": "\t"}`: false, `{"user": null}`: false,
	} {
		var into struct {
			trilith.Scope
			trilith.RememberRequest
		}
		if err := trilith.CheckScopes([]byte(body), reflect.TypeOf(&into)); (err == nil) != ok {
			t.Errorf("CheckScopes(%s) = %v", body, err)
		}
	}
}
