package wordvec

import "bytes"

// suffixes are what a word may have been derived with, tried in this order.
var suffixes = []string{"s", "es", "ed", "d", "ing", "er", "ers", "ly", "y", "ness", "less", "ful", "able", "al", "ish", "like"}

// Least lengths in letters: of what is left before a suffix, of each part of a compound, and of a word that either is tried on.
const (
	leastBase = 3
	leastPart = 4
	leastWord = 4
)

// rowsOf returns the row of a word; without one, that of the word it is derived from or, at last, those of the two words that
// it is made of. n says how many there are.
func (t *table) rowsOf(word []byte) (rows [2]int, n int) {
	if i := t.words.find(string(word)); i >= 0 {
		return [2]int{i}, 1
	}
	if len(word) < leastWord {
		return rows, 0
	}
	for _, suffix := range suffixes {
		base, ok := bytes.CutSuffix(word, []byte(suffix))
		if !ok || len(base) < leastBase {
			continue
		}
		if i := t.base(base); i >= 0 {
			return [2]int{i}, 1
		}
	}
	for k := len(word) - leastPart; k >= leastPart; k-- {
		if first := t.words.find(string(word[:k])); first >= 0 {
			if second := t.words.find(string(word[k:])); second >= 0 {
				return [2]int{first, second}, 2
			}
		}
	}
	return rows, 0
}

// base returns the row of a word that is left when a suffix is taken off, in one of the spellings that it may have had
// before: bake of bak(ing), happy of happi(ness), run of runn(ing).
func (t *table) base(left []byte) int {
	if i := t.words.find(string(left)); i >= 0 {
		return i
	}
	var spelling [maxWord + 1]byte
	s := append(spelling[:0], left...)
	if i := t.words.find(string(append(s, 'e'))); i >= 0 {
		return i
	}
	last := len(s) - 1
	if s[last] == 'i' {
		s[last] = 'y'
		return t.words.find(string(s))
	}
	if len(s) > leastBase && s[last] == s[last-1] {
		return t.words.find(string(s[:last]))
	}
	return -1
}
