package textproc

import (
	"hash/maphash"
	"sync"

	"github.com/kljensen/snowball/english"
)

// word is a term with all that is known about it.
type word struct {
	text  string    // folded
	stem  [2]string // by language
	stop  [2]bool   // by language: the word is on the stop list
	tells [2]bool   // by language: the word speaks for it
}

func newWord(text string) *word {
	w := &word{text: text, stem: [2]string{text, text}}
	if isLatin(text) {
		w.stem = [2]string{english.Stem(text, true), stemGerman(text)}
	}
	for l := range w.stop {
		w.stop[l] = stopWords[l][text]
	}
	for l := range w.tells {
		w.tells[l] = w.stop[l] && !w.stop[1-l] && !sharedWords[text]
	}
	return w
}

// isLatin reports whether text consists of the letters a to z, which is what the stemmers know.
func isLatin(text string) bool {
	for i := range len(text) {
		if text[i] < 'a' || text[i] > 'z' {
			return false
		}
	}
	return true
}

// The cache of words saves stemming the same words again; the strings in it are shared by all documents. Its bounds hold
// the vocabulary of a large collection in about 10 MB; a full shard starts anew.
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
