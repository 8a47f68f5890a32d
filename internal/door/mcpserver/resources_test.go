package mcpserver_test

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/trilith-memory/trilith"
)

func TestResources(t *testing.T) {
	t.Parallel()
	everyTransport(t, nil, func(t *testing.T, r *rig, p *peer) {
		id := p.call(t, "memory_append", args{"content": "Ana lives in Oslo: at the harbour."}).MemoryID
		talk, err := r.Remember(t.Context(), trilith.Scope{Tenant: "default", Session: "a talk / über alles"},
			trilith.RememberRequest{Messages: []trilith.Message{
				{Content: "Is the ferry late?"}, {Role: trilith.RoleAssistant, Content: "It is."}, {Content: "Thanks."}}})
		if err != nil {
			t.Fatal(err)
		}
		for _, uri := range []string{
			"memory://search?q=Oslo",
			"memory://search?q=where%20does%20Ana%20live&limit=3",
			"memory://search?q=where does Ana live&limit=3",
			"memory://search?q=where+does+Ana+live",
			"memory://search?limit=3&q=Oslo",
			`memory://search?q="Oslo": 'harbour'`,
			"memory://search?q=Wo wohnt Ana – Oslo? #harbour",
			"memory://search?q=Oslo 100%&limit=many",
			"memory://search?q=Oslo&Co",
			"memory://search/?q=オスロ Oslo&limit=1000",
			"memory://search?q=Oslo&limit=0",
		} {
			if got := read(t, p.resource(t, uri)); len(got.Results) == 0 || got.Results[0].ID != id {
				t.Errorf("%s = %+v, want the note first", uri, got.Results)
			}
		}
		var found struct {
			Query   string
			Results []struct {
				Content   string
				Relevance float64
				Score     float64 `json:"relevance_score"`
			}
			Total int
		}
		text := p.resource(t, "memory://search?q=Oslo harbour")
		if err := json.Unmarshal([]byte(text), &found); err != nil || found.Query != "Oslo harbour" ||
			found.Total != len(found.Results) || found.Total == 0 ||
			found.Results[0].Content != "Ana lives in Oslo: at the harbour." || found.Results[0].Relevance <= 0 ||
			found.Results[0].Relevance != found.Results[0].Score {
			t.Errorf("memory://search = %s, want the question, results with their relevance, and how many", text)
		}
		listed, err := p.ListResources(t.Context(), nil)
		if err != nil || !slices.ContainsFunc(
			listed.Resources, func(r *mcp.Resource) bool { return r.URI == "memory://search" }) {
			t.Errorf("resources/list = %+v, %v; want the search among them", listed, err)
		}
		for _, uri := range []string{"memory://search", "memory://search?q=", "memory://search?limit=5",
			"memory://search?q=%20"} {
			var how struct{ Error, Example string }
			if text := p.resource(t, uri); json.Unmarshal([]byte(text), &how) != nil ||
				!strings.Contains(how.Error, "q: is missing") || !strings.HasPrefix(how.Example, "memory://search?q=") {
				t.Errorf("%s = %s, want what is missing and an example", uri, text)
			}
		}
		var item trilith.Memory
		if err := json.Unmarshal([]byte(p.resource(t, "memory://item/"+string(id))), &item); err != nil ||
			item.ID != id {
			t.Errorf("memory://item = %+v, %v", item, err)
		}
		for _, uri := range []string{"memory://session/a talk / über alles",
			"memory://session/a%20talk%20%2F%20%C3%BCber%20alles"} {
			if got, want := contents(read(t, p.resource(t, uri)).Results),
				[]string{"Is the ferry late?", "It is.", "Thanks."}; !slices.Equal(got, want) {
				t.Errorf("%s = %q, want %q", uri, got, want)
			}
		}
		if got := read(t, p.resource(t, "memory://recent")); len(got.Results) != 4 || got.Results[3].ID != id {
			t.Errorf("memory://recent = %+v, want four, the first remembered last", got.Results)
		}
		p.call(t, "memory_update", args{"id": talk.Memories[2].ID, "action": "supersede", "content": "Many thanks."})
		var stats trilith.Stats
		if err := json.Unmarshal([]byte(p.resource(t, "memory://stats")), &stats); err != nil {
			t.Fatal(err)
		}
		want := trilith.Stats{Total: 5, Kinds: map[trilith.Kind]int{trilith.KindNote: 2, trilith.KindEpisode: 3},
			Newest: stats.Newest,
			States: map[trilith.State]int{trilith.StateActive: 4, trilith.StateSuperseded: 1}}
		if diff := cmp.Diff(want, stats); diff != "" || stats.Newest == nil {
			t.Errorf("memory://stats differs (-want +got):\n%s", diff)
		}
		for _, uri := range []string{"memory://item/" + string(trilith.DeriveID("nobody")), "memory://item/nonsense",
			"memory://item/", "memory://session/none",
			"memory://session/", "memory://nothing", "file:///etc/passwd", "memory://item/../stats",
			"memory://item/é"} {
			_, err := p.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri})
			if wire, ok := errors.AsType[*jsonrpc.Error](err); !ok || wire.Code != jsonrpc.CodeInvalidParams ||
				wire.Message != "Resource not found" {
				t.Errorf("resource %q = %v, want not found", uri, err)
			}
		}
	})
}

