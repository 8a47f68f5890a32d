package textproc

import (
	"math/bits"
	"unicode/utf8"
)

// detectWords is how many words of a text are used to detect its language: more do not change the result.
const detectWords = 400

// Detect returns the language that most words of a text indicate; Unknown for none or several. Without given languages
// it considers all. It uses at most the first few hundred words, and no letters: a name may contain any.
func Detect(text string, among ...Lang) Lang {
	s := segmenter{most: detectWords}
	s.segment(text)
	s.looks = 0
	if found := s.detect(setOf(among), English); found != 0 && !found.several() {
		return found.next()
	}
	return Unknown
}

// The evidence that a word gives about the language of a text.
const (
	stops = iota // the languages that it is a stop word of
	tells        // the same, or none for a word that other languages share
)

// detect returns the languages that most of the words indicate. If no word indicates one, or several are equal, the
// letters decide, and after them all stop words, including those that languages share. The result is empty for a tie
// that contains the preferred language, and without any evidence.
func (s *segmenter) detect(among Set, preferred Lang) Set {
	found := most(s.words, among, tells)
	switch {
	case found == 0:
		found = s.looks & among
	case found.several() && found.Has(preferred):
		return 0
	}
	if looks := found & s.looks; looks != 0 {
		found = looks
	}
	if found.several() {
		if named := most(s.words, found, stops); named != 0 {
			found = named
		}
	}
	return found
}

// votes counts the evidence for each language.
type votes [Unknown]int

func (v *votes) add(set Set) {
	for ; set != 0; set &= set - 1 {
		v[bits.TrailingZeros32(uint32(set))]++
	}
}

// looksLike returns the languages that are typical for most of the special letters of a text.
func looksLike(text string) Set {
	var v votes
	for i := range len(text) {
		if b := text[i]; b >= 0xC2 && b <= 0xC8 { // begins one of two bytes, up to lastLetter or little more
			if r, _ := utf8.DecodeRuneInString(text[i:]); r <= lastLetter {
				v.add(letters[r])
			}
		}
	}
	return v.most()
}

// most returns the languages that the most words name, none if no word names any.
func most(words []*word, among Set, named int) Set {
	var v votes
	for _, w := range words[:min(len(words), detectWords)] {
		v.add(w.says[named] & among)
	}
	return v.most()
}

// most returns the languages with the most votes, none if there are no votes.
func (v *votes) most() (out Set) {
	n := 1
	for l, votes := range v {
		switch {
		case votes > n:
			out, n = Set(0).With(Lang(l)), votes
		case votes == n:
			out = out.With(Lang(l))
		}
	}
	return out
}
