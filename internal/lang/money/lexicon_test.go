package money

import (
	"strconv"
	"strings"
	"testing"

	"github.com/trilith-memory/trilith/internal/lang/wordfile"
)

// TestLexiconRows: a row with a misspelt key would be words that are not known.
func TestLexiconRows(t *testing.T) {
	t.Parallel()
	for key, words := range wordfile.Rows(lexiconFile) {
		kind, of, _ := strings.Cut(key, " ")
		_, err := strconv.Atoi(of)
		known := false
		switch kind {
		case "currency", "sign":
			fields := strings.Fields(of)
			known = len(fields) == 3
			if known {
				_, known = formNamed[fields[2]]
			}
		case "shared", "nation", "country", "unit", "modifier", "unlike":
			known = true
		case "scale", "numeral":
			known = err == nil
		case "role":
			known = roleNamed[of] != 0
		case "kind":
			known = strings.ToLower(of) == of
		}
		if !known {
			t.Errorf("%s: %s is no row that the lexicon knows", key, words)
		}
		for w := range strings.FieldsSeq(words) {
			if kind != "shared" && kind != "kind" && kind != "unlike" && len(w) > maxWord {
				t.Errorf("%s: %s has more than %d bytes, so it is never looked up", key, w, maxWord)
			}
		}
	}
}

func TestPatternsCompile(t *testing.T) {
	t.Parallel()
	for name, re := range patterns {
		if re().MatchString("") && name != "belongs" {
			t.Errorf("%s matches nothing at all", name)
		}
	}
}
