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

// described is what these tests read of the OpenAPI document.
type described struct {
	Paths      map[string]map[string]describedOperation `json:"paths"`
	Components struct {
		Schemas map[string]map[string]any `json:"schemas"`
	} `json:"components"`
}

type describedOperation struct {
	Tags        []string                              `json:"tags"`
	Parameters  []map[string]any                      `json:"parameters"`
	RequestBody struct{ Content contents }            `json:"requestBody"`
	Responses   map[string]struct{ Content contents } `json:"responses"`
	Choices     map[string]describedOperation         `json:"x-choices"`
}

// with adds a query to a path, which may have one.
func with(path, query string) string {
	if strings.Contains(path, "?") {
		return path + "&" + query
	}
	return path + "?" + query
}

type contents map[string]struct {
	Schema map[string]any `json:"schema"`
}

func describe(t *testing.T, e *edge) *described {
	t.Helper()
	d := new(described)
	if err := json.Unmarshal([]byte(e.do("GET", "/openapi.json", "").body), d); err != nil {
		t.Fatal(err)
	}
	if len(d.Paths) < 40 {
		t.Fatalf("the description has %d paths", len(d.Paths))
	}
	for path, methods := range maps.Clone(d.Paths) { // operations of one resource have a path each
		for method, operation := range methods {
			for choice, o := range operation.Choices {
				name, _, _ := strings.Cut(choice, "=")
				o.Parameters = slices.DeleteFunc(o.Parameters, func(p map[string]any) bool { return p["name"] == name })
				own := strings.TrimSuffix(path+"?"+choice, "?")
				if d.Paths[own] == nil {
					d.Paths[own] = map[string]describedOperation{}
				}
				d.Paths[own][method] = o
			}
			if _, normal := operation.Choices[""]; len(operation.Choices) > 0 && !normal {
				delete(methods, method)
			}
		}
	}
	return d
}

// resolve follows a reference, also one that may be null.
func (d *described) resolve(s map[string]any) map[string]any {
	if choices, ok := s["anyOf"].([]any); ok {
		s = choices[0].(map[string]any)
	}
	if ref, ok := s["$ref"].(string); ok {
		return d.Components.Schemas[strings.TrimPrefix(ref, "#/components/schemas/")]
	}
	return s
}

// walk calls f with s and all schemas that it leads to, each component once.
func (d *described) walk(s any, seen map[string]bool, f func(path string, s map[string]any), path string) {
	switch s := s.(type) {
	case map[string]any:
		if ref, ok := s["$ref"].(string); ok {
			if seen[ref] {
				return
			}
			seen[ref] = true
			d.walk(d.resolve(s), seen, f, ref)
			return
		}
		f(path, s)
		for _, name := range slices.Sorted(maps.Keys(s)) {
			d.walk(s[name], seen, f, path+"/"+name)
		}
	case []any:
		for i, item := range s {
			d.walk(item, seen, f, fmt.Sprint(path, "/", i))
		}
	}
}

func TestEveryOperationHasATag(t *testing.T) {
	t.Parallel()
	for path, methods := range describe(t, open(t, rest.Config{Local: true})).Paths {
		for method, operation := range methods {
			if len(operation.Tags) != 1 || operation.Tags[0] == "" {
				t.Errorf("%s %s has the tags %q; name its group in the table of openapi.go", method, path,
					operation.Tags)
			}
		}
	}
}

// A program that was made from the description of this version reads the answers of the next one, which may have more
// members and more values.
func TestAnswersAreOpen(t *testing.T) {
	t.Parallel()
	d := describe(t, open(t, rest.Config{Local: true}))
	seen, listed := make(map[string]bool), 0
	for path, methods := range d.Paths {
		for method, operation := range methods {
			for status, answer := range operation.Responses {
				for _, content := range answer.Content {
					d.walk(content.Schema, seen, func(at string, s map[string]any) {
						if s["additionalProperties"] == false {
							t.Errorf("%s %s answers %s with %s, which takes no further members", method,
								path, status, at)
						}
						if _, closed := s["enum"]; closed {
							t.Errorf("%s %s answers %s with %s, which takes no further values", method,
								path, status, at)
						}
						if _, ok := s["x-extensible-enum"]; ok {
							listed++
						}
					}, method+" "+path)
				}
			}
		}
	}
	if listed < 20 {
		t.Errorf("answers list the known values of %d members, want those of states, kinds, roles and all the others",
			listed)
	}
}

func TestRequestsAreClosed(t *testing.T) {
	t.Parallel()
	d := describe(t, open(t, rest.Config{Local: true}))
	for path, methods := range d.Paths {
		for method, operation := range methods {
			if content, ok := operation.RequestBody.Content["application/json"]; ok {
				if body := d.resolve(content.Schema); body["additionalProperties"] != false {
					t.Errorf("%s %s: its body is described as taking any member", method, path)
				}
			}
		}
	}
}

