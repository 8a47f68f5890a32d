package dates

import (
	"strconv"
	"strings"
	"testing"

	"github.com/trilith-memory/trilith/internal/lang/wordfile"
)

// TestTables: a word that is in two lines would silently lose the roles of the first.
func TestTables(t *testing.T) {
	t.Parallel()
	for name, table := range map[string]string{"english.txt": englishTable, "german.txt": germanTable} {
		seen := make(map[string]bool)
		for key, value := range wordfile.Rows(table) {
			kind, rest, _ := strings.Cut(key, " ")
			isPart := kind == "phrase" || kind == "inflected"
			if isPart {
				key = rest
			}
			names, n, _ := strings.Cut(key, " ")
			for role := range strings.SplitSeq(names, "+") {
				if roleNamed[role] == 0 {
					t.Errorf("%s: %s: there is no role %q", name, key, role)
				}
			}
			if _, err := strconv.Atoi(n); n != "" && err != nil && numberNamed[n] == 0 && n != "minute" {
				t.Errorf("%s: %s: there is no number %q", name, key, n)
			}
			if isPart {
				continue
			}
			for w := range strings.FieldsSeq(value) {
				if w = fold(w); seen[w] {
					t.Errorf("%s has %q twice", name, w)
				}
				seen[w] = true
				if len(w) > maxWord {
					t.Errorf("%s: %q is longer than %d bytes and never found", name, w, maxWord)
				}
			}
		}
	}
	for name, lex := range map[string]lexicon{"english": english, "german": german} {
		for w := range lex.words {
			if got, _ := scanWord(w, 0, &lex); got.lexeme != lex.words[w] || len(w) > maxWord {
				t.Errorf("%s: the word %q is not found as it is kept", name, w)
			}
		}
	}
}
