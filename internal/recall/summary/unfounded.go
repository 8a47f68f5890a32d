package summary

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/trilith-memory/trilith/internal/lang/textproc"
)

// Unfounded returns the numbers and names of a summary that occur in none of its texts, in order, each once. A number
// is every word with a digit, a name every word with a capital that begins no sentence. The speakers and the times of
// the texts count as well.
func Unfounded(written string, texts []Text) []string {
	founded := map[string]bool{}
	for i := range texts {
		t := &texts[i]
		for _, w := range parts(t.Text + " " + t.Who) {
			founded[w] = true
		}
		if !t.At.IsZero() {
			for _, w := range parts(t.At.Format("2006-01-02 2 January 2006")) {
				founded[w] = true
			}
		}
	}
	var out []string
	for _, s := range split(written) {
		// Names are recognised by their capitals, which say nothing where all nouns have one: those words have to be in
		// the texts like names.
		for i, f := range strings.Fields(strings.TrimLeft(s, "-*• ")) {
			r, _ := utf8.DecodeRuneInString(strings.TrimFunc(f, notWord))
			if !digits(f) && (i == 0 || !unicode.IsUpper(r)) {
				continue
			}
			for _, w := range parts(f) {
				if !founded[w] && !slices.Contains(out, w) {
					out = append(out, w)
				}
			}
		}
	}
	return out
}

// parts are the words of a text in the form in which they are compared, without a possessive ending.
func parts(text string) []string {
	text = strings.NewReplacer("’", "'", "'s ", " ", "'s\n", " ").Replace(text + " ")
	words := strings.FieldsFunc(textproc.Fold(text), func(r rune) bool {
		return notWord(r) && r != '.' && r != ',' && r != ':'
	})
	var out []string
	for _, w := range words {
		if w = strings.Trim(w, ".,:"); w == "" {
			continue
		}
		if !digits(w) {
			out = append(out, strings.FieldsFunc(w, notWord)...)
			continue
		}
		if r, _ := utf8.DecodeRuneInString(w); unicode.IsDigit(r) {
			w = strings.TrimLeft(w, "0")
		}
		out = append(out, strings.ReplaceAll(w, ",", ""))
	}
	return out
}

func notWord(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }
