package extraction_test

import (
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/client"
	"github.com/trilith-memory/trilith/internal/compose"
	"github.com/trilith-memory/trilith/internal/door/rest"
	"github.com/trilith-memory/trilith/tools/measure/extraction"
)

// TestSet: the set has a hundred turns, half of them without a fact, and values that are in the words.
func TestSet(t *testing.T) {
	t.Parallel()
	set, err := extraction.Load("testdata")
	if err != nil {
		t.Fatal(err)
	}
	ids, empty := map[string]bool{}, 0
	for _, turn := range set.Turns {
		if ids[turn.ID] {
			t.Errorf("%s is there twice", turn.ID)
		}
		ids[turn.ID] = true
		if !slices.ContainsFunc(turn.Facts, func(l extraction.Label) bool { return !l.Optional }) {
			empty++
		}
		for _, l := range turn.Facts {
			if !slices.ContainsFunc(strings.Split(l.Value[0], "|"), func(word string) bool {
				return strings.Contains(strings.ToLower(turn.Text), word)
			}) {
				t.Errorf("%s: %q is not in %q", turn.ID, l.Value[0], turn.Text)
			}
			if l.Whose == "" || l.Topic == "" {
				t.Errorf("%s: the label %+v has no owner or no topic", turn.ID, l)
			}
		}
	}
	if len(set.Turns) != 100 || empty != 50 || len(set.Others) != 36 {
		t.Errorf("there are %d turns, %d of them without a fact, and %d pairs", len(set.Turns), empty, len(set.Others))
	}
}

// TestPost: what a service makes of turns is compared with the labels, and what ended for somebody else ends nothing.
func TestPost(t *testing.T) {
	t.Parallel()
	script := filepath.Join(t.TempDir(), "script.yaml")
	if err := os.WriteFile(script, []byte("entries:\n  - answer: {facts: []}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	m, err := compose.Open(t.Context(), compose.Settings{Store: "mem:", Embedder: "none", Texts: "auto", Vectors: "auto",
		Model: "scripted:" + script, Tokenizer: "o200k", Extract: "auto", Version: "dev",
		Getenv: func(string) string { return "" }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = m.Close() })
	server := httptest.NewServer(rest.New(rest.Config{Engine: m.Engine, Local: true}))
	t.Cleanup(server.Close)
	set := extraction.Set{Turns: []extraction.Turn{
		{ID: "1", Session: "a", Day: "2025-03-04", Role: trilith.RoleUser, Speaker: "Mira", Text: "I live in Leeds.",
			Facts: []extraction.Label{{Whose: "speaker", Topic: "home", Value: []string{"leeds"}}}},
		{ID: "2", Session: "a", Day: "2025-03-04", Role: trilith.RoleAssistant, Text: "How nice."},
		{ID: "3", Session: "b", Day: "2025-03-05", Role: trilith.RoleUser, Speaker: "Tom", Text: "I live in Oslo.",
			Not: []extraction.Label{{Why: "a test", Value: []string{"oslo"}}}}},
		Others: []extraction.Others{{ID: "en-end01", Speaker: "Alva", Day: "2025-02-03", Says: "I live in Bergen.",
			LaterDay: "2025-05-12", Later: "My neighbour Ingrid moved away from Bergen."}}}
	run, err := extraction.Post(t.Context(), client.New(server.URL), set, extraction.Options{Extract: trilith.ExtractAuto,
		Settle: m.Work})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range run.Facts {
		got = append(got, strings.Join([]string{f.Turns[0], f.Value, string(f.State), string(f.Verdict), f.Why}, "|"))
	}
	if want := []string{"1|Leeds|active|true|", "3|Oslo|active|false|a test"}; !slices.Equal(got, want) {
		t.Errorf("facts %q, want %q", got, want)
	}
	if run.Known != 1 || run.Pairs != 1 || len(run.Ends) != 0 || run.Calls == 0 || len(run.Read) != 3 {
		t.Errorf("run %+v; want three turns, and one pair with a known fact that does not end", run)
	}
	r := extraction.Make("script", set, run)
	if r.Labels != 1 || r.Rows[2].Precision != 50 || r.Rows[2].Recall != 100 {
		t.Errorf("report %+v, want half of the facts true and the only label found", r)
	}
}
