// Package builtin is the embedder "builtin:", which is always there: no download, no file, no network, a few
// microseconds for a text.
//
// It has rough meanings of English words ([wordvec]), so that "outdoor activities" comes out near "enjoys hiking".
// Unknown words, such as names, count by their form: such a word is the bag of its parts (runs of three to five
// characters, with the word's beginning and end marked, and the whole word), each part hashed to a place and a sign
// in the vector. Words that look alike come out alike, so it finds misspellings ("Kuberntes") and parts of compounds.
// Known words count by their form too, a little. A text in another language, most of whose words are unknown, counts
// only by the forms of its words, even if some of them have a meaning in English.
//
// Meanings are rough, and forms say nothing of them. The cosines therefore order candidates and carry no threshold,
// and the embedder complements lexical search, but never replaces it.
//
// Forms are feature hashing (Weinberger et al., "Feature Hashing for Large Scale Multitask Learning", ICML 2009) over
// the subword units of fastText (Bojanowski et al., "Enriching Word Vectors with Subword Information", TACL 2017),
// without anything learned.
package builtin

import (
	"context"
	"unicode"
	"unicode/utf8"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/lang/textproc"
	"github.com/trilith-memory/trilith/internal/lang/wordvec"
	"github.com/trilith-memory/trilith/internal/role"
)

// Dims is the number of dimensions. Parts of words that meet in one place add noise to a cosine, with a standard
// deviation of 1/√Dims or 0.06.
const Dims = wordvec.Dims

// Embedder is a [role.Embedder] without state.
type Embedder struct{}

// New returns the embedder.
func New() *Embedder { return &Embedder{} }

var _ role.Embedder = (*Embedder)(nil)

// Generation describes the vectors. Any change to the vector of a text makes a new model.
func (*Embedder) Generation() trilith.Generation {
	return trilith.Generation{Provider: "builtin", Model: "words-1", Dims: Dims, Recipe: 1}
}

// Embed returns one embedding per text, with a nil vector for a text without letters and digits. Documents and queries
// are treated alike. For ASCII text it allocates only the result.
func (*Embedder) Embed(ctx context.Context, _ role.Use, texts []string) ([]role.Embedding, error) {
	out := make([]role.Embedding, len(texts))
	for i, text := range texts {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		out[i].Vector = embed(text)
	}
	return out, nil
}

// Close does nothing.
func (*Embedder) Close() error { return nil }

// Weights of a form against the meaning of a known word, whose vector is about one long. Measured on open sets of
// conversations, they worsen no search by words and meanings; see docs/decisions/0027-word-vectors.md.
const (
	strangeWeight = 1
	knownWeight   = 0.3
)

func embed(text string) trilith.Vector {
	if !isASCII(text) {
		text = textproc.Fold(text)
	}
	var s sum
	s.read(text)
	// only stop words: better than nothing
	if s.known.parts+s.strange.parts == 0 && s.meaning == (wordvec.Sum{}) {
		s.withStops = true
		s.read(text)
	}
	weights := [...]float32{knownWeight, strangeWeight}
	if s.foreign() {
		s.meaning, weights = wordvec.Sum{}, [...]float32{1, 1}
	}
	for i := range s.meaning {
		s.meaning[i] += weights[0]*s.known.vector[i] + weights[1]*s.strange.vector[i]
	}
	v := s.meaning.Unit()
	if v == nil && s.known.parts+s.strange.parts > 0 { // every part met its opposite
		v = make(trilith.Vector, Dims)
		v[max(s.known.last, s.strange.last)] = 1
	}
	return v
}

// foreign reports whether the text is in a language other than English: whether most of its words are unknown, or most
// of its stop words are not English. A text with only a word such as hat counts as English.
func (s *sum) foreign() bool {
	words := s.known.words + s.strange.words
	return words > 0 && (s.strange.words > s.known.words || s.stops[elsewhere] > s.stops[everywhere])
}

// maxWord is the length in characters to which words are cut: longer ones are encoded data.
const maxWord = 64

// edge comes before the first character of a word and after its last; folded words do not hold it.
const edge = '\x00'

// sum is the vector of a text while it is read.
type sum struct {
	meaning        wordvec.Sum
	known, strange forms               // of the words whose meaning is known, and of the others
	stops          [everywhere + 1]int // how many stop words were left out, by kind
	withStops      bool                // they count too

	word   [maxWord + 2]rune // word[0] is an edge
	length int               // characters of the word being read, edges not counted
	ascii  [maxWord]byte     // the word, if it is letters a to z and digits
	wide   bool              // it is not
	digits bool              // it consists only of digits
	packed rune              // the character of an unspaced script before, 0 if there is none
}

// read adds the words of a folded (or ASCII) text.
func (s *sum) read(text string) {
	s.word[0] = edge
	for _, r := range text {
		switch classOf(&r) {
		case letter, digit:
			if s.length < maxWord {
				first := s.length == 0
				s.digits = isDigit(r) && (first || s.digits)
				s.wide = r >= utf8.RuneSelf || !first && s.wide
				s.ascii[s.length] = byte(r)
				s.length++
				s.word[s.length] = r
			}
			s.packed = 0
		case packed:
			s.endWord()
			s.strange.addPacked(s.packed, r)
			s.packed = r
		default:
			s.endWord()
			s.packed = 0
		}
	}
	s.endWord()
	s.packed = 0
}

func (s *sum) endWord() {
	n := s.length
	if n == 0 {
		return
	}
	s.length = 0
	s.word[n+1] = edge
	word := s.word[:n+2]
	whole := uint64(startWord)
	for _, r := range word[1 : n+1] {
		whole = hashNext(whole, r)
	}
	stop := stops[whole]
	s.stops[stop]++
	if stop == everywhere && !s.withStops {
		return
	}
	known := !s.wide && s.meaning.Add(s.ascii[:n], 1)
	switch {
	case stop == elsewhere && !s.withStops: // it may be an English word, but tells no language
	case s.digits: // 2024 is as far from 2025 as from 1066
		s.strange.addWide(whole, 1)
	case known:
		s.known.addWord(whole, word)
	default:
		s.strange.addWord(whole, word)
	}
}

type class uint8

const (
	other class = iota
	letter
	digit
	packed // a letter of a script that is written without spaces, or of Hangul, whose particles stick to the words
)

// classOf returns the class of a character, and lowers an ASCII letter: all others are folded.
func classOf(r *rune) class {
	c := *r
	if c < utf8.RuneSelf {
		switch {
		case 'a' <= c && c <= 'z':
			return letter
		case 'A' <= c && c <= 'Z':
			*r = c + 'a' - 'A'
			return letter
		case isDigit(c):
			return digit
		}
		return other
	}
	switch {
	case c >= 0x0E00 && unicode.In(c, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul,
		unicode.Thai, unicode.Lao,
		unicode.Khmer, unicode.Myanmar) && unicode.In(c, unicode.Letter, unicode.Mark):
		return packed
	case unicode.In(c, unicode.Letter, unicode.Mark):
		return letter
	case unicode.IsDigit(c):
		return digit
	}
	return other
}

func isDigit(r rune) bool { return '0' <= r && r <= '9' }

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
