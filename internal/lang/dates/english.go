package dates

import (
	_ "embed"
	"strings"
)

//go:embed english.txt
var englishTable string

var english = func() lexicon {
	lex := newLexicon(englishTable)
	lex.words["tonight"] = lexeme{roles: aDayCompound, n: thisDay + 8*night}
	lex.meridiem, lex.simplePast = true, true
	lex.past = func(w string) bool { return len(w) > len("aged") && strings.HasSuffix(w, "ed") }
	return lex
}()
