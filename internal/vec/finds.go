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

// order says which of two slots with equal scores comes first.
type order func(a, b int) bool

// compare is negative if a comes first.
func (before order) compare(a, b Scored) int {
	if a.Score > b.Score || a.Score == b.Score && before(a.Slot, b.Slot) {
		return -1
	}
	return 1
}

// first moves the n that come first to the front, the last of them to their end. There must be as many.
// (C. A. R. Hoare, "Algorithm 65: Find", 1961.)
func (before order) first(s []Scored, n int) {
	for from, to := 0, len(s)-1; from < to; {
		pivot := s[(from+to)/2]
		i, j := from, to
		for i <= j {
			for before.compare(s[i], pivot) < 0 {
				i++
			}
			for before.compare(pivot, s[j]) < 0 {
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

// finds are the best of what was scored so far: k of them, and those that may take the place of one of these, up to depth in all.
// All who search share them, so what one has found spares the others work.
type finds struct {
	k, depth int
	margin   float32 // what may be wrong between two scores
	before   order

	least atomic.Uint32 // the bits of the score below which none is needed any more
	mu    sync.Mutex
	found []Scored
	late  int // how many came since least was raised
}

// reset forgets what was found.
func (f *finds) reset() {
	f.found, f.late = f.found[:0], 0
	f.least.Store(math.Float32bits(float32(math.Inf(-1))))
}

// enough returns the score that is enough to be added. It rises while more is found.
func (f *finds) enough() float32 { return math.Float32frombits(f.least.Load()) }

// add adds slots whose scores were enough.
func (f *finds) add(s []Scored) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.found = append(f.found, s...)
	if f.late += len(s); f.late > f.k/4 {
		f.settle()
	}
}

// settle leaves those that are needed, in no order, and says what is enough from now on.
func (f *finds) settle() {
	f.late = 0
	if len(f.found) < f.k {
		return
	}
	least := f.enough()
	if len(f.found) >= f.depth {
		f.before.first(f.found, f.depth)
		f.found = f.found[:f.depth]
		least = max(least, f.found[f.depth-1].Score)
	}
	f.before.first(f.found, f.k)
	least = max(least, f.found[f.k-1].Score-f.margin)
	f.found = slices.DeleteFunc(f.found, func(c Scored) bool { return c.Score < least })
	f.least.Store(math.Float32bits(least))
}
