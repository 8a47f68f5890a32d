package reconcile

import (
	_ "embed"
	"slices"
	"strings"
	"unicode"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/lang/textproc"
	"github.com/trilith-memory/trilith/internal/lang/wordfile"
)

//go:embed denial.txt
var denialFile string

// saying is what each word says by which a sentence denies a fact, by the rows of denial.txt.
var saying = map[string]string{}

func init() {
	for kind, words := range wordfile.Rows(denialFile) {
		for w := range strings.FieldsSeq(words) {
			saying[w] = kind
		}
	}
}

// Denial returns what a sentence decides about a fact if it only denies the fact, or says that it is done: if it
// names nothing that the fact does not. Otherwise it is empty: the sentence states another fact instead. If it names
// the value and contains a denying word, one further word is allowed: it is taken for the verb, in another language
// than the fact's.
func Denial(text string, of *trilith.Memory) trilith.Decision {
	value, all := plainWords(of.Fact.Node.Name), plainWords(text)
	known := slices.Concat(value, plainWords(of.Text), plainWords(strings.ReplaceAll(of.Fact.Verb, "_", " ")))
	named := !slices.ContainsFunc(value, func(v string) bool { return !slices.Contains(all, v) })
	said, verb := map[string]bool{}, false
	denies := func(w string) bool { return saying[w] == "not" || saying[w] == "more" }
	for i, w := range all {
		switch {
		case saying[w] != "":
			said[saying[w]] = true
		case textproc.Stops(w) != 0, slices.ContainsFunc(known, func(k string) bool { return akin(w, k) }):
		case !verb && named && slices.ContainsFunc(all[max(0, i-1):min(i+2, len(all))], denies):
			verb = true
		default:
			return ""
		}
	}
	over := said["more"] && said["not"]
	switch {
	case verb && !over:
		return ""
	case (said["over"] || over) && !said["never"]:
		return trilith.DecideEnded
	case said["never"], said["not"]:
		return trilith.DecideReject
	case said["done"]:
		return trilith.DecideDone
	}
	return ""
}

// plainWords returns the words of a text, folded. Words are joined at an apostrophe before a t, as in isn't.
func plainWords(text string) []string {
	text = strings.NewReplacer("'t", "t", "’t", "t").Replace(strings.ToLower(text))
	return strings.FieldsFunc(textproc.Fold(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

// akin reports whether two words are forms of one, by their beginnings.
func akin(a, b string) bool {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n == len(a) && n == len(b) || n >= 4 && len(a)-n <= 3 && len(b)-n <= 3
}
