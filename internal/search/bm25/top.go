package bm25

import "slices"

// top keeps the k best hits. It collects up to 2k before it selects, which is cheaper than keeping them in order.
type top struct {
	k      int
	before func(a, b uint32) bool
	hits   []Hit
	floor  float64 // the lowest score that can still be among the best
}

// offer takes a hit whose score is not below the floor, and returns the new floor.
func (t *top) offer(h Hit) (floor float64) {
	if t.hits = append(t.hits, h); len(t.hits) >= 2*t.k {
		t.cut()
	}
	return t.floor
}

// cut keeps the k best.
func (t *top) cut() {
	if len(t.hits) < t.k {
		return
	}
	t.divide()
	t.hits = t.hits[:t.k]
	for i, h := range t.hits {
		if i == 0 || h.Score < t.floor {
			t.floor = h.Score
		}
	}
}

// divide moves the k best to the front, in any order.
func (t *top) divide() {
	for low, high := 0, len(t.hits); high-low > 1; {
		pivot := t.hits[low+(high-low)/2]
		i, j := low, high-1
		for i <= j {
			for t.better(t.hits[i], pivot) {
				i++
			}
			for t.better(pivot, t.hits[j]) {
				j--
			}
			if i <= j {
				t.hits[i], t.hits[j] = t.hits[j], t.hits[i]
				i, j = i+1, j-1
			}
		}
		switch { // up to j none is worse than the pivot, from i on none is better
		case t.k <= j:
			high = j + 1
		case t.k >= i:
			low = i
		default:
			return
		}
	}
}

// better reports whether a comes before b.
func (t *top) better(a, b Hit) bool {
	return a.Score > b.Score || a.Score == b.Score && t.first(a.Slot, b.Slot)
}

// first orders documents with equal scores.
func (t *top) first(a, b uint32) bool { return a != b && t.before(a, b) }

// sorted returns the k best, the best one first.
func (t *top) sorted() []Hit {
	t.cut()
	slices.SortFunc(t.hits, func(a, b Hit) int {
		switch {
		case a.Score > b.Score:
			return -1
		case a.Score < b.Score:
			return 1
		case a.Slot == b.Slot:
			return 0
		case t.before(a.Slot, b.Slot):
			return -1
		}
		return 1
	})
	return append(make([]Hit, 0, len(t.hits)), t.hits...)
}
