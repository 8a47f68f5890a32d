package quality_test

import (
	"os"
	"path/filepath"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/tools/measure/quality"
)

// folder writes files into a new folder named "fresh".
func folder(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "fresh")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestLoadSetIsLenient(t *testing.T) {
	t.Parallel()
	dir := folder(t, map[string]string{
		"docs.jsonl": `{"id":"1","text":"a","scene":"unknown"}` + "\n\n" +
			`{"id":"2","role":"assistant","group":"g"}`,
		"queries.jsonl": "\n" + `{"text":"who?","evidence":["1"],"audit":"unknown"}` + "\n",
	})
	got, err := quality.LoadSet(dir)
	if err != nil {
		t.Fatal(err)
	}
	want := quality.Set{Name: "fresh", Digest: got.Digest,
		Docs: []quality.Doc{{ID: "1", Role: trilith.RoleUser, Text: "a"},
			{ID: "2", Group: "g", Role: trilith.RoleAssistant}},
		Queries: []quality.Query{{ID: "line 2", Category: "other", Text: "who?", Evidence: []string{"1"}}}}
	if diff := gocmp.Diff(want, got); diff != "" || len(got.Digest) != 64 {
		t.Errorf("LoadSet: digest %q (-want +got):\n%s", got.Digest, diff)
	}
}

func TestLoadSetRefuses(t *testing.T) {
	t.Parallel()
	docs := `{"id":"1"}`
	for _, c := range []struct {
		name string
		dir  string
		want trilith.ErrorKind
	}{
		{"no folder", filepath.Join(t.TempDir(), "nowhere"), trilith.NotFound},
		{"another layout", folder(t, map[string]string{"corpus.jsonl": "", "queries.jsonl": ""}), trilith.Unsupported},
		{"no questions", folder(t, map[string]string{"docs.jsonl": docs}), trilith.Unsupported},
		{"not JSON", folder(t, map[string]string{"docs.jsonl": docs, "queries.jsonl": "who?"}), trilith.Invalid},
		{"turn without id", folder(t, map[string]string{"docs.jsonl": "{}", "queries.jsonl": ""}), trilith.Invalid},
		{"question without text", folder(t, map[string]string{"docs.jsonl": docs, "queries.jsonl": "{}"}),
			trilith.Invalid},
	} {
		_, err := quality.LoadSet(c.dir)
		if err == nil || trilith.KindOf(err) != c.want {
			t.Errorf("LoadSet(%s) = %v, want kind %v", c.name, err, c.want)
		}
	}
}

// The set that the project measures itself with: labels point at turns of the same conversation, and every kind of
// question occurs often enough to be a row of its own.
func TestOwnSetIsWellFormed(t *testing.T) {
	t.Parallel()
	set, err := quality.LoadSet("testdata/set")
	if err != nil {
		t.Fatal(err)
	}
	group := make(map[string]string)
	for _, d := range set.Docs {
		if _, twice := group[d.ID]; twice {
			t.Errorf("turn %s is there twice", d.ID)
		}
		group[d.ID] = d.Group
	}
	seen, categories := make(map[string]bool), make(map[string]int)
	for _, q := range set.Queries {
		if seen[q.ID] {
			t.Errorf("question %s is there twice", q.ID)
		}
		seen[q.ID] = true
		categories[q.Category]++
		if q.Abstention != (len(q.Evidence) == 0) || q.Abstention != (q.Category == "abstention") {
			t.Errorf("question %s: evidence %v, abstention %v, category %s do not agree", q.ID, q.Evidence,
				q.Abstention, q.Category)
		}
		if q.Category == "multi" && len(q.Evidence) < 2 {
			t.Errorf("question %s of category multi has %d turns as evidence, want at least 2", q.ID, len(q.Evidence))
		}
		for _, id := range q.Evidence {
			if group[id] != q.Group {
				t.Errorf("question %s of %s names turn %s of %q", q.ID, q.Group, id, group[id])
			}
		}
	}
	for _, c := range []string{"single", "multi", "temporal", "assistant-said", "preference", "identifier", "spelling",
		"abstention"} {
		if categories[c] < 5 {
			t.Errorf("category %s has %d questions, want at least 5", c, categories[c])
		}
	}
}

func FuzzLoadSet(f *testing.F) {
	f.Add(`{"id":"1","group":"g","role":"user"}`, `{"id":"q","text":"who?","evidence":["1"]}`)
	f.Add("", "")
	f.Add("{}", "{")
	f.Add(`{"id":1}`, `{"text":"who?","evidence":"1"}`)
	f.Add("\n\n", `{"text":"who?","abstention":true}`+"\n\x00")
	f.Fuzz(func(t *testing.T, docs, queries string) {
		set, err := quality.LoadSet(folder(t, map[string]string{"docs.jsonl": docs, "queries.jsonl": queries}))
		if err != nil {
			if trilith.KindOf(err) != trilith.Invalid {
				t.Fatalf("LoadSet of %q and %q = %v, want kind invalid", docs, queries, err)
			}
			return
		}
		for _, q := range set.Queries {
			if q.ID == "" || q.Text == "" || q.Category == "" {
				t.Fatalf("LoadSet of %q and %q has the question %+v, want id, text and category", docs, queries, q)
			}
		}
	})
}
