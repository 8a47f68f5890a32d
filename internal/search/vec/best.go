package vec

import (
	"math"
	"slices"
	"sync"
	"sync/atomic"
)

// Scored is a slot and its inner product with the query.
type Scored struct {
	Slot  int
	Score float32
}

// candidate is a slot and its score, or the bound of its score while it waits to be scored.
type candidate struct {
	slot  uint32
	score float32
}

// order says which of two slots with equal scores comes first.
type order func(a, b int) bool

// finds holds the best slots scored so far: k of them, and those that may still replace one of them, up to depth in
// all. All workers share it, so each saves the others work.
type finds struct {
	k, depth int
	margin   float32 // the possible error of the difference of two scores
	before   order

	least atomic.Uint32 // the bits of the score below which no slot is needed any more
	mu    sync.Mutex
	found []candidate
	late  int // how many were added since least was raised
}

// reset empties it.
func (f *finds) reset() {
	f.found, f.late = f.found[:0], 0
	f.least.Store(math.Float32bits(float32(math.Inf(-1))))
}

// add adds slots whose scores are at least enough.
func (f *finds) add(s []candidate) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.found = append(f.found, s...)
	if f.late += len(s); f.late > f.k/4 {
		f.settle()
	}
}

// settle keeps the slots that are needed, in no order, and returns the new lowest score that may be added.
func (f *finds) settle() {
	f.late = 0
	if len(f.found) < f.k {
		return
	}
	least := f.enough()
	if len(f.found) >= f.depth {
		var lowest float32
		f.found, lowest = f.before.cut(f.found, f.depth)
		least = max(least, lowest)
	}
	highest(f.found, f.k)
	least = max(least, f.found[f.k-1].score-f.margin)
	f.found = slices.DeleteFunc(f.found, func(c candidate) bool { return c.score < least })
	f.least.Store(math.Float32bits(least))
}

// enough returns the lowest score that may still be added. It rises as more is found.
func (f *finds) enough() float32 { return math.Float32frombits(f.least.Load()) }

// cut returns the first n of s, in no order, and the lowest of their scores. There must be at least n.
func (before order) cut(s []candidate, n int) ([]candidate, float32) {
	highest(s, n)
	least := s[n-1].score
	s = slices.DeleteFunc(s, func(c candidate) bool { return c.score < least })
	if len(s) > n { // several have the lowest score
		slices.SortFunc(s, before.compare)
	}
	return s[:n], least
}

// highest moves the n highest scores to the front, the lowest of them last. There must be at least n. (C. A. R. Hoare,
// "Algorithm 65: Find", 1961.)
func highest(s []candidate, n int) {
	for from, to := 0, len(s)-1; from < to; {
		pivot := s[(from+to)/2].score
		i, j := from, to
		for i <= j {
			for s[i].score > pivot {
				i++
			}
			for s[j].score < pivot {
				j--
			}
			if i <= j {
				s[i], s[j] = s[j], s[i]
				i, j = i+1, j-1
			}
		}
		switch {
		case n-1 <= j:
			to = j
		case n-1 >= i:
			from = i
		default:
			return
		}
	}
}

// compare is negative if a comes first.
func (before order) compare(a, b candidate) int {
	if a.score > b.score || a.score == b.score && before(int(a.slot), int(b.slot)) {
		return -1
	}
	return 1
}
