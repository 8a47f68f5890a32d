package wordvec

import "bytes"

// suffixes are the endings with which a word may have been derived, tried in this order.
var suffixes = []string{"s", "es", "ed", "d", "ing", "er", "ers", "ly", "y", "ness", "less", "ful", "able", "al",
	"ish", "like"}

// Least lengths in letters: of the stem before a suffix, of each part of a compound, of a word that may be
// misspelt, and of any word that is looked up in another form.
const (
	leastBase     = 3
	leastPart     = 4
	leastMisspelt = 5
	leastWord     = 4
)

// rowsOf returns the row of a word; without one, that of the word it is derived from, those of the two words that it is
// made of or, at last, that of the word it is a misspelling of. n says how many there are.
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
	if i := t.misspelt(word); i >= 0 {
		return [2]int{i}, 1
	}
	return rows, 0
}

// misspelt returns the row of the word that has two neighbouring letters the other way round, a letter twice, or one
// letter less, in this order. Letters that are missing or mistaken for another one are not tried: there are too many.
func (t *table) misspelt(word []byte) int {
	if len(word) < leastMisspelt || len(word) >= maxWord {
		return -1
	}
	var room [maxWord + 1]byte
	s := room[:copy(room[:], word)]
	for k := range len(s) - 1 {
		s[k], s[k+1] = s[k+1], s[k]
		if i := t.words.find(string(s)); i >= 0 {
			return i
		}
		s[k], s[k+1] = s[k+1], s[k]
	}
	for k := range word {
		s = append(append(room[:0], word[:k+1]...), word[k:]...)
		if i := t.words.find(string(s)); i >= 0 {
			return i
		}
	}
	for k := range word {
		s = append(append(room[:0], word[:k]...), word[k+1:]...)
		if i := t.words.find(string(s)); i >= 0 {
			return i
		}
	}
	return -1
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
