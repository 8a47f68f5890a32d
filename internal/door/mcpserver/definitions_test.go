package mcpserver_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/door/mcpserver"
)

// TestDefinitions: in every form the tools are those that the server offers, each with its words and its schema under
// the name that the vendor gives it.
func TestDefinitions(t *testing.T) {
	t.Parallel()
	for format, schema := range map[string]string{"openai": "parameters", "openai-responses": "parameters",
		"anthropic": "input_schema", "gemini": "parametersJsonSchema", "mcp": "inputSchema"} {
		for _, sets := range [][]string{nil, mcpserver.ToolSets()} {
			list, err := newRig(t).overPipes(t, local(sets...)).ListTools(t.Context(), nil)
			if err != nil {
				t.Fatal(err)
			}
			var want []string
			for _, tool := range list.Tools {
				want = append(want, tool.Name)
			}
			defined, err := mcpserver.Definitions(format, sets)
			if err != nil {
				t.Fatalf("Definitions(%s, %q) = %v", format, sets, err)
			}
			var got []string
			for _, d := range defined {
				data, err := json.Marshal(d)
				if err != nil {
					t.Fatal(err)
				}
				var flat map[string]any
				if json.Unmarshal(data, &flat) != nil {
					t.Fatalf("%s is no object", data)
				}
				if inner, ok := flat["function"].(map[string]any); ok {
					flat = inner
				}
				name, _ := flat["name"].(string)
				takes, _ := flat[schema].(map[string]any)
				if flat["description"] == "" || takes["type"] != "object" {
					t.Errorf("%s of %s: %s", name, format, data)
				}
				got = append(got, name)
			}
			slices.Sort(got)
			slices.Sort(want)
			if !slices.Equal(got, want) {
				t.Errorf("Definitions(%s, %q) = %q, want %q", format, sets, got, want)
			}
		}
	}
	for _, c := range [][]string{{"grok"}, {"openai", "everything"}} {
		if _, err := mcpserver.Definitions(c[0], c[1:]); trilith.KindOf(err) != trilith.Invalid {
			t.Errorf("Definitions(%q) = %v, want kind invalid", c, err)
		}
	}
}

// TestStrictModes: what the strict modes of model APIs refuse is in no schema, and a call that gives null for every
// argument that it need not give, as they do, is a call without them.
func TestStrictModes(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	p := r.overPipes(t, local(mcpserver.ToolSets()...))
	note := r.note(t, "Ana lives in Oslo.")
	needed := map[string]any{"query": "Ana", "content": "Ben sails.", "id": note, "action": "edit"}
	var check func(string, map[string]any)
	check = func(where string, s map[string]any) {
		properties, _ := s["properties"].(map[string]any)
		if s["anyOf"] != nil || s["oneOf"] != nil || s["$ref"] != nil || s["type"] == nil ||
			s["type"] == "object" && properties == nil {
			t.Errorf("%s: a strict mode refuses %v", where, s)
		}
		for name, of := range properties {
			check(where+"."+name, of.(map[string]any))
		}
		if items, ok := s["items"].(map[string]any); ok {
			check(where+"[]", items)
		} else if s["type"] == "array" {
			t.Errorf("%s: a list of anything", where)
		}
	}
	for _, tool := range toolsIn(t, listed(t, mcpserver.ToolSets()...)) {
		schema := tool.InputSchema.(map[string]any)
		check(tool.Name, schema)
		a, required := args{}, fmt.Sprint(schema["required"])
		for name := range schema["properties"].(map[string]any) {
			a[name] = nil
			if strings.Contains(required, name) {
				a[name] = needed[name]
			}
		}
		if tool.Name == "memory_update" {
			a["tags"] = []string{"home"}
		}
		if !slices.Contains([]string{"memory_append", "memory_get", "memory_search", "memory_update"}, tool.Name) {
			continue
		}
		if res := p.try(t, tool.Name, a); res.IsError {
			t.Errorf("%s %v = %s", tool.Name, a, textOf(t, res))
		}
	}
}
