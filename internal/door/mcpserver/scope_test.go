package mcpserver_test

import (
	"io"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/door/mcpserver"
)

// TestNamesMeet: a memory that a model stores for somebody is found under every spelling of the name, and memories of
// others under a name stay under it.
func TestNamesMeet(t *testing.T) {
	t.Parallel()
	everyTransport(t, []string{"graph"}, func(t *testing.T, r *rig, p *peer) {
		id := p.call(t, "memory_append",
			args{"content": "The kettle is red.", "user": " Ana  Berg", "session": "Straße"}).MemoryID
		if m, err := r.Get(t.Context(), trilith.Scope{Tenant: "default"}, id); err != nil || m.Scope.User != "ana berg" ||
			m.Scope.Session != "strasse" {
			t.Errorf("stored in %+v, %v, want the folded names", m.Scope, err)
		}
		for _, a := range []args{
			{"query": "kettle", "user": "ana berg"}, {"query": "kettle", "user": "ANA BERG\t"},
			{"query": "kettle", "session": "STRASSE"},
			{"query": "kettle", "filters": args{"user": "Ana Berg"}},
			{"query": "kettle", "filters": args{"session_id": "Strasse"}},
			{"query": "kettle", "filters": args{"or": []args{{"user": "Ana Berg"}, {"user": "nobody"}}}},
			{"query": "kettle", "filters": args{
				"and": []args{{"not": args{"user": "Ben"}}, {"user": args{"eq": "Ana Berg"}}}}},
		} {
			if got := p.call(t, "memory_search", a); len(got.Results) != 1 || got.Results[0].ID != id {
				t.Errorf("memory_search %v = %+v, want the one", a, got.Results)
			}
		}
		if got := p.call(t, "memory_search",
			args{"query": "kettle", "filters": args{"user": args{"ne": "Ana Berg"}}}); len(got.Results) != 0 {
			t.Errorf("memory_search of everybody else = %+v, want nothing", got.Results)
		}
		if got := read(t, p.resource(t, "memory://session/Stra%C3%9Fe")); len(got.Results) != 1 {
			t.Errorf("memory://session = %+v, want the one", got.Results)
		}

		said, err := r.Remember(t.Context(), trilith.Scope{Tenant: "default", User: "Ben"},
			trilith.RememberRequest{Text: "The kettle is mine."})
		if err != nil {
			t.Fatal(err)
		}
		if got := p.call(t, "memory_search", args{"query": "kettle", "user": "Ben"}); len(got.Results) != 1 ||
			got.Results[0].ID != said.Memories[0].ID {
			t.Errorf("memory_search for Ben = %+v, want what was stored under this name elsewhere", got.Results)
		}
		if _, err := r.Forget(t.Context(), trilith.Scope{Tenant: "default"},
			trilith.ForgetRequest{IDs: []trilith.ID{said.Memories[0].ID}}); err != nil {
			t.Fatal(err)
		}
		next := p.call(t, "memory_append", args{"content": "Ben has a boat.", "user": "Ben"}).MemoryID
		if m, err := r.Get(t.Context(), trilith.Scope{Tenant: "default"}, next); err != nil || m.Scope.User != "Ben" {
			t.Errorf("stored in %+v, %v, want Ben: his memories are forgotten, his name is not", m.Scope, err)
		}
		p.call(t, "memory_assimilate",
			args{"identifier": args{"type": "name", "value": "Cy"}, "content": "I live in Bergen.", "user": "Cy"})
		if got := p.call(t, "memory_lookup",
			args{"identifier": args{"type": "name", "value": "Cy"}, "user": "CY"}); len(got.Facts) == 0 {
			t.Error("memory_lookup does not find what memory_assimilate stored for the same person")
		}
	})
}

// TestFixedNames: a fixed name of a connection is used as it is written, and a call may spell it differently.
func TestFixedNames(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	for name, p := range map[string]*peer{
		"stdio": r.overPipes(t, mcpserver.Session{Who: local().Who, Scope: trilith.Scope{User: "Ana Berg"}}),
		"http":  overHTTP(t, r.web(t, true)+"/mcp?user=Ana+Berg&tools=scope", ""),
	} {
		id := p.call(t, "memory_append",
			args{"content": "The mast is ash, says " + name + ".", "user": "ana  berg"}).MemoryID
		if m, err := r.Get(t.Context(), trilith.Scope{Tenant: "default"}, id); err != nil || m.Scope.User != "Ana Berg" {
			t.Errorf("%s: stored in %+v, %v, want the fixed name", name, m.Scope, err)
		}
		if got := p.call(t, "memory_search",
			args{"query": "mast " + name, "filters": args{"user": "ANA BERG"}}); !slices.ContainsFunc(
			got.Results, func(r result) bool { return r.ID == id }) {
			t.Errorf("%s: memory_search by filter = %+v, want it", name, got.Results)
		}
		p.fails(t, "memory_search", args{"query": "mast", "user": "anaberg"}, trilith.Forbidden,
			"user: this connection is fixed")
	}
}

