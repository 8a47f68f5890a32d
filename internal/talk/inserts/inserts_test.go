package inserts_test

import (
	"os"
	"strings"
	"testing"

	"github.com/trilith-memory/trilith/internal/talk/inserts"
)

// blocks reads a table of turns; lines with # at its beginning are about the table.
func blocks(t testing.TB, name string) []string {
	t.Helper()
	b, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	table := string(b)
	for strings.HasPrefix(table, "# ") {
		_, table, _ = strings.Cut(table, "\n")
	}
	return strings.Split(strings.TrimSuffix(table, "\n"), "\n----\n")
}

func TestInserts(t *testing.T) {
	t.Parallel()
	for _, block := range blocks(t, "inserts.txt") {
		turn, want, _ := strings.Cut(block, "\n==\n")
		said, inserted := inserts.Cut(turn)
		if said != want || inserted == "" && !strings.Contains(turn, want) {
			t.Errorf("Cut(%q) =\nsaid %q, want %q\ninserted %q", turn, said, want, inserted)
		}
		for _, program := range []string{"Lisbon", "Fixture", "vegetarian"} {
			if strings.Count(inserted, program) != strings.Count(turn, program) {
				t.Errorf("Cut(%q): inserted = %q lacks %q", turn, inserted, program)
			}
		}
	}
}

func TestWritten(t *testing.T) {
	t.Parallel()
	for _, turn := range blocks(t, "tags.txt") {
		if said, inserted := inserts.Cut(turn); said != turn || inserted != "" {
			t.Errorf("Cut(%q) =\nsaid %q\ninserted %q, want it whole", turn, said, inserted)
		}
	}
}

// FuzzCut: what is cut is part of the turn, nothing else is lost, and what is left holds no insert.
func FuzzCut(f *testing.F) {
	for _, name := range []string{"inserts.txt", "tags.txt"} {
		for _, block := range blocks(f, name) {
			f.Add(block)
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		said, inserted := inserts.Cut(text)
		if inserted == "" && said == text {
			return
		}
		if again := inserts.Said(said); again != said {
			t.Errorf("Said(%q) = %q after Cut(%q)", said, again, text)
		}
		for word := range strings.FieldsSeq(said + "\n" + inserted) {
			if !strings.Contains(text, word) {
				t.Errorf("Cut(%q) made up %q", text, word)
			}
		}
		if all := len(strings.Join(strings.Fields(text), "")); len(strings.Join(strings.Fields(said+inserted), "")) > all {
			t.Errorf("Cut(%q) returns more than it got: %q, %q", text, said, inserted)
		}
	})
}
