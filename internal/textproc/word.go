package textproc

import (
	"hash/maphash"
	"sync"
	"sync/atomic"
	"unicode/utf8"
)

// word is a word with all that is known about it.
type word struct {
	text   string // folded
	says   [2]Set // about the language of a text: stops and tells
	script Lang   // the language that the letters tell; English stands for all in Latin letters, Unknown for none
	stem   string // in that language
	others atomic.Pointer[[latinLangs]atomic.Pointer[string]]
}

func newWord(text string) *word {
	w := &word{text: text, says: sayings()[text], script: scriptOf(text), stem: text}
	if w.script < Unknown {
		w.stem = stem(text, w.script)
	}
	return w
}

// scriptOf returns the language that the letters of a folded word tell: a to z are English, though other languages have
// them too; other letters, or digits between them, are Unknown, because no stemmer knows them.
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

// term returns the term of a word in a text of language l, one in Latin letters; of the languages of other scripts,
// those in the set are known.
func (w *word) term(l Lang, known Set) string {
	switch {
	case w.script == English:
		return w.latinTerm(l)
	case known.Has(w.script):
		return w.stem
	}
	return w.text
}

// latinTerm returns the term of a word in Latin letters in a language that is written so. Every language but English
// has terms of its own, which name it, so that no document in another language holds one by chance.
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

// The cache of words saves stemming the same words again; the strings in it are shared by all documents. Its bounds
// hold the vocabulary of a large collection in about 10 MB, a language beside English adds half of that; a full shard
// starts again.
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

// lookup returns the word of a folded term, which it does not keep. It is safe for concurrent use.
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
