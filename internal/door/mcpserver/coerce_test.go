package mcpserver_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/trilith-memory/trilith"
)

// TestForms: what clients make of an argument is read as what its schema asks for, and the answer says so once.
func TestForms(t *testing.T) {
	t.Parallel()
	everyTransport(t, mcpserverSets, func(t *testing.T, r *rig, p *peer) {
		for _, c := range []struct {
			tool string
			args args
			note string
			want func(m trilith.Memory) bool
		}{
			{"memory_append", args{"content": "Note one.", "tags": `["music","hobby"]`}, `Read tags as ["music","hobby"].`,
				func(m trilith.Memory) bool { return slices.Equal(m.Tags, []string{"music", "hobby"}) }},
			{"memory_append", args{"content": "Note two.", "tags": "music, ,hobby,"}, `Read tags as ["music","hobby"].`,
				func(m trilith.Memory) bool { return slices.Equal(m.Tags, []string{"music", "hobby"}) }},
			{"memory_append", args{"content": "Note three.", "tags": "music"}, `Read tags as ["music"].`,
				func(m trilith.Memory) bool { return slices.Equal(m.Tags, []string{"music"}) }},
			{"memory_append", args{"content": "Note four.", "tags": []any{"a", 7}}, `Read tags as ["a","7"].`,
				func(m trilith.Memory) bool { return slices.Equal(m.Tags, []string{"a", "7"}) }},
			{"memory_append", args{"content": "Note five.", "metadata": `{"topic": "home", "n": 2}`},
				`Read metadata as {"n":2,"topic":"home"}.`,
				func(m trilith.Memory) bool { return m.Metadata["topic"] == "home" }},
			{"memory_append", args{"content": 42}, `Read content as "42".`,
				func(m trilith.Memory) bool { return m.Text == "42" }},
			{"memory_append", args{"content": `["stays", "text"]`}, "",
				func(m trilith.Memory) bool { return m.Text == `["stays", "text"]` }},
			{"memory_append", args{"content": `{"stays": "text"}`, "type": "5"}, "",
				func(m trilith.Memory) bool { return m.Text == `{"stays": "text"}` && m.Type == "5" }},
			{"memory_append", args{"content": []any{"Note six, with a comma."}, "tags": nil}, "",
				func(m trilith.Memory) bool { return m.Text == "Note six, with a comma." && len(m.Tags) == 0 }},
		} {
			res := p.try(t, c.tool, c.args)
			got := read(t, textOf(t, res))
			if res.IsError || got.Note != c.note {
				t.Errorf("%s %v = %s, want the note %q", c.tool, c.args, textOf(t, res), c.note)
				continue
			}
			m, err := r.Get(t.Context(), trilith.Scope{Tenant: "default"}, got.MemoryID)
			if err != nil || !c.want(m) {
				t.Errorf("%s %v stores %+v, %v", c.tool, c.args, m, err)
			}
		}
		for _, c := range []struct {
			tool string
			args args
			note string
		}{
			{"memory_search", args{"query": "note", "limit": "5"}, "Read limit as 5."},
			{"memory_search", args{"query": "note", "limit": 5.0}, ""},
			{"memory_search", args{"query": "note", "limit": json.Number("5.0")}, ""},
			{"memory_search", args{"query": "note", "limit": " 5.0 ", "strong_only": "False"}, "Read limit as 5, strong_only as false."},
			{"memory_search", args{"query": 42}, `Read query as "42".`},
			{"memory_search", args{"query": "note", "filters": `{"tags": {"contains": "music"}}`},
				`Read filters as {"tags":{"contains":"music"}}.`},
			{"memory_search", args{"query": "note", "tags": "music"}, `Read tags as ["music"].`},
			{"memory_search", args{"query": "note", "format": "briefing", "budget": "500"}, "Read budget as 500."},
			{"memory_lookup", args{"identifier": `{"type":"name","value":"Ana"}`, "card": "true", "limit": "3"},
				`Read identifier as {"type":"name","value":"Ana"}, limit as 3, card as true.`},
			{"memory_lookup", args{"identifier": args{"type": "name", "value": "Ana"}, "include_states": "active,expired"},
				`Read include_states as ["active","expired"].`},
			{"memory_review", args{"limit": "3"}, "Read limit as 3."},
			{"memory_session", args{"limit": "3"}, "Read limit as 3."},
		} {
			if res := p.try(t, c.tool, c.args); c.tool != "memory_lookup" && res.IsError || !res.IsError &&
				read(t, textOf(t, res)).Note != c.note || res.IsError && !strings.Contains(textOf(t, res), "not_found") {
				t.Errorf("%s %v = %s, want the note %q", c.tool, c.args, textOf(t, res), c.note)
			}
		}
	})
}

