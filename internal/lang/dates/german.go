package dates

import (
	_ "embed"
	"strings"
)

//go:embed german.txt
var germanTable string

var german = func() lexicon {
	lex := newLexicon(germanTable)
	for w, n := range map[string]int8{"monatsanfang": 1 + 4*int8(Month), "monatsende": 3 + 4*int8(Month),
		"jahresanfang": 1 + 4*int8(Year), "jahresende": 3 + 4*int8(Year)} {
		lex.words[w] = lexeme{roles: anEdgeUnit, n: n}
	}
	for d, day := range strings.Fields("sonntag montag dienstag mittwoch donnerstag freitag samstag") {
		for part, word := range map[int8]string{morning: "morgen vormittag früh", noonTime: "mittag",
			afternoon: "nachmittag", evening: "abend", night: "nacht"} {
			for w := range strings.FieldsSeq(word) {
				lex.words[fold(day+w)] = lexeme{roles: aDayCompound, n: int8(d) + 8*part}
			}
		}
	}
	lex.dayFirst, lex.dotted, lex.halfBefore = true, true, true
	lex.past = isParticiple
	return lex
}()

// isParticiple reports whether the lower-case word has the form of a German past participle. It counts only together
// with an auxiliary, because infinitives can have the same form.
func isParticiple(w string) bool {
	if len(w) < len("getan") || !strings.HasSuffix(w, "t") && !strings.HasSuffix(w, "en") && w != "getan" {
		return false
	}
	if strings.HasPrefix(w, "ge") {
		return true
	}
	for prefix := range strings.FieldsSeq("ab an auf aus ein fest her hin mit nach um vor weg zu zurück") {
		if rest, ok := strings.CutPrefix(w, prefix); ok && strings.HasPrefix(rest, "ge") {
			return true
		}
	}
	for prefix := range strings.FieldsSeq("be ver ent er zer") {
		if rest, ok := strings.CutPrefix(w, prefix); ok && len(rest) > 4 && strings.HasSuffix(rest, "t") {
			return true
		}
	}
	return strings.HasSuffix(w, "iert")
}
