// Package later tells which later turn of a person speaks of the same matter as an earlier one, in any language: by
// words and cosines that a search has at hand, without rules of a language and without a model.
//
// It cannot tell a change of mind from a later remark well enough to say so. The turn that it finds is shown next to
// the earlier one with its day, and nothing is claimed about either. docs/retrieval.md says how its constants were
// chosen.
package later

import (
	"math"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/trilith-memory/trilith/internal/lang/textproc"
	"github.com/trilith-memory/trilith/internal/lang/wordvec"
	"github.com/trilith-memory/trilith/internal/search/vec"
)

// Weights of the signals of a pair, and the score from which on a turn is a companion: about one in twenty of the turns
// that ordinary questions look for has one then.
type Weights struct {
	Words    float64 // how well the words of the earlier turn are met in the later one
	Earlier  float64 // rare words of the earlier turn
	Later    float64 // rare words of the later turn
	Number   float64 // both have numbers, and the later one another
	Standing float64 // deviations of the cosine of both above the median of the candidates
	Lead     float64 // of its cosine with question and earlier turn together before the next candidate
	Cosine   float64 // of both
	Least    float64
}

// Of returns the weights for the vectors of the built-in embedder, or for those of a sentence encoder.
func Of(encoder bool) Weights {
	if encoder {
		return Weights{3.4, -7.8, 8.2, 2.3, .97, 6.6, 3.9, 8.7}
	}
	return Weights{5.8, -4.8, 4.6, 3.8, .86, 2.5, -3.6, 4.6}
}

// Turn is a text with its words.
type Turn struct {
	words   []*word // each form once, in the order of the text
	forms   map[string]bool
	numbers map[string]bool
}

// word is a form that is compared; words do not change, and turns share them.
type word struct {
	form   string
	number bool
	common float64   // how rare it is in people's messages to each other, as far as it is English
	vector []float32 // nil if it has none
}

// keptWords are the words of recent texts, because most texts consist of the same few thousand. An entry depends only
// on its word, so it is never out of date.
var keptWords = struct {
	sync.Mutex
	of map[string][]*word
}{of: map[string][]*word{}}

// maxKept bounds the words that are kept, at some 1.2 kB each; beyond this number they are dropped.
const maxKept = 5000

// Read reads a text: its words folded and cut to five letters, pairs of characters where words are not spaced, two
// syllables in Korean.
func Read(text string) *Turn {
	keptWords.Lock()
	defer keptWords.Unlock()
	t := &Turn{forms: map[string]bool{}, numbers: map[string]bool{}}
	for w := range strings.FieldsFuncSeq(strings.ToLower(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r)
	}) {
		forms, known := keptWords.of[w]
		if !known {
			forms = formsOf(w)
			if len(keptWords.of) >= maxKept {
				clear(keptWords.of)
			}
			keptWords.of[strings.Clone(w)] = forms // w is a part of the whole text
		}
		for _, f := range forms {
			if !t.forms[f.form] {
				t.forms[f.form], t.words = true, append(t.words, f)
			}
			if f.number {
				t.numbers[f.form] = true
			}
		}
	}
	return t
}

const formLetters, leastLetters = 5, 3

// formsOf returns the forms of a word that are compared.
func formsOf(w string) (out []*word) {
	if len(w) < leastLetters && w[0] < utf8.RuneSelf && (w[0] < '0' || w[0] > '9') {
		return nil
	}
	common, vector := background(w), wordvec.Embed(w)
	put := func(form []rune) { out = append(out, &word{form: string(form), common: common, vector: vector}) }
	runes := []rune(w)
	switch {
	case slices.ContainsFunc(runes, unspaced):
		for i := range len(runes) - 1 {
			put(runes[i : i+2])
		}
	case unicode.Is(unicode.Hangul, runes[0]):
		if len(runes) > 1 {
			put(runes[:2])
		}
	case !slices.ContainsFunc(runes, func(r rune) bool { return !unicode.IsDigit(r) }):
		put(runes)
		out[0].number = true
	default:
		if folded := []rune(textproc.Fold(w)); len(folded) >= leastLetters {
			put(folded[:min(len(folded), formLetters)])
		}
	}
	return out
}

// Candidate is a later turn with its cosines.
type Candidate struct {
	Turn              *Turn
	Question, Earlier float64
	mixed, without    float64
}

