package mcpserver_test

import (
	"context"
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/engine"
	"github.com/trilith-memory/trilith/internal/model/hashembed"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/test/indextest"
)

var changing = regexp.MustCompile(`Score: \d\.\d\d|\d{4}-\d\d-\d\dT[\d:]+Z`)

// act calls a tool of the subagent and returns its text, with S and TIME for what is different every time.
func act(t *testing.T, p *peer, tool string, a args) (text, failed string) {
	t.Helper()
	res, err := p.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: a})
	if err != nil || res.IsError {
		t.Fatalf("%s(%v) = %+v, %v", tool, a, res, err)
	}
	var said struct {
		Success     bool
		Text, Error string
	}
	data, _ := json.Marshal(res.StructuredContent)
	if err := json.Unmarshal(data, &said); err != nil || said.Success != (said.Error == "") {
		t.Fatalf("%s(%v) answers %s", tool, a, data)
	}
	if shown := textOf(t, res); shown != said.Text {
		t.Errorf("%s(%v) shows %q and says %q", tool, a, shown, said.Text)
	}
	return changing.ReplaceAllStringFunc(said.Text, func(s string) string {
		return map[bool]string{true: "Score: S", false: "TIME"}[strings.HasPrefix(s, "Score")]
	}), said.Error
}

// TestSubagent: both ways of calling it return the texts that its programs read. A conversation is found as one hit,
// whichever side said the words, and an entry under a key replaces the one before.
func TestSubagent(t *testing.T) {
	t.Parallel()
	everyTransport(t, []string{"subagent"}, func(t *testing.T, r *rig, p *peer) {
		check := func(tool string, a args, want string) {
			t.Helper()
			got, failed := act(t, p, tool, a)
			if diff := cmp.Diff(want, got); diff != "" || failed != "" {
				t.Errorf("%s(%v) fails with %q (-want +got):\n%s", tool, a, failed, diff)
			}
		}
		check("memory", args{"action": "search", "query": "Where is the harbour?"}, "Aucun résultat pertinent trouvé dans la mémoire.")
		check("memory__index", args{"content": "The parser is in lexer.go."}, "Contenu indexé dans la collection knowledge (type: fact)")
		check("memory", args{"action": "index", "content": "The harbour closes at nine.", "key": "harbour", "type": "summary"},
			"Contenu indexé dans la collection knowledge (type: summary)")
		check("memory__index", args{"content": "The harbour closes at ten.", "key": "harbour", "type": "summary"},
			"Contenu indexé dans la collection knowledge (type: summary)")
		check("memory__search", args{"query": "When does the harbour close?", "limit": 1},
			"1 résultat(s) trouvé(s) :\n\n1. [Score: S] summary (TIME): The harbour closes at ten.")
		for _, noise := range []string{"quel temps fait-il à Tokyo", "Chess champions, Lima 1925"} {
			check("memory__search", args{"query": noise}, "Aucun résultat pertinent trouvé dans la mémoire.")
		}
		long := strings.Repeat("très ", 60)
		if _, err := r.Remember(t.Context(), trilith.Scope{Tenant: "default", Session: "one", Channel: "slack"},
			trilith.RememberRequest{Extract: trilith.ExtractNone, Messages: []trilith.Message{
				{Role: trilith.RoleUser, Content: "Which rope holds the anchor?"},
				{Role: trilith.RoleAssistant, Content: "The blue nylon one. " + long}}}); err != nil {
			t.Fatal(err)
		}
		for _, query := range []string{"Which rope holds the anchor?", "blue nylon"} {
			check("memory__search", args{"query": query, "limit": 1}, "1 résultat(s) trouvé(s) :\n\n1. [Score: S] Conversation (slack, TIME):\n"+
				"   User: Which rope holds the anchor?\n   Agent: "+string([]rune("The blue nylon one. " + long)[:200]))
		}
		if text, failed := act(t, p, "memory__index", args{"content": " "}); failed != "invalid" || !strings.HasPrefix(text, "Erreur mémoire: ") {
			t.Errorf("nothing to remember: %q, %q", text, failed)
		}
		if text, failed := act(t, p, "memory", args{"action": "sing"}); failed != "unknown_action" || text != "Action inconnue: sing" {
			t.Errorf("an unknown action: %q, %q", text, failed)
		}
		stored := p.call(t, "index", args{"content": "The keel is made of oak."})
		if found := p.call(t, "search", args{"query": "What is the keel made of?"}); len(found.Results) == 0 ||
			found.Results[0].ID != stored.MemoryID {
			t.Errorf("search = %+v, want what index stored", found)
		}
		for language, begins := range map[string]string{"": "Mémoire long terme :", "en": "Long-term memory:", "de": "Langzeitgedächtnis:"} {
			got, err := p.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: "memory_guidance",
				Arguments: map[string]string{"language": language}})
			if err != nil || !strings.HasPrefix(got.Messages[0].Content.(*mcp.TextContent).Text, begins) {
				t.Errorf("guidance in %q = %+v, %v", language, got, err)
			}
		}
	})
}

// down is an embedder whose service answers every request with an error.
type down struct{ role.Embedder }

func (down) Embed(context.Context, role.Use, []string) ([]role.Embedding, error) {
	return nil, trilith.Errorf(trilith.Unavailable, "the service is away")
}

// TestSubagentWhileTheEmbedderIsAway: its programs show errors to a person, so what is found by words alone, or nothing,
// is an answer, which says that it is incomplete.
func TestSubagentWhileTheEmbedderIsAway(t *testing.T) {
	t.Parallel()
	embedder, err := hashembed.New(32)
	if err != nil {
		t.Fatal(err)
	}
	r := openRig(t, engine.Config{Vectors: indextest.NewVector(), Embedder: down{embedder}})
	p := r.overPipes(t, local("subagent"))
	act(t, p, "memory__index", args{"content": "The ferry leaves at nine."})
	for query, want := range map[string]string{"ferry": "The ferry leaves at nine.", "zyzzyva": "Aucun résultat pertinent"} {
		for tool, a := range map[string]args{"memory": {"action": "search", "query": query}, "memory__search": {"query": query}} {
			text, failed := act(t, p, tool, a)
			if failed != "" || !strings.Contains(text, want) || !strings.Contains(text, "incomplète") {
				t.Errorf("%s(%v) = %q, fails with %q; want %q and that it is incomplete", tool, a, text, failed, want)
			}
		}
	}
}