var mcpserverSets = []string{"graph", "reference", "review", "sessions", "subagent"}

// TestFormsOfOthers: the tools whose text programs of others read say it in a piece of their own.
func TestFormsOfOthers(t *testing.T) {
	t.Parallel()
	p := newRig(t).overPipes(t, local(mcpserverSets...))
	call := func(tool string, a args) (text, note string) {
		t.Helper()
		res, err := p.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: a})
		if err != nil || res.IsError || len(res.Content) > 2 {
			t.Fatalf("%s %v = %+v, %v", tool, a, res, err)
		}
		if len(res.Content) == 2 {
			note = res.Content[1].(*mcp.TextContent).Text
		}
		return res.Content[0].(*mcp.TextContent).Text, note
	}
	const mara = `{"name":"Mara","entityType":"person","observations":["She sails, mostly."]}`
	if text, note := call("create_entities", args{"entities": `{"name":"Mara","entityType":"person","observations":"She sails, mostly."}`}); text != "["+mara+"]" || note != `Read entities as [{"entityType":"person","name":"Mara","observations":["She sails, mostly."]}].` {
		t.Errorf("create_entities: %s, %q", text, note)
	}
	if text, note := call("add_observations", args{"observations": []args{{"entityName": "Mara", "contents": `["a, b","c"]`}}}); text !=
		`[{"entityName":"Mara","addedObservations":["a, b","c"]}]` || note == "" {
		t.Errorf("add_observations: %s, %q", text, note)
	}
	if text, _ := call("open_nodes", args{"names": "Mara"}); !strings.Contains(text, "mostly") {
		t.Errorf("open_nodes: %s", text)
	}
	if text, note := call("memory__index", args{"content": 5}); !strings.HasPrefix(text, "Contenu") || note != `Read content as "5".` {
		t.Errorf("memory__index: %s, %q", text, note)
	}
	if text, note := call("delete_entities", args{"entityNames": "Mara"}); !strings.HasPrefix(text, "Entities") || note == "" {
		t.Errorf("delete_entities: %s, %q", text, note)
	}
}

