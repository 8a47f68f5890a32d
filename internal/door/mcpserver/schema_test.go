package mcpserver_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/door/mcpserver"
	"github.com/trilith-memory/trilith/internal/engine"
)

// budget is what the default tools may cost every conversation, whether it uses them or not.
const budget = 1500

// listed asks for the tools of a connection and returns the one line of the answer.
func listed(t *testing.T, sets ...string) string {
	t.Helper()
	r := newRig(t)
	var out bytes.Buffer
	in := strings.NewReader(hello + `{"jsonrpc":"2.0","id":1,"method":"tools/list"}` + "\n")
	if err := mcpserver.Serve(t.Context(), r.config(), local(sets...), in, &out); err != nil {
		t.Fatal(err)
	}
	_, line, _ := strings.Cut(strings.TrimSpace(out.String()), "\n")
	return line
}

// toolsIn decodes the tools of such a line.
func toolsIn(t *testing.T, line string) []*mcp.Tool {
	t.Helper()
	var msg struct{ Result mcp.ListToolsResult }
	if err := json.Unmarshal([]byte(line), &msg); err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	return msg.Result.Tools
}

// TestToolsGolden: the descriptions that models get of the tools change only on purpose.
func TestToolsGolden(t *testing.T) {
	t.Parallel()
	var got bytes.Buffer
	if err := json.Indent(&got, canonical(t, listed(t, mcpserver.ToolSets()...)), "", "  "); err != nil {
		t.Fatal(err)
	}
	got.WriteByte('\n')
	path := filepath.Join("testdata", "tools.json")
	if *update {
		if err := os.WriteFile(path, got.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got.String()); diff != "" {
		t.Errorf("tools/list differs from %s; if it should, run with -update (-want +got):\n%s", path, diff)
	}
}

// canonical is the JSON value of a line with its members in order.
func canonical(t *testing.T, line string) []byte {
	t.Helper()
	var v any
	if err := json.Unmarshal([]byte(line), &v); err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		t.Fatal(err)
	}
	return bytes.TrimSpace(out.Bytes())
}

// TestToolsAreCheap keeps the tools, as they go over the wire, inside their budget, and the numbers of the guide true.
func TestToolsAreCheap(t *testing.T) {
	t.Parallel()
	cost := func(sets ...string) int {
		data, err := json.Marshal(toolsIn(t, listed(t, sets...)))
		if err != nil {
			t.Fatal(err)
		}
		return engine.Tokens(string(data))
	}
	base := cost()
	if base >= budget {
		t.Errorf("the default tools cost %d tokens, want under %d", base, budget)
	}
	guide, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", "mcp.md"))
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]int{"default": base}
	for _, set := range mcpserver.ToolSets() {
		rows["`"+set+"`"] = cost(set) - base
	}
	for name, tokens := range rows {
		if row := fmt.Sprintf("| %s | %d |", name, tokens); !strings.Contains(string(guide), row) {
			t.Errorf("docs/mcp.md does not have the row %q", row)
		}
	}
}

// TestToolsAreWellDescribed: every schema is one, every hint is given, and names are those of the protocol.
func TestToolsAreWellDescribed(t *testing.T) {
	t.Parallel()
	reads := []string{"memory_search", "memory_get", "memory_lookup", "memory_relations", "search",
		"memory__search", "read_graph", "search_nodes", "open_nodes"}
	destroys := []string{"memory_update", "memory_forget", "memory_review", "delete_entities", "delete_observations",
		"delete_relations"}
	for _, tool := range toolsIn(t, listed(t, mcpserver.ToolSets()...)) {
		a := tool.Annotations
		if a == nil || a.DestructiveHint == nil || a.OpenWorldHint == nil || *a.OpenWorldHint {
			t.Fatalf("%s has the hints %+v, want all of them, and a closed world", tool.Name, a)
		}
		if a.ReadOnlyHint != slices.Contains(reads, tool.Name) ||
			*a.DestructiveHint != slices.Contains(destroys, tool.Name) || a.ReadOnlyHint && !a.IdempotentHint {
			t.Errorf("%s has the hints readOnly %t, destructive %t, idempotent %t", tool.Name, a.ReadOnlyHint,
				*a.DestructiveHint, a.IdempotentHint)
		}
		if tool.Description == "" || tool.Title == "" {
			t.Errorf("%s has the title %q and the description %q", tool.Name, tool.Title, tool.Description)
		}
		undescribed(t, tool.Name, tool.InputSchema.(map[string]any))
		for what, schema := range map[string]any{"input": tool.InputSchema, "output": tool.OutputSchema} {
			data, err := json.Marshal(schema)
			if err != nil {
				t.Fatal(err)
			}
			var s jsonschema.Schema
			if err := json.Unmarshal(data, &s); err != nil {
				t.Fatalf("%s: %s schema: %v", tool.Name, what, err)
			}
			if _, err := s.Resolve(&jsonschema.ResolveOptions{ValidateDefaults: true}); err != nil ||
				s.Type != "object" {
				t.Errorf("%s: %s schema of type %s: %v", tool.Name, what, s.Type, err)
			}
		}
	}
}

