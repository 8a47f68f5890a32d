package ledger

import (
	"slices"
	"strings"
	"unicode"

	"github.com/cairn-memory/cairn/internal/textproc"
)

// name is a name as it is compared.
type name struct {
	text  string
	words []string
}

func nameOf(s string) name {
	words := strings.FieldsFunc(textproc.Fold(s), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	return name{strings.Join(words, " "), words}
}

// SameName reports whether two names are one but for case, accents and signs. No name is one with another.
func SameName(a, b string) bool { return a != "" && nameOf(a).text == nameOf(b).text }

// same reports whether two names are of one: they are equal, or one has all the words of the other, as Kessler and
// Kessler GmbH. No name is the same as another.
func (n name) same(m name) bool {
	return n.text != "" && m.text != "" && (n.text == m.text || n.holds(m) || m.holds(n))
}

// fits reports whether two names may be of one: they are the same, or one was not said.
func (n name) fits(m name) bool { return n.text == "" || m.text == "" || n.same(m) }

// holds reports whether the name has all words of another.
func (n name) holds(m name) bool {
	for _, w := range m.words {
		if !slices.Contains(n.words, w) {
			return false
		}
	}
	return len(m.words) > 0
}

// plainNumber is a number of a paper as it is compared: R-12, r 12 and R12 are one.
func plainNumber(s string) string {
	return strings.Join(nameOf(s).words, "")
}

// minReference is how long a number must be for its words inside a text to mean it: a shorter one may count something.
const minReference = 3

// refersTo reports whether the words of a paper name the number of another.
func (p *paper) refersTo(q *paper) bool {
	if len(q.number) < minReference || !strings.ContainsAny(q.number, "0123456789") || p.Quote == "" {
		return false
	}
	number, words := nameOf(q.Number).words, nameOf(p.Quote).words
	for i := range words {
		if len(words)-i >= len(number) && slices.Equal(words[i:i+len(number)], number) {
			return true
		}
	}
	return false
}

// upper begins a sentence.
func upper(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}
