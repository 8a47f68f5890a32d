package extract

import "strings"

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
	preposition
	youWord
	asking
	vague
	monthName
	noname
	unreal
	together
	reporting
	abbreviated
	littleWord
	factiveWord
	openerWord
	politeWord
	supposing
	playing
	nolonger
	anymore
	takenback
	unclear
	timeWord
	numeral
	spanning
	dummy
	naming
	restricting
	adjective
	dropping
	doubting
	light
	giving
	plural
	finishing
	laughing
	attitude
)

// classNames are the lists' names in the tables, in the order of the constants.
var classNames = strings.Fields(`stop adverb article definite of pronoun and turn joins relative not auxiliary preposition you asking vague month
	noname unreal together report abbreviation little factive opener polite suppose play nolonger anymore takenback
	unclear time numeral spanning dummy naming restricting adjective dropping doubt light giving plural finishing
	laugh attitude`)

// membership says in which classes a word is, and of which it begins an entry of several words.
type membership struct{ in, begins class }

// An entry is one of several words.
type entry struct {
	class class
	words []string
}

// classify fills in the classes of all words of a language.
func (l *language) classify() {
	l.classes, l.byFirst = map[string]membership{}, map[string][]entry{}
	for k, name := range classNames {
		list := l.list(name)
		for w := range list.words {
			m := l.classes[w]
			m.in |= 1 << k
			l.classes[w] = m
		}
		for w, phrases := range list.phrases {
			m := l.classes[w]
			m.begins |= 1 << k
			l.classes[w] = m
			for _, p := range phrases {
				l.byFirst[w] = append(l.byFirst[w], entry{1 << k, p})
			}
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
	if t.class.begins&c == 0 {
		return best
	}
	for _, e := range r.l.byFirst[t.word] {
		if n := len(e.words); e.class&c != 0 && n > best && i+n <= len(r.tokens) && r.spells(r.whole(i), 0, e.words) {
			best = n
		}
	}
	return best
}

// spells reports whether v[i:] begins with the words.
func (r *reader) spells(v view, i int, words []string) bool {
	if i+len(words) > len(v) {
		return false
	}
	for k, w := range words {
		if r.at(v, i+k).word != w {
			return false
		}
	}
	return true
}

// A wordList is a list of the tables: words, their ends or beginnings, and entries of several words by their first.
type wordList struct {
	words    map[string]bool
	suffixes []string
	prefixes []string
	phrases  map[string][][]string
}

func (l *language) list(name string) *wordList {
	if l.lists[name] == nil {
		l.lists[name] = &wordList{words: map[string]bool{}, phrases: map[string][][]string{}}
	}
	return l.lists[name]
}

func (w *wordList) has(word string) bool {
	if w.words[word] {
		return true
	}
	for _, s := range w.suffixes {
		if len(word) > len(s)+1 && strings.HasSuffix(word, s) {
			return true
		}
	}
	for _, p := range w.prefixes {
		if strings.HasPrefix(word, p) {
			return true
		}
	}
	return false
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
