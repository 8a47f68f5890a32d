// Package tokens counts how many tokens a model reads in a text, by the vocabulary that the model reads with.
//
// The vocabularies lie in the program. One is unpacked when it first counts, so a program that counts nothing pays
// nothing. Counts are remembered word by word, because texts are made of the same words again and again.
package tokens

import (
	"slices"
	"strings"
	"sync"

	"github.com/tiktoken-go/tokenizer/codec"
)

// Default is the name of the vocabulary that is used where none is named.
const Default = "o200k"

// Estimate is the name of the count for models whose vocabulary is not public: the larger one of the counts by the
// vocabularies that are.
const Estimate = "estimate"

// maxKnown is how many words a vocabulary remembers the tokens of, and maxWord how long they may be: about 3 MB.
const (
	maxKnown = 1 << 15
	maxWord  = 32
)

var vocabularies = []*Vocabulary{
	{name: Default, load: codec.NewO200kBase, known: map[string]int{}},
	{name: "cl100k", load: codec.NewCl100kBase, known: map[string]int{}},
}

// Named returns the function that counts by the vocabulary with that name, and nil if there is none. It may be called
// by several goroutines at once.
func Named(name string) func(string) int {
	if name == Estimate {
		return estimate
	}
	i := slices.IndexFunc(vocabularies, func(v *Vocabulary) bool { return v.name == name })
	if i < 0 {
		return nil
	}
	return vocabularies[i].Count
}

func estimate(text string) int {
	n := 0
	for _, v := range vocabularies {
		n = max(n, v.Count(text))
	}
	return n
}

// Vocabulary counts by the tokens of one family of models.
type Vocabulary struct {
	name  string
	load  func() *codec.Codec
	once  sync.Once
	codec *codec.Codec

	mu    sync.Mutex
	known map[string]int // the tokens of words that were counted
}

// Count returns how many tokens the text has. The tokens of texts that end with a line feed add up if the next one
// begins with neither white space nor a slash.
func (v *Vocabulary) Count(text string) int {
	v.once.Do(func() { v.codec = v.load() })
	v.mu.Lock()
	defer v.mu.Unlock()
	n := 0
	for text != "" {
		word := text[:wordEnd(text)]
		n += v.word(word)
		text = text[len(word):]
	}
	return n
}

// word counts a word; v.mu is held.
func (v *Vocabulary) word(word string) int {
	n, ok := v.known[word]
	if ok {
		return n
	}
	n, err := v.codec.Count(word)
	if err != nil { // a pattern without a time limit does not fail
		return len(word)
	}
	if len(word) > maxWord {
		return n
	}
	if len(v.known) >= maxKnown {
		clear(v.known)
	}
	v.known[strings.Clone(word)] = n
	return n
}

// wordEnd returns the end of the first word and the marks after it. No token reaches across a single space before a
// visible sign: the space belongs to the next word.
func wordEnd(text string) int {
	for i := 1; i < len(text)-1; i++ {
		if text[i] == ' ' && text[i+1] > ' ' && text[i+1] < 0x7f {
			return i
		}
	}
	return len(text)
}
