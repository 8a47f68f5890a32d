package mcpserver_test

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/mcpserver"
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
