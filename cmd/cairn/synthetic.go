package main

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/cairn-memory/cairn"
)

// synthetic makes memories and questions for measuring: words with the skewed frequencies of language, in turns of the
// length of chat. The same seed gives the same texts.
type synthetic struct {
	words []string
	r     *rand.Rand
	zipf  *rand.Zipf
}

const syntheticWords = 30_000

func newSynthetic(seed uint64) *synthetic {
	r := rand.New(rand.NewPCG(seed, 1))
	syllables := []string{"ba", "ke", "li", "mo", "nu", "ra", "se", "ti", "vo", "wu", "pla", "stri", "gre", "dor", "fen", "hal", "jin", "kor", "lum", "mer"}
	s := &synthetic{r: r, zipf: rand.NewZipf(r, 1.1, 4, syntheticWords-1)}
	seen := map[string]bool{}
	for len(s.words) < syntheticWords {
		var b strings.Builder
		for range 2 + r.IntN(3) {
			b.WriteString(syllables[r.IntN(len(syllables))])
		}
		if w := b.String(); !seen[w] {
			seen[w] = true
			s.words = append(s.words, w)
		}
	}
	return s
}

func (s *synthetic) text() string {
	words := make([]string, 12+s.r.IntN(20))
	for i := range words {
		words[i] = s.words[s.zipf.Uint64()]
	}
	return strings.Join(words, " ")
}

// question asks with four words that are neither the most frequent nor the rarest.
func (s *synthetic) question() string {
	words := make([]string, 4)
	for i := range words {
		words[i] = s.words[20+s.r.IntN(2000)]
	}
	return strings.Join(words, " ")
}

// thing names something in three words.
func (s *synthetic) thing() string {
	return s.words[s.zipf.Uint64()] + " " + s.words[s.zipf.Uint64()] + " " + s.words[20+s.r.IntN(2000)]
}

// batch is one request of n turns of two speakers.
func (s *synthetic) batch(n int) cairn.RememberRequest {
	var r cairn.RememberRequest
	for i := range n {
		role := cairn.RoleUser
		if i%2 == 1 {
			role = cairn.RoleAssistant
		}
		r.Messages = append(r.Messages, cairn.Message{Role: role, Content: s.text(), Timestamp: fmt.Sprintf("2025-%02d-%02dT10:00:00Z", 1+s.r.IntN(12), 1+s.r.IntN(28))})
	}
	return r
}
