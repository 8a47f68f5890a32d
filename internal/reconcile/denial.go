package reconcile

import (
	"slices"
	"strings"
	"unicode"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/textproc"
)

// A denying is what a word does in a sentence that denies a fact.
type denying uint8

const (
	saysNever denying = 1 << iota
	saysOver
	saysMore // with a word that denies
	saysDone
	saysNot
	saysTruth
)

// denyingWords are words by which a sentence denies a fact, folded: a closed class, with what people say of truth.
var denyingWords = func() map[string]denying {
	out := map[string]denying{}
	for what, words := range map[denying]string{
		saysNever: `never wrong false incorrect untrue mistake error nie niemals falsch unwahr fehler irrtum jamais faux fausse
			erreur nunca falso incorrecto mentira`,
		saysOver: "over ended stopped vorbei fini termine termino",
		saysMore: "longer anymore more mehr plus ya",
		saysDone: `done already finished completed erledigt gemacht fertig schon bereits deja fait faite hecho hecha listo lista
			terminado`,
		saysNot: `no not nope dont doesnt didnt isnt wasnt arent werent havent hasnt cant wont nein nicht kein keine keinen keinem
			keiner keins nee non ne n pas ni`,
		saysTruth: `true right correct case so stimmt stimme wahr richtig korrekt vrai juste exact cierto verdad correcto fact
			information`,
	} {
		for w := range strings.FieldsSeq(words) {
			out[w] = what
		}
	}
	return out
}()

// Denial returns what a sentence decides about a fact if it only denies the fact, or says that it is done: if it names
// nothing that the fact does not. Otherwise it is empty: the sentence says what holds instead. Where it names the value,
// one more word beside one that denies is its verb, in a language that the fact is not in.
func Denial(text string, of *trilith.Memory) trilith.Decision {
	value := plainWords(of.Fact.Node.Name)
	known := slices.Concat(value, plainWords(of.Text), plainWords(strings.ReplaceAll(of.Fact.Verb, "_", " ")))
	var said denying
	verb := false
	all := plainWords(text)
	for i, w := range all {
		switch {
		case denyingWords[w] != 0:
			said |= denyingWords[w]
		case textproc.Stops(w) != 0, slices.ContainsFunc(known, func(k string) bool { return akin(w, k) }):
		case !verb && names(all, value) && (i > 0 && denies(all[i-1]) || i+1 < len(all) && denies(all[i+1])):
			verb = true
		default:
			return ""
		}
	}
	switch ended := said&saysMore != 0 && said&saysNot != 0; {
	case verb && !ended:
		return ""
	case said&saysNever != 0:
		return trilith.DecideReject
	case said&saysOver != 0, ended:
		return trilith.DecideEnded
	case said&saysDone != 0 && said&saysNot == 0:
		return trilith.DecideDone
	case said&saysNot != 0:
		return trilith.DecideReject
	}
	return ""
}

func denies(word string) bool { return denyingWords[word]&(saysNot|saysMore) != 0 }

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