// Best returns the position of the candidate that most likely speaks of the same matter as an earlier turn, or -1 if
// none reaches the least score. asked is the cosine of the question and the earlier turn.
func Best(w Weights, question, earlier *Turn, asked float64, all []Candidate) int {
	if len(all) == 0 {
		return -1
	}
	rare := rarity(all, earlier)
	a := wordsBeside(earlier, question)
	weightA := sum(a, rare)
	if len(a) == 0 {
		return -1
	}
	median, deviation := spread(all)
	scale := math.Sqrt(max(2+2*asked, 1e-9))
	top, next := math.Inf(-1), math.Inf(-1)
	for i := range all {
		all[i].mixed = (all[i].Question + all[i].Earlier) / scale
		if c := all[i].mixed; c > top {
			top, next = c, top
		} else {
			next = max(next, c)
		}
	}
	order := make([]int, len(all))
	for i := range all {
		c := &all[i]
		order[i] = i
		b := wordsBeside(c.Turn, question)
		c.without = w.Earlier*min(weightA, most)/most + w.Later*min(sum(b, rare), most)/most + w.Cosine*c.Earlier
		if len(earlier.numbers) > 0 && anotherNumber(earlier, c.Turn) {
			c.without += w.Number
		}
		if len(all) > few {
			c.without += w.Standing * (c.Earlier - median) / deviation
		}
		if len(all) > 1 {
			lead := next
			if c.mixed < top {
				lead = top
			}
			c.without += w.Lead * (c.mixed - lead)
		}
	}
	// words are compared last, and only where they can still decide
	slices.SortFunc(order, func(i, j int) int {
		switch {
		case all[i].without > all[j].without:
			return -1
		case all[i].without < all[j].without:
			return 1
		}
		return i - j
	})
	best, score := -1, w.Least
	for _, i := range order {
		if all[i].without+w.Words < score {
			break
		}
		if s := all[i].without + w.Words*met(a, all[i].Turn, question, rare); s >= score {
			best, score = i, s
		}
	}
	return best
}

// Shared returns how rare the rarest word is that two turns share, 0 to 1, and 0 if they share none.
func Shared(a, b *Turn) (rarest float64) {
	for _, w := range a.words {
		if b.forms[w.form] {
			rarest = max(rarest, min(w.common, 1))
		}
	}
	return rarest
}

const (
	most  = 8 // rare words that count
	few   = 2 // candidates that have no spread
	least = .02
)

// spread returns the median of the cosines with the earlier turn, and their standard deviation.
func spread(all []Candidate) (median, deviation float64) {
	cosines := make([]float64, len(all))
	mean, square := 0.0, 0.0
	for i := range all {
		cosines[i] = all[i].Earlier
		mean += cosines[i] / float64(len(all))
	}
	for _, c := range cosines {
		square += (c - mean) * (c - mean) / float64(len(all))
	}
	slices.Sort(cosines)
	median = (cosines[(len(cosines)-1)/2] + cosines[len(cosines)/2]) / 2
	return median, max(math.Sqrt(square), least)
}

// wordsBeside returns the words of a turn that the question lacks.
func wordsBeside(t, question *Turn) []*word {
	out := make([]*word, 0, len(t.words))
	for _, w := range t.words {
		if !question.forms[w.form] {
			out = append(out, w)
		}
	}
	return out
}

// rarest is the share of background texts that a word of full weight has.
const rarest = 1. / 2000

// rarity returns how rare words are, from 0 to 1: the smaller of its rarities in the turns at hand and in the
// background.
func rarity(all []Candidate, earlier *Turn) func(*word) float64 {
	df := map[string]float64{}
	count := func(t *Turn) {
		for _, w := range t.words {
			df[w.form]++
		}
	}
	count(earlier)
	for i := range all {
		count(all[i].Turn)
	}
	n := math.Log(float64(len(all) + 2))
	seen := map[string]float64{}
	return func(w *word) float64 {
		r, ok := seen[w.form]
		if !ok {
			r = max(0, min(1, (n-math.Log(df[w.form]+.5))/n, w.common))
			seen[w.form] = r
		}
		return r
	}
}

// background returns how rare a word is in people's messages to each other, as far as it is English.
func background(w string) float64 {
	terms, _ := english().Terms(w)
	if len(terms) > 0 {
		if share := wordvec.Share(terms[0]); share > 0 {
			return math.Log(share) / math.Log(rarest)
		}
	}
	return 1
}

// english stems as the table of shares is stemmed.
var english = sync.OnceValue(func() textproc.Analyzer {
	a, err := textproc.NewAnalyzer("en")
	if err != nil {
		panic(err) // the program was not built right
	}
	return a
})

func sum(words []*word, rare func(*word) float64) (s float64) {
	for _, w := range words {
		s += rare(w)
	}
	return s
}

// met is the mean of the best cosines of the earlier turn's words among those of the later one, weighted by rarity.
func met(a []*word, later, question *Turn, rare func(*word) float64) float64 {
	got, all := 0.0, 0.0
	b := wordsBeside(later, question)
	for _, w := range a {
		best := 0.0
		if later.forms[w.form] {
			best = 1
		} else if w.vector != nil {
			for _, other := range b {
				if other.vector != nil {
					best = max(best, float64(vec.Dot(w.vector, other.vector)))
				}
			}
		}
		r := rare(w)
		got += r * min(best, 1)
		all += r
	}
	return got / max(all, .1)
}

// anotherNumber reports whether the later turn has a number that the earlier one has not.
func anotherNumber(earlier, later *Turn) bool {
	for n := range later.numbers {
		if !earlier.numbers[n] {
			return true
		}
	}
	return false
}
