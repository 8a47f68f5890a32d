package bm25

import (
	"math/bits"
	"sync"
)

// scratch is the working memory of a search. Between searches the window and the sums are empty.
type scratch struct {
	set     []uint64 // the searched documents, if they are neither all nor those that the caller allows
	all     []uint64 // the searched documents, if each is a candidate
	forms   []uint32 // the numbers of the term's forms
	holders []uint64 // the documents that hold the term, if it has several forms
	batch   [batchSize]posting
	lengths [batchSize]uint8 // of the documents of a batch, as in [Index.short]
	steps   [batchSize]steps // of the documents of a batch

	window
	terms []weighed
	rest  []weighed // terms that are not in the sums yet
	sums  [blockSlots]float64
	rated [blockSlots / 64]uint64 // bit set over sums: those above 0
	hits  []Hit                   // buffer of best
}

// weighed is the weight of a term, and where its matches are.
type weighed struct {
	from, to int
	weight   float64
}

// blockSlots is how many consecutive slots are added up at a time, so that their sums stay in the cache.
const blockSlots = 4096

var scratches = sync.Pool{New: func() any { return new(scratch) }}

func (s *scratch) begin() { s.matches, s.first, s.terms = s.matches[:0], 0, s.terms[:0] }

// add ends a term: it has this weight, and the matches since the term before.
func (s *scratch) add(weight float64) {
	s.terms = append(s.terms, weighed{s.first, len(s.matches), weight})
	s.first = len(s.matches)
}

// each calls f with the documents that have a score; it may skip documents with scores below the floor. f returns the
// new floor, which never falls.
func (s *scratch) each(q *Query, floor float64, f func(Hit) float64) {
	low := -1. // no sum up to it reaches the floor
	offer := func(slot uint32, score float64) {
		most := score
		if q.Bound != nil {
			most = q.Bound(score)
		}
		if most < floor && (q.Finish == nil || q.Bound != nil) {
			low = score
			return
		}
		if q.Finish != nil {
			score = q.Finish(slot, score)
		}
		if score > 0 && score >= floor {
			floor = f(Hit{slot, score})
		}
	}
	for w, left := range s.all {
		for ; left != 0 && low < 0; left &= left - 1 {
			offer(uint32(w*64+bits.TrailingZeros64(left)), 0)
		}
	}
	s.rest = append(s.rest[:0], s.terms...)
	for {
		base, ok := s.block()
		if !ok {
			return
		}
		for w, left := range s.rated {
			s.rated[w] = 0
			for ; left != 0; left &= left - 1 {
				at := uint32(w*64 + bits.TrailingZeros64(left))
				sum := s.sums[at]
				s.sums[at] = 0
				if sum > low {
					offer(base+at, sum)
				}
			}
		}
	}
}

// block adds up the sums of the next slots that have any, and returns the first of these slots; false after the last.
func (s *scratch) block() (base uint32, ok bool) {
	base = none
	for _, t := range s.rest {
		if t.from < t.to {
			base = min(base, s.matches[t.from].Slot)
		}
	}
	if base == none {
		return 0, false
	}
	base &^= blockSlots - 1
	for i := range s.rest {
		t := &s.rest[i]
		matches, n := s.matches[t.from:t.to], 0
		for ; n < len(matches); n++ {
			at := matches[n].Slot - base
			if at >= blockSlots {
				break
			}
			s.sums[at] += t.weight * matches[n].Score
			s.rated[at/64] |= 1 << (at % 64)
		}
		t.from += n
	}
	return base, true
}

// best returns the k best of the documents that have a score.
func (s *scratch) best(q *Query, k int, before func(a, b uint32) bool) []Hit {
	t := top{k: max(k, 0), before: before, hits: s.hits[:0]}
	s.each(q, 0, t.offer)
	found := t.sorted()
	s.hits = t.hits
	return found
}
