package lexical

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/trilith-memory/trilith/internal/search/bm25"
)

// subject returns the subject of a question: its text without the words that are names. A named person is matched as
// the speaker. A vector of the name would be near everything that they said, and far from what others answered.
func (p *Probe) subject(names []bm25.Term) string {
	var forms []string
	for _, t := range names {
		forms = append(forms, t.Forms...)
	}
	// a single word may be read in another language, which orders its forms in another way
	isName := func(terms [][]string) bool {
		for _, term := range terms {
			if !slices.ContainsFunc(term, func(form string) bool { return slices.Contains(forms, form) }) {
				return false
			}
		}
		return len(terms) > 0
	}
	var out strings.Builder
	rest := p.Text
	for rest != "" {
		begin := strings.IndexFunc(rest, inWord)
		if begin < 0 {
			begin = len(rest)
		}
		end := len(rest)
		if after := strings.IndexFunc(rest[begin:], func(r rune) bool { return !inWord(r) }); after >= 0 {
			end = begin + after
		}
		out.WriteString(rest[:begin])
		if word := rest[begin:end]; !mayBe(word, forms) || !isName(p.Analyzer.QueryTerms(word, p.Held)) {
			out.WriteString(word)
		}
		rest = rest[end:]
	}
	return strings.Join(strings.Fields(out.String()), " ")
}

// inWord reports whether a sign belongs to a word, with the ending of a genitive.
func inWord(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsDigit(r) || r == '\'' || r == '’'
}

// mayBe reports whether a word may have one of the forms: a cheap check, because most words begin with another letter.
func mayBe(word string, forms []string) bool {
	return word != "" && slices.ContainsFunc(forms, func(form string) bool {
		return form != "" && (word[0] >= utf8.RuneSelf || form[0] >= utf8.RuneSelf || word[0]|0x20 == form[0]|0x20)
	})
}
