package bm25

import (
	"slices"
	"sync"
)

// scratch is the working memory of a search. Between searches match and sum are zero.
type scratch struct {
	match   []float64 // by slot: the best of the term so far
	sum     []float64 // by slot: over the terms before
	near    []uint32  // slots with a match
	touched []uint32  // slots with a sum, or all of the set where none has
	set     []uint64  // the searched documents, where they are not all
	only    []uint64  // set; nil where they are all
	holders []uint64  // those that hold the term, where it has several forms
	several bool      // it has
	once    bool      // every document is met once for a term: its match goes into found instead of near
	found   []Hit
	batch   [batchSize]posting
}

var scratches = sync.Pool{New: func() any { return new(scratch) }}

// fit makes room for n slots.
func (s *scratch) fit(n int) {
	if len(s.sum) < n {
		s.match, s.sum = make([]float64, n+n/4), make([]float64, n+n/4)
	}
}

// note notes a match of the term.
func (s *scratch) note(slot uint32, match float64) {
	m := &s.match[slot]
	if *m >= match {
		return
	}
	if *m == 0 {
		s.near = append(s.near, slot)
	}
	*m = match
}

// add adds the matches of a term with a weight to the sums, and forgets them.
func (s *scratch) add(weight float64) {
	for _, slot := range s.near {
		s.grow(slot, weight*s.match[slot])
		s.match[slot] = 0
	}
	s.near = s.near[:0]
	for _, h := range s.found {
		s.grow(h.Slot, weight*h.Score)
	}
	s.found = s.found[:0]
}

func (s *scratch) grow(slot uint32, by float64) {
	sum := &s.sum[slot]
	if *sum == 0 {
		s.touched = append(s.touched, slot)
	}
	*sum += by
}

// each calls f with the documents that have a score, but for some whose score is below the floor. f returns what the floor is
// from then on, never less than before.
func (s *scratch) each(q *Query, floor float64, f func(Hit) float64) {
	low := -1. // no sum up to it reaches the floor
	for _, slot := range s.touched {
		score := s.sum[slot]
		if score <= low {
			continue
		}
		most := score
		if q.Bound != nil {
			most = q.Bound(score)
		}
		if most < floor && (q.Finish == nil || q.Bound != nil) {
			low = score
			continue
		}
		if q.Finish != nil {
			score = q.Finish(slot, score)
		}
		if score > 0 && score >= floor {
			floor = f(Hit{slot, score})
		}
	}
}

// best returns the k best of the documents with a score.
func (s *scratch) best(q *Query, k int, before func(a, b uint32) bool) []Hit {
	t := top{k: k, before: before, heap: make([]Hit, 0, max(0, min(k, len(s.touched))))}
	s.each(q, 0, t.offer)
	return t.sorted()
}

// clear forgets the sums.
func (s *scratch) clear() {
	for _, slot := range s.touched {
		s.sum[slot] = 0
	}
	s.touched = s.touched[:0]
}

// top keeps the k best hits in a heap with the worst of them at the root.
type top struct {
	k      int
	before func(a, b uint32) bool
	heap   []Hit
}

func (t *top) worse(a, b Hit) bool {
	if a.Score != b.Score {
		return a.Score < b.Score
	}
	return t.before(b.Slot, a.Slot)
}

// offer takes a hit if it is among the k best, and returns the score that another one must have at least.
func (t *top) offer(h Hit) (floor float64) {
	switch {
	case len(t.heap) < t.k:
		t.heap = append(t.heap, h)
		t.rise(len(t.heap) - 1)
	case t.k > 0 && t.worse(t.heap[0], h):
		t.heap[0] = h
		t.sink()
	}
	if len(t.heap) < t.k || t.k < 1 {
		return 0
	}
	return t.heap[0].Score
}

// rise moves a hit up to its place.
func (t *top) rise(i int) {
	for i > 0 {
		parent := (i - 1) / 2
		if !t.worse(t.heap[i], t.heap[parent]) {
			return
		}
		t.heap[i], t.heap[parent] = t.heap[parent], t.heap[i]
		i = parent
	}
}

// sink moves the hit at the root down to its place.
func (t *top) sink() {
	for i := 0; ; {
		worst := i
		for child := 2*i + 1; child <= 2*i+2 && child < len(t.heap); child++ {
			if t.worse(t.heap[child], t.heap[worst]) {
				worst = child
			}
		}
		if worst == i {
			return
		}
		t.heap[i], t.heap[worst] = t.heap[worst], t.heap[i]
		i = worst
	}
}

func (t *top) sorted() []Hit {
	slices.SortFunc(t.heap, func(a, b Hit) int {
		switch {
		case t.worse(b, a):
			return -1
		case t.worse(a, b):
			return 1
		}
		return 0
	})
	return t.heap
}