// TestFormsRefused: what cannot be read is refused with an example that can.
func TestFormsRefused(t *testing.T) {
	t.Parallel()
	p := newRig(t).overPipes(t, local(mcpserverSets...))
	for _, c := range []struct {
		tool string
		args args
		says string
	}{
		{"memory_search", args{"query": "x", "limit": "many"}, `limit: must be of JSON type integer; for example "limit": 5`},
		{"memory_search", args{"query": "x", "limit": 2.5}, `limit: must be of JSON type integer`},
		{"memory_search", args{"query": "x", "limit": "2.5"}, `limit: must be of JSON type integer`},
		{"memory_search", args{"query": args{"text": "x"}}, `query: must be of JSON type string; for example "query": "text"`},
		{"memory_search", args{"query": []string{"x"}}, "query: must be of JSON type string"},
		{"memory_search", args{"query": "x", "filters": "kind=note"}, `filters: must be of JSON type object; for example "filters": {"`},
		{"memory_search", args{"query": "x", "strong_only": "maybe"}, `strong_only: must be of JSON type boolean; for example "strong_only": true`},
		{"memory_append", args{"content": "x", "tags": args{"a": 1}}, `tags[0]: must be of JSON type string`},
		{"memory_append", args{"content": "x", "tags": ""}, `tags: must be of JSON type array; for example "tags": ["text"]`},
		{"memory_append", args{"content": "x", "tags": []any{nil}}, `tags[0]: must be of JSON type string`},
		{"memory_append", args{"content": "x", "metadata": []int{1}}, "metadata: must be of JSON type object"},
		{"memory_append", args{"content": "x", "user": 7}, "user: "},
		{"create_entities", args{"entities": "Mara"}, `entities: must be of JSON type array; for example "entities": [{"entityType":"text","name":"text","observations":["text"]}]`},
	} {
		p.fails(t, c.tool, c.args, trilith.Invalid, c.says)
	}
	long := args{"query": "x", "filters": strings.Repeat("[", 50_000)}
	p.fails(t, "memory_search", long, trilith.Invalid, "filters: ")
}

// TestFlatFilters: the useful conditions are arguments of their own, and each narrows.
func TestFlatFilters(t *testing.T) {
	t.Parallel()
	p := newRig(t).overPipes(t, local())
	p.call(t, "memory_append", args{"content": "Lamp of brass.", "type": "decision", "tags": []string{"hall", "light"},
		"timestamp": "2025-03-01"})
	p.call(t, "memory_append", args{"content": "Lamp of glass.", "tags": []string{"hall"}, "timestamp": "2025-06-30T15:00:00Z"})
	p.call(t, "memory_append", args{"content": "Lamp of paper.", "timestamp": "2025-07-01", "session": "monday"})
	const brass, glass, paper = "Lamp of brass.", "Lamp of glass.", "Lamp of paper."
	for _, c := range []struct {
		args args
		want []string
	}{
		{args{}, []string{brass, glass, paper}},
		{args{"tags": []string{"hall"}}, []string{brass, glass}},
		{args{"tags": []string{"hall", "light"}}, []string{brass}},
		{args{"type": "decision"}, []string{brass}},
		{args{"type": "manual"}, []string{glass, paper}},
		{args{"type": "note"}, []string{brass, glass, paper}},
		{args{"since": "2025-06-30"}, []string{glass, paper}},
		{args{"until": "2025-06-30"}, []string{brass, glass}},
		{args{"until": "2025-06-30T14:00:00Z"}, []string{brass}},
		{args{"since": "2025-06-01", "until": "2025-06-30"}, []string{glass}},
		{args{"session": "monday"}, []string{paper}},
		{args{"tags": []string{"hall"}, "filters": args{"chunk_type": "decision"}}, []string{brass}},
		{args{"tags": nil, "type": nil, "since": nil, "until": nil, "session": nil, "filters": nil}, []string{brass, glass, paper}},
	} {
		c.args["query"] = "lamp"
		got := contents(p.call(t, "memory_search", c.args).Results)
		slices.Sort(got)
		slices.Sort(c.want)
		if !slices.Equal(got, c.want) {
			t.Errorf("memory_search %v = %q, want %q", c.args, got, c.want)
		}
		c.args["format"] = "briefing"
		block := p.call(t, "memory_search", c.args).Text
		for _, text := range []string{brass, glass, paper} {
			if strings.Contains(block, text) != slices.Contains(c.want, text) {
				t.Errorf("memory_search %v, want %q:\n%s", c.args, c.want, block)
			}
		}
	}
	p.fails(t, "memory_search", args{"query": "lamp", "since": "soon"}, trilith.Invalid, "since: ")
	p.fails(t, "memory_search", args{"query": "lamp", "until": "later"}, trilith.Invalid, "until: ")
}
