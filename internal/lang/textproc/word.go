package textproc

import (
	"hash/maphash"
	"sync"
	"sync/atomic"
	"unicode/utf8"
)

// word is a word with everything known about it.
type word struct {
	text   string // folded
	says   [2]Set // evidence for the language of a text: stops and tells
	script Lang   // the language of the letters; English represents all in Latin letters, Unknown none
	stem   string // in that language
	others atomic.Pointer[[latinLangs]atomic.Pointer[string]]
}

// term returns the term of a word in a text of language l, which is in Latin letters; for other scripts, the word is
// stemmed if its language is in known.
func (w *word) term(l Lang, known Set) string {
	switch {
	case w.script == English:
		return w.latinTerm(l)
	case known.Has(w.script):
		return w.stem
	}
	return w.text
}

// latinTerm returns the term of a word in Latin letters in a language in Latin letters. The terms of every language but
// English name the language, so that no document in another language contains one by chance.
func (w *word) latinTerm(l Lang) string {
	if l == English {
		return w.stem
	}
	terms := w.others.Load()
	if terms == nil {
		w.others.CompareAndSwap(nil, new([latinLangs]atomic.Pointer[string]))
		terms = w.others.Load()
	}
	if t := terms[l].Load(); t != nil {
		return *t
	}
	t := stem(w.text, l) + "/" + languages[l].code
	terms[l].Store(&t)
	return t
}

// The cache of words saves repeated stemming; all documents share its strings. Its bounds hold the vocabulary of a
// large collection in about 10 MB, and each further language after English adds half of that. A full shard is
// emptied.
const (
	cacheShards = 32
	shardWords  = 2048
)

type shard struct {
	mu    sync.RWMutex
	words map[string]*word
}

var (
	cache    [cacheShards]shard
	hashSeed = maphash.MakeSeed()
)

// lookup returns the word of a folded term, and keeps no reference to term. It is safe for concurrent use.
func lookup(term []byte) *word {
	s := &cache[maphash.Bytes(hashSeed, term)%cacheShards]
	s.mu.RLock()
	w := s.words[string(term)]
	s.mu.RUnlock()
	if w != nil {
		return w
	}
	w = newWord(string(term))
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.words == nil || len(s.words) == shardWords {
		s.words = make(map[string]*word)
	}
	s.words[w.text] = w
	return w
}

func newWord(text string) *word {
	w := &word{text: text, says: sayings()[text], script: scriptOf(text), stem: text}
	if w.script < Unknown {
		w.stem = stem(text, w.script)
	}
	return w
}

// scriptOf returns the language of the letters of a folded word: English for a to z, though other languages have them
// too; Unknown for other letters and for digits between letters, because no stemmer handles them.
func scriptOf(text string) Lang {
	in := func(first, last rune) bool {
		for _, r := range text {
			if r < first || r > last {
				return false
			}
		}
		return true
	}
	switch r, _ := utf8.DecodeRuneInString(text); {
	case r < utf8.RuneSelf && in('a', 'z'):
		return English
	case r < utf8.RuneSelf:
		return Unknown
	case in('а', 'я'):
		return Russian
	case in('ء', 'ي'):
		return Arabic
	}
	return Unknown
}
