package ledger

import (
	"slices"
	"strings"
	"unicode"

	"github.com/trilith-memory/trilith/internal/lang/textproc"
)

// name is a name as it is compared.
type name struct {
	text  string
	words []string
}

// SameName reports whether two names are one but for case, accents and signs. No name is one with another.
func SameName(a, b string) bool { return a != "" && nameOf(a).text == nameOf(b).text }

// fits reports whether two names may be of one: they are the same, or one was not said.
func (n name) fits(m name) bool { return n.text == "" || m.text == "" || n.same(m) }

// same reports whether two names are of one: they are equal, or one has all the words of the other, as Kessler and
// Kessler GmbH. No name is the same as another.
func (n name) same(m name) bool {
	return n.text != "" && m.text != "" && (n.text == m.text || n.holds(m) || m.holds(n))
}

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

func nameOf(s string) name {
	words := strings.FieldsFunc(textproc.Fold(s), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
	return name{strings.Join(words, " "), words}
}

const (
	minReference = 3 // how long a number must be for words inside a text to mean it: a shorter one may count something
	maxReference = 4 // words of a number
)

// references are the numbers of papers that words could name, as they are compared.
func references(words []string) map[string]bool {
	out := map[string]bool{}
	for i := range words {
		for n := 1; n <= maxReference && i+n <= len(words); n++ {
			number := strings.Join(words[i:i+n], "")
			if len(number) >= minReference && strings.ContainsAny(number, "0123456789") {
				out[number] = true
			}
		}
	}
	return out
}

// upper begins a sentence.
func upper(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}