// TestSearchWithoutQuestion lists what is newest, and of a session its turns in order.
func TestSearchWithoutQuestion(t *testing.T) {
	t.Parallel()
	everyTransport(t, nil, func(t *testing.T, r *rig, p *peer) {
		if got := p.call(t, "memory_search", args{}); got.Status != "success" || len(got.Results) != 0 {
			t.Errorf("memory_search of an empty memory = %+v", got)
		}
		for _, text := range []string{"One.", "Two.", "Three.", "Four.", "Five.", "Six."} {
			p.call(t, "memory_append", args{"content": text, "tags": []string{text[:1]}})
		}
		if _, err := r.Remember(t.Context(), trilith.Scope{Tenant: "default", Session: "Monday"},
			trilith.RememberRequest{Messages: []trilith.Message{
				{Content: "Is the ferry late?"}, {Role: trilith.RoleAssistant, Content: "It is."},
				{Content: "Thanks."}}}); err != nil {
			t.Fatal(err)
		}
		turns := []string{"Is the ferry late?", "It is.", "Thanks."}
		newest := []string{"Thanks.", "It is.", "Is the ferry late?", "Six.", "Five."}
		for _, c := range []struct {
			args args
			want []string
		}{
			{args{}, newest},
			{args{"query": nil}, newest},
			{args{"query": " "}, newest},
			{args{"query": "*"}, newest},
			{args{"limit": 2}, newest[:2]},
			{args{"filters": args{"tags": args{"contains": "T"}}}, []string{"Three.", "Two."}},
			{args{"session": "Monday"}, turns},
			{args{"query": "*", "filters": args{"session": "Monday"}}, turns},
			{args{"filters": args{"session_id": "Monday", "kind": "episode"}}, turns},
			{args{"filters": args{"session_id": "Monday", "role": "assistant"}}, turns[1:2]},
			{args{"session": "Monday", "limit": 2}, turns[1:]},
			{args{"session": "Tuesday"}, nil},
		} {
			got := p.call(t, "memory_search", c.args)
			if !slices.Equal(contents(got.Results), c.want) || len(got.Results) > 0 && got.Results[0].Score != 0 {
				t.Errorf("memory_search %v = %+v, want %q", c.args, got.Results, c.want)
			}
		}
	})
	r := newRig(t)
	p := r.overPipes(t, mcpserver.Session{Who: local().Who, Scope: trilith.Scope{Session: "here"}})
	p.call(t, "memory_append", args{"content": []string{"First.", "Second."}})
	if got := contents(p.call(t, "memory_search", args{}).Results); !slices.Equal(got, []string{"First.", "Second."}) {
		t.Errorf("memory_search in a connection fixed to a session = %q, want its turns in order", got)
	}
}

// TestBlankScope: a model that writes "" or blanks for somebody is told to leave the argument out, by every tool; null
// is an argument that is absent. An address that names nobody is refused, too.
func TestBlankScope(t *testing.T) {
	t.Parallel()
	everyTransport(t, mcpserver.ToolSets(), func(t *testing.T, r *rig, p *peer) {
		if _, err := r.Remember(t.Context(), trilith.Scope{Tenant: "default", User: "ben"},
			trilith.RememberRequest{Text: "Ben is allergic to nuts."}); err != nil {
			t.Fatal(err)
		}
		before, err := r.Stats(t.Context(), trilith.Scope{Tenant: "default"})
		if err != nil {
			t.Fatal(err)
		}
		asked := 0
		for tool, err := range p.Tools(t.Context(), nil) {
			if err != nil {
				t.Fatal(err)
			}
			properties, _ := tool.InputSchema.(map[string]any)["properties"].(map[string]any)
			for _, name := range trilith.ScopeMembers {
				if _, takes := properties[name]; !takes {
					continue
				}
				for _, blank := range []string{"", "  ", "\u00a0"} {
					asked++
					p.fails(t, tool.Name, args{name: blank}, trilith.Invalid, name+": is blank; name one, or leave it out")
				}
			}
		}
		if asked < 100 {
			t.Errorf("%d calls were made; the tools are not walked", asked)
		}
		p.fails(t, "memory_search", args{"query": "nuts", "filters": args{"user": ""}}, trilith.Invalid, "filters: user: is blank")
		if got := p.call(t, "memory_search", args{"query": "nuts", "user": nil}); len(got.Results) != 1 {
			t.Errorf("memory_search with null = %+v, want what it finds without", got.Results)
		}
		after, err := r.Stats(t.Context(), trilith.Scope{Tenant: "default"})
		if err != nil || !reflect.DeepEqual(after, before) {
			t.Errorf("the memory is %+v, %v, want %+v as before", after, err, before)
		}
	})
	r := newRig(t)
	for _, blank := range []string{"", "%20", "%C2%A0"} {
		resp, err := http.Post(r.web(t, true)+"/mcp?user="+blank, "application/json", strings.NewReader(`{}`))
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil || resp.StatusCode != 400 || !strings.Contains(string(body), "user: is blank") {
			t.Errorf("POST /mcp?user=%s = %d %s, %v; want 400", blank, resp.StatusCode, body, err)
		}
	}
}

