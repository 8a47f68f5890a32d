package dates

import (
	"strings"
	"testing"
)

// TestTables: a word that is in two lines would silently lose the roles of the first.
func TestTables(t *testing.T) {
	t.Parallel()
	for name, table := range map[string][]entry{"englishWords": englishWords, "germanWords": germanWords} {
		seen := make(map[string]bool)
		for _, e := range table {
			for w := range strings.FieldsSeq(e.words) {
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
