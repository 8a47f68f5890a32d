package main

import (
	"cmp"
	"slices"

	"github.com/trilith-memory/trilith/internal/lang/wordvec"
)

// vocabulary is the words that are learned, in the order of how often they occur.
type vocabulary struct {
	words  []string
	counts []float64 // weighted
	number map[string]int32
}

// Words that are too rare are not learned: their counts would be chance.
const leastCount = 8

// stream is the documents as numbers of words.
type stream struct {
	words   []int32
	weights []float64 // of the documents
	ends    []int     // of the documents in words
}

const unknown = int32(-1)

// count makes the vocabulary of the most frequent words, and the documents as its numbers.
func count(t *text, size int) (*vocabulary, *stream) {
	ids := map[string]int32{}
	var names []string
	var counts []float64
	s := &stream{}
	for _, d := range t.docs {
		for _, line := range d.lines {
			wordsOf(line, func(w []byte) {
				id, ok := ids[string(w)]
				if !ok {
					id = int32(len(names))
					names = append(names, string(w))
					ids[names[id]] = id
					counts = append(counts, 0)
				}
				counts[id] += d.weight
				s.words = append(s.words, id)
			})
		}
		s.weights = append(s.weights, d.weight)
		s.ends = append(s.ends, len(s.words))
	}
	var order []int32
	for id := range names {
		if counts[id] >= leastCount {
			order = append(order, int32(id))
		}
	}
	slices.SortFunc(order, func(a, b int32) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(names[a], names[b]))
	})
	order = order[:min(size, len(order))]
	v := &vocabulary{number: map[string]int32{}}
	renumbered := make([]int32, len(names))
	for i := range renumbered {
		renumbered[i] = unknown
	}
	for n, id := range order {
		renumbered[id] = int32(n)
		v.words = append(v.words, names[id])
		v.counts = append(v.counts, counts[id])
		v.number[names[id]] = int32(n)
	}
	for i, id := range s.words {
		s.words[i] = renumbered[id]
	}
	return v, s
}

// numbers returns the words of a text that are in the vocabulary and no stop words, at most so many.
func (v *vocabulary) numbers(text string, most int) []int32 {
	var all []int32
	wordsOf(text, func(w []byte) {
		if n, ok := v.number[string(w)]; ok && len(all) < most && !stop[string(w)] {
			all = append(all, n)
		}
	})
	return all
}

func wordsOf(text string, each func(word []byte)) {
	words := wordvec.Scan(text)
	for w := words.Next(); w != nil; w = words.Next() {
		each(w)
	}
}