// TestEveryToolTakesScope: each tool accepts each of the four values, whether or not it shows them, and never leaves what
// the connection is fixed to.
func TestEveryToolTakesScope(t *testing.T) {
	t.Parallel()
	everyTransport(t, slices.DeleteFunc(mcpserver.ToolSets(), func(set string) bool { return set == "scope" }),
		func(t *testing.T, r *rig, p *peer) {
			fixed := r.overPipes(t, mcpserver.Session{Who: local().Who, Tools: mcpserver.ToolSets(),
				Scope: trilith.Scope{Project: "boat", User: "ana", Agent: "scout", Session: "monday"}})
			tools := 0
			for tool, err := range p.Tools(t.Context(), nil) {
				if err != nil {
					t.Fatal(err)
				}
				tools++
				given, _ := exampleOf(tool.InputSchema).(map[string]any)
				for _, name := range []string{"project", "user", "agent", "session"} {
					given[name] = "other"
					fixed.fails(t, tool.Name, given, trilith.Forbidden, name+": this connection is fixed to another one")
					delete(given, name)
					if said := textOf(t, p.try(t, tool.Name, args{name: "other"})); strings.Contains(said, "no such argument") {
						t.Errorf("%s of %s = %s", tool.Name, name, said)
					}
				}
			}
			if tools < 20 {
				t.Errorf("%d tools were walked", tools)
			}
		})
}

// TestScopeOfChanges: what a call that names somebody may read, change or forget is theirs.
func TestScopeOfChanges(t *testing.T) {
	t.Parallel()
	everyTransport(t, nil, func(t *testing.T, _ *rig, p *peer) {
		id := p.call(t, "memory_append", args{"content": "The winch is green.", "user": "ana"}).MemoryID
		for tool, a := range map[string]args{
			"memory_get":    {"id": id},
			"memory_update": {"id": id, "action": "edit", "content": "The winch is blue."},
			"memory_forget": {"ids": []trilith.ID{id}},
		} {
			a["user"] = "ben"
			p.fails(t, tool, a, trilith.NotFound, "")
			a["user"] = "Ana"
			p.call(t, tool, a)
		}
		shown := p.call(t, "memory_forget", args{"filters": args{"kind": "note"}, "user": "ana"})
		if shown.Count != 1 {
			t.Errorf("memory_forget of ana by filter = %+v, want one", shown)
		}
		if got := p.call(t, "memory_forget", args{"filters": args{"kind": "note"}, "user": "ben"}); got.Count != 0 {
			t.Errorf("memory_forget of ben by filter = %+v, want none", got)
		}
	})
}

// TestForeignFilters: a condition of another service is refused with the way to write it, and never taken for metadata.
func TestForeignFilters(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	p := r.overPipes(t, local())
	for says, filters := range map[string]args{
		`$or: write {"or": [`:                                      {"$or": []args{{"topic": "home"}}},
		`AND: write {"and": [`:                                     {"AND": []args{{"user_id": "ana"}}},
		`must: write {"and": [`:                                    {"not": args{"must": []args{{"topic": "home"}}}},
		`key: write {"FIELD": VALUE}`:                              {"key": "topic", "match": args{"value": "home"}},
		`metadata.topic: unknown operator "$in"; did you mean in?`: {"topic": args{"$in": []string{"home"}}},
	} {
		p.fails(t, "memory_search", args{"query": "x", "filters": filters}, trilith.Invalid, "filters: "+says)
		p.fails(t, "memory_forget", args{"filters": filters}, trilith.Invalid, "filters: "+says)
	}
	if got := p.call(t, "memory_search", args{"query": "x", "filters": args{"must": "see", "key": "D minor"}}); len(got.Results) > 0 {
		t.Errorf("keys of the metadata are %+v", got.Results)
	}
}

// exampleOf returns a value with what a schema requires.
func exampleOf(schema any) any {
	s, _ := schema.(map[string]any)
	switch s["type"] {
	case "object":
		out := map[string]any{}
		required, _ := s["required"].([]any)
		for _, name := range required {
			out[name.(string)] = exampleOf(s["properties"].(map[string]any)[name.(string)])
		}
		return out
	case "array":
		return []any{exampleOf(s["items"])}
	}
	if enum, ok := s["enum"].([]any); ok {
		return enum[0]
	}
	return "text"
}
