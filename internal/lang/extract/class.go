package extract

import (
	"cmp"
	"slices"
	"strings"
)

// A class is a set of word lists that the code itself knows. The heads of the tables say what each is for.
type class uint64

const (
	stopWord class = 1 << iota
	adverb
	articleWord
	definite
	ofWord
	pronoun
	andWord
	turning
	joining
	relative
	notWord
	auxiliary
	monthName
	reporting
	littleWord
	factiveWord
	openerWord
	supposing
	nolonger
	anymore
	timeWord
	numeral
	naming
	doubting
)

// classNames are the lists' names in the tables, in the order of the constants.
var classNames = strings.Fields(`stop adverb article definite of pronoun and turn joins relative not auxiliary month report little
	factive opener suppose nolonger anymore time numeral naming doubt`)

// membership lists the classes of a word, and the classes with an entry of several words that it begins.
type membership struct{ in, begins class }

// classify fills in the classes of all words of a language.
func (l *language) classify() {
	l.classes = map[string]membership{}
	for k, name := range classNames {
		list := l.list(name)
		for w := range list.words {
			m := l.classes[w]
			l.classes[w] = membership{m.in | 1<<k, m.begins}
		}
		for w := range list.phrases {
			m := l.classes[w]
			l.classes[w] = membership{m.in, m.begins | 1<<k}
		}
	}
}

// phraseAt returns the number of tokens of the longest entry of the classes at i, or 0.
func (r *reader) phraseAt(c class, i int) int {
	if i >= len(r.tokens) {
		return 0
	}
	t, best := &r.tokens[i], 0
	if t.is(c) {
		best = 1
	}
	for begins, k := t.class.begins&c, 0; begins != 0; begins, k = begins>>1, k+1 {
		if begins&1 != 0 {
			best = max(best, r.entryAt(classNames[k], i))
		}
	}
	return best
}

// entryAt returns the number of tokens of the longest entry of a list at i, or 0.
func (r *reader) entryAt(name string, i int) int {
	if i < 0 || i >= len(r.tokens) {
		return 0
	}
	list, best, w := r.l.list(name), 0, r.tokens[i].word
	if list.has(w) {
		best = 1
	}
	for _, p := range list.phrases[w] {
		best = max(best, r.spells(r.whole(i), 0, p))
	}
	return best
}

// in reports whether the token's word is in one of the lists. Where that is asked of every token, it is a class instead.
func (r *reader) in(t *token, lists ...string) bool {
	return slices.ContainsFunc(lists, func(name string) bool { return r.l.list(name).has(t.word) })
}

// spells returns the number of tokens by which v[i:] spells the words, with a comma between them or not, or 0.
func (r *reader) spells(v view, i int, words []string) int {
	at := i
	for k, w := range words {
		if k > 0 && r.at(v, at).word == "," {
			at++
		}
		if r.at(v, at).word != w {
			return 0
		}
		at++
	}
	return at - i
}

// A wordList is a list of the tables: words, their ends or beginnings, and entries of several words by their first.
type wordList struct {
	words    map[string]bool
	suffixes []string
	prefixes []string
	phrases  map[string][][]string
}

var noWords = &wordList{}

// list returns the list of a name; a list that the language does not have is empty.
func (l *language) list(name string) *wordList { return cmp.Or(l.lists[name], noWords) }

func (w *wordList) has(word string) bool {
	return w.words[word] ||
		slices.ContainsFunc(w.suffixes, func(s string) bool { return len(word) > len(s)+1 && strings.HasSuffix(word, s) }) ||
		slices.ContainsFunc(w.prefixes, func(p string) bool { return strings.HasPrefix(word, p) })
}

func (w *wordList) add(item string) {
	item = foldWord(item)
	if s, ok := strings.CutPrefix(item, "-"); ok {
		w.suffixes = append(w.suffixes, s)
	} else if p, ok := strings.CutSuffix(item, "-"); ok {
		w.prefixes = append(w.prefixes, p)
	} else if parts := strings.Split(item, "_"); len(parts) > 1 {
		w.phrases[parts[0]] = append(w.phrases[parts[0]], parts)
	} else {
		w.words[item] = true
	}
}
