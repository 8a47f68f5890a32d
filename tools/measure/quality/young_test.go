package quality

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/trilith-memory/trilith"
)

// TestYoung: a young memory contains a question's evidence and no more turns than requested, however large the set is.
func TestYoung(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name string, lines ...string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(strings.Join(lines, "\n")), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var docs []string
	for _, id := range strings.Split("abcdefgh", "") {
		docs = append(docs, `{"id":"`+id+`","group":"g","session":"s","role":"user","text":"turn `+id+`"}`)
	}
	docs = append(docs, `{"id":"x","group":"g","session":"s","role":"assistant","text":"turn x"}`,
		`{"id":"far","group":"other","text":"elsewhere"}`)
	write(DocsFile, docs...)
	write(QueriesFile,
		`{"id":"one","group":"g","text":"One?","evidence":["c"],"category":"k"}`,
		`{"id":"two","group":"g","text":"Two?","evidence":["h","b"]}`,
		`{"id":"many","group":"g","text":"Many?","evidence":["a","b","c","d"]}`,
		`{"id":"none","group":"g","text":"None?","abstention":true}`,
		`{"id":"said","group":"g","text":"Said?","evidence":["x"]}`)
	for _, c := range []struct {
		turns     int
		role      trilith.Role
		questions []string
	}{
		{3, "", []string{"one", "two", "said"}},
		{3, trilith.RoleUser, []string{"one", "two"}},
		{100, "", []string{"one", "two", "many", "said"}},
	} {
		load := func() Set {
			to := t.TempDir()
			if err := Young(dir, to, c.turns, c.role); err != nil {
				t.Fatal(err)
			}
			set, err := LoadSet(to)
			if err != nil {
				t.Fatal(err)
			}
			return set
		}
		set := load()
		var questions []string
		for _, q := range set.Queries {
			questions = append(questions, q.ID)
			n := 0
			for _, d := range set.Docs {
				if d.Group != q.ID {
					continue
				}
				if n++; c.role != "" && d.Role != c.role || strings.Contains(d.ID, "far") {
					t.Errorf("the memory of %s holds %s, said by %s", q.ID, d.ID, d.Role)
				}
			}
			if n > c.turns || n < min(c.turns, 8) {
				t.Errorf("the memory of %s holds %d turns, want %d", q.ID, n, c.turns)
			}
			for _, id := range q.Evidence {
				if !slices.ContainsFunc(set.Docs, func(d Doc) bool { return d.ID == id && d.Group == q.ID }) {
					t.Errorf("the memory of %s lacks its evidence %s", q.ID, id)
				}
			}
		}
		if !slices.Equal(questions, c.questions) {
			t.Errorf("with %d turns the questions are %q, want %q", c.turns, questions, c.questions)
		}
		if again := load(); again.Digest != set.Digest {
			t.Errorf("made twice, the young memories of %d turns differ", c.turns)
		}
	}
	if err := Young(dir, t.TempDir(), 3, "tool"); trilith.KindOf(err) != trilith.Invalid {
		t.Errorf("Young where no question is left = %v, want an error", err)
	}
}