// sample makes a value that a schema accepts.
func (d *described) sample(s map[string]any) any {
	s = d.resolve(s)
	if values, ok := s["enum"].([]any); ok {
		return values[0]
	}
	switch s["type"] {
	case "string":
		return "x"
	case "integer", "number":
		return 1
	case "boolean":
		return false
	case "array":
		if _, some := s["minItems"]; some {
			return []any{d.sample(s["items"].(map[string]any))}
		}
		return []any{}
	}
	value := make(map[string]any)
	for _, name := range required(s) {
		value[name] = d.sample(s["properties"].(map[string]any)[name].(map[string]any))
	}
	return value
}

func required(s map[string]any) []string {
	var names []string
	list, _ := s["required"].([]any)
	for _, name := range list {
		names = append(names, name.(string))
	}
	return names
}

// ofScope reports whether a member says whose memory is meant: see TestBlankScope.
func ofScope(name string) bool { return name == "scope" || slices.Contains(trilith.ScopeMembers, name) }

// emptied are the members that null empties; see TestNullResets.
var emptied = []string{"/api/v1/memories/{id} metadata", "/api/v1/memories/{id} tags", "/api/v1/memories/{id} valid_until"}

// TestNull walks the table of null in docs/rest.md. The description says that an optional member may be null, so null has
// to be as good as its absence for every member of every request but those that it empties. A required one is refused.
func TestNull(t *testing.T) {
	t.Parallel()
	d := describe(t, open(t, rest.Config{Local: true}))
	members := 0
	for _, path := range slices.Sorted(maps.Keys(d.Paths)) {
		for method, operation := range d.Paths[path] {
			content, ok := operation.RequestBody.Content["application/json"]
			if !ok {
				continue
			}
			body, e := d.resolve(content.Schema), open(t, rest.Config{Local: true})
			send := func(null string) string {
				// the first key closes a server to everybody else, and a search of one name is saved once
				if strings.HasSuffix(path, "/admin/keys") || strings.HasSuffix(path, "/searches") {
					e = open(t, rest.Config{Local: true})
				}
				value := d.sample(body).(map[string]any)
				if null != "" {
					value[null] = nil
				}
				encoded, err := json.Marshal(value)
				if err != nil {
					t.Fatal(err)
				}
				got := e.do(strings.ToUpper(method),
					strings.ReplaceAll(path, "{id}", "01a2053b-7659-75cf-8794-e4fc2137ccba"), string(encoded))
				var problem struct{ Detail string }
				json.Unmarshal([]byte(got.body), &problem)
				return fmt.Sprint(got.status, " ", problem.Detail)
			}
			absent := send("")
			for name := range body["properties"].(map[string]any) {
				if ofScope(name) || slices.Contains(emptied, path+" "+name) {
					continue
				}
				members++
				switch null := send(name); {
				case slices.Contains(required(body), name):
					if !strings.HasPrefix(null, "400 ") || !strings.Contains(null, name+": ") {
						t.Errorf("%s %s with %q: null answers %s; want 400 that names it", method, path, name, null)
					}
				case null != absent:
					t.Errorf("%s %s with %q: null answers %s\nwithout it: %s", method, path, name, null, absent)
				}
			}
		}
	}
	if members < 100 {
		t.Errorf("%d members were tried; the description has more", members)
	}
}

func TestEmptyParameterIsAbsent(t *testing.T) {
	t.Parallel()
	e := open(t, rest.Config{Local: true})
	d := describe(t, e)
	for path, methods := range d.Paths {
		operation, ok := methods["get"]
		if !ok || strings.Contains(path, "{") || strings.HasSuffix(path, "/export") ||
			strings.HasSuffix(path, "/events") { // they are streams
			continue
		}
		var needed []string
		for _, p := range operation.Parameters {
			if p["required"] == true {
				needed = append(needed, p["name"].(string)+"=x")
			}
		}
		without := e.do("GET", with(path, strings.Join(needed, "&")), "")
		for _, p := range operation.Parameters {
			if p["in"] != "query" || p["required"] == true || ofScope(p["name"].(string)) {
				continue
			}
			if p["allowEmptyValue"] != true {
				t.Errorf("GET %s: %s is not described as one that may be empty", path, p["name"])
			}
			empty := e.do("GET", with(path, strings.Join(append(needed, p["name"].(string)+"="), "&")), "")
			if empty.status != without.status {
				t.Errorf("GET %s?%s= answers %d %s\nwithout it: %d", path, p["name"], empty.status, empty.body,
					without.status)
			}
		}
	}
}
