package reconcile

import (
	"slices"
	"strings"
	"unicode"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/textproc"
)

// Words by which a sentence denies a fact, folded; a closed class in each language, with what people say of truth.
var (
	neverWords = setOf(`never wrong false incorrect untrue mistake error nie niemals falsch unwahr fehler irrtum jamais faux
		fausse erreur nunca falso incorrecto error mentira`)
	overWords = setOf(`over ended stopped vorbei fini termine termino`)
	moreWords = setOf(`longer anymore more mehr plus ya`) // with a word that denies
	doneWords = setOf(`done already finished completed erledigt gemacht fertig schon bereits deja fait faite hecho hecha
		listo lista terminado`)
	notWords = setOf(`no not nope dont doesnt didnt isnt wasnt arent werent havent hasnt cant wont nein nicht kein keine
		keinen keinem keiner keins nee non ne n pas ni`)
	truthWords = setOf(`true right correct case so stimmt stimme wahr richtig korrekt vrai juste exact cierto verdad correcto
		fact information`)
)

// Denial returns what a sentence decides about a fact if it only denies the fact, or says that it is done: if it names
// nothing that the fact does not. Otherwise it is empty: the sentence says what holds instead. Where it names the value,
// one more word beside one that denies is its verb, in a language that the fact is not in.
func Denial(text string, of *trilith.Memory) trilith.Decision {
	value := plainWords(of.Fact.Node.Name)
	known := slices.Concat(value, plainWords(of.Text), plainWords(strings.ReplaceAll(of.Fact.Verb, "_", " ")))
	var never, over, more, done, not, verb bool
	all := plainWords(text)
	for i, w := range all {
		switch {
		case neverWords[w]:
			never = true
		case doneWords[w]:
			done = true
		case overWords[w]:
			over = true
		case moreWords[w]:
			more = true
		case notWords[w]:
			not = true
		case truthWords[w], textproc.Stops(w) != 0, slices.ContainsFunc(known, func(k string) bool { return akin(w, k) }):
		case !verb && names(all, value) && (i > 0 && denies(all[i-1]) || i+1 < len(all) && denies(all[i+1])):
			verb = true
		default:
			return ""
		}
	}
	switch {
	case verb && !(more && not):
		return ""
	case never:
		return trilith.DecideReject
	case over, more && not:
		return trilith.DecideEnded
	case done && !not:
		return trilith.DecideDone
	case not:
		return trilith.DecideReject
	}
	return ""
}

func denies(word string) bool { return notWords[word] || moreWords[word] }

// names reports whether all words of a value are among others.
func names(words, value []string) bool {
	return !slices.ContainsFunc(value, func(v string) bool { return !slices.Contains(words, v) })
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

func setOf(words string) map[string]bool {
	set := map[string]bool{}
	for w := range strings.FieldsSeq(words) {
		set[w] = true
	}
	return set
}