func TestPrompts(t *testing.T) {
	t.Parallel()
	everyTransport(t, nil, func(t *testing.T, _ *rig, p *peer) {
		get := func(name string, a map[string]string) (string, error) {
			res, err := p.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: name, Arguments: a})
			if err != nil {
				return "", err
			}
			return res.Messages[0].Content.(*mcp.TextContent).Text, nil
		}
		if text, err := get("recall_context", map[string]string{"topic": "Oslo"}); err != nil ||
			text != "Nothing is remembered about this: Oslo" {
			t.Errorf("recall_context of an empty memory = %q, %v", text, err)
		}
		p.call(t, "memory_append", args{"content": "Ana lives in Oslo."})
		if text, err := get("recall_context", map[string]string{"topic": "Oslo"}); err != nil ||
			!strings.Contains(text, "Ana lives in Oslo.") || !strings.Contains(text, trilith.FenceClose) {
			t.Errorf("recall_context = %q, %v, want a fenced block", text, err)
		}
		if text, err := get("remember_this", map[string]string{"content": "Ana moved."}); err != nil ||
			!strings.Contains(text, "memory_append: Ana moved.") {
			t.Errorf("remember_this = %q, %v", text, err)
		}
		if text, err := get("remember_this", nil); err != nil || !strings.Contains(text, "this conversation") {
			t.Errorf("remember_this of nothing = %q, %v", text, err)
		}
		_, err := get("recall_context", nil)
		if wire, ok := errors.AsType[*jsonrpc.Error](err); !ok || wire.Code != jsonrpc.CodeInvalidParams ||
			!strings.HasPrefix(wire.Message, "topic: is missing") {
			t.Errorf("recall_context without a topic = %v", err)
		}
	})
}

// TestAlertsResource: an agent reads the open alerts of its own scope, and those of nobody else.
func TestAlertsResource(t *testing.T) {
	t.Parallel()
	everyTransport(t, nil, func(t *testing.T, r *rig, p *peer) {
		here, away := trilith.Scope{Tenant: "default"}, trilith.Scope{Tenant: "away"}
		q := trilith.SearchRequest{Name: "harbour", Of: trilith.SearchMemories, Query: "harbour"}
		for _, s := range []trilith.Scope{here, away} {
			if _, err := r.SaveSearch(t.Context(), s, q); err != nil {
				t.Fatal(err)
			}
		}
		open := func() []trilith.Alert {
			t.Helper()
			if err := r.RunSearches(t.Context()); err != nil {
				t.Fatal(err)
			}
			text := p.resource(t, "memory://alerts")
			var page trilith.AlertPage
			if err := json.Unmarshal([]byte(text), &page); err != nil || strings.Contains(text, "likes") {
				t.Errorf("memory://alerts = %s, %v; want alerts without text", text, err)
			}
			return page.Items
		}
		if got := open(); len(got) != 0 {
			t.Errorf("alerts before anything happened = %+v", got)
		}
		if _, err := r.Remember(t.Context(), away, trilith.RememberRequest{Text: "Ben likes the harbour."}); err != nil {
			t.Fatal(err)
		}
		id := p.call(t, "memory_append", args{"content": "Ana likes the harbour."}).MemoryID
		got := open()
		if len(got) != 1 || got[0].MemoryID != id || got[0].Kind != trilith.AlertMatch {
			t.Fatalf("alerts = %+v, want one about %s", got, id)
		}
		if _, err := r.AcknowledgeAlerts(t.Context(), here,
			trilith.AcknowledgeRequest{IDs: []trilith.ID{got[0].ID}}); err != nil {
			t.Fatal(err)
		}
		if got := open(); len(got) != 0 {
			t.Errorf("alerts after they were seen = %+v", got)
		}
	})
}