// undescribed complains about arguments that say nothing.
func undescribed(t *testing.T, where string, schema map[string]any) {
	t.Helper()
	properties, _ := schema["properties"].(map[string]any)
	for name, p := range properties {
		argument := p.(map[string]any)
		if argument["description"] == nil {
			t.Errorf("%s: %s has no description", where, name)
		}
		undescribed(t, where+": "+name, argument)
	}
}

// TestScopeIsAsked: a model that is not told of scopes makes none up.
func TestScopeIsAsked(t *testing.T) {
	t.Parallel()
	shows := func(line string) (n int) {
		for _, tool := range toolsIn(t, line) {
			if tool.Name == "memory_search" {
				continue // whose results name sessions
			}
			for _, name := range []string{"project", "user", "agent", "session"} {
				if tool.InputSchema.(map[string]any)["properties"].(map[string]any)[name] != nil {
					n++
				}
			}
		}
		return n
	}
	if n := shows(listed(t, "graph", "review", "subagent")); n != 0 {
		t.Errorf("without the set scope %d arguments name one", n)
	}
	if n := shows(listed(t, "graph", "review", "scope")); n != 9*4 {
		t.Errorf("with the set scope %d arguments name one, want four of nine tools", n)
	}
}

// TestArgumentsAreInOrder: models read them as they are written, actions before what belongs to them.
func TestArgumentsAreInOrder(t *testing.T) {
	t.Parallel()
	line := listed(t)
	at := strings.Index(line, `"edit: correct`) // in memory_update
	for _, name := range []string{"content", "tags", "restore", "timestamp", "decision", "note"} {
		next := strings.Index(line[at:], `"`+name+`":{`)
		if next < 0 {
			t.Fatalf("memory_update: %s does not stand behind those before it", name)
		}
		at += next
	}
}

func TestListsAreSteady(t *testing.T) {
	t.Parallel()
	first := listed(t, "graph", "review")
	for range 3 {
		if again := listed(t, "review", "graph"); again != first {
			t.Fatalf("two lists of the same tools differ:\n%s\n%s", first, again)
		}
	}
}

// TestOnly: the set only leaves exactly the tools of the others, with no word about those that are gone.
func TestOnly(t *testing.T) {
	t.Parallel()
	names := func(sets ...string) (out []string) {
		for _, tool := range toolsIn(t, listed(t, sets...)) {
			out = append(out, tool.Name)
		}
		slices.Sort(out)
		return out
	}
	usual := names()
	if want := []string{"memory_append", "memory_forget", "memory_get", "memory_search", "memory_update"}; !slices.Equal(
		usual, want) {
		t.Errorf("the default tools are %q, want %q", usual, want)
	}
	for _, set := range mcpserver.ToolSets() {
		want := slices.DeleteFunc(names(set), func(name string) bool { return slices.Contains(usual, name) })
		if got := names("only", set); !slices.Equal(got, want) {
			t.Errorf("only,%s lists %q, want %q", set, got, want)
		}
	}
	p := overHTTP(t, newRig(t).web(t, true)+"/mcp?tools=only,subagent", "")
	if said := p.InitializeResult().Instructions; said != "" {
		t.Errorf("the instructions are %q", said)
	}
	if err := mcpserver.CheckTools([]string{"only"}); trilith.KindOf(err) != trilith.Invalid {
		t.Errorf("only alone: %v, want invalid", err)
	}
}
