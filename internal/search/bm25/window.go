package bm25

import (
	"cmp"
	"math/bits"
	"slices"
)

// window gathers the matches of a term by slot while its postings are read; of several matches in a document the best
// one counts. It covers some consecutive slots and moves on with the postings, so that repeated accesses stay in the
// cache. Neighbouring turns of a conversation, which boost each other, are mostly inside it together.
type window struct {
	low   uint32               // its first slot, a multiple of windowStep
	best  [windowSlots]float64 // by slot modulo windowSlots; 0: no match
	found [windowSlots / 64]uint64
	late  []Hit // matches in slots outside the window, in any order

	matches []Hit // of the terms in turn, those of each by ascending slot
	first   int   // index in matches of the term's first match
	runs    []int // offsets from first where slots start again: the forms of a term are read in turn
	spare   []Hit // buffer of settle
}

const (
	windowSlots = 4 * windowStep
	windowStep  = 1024
)

// reach moves the window, if necessary, so that a slot is in its second quarter: one quarter remains for the slots
// before it.
func (x *window) reach(slot uint32) {
	if slot-x.low-windowStep >= windowStep {
		x.move(slot)
	}
}

func (x *window) move(slot uint32) {
	low := slot &^ (windowStep - 1)
	low -= min(low, windowStep)
	switch {
	case low > x.low:
		x.flush(low)
	case low < x.low:
		x.flush(x.low + windowSlots)
		x.runs = append(x.runs, len(x.matches))
	}
	x.low = low
}

// note records a match.
func (x *window) note(slot uint32, match float64) {
	if slot-x.low >= windowSlots {
		x.late = append(x.late, Hit{slot, match})
		return
	}
	if at := slot % windowSlots; x.best[at] < match {
		x.best[at] = match
		x.found[at/64] |= 1 << (at % 64)
	}
}

// settle ends the reading of a term, and sorts its matches by slot.
func (x *window) settle() {
	x.flush(x.low + windowSlots)
	x.low = 0
	if len(x.late) > 0 {
		slices.SortFunc(x.late, func(a, b Hit) int { return cmp.Compare(a.Slot, b.Slot) })
		x.runs = append(x.runs, len(x.matches))
		x.matches, x.late = append(x.matches, x.late...), x.late[:0]
	}
	for len(x.runs) > 0 { // runs are merged in pairs until one is left
		ends := append(x.runs, len(x.matches))
		x.runs, x.spare = x.runs[:0], slices.Grow(x.spare[:0], len(x.matches)-x.first)
		for at := x.first; len(ends) > 0; {
			middle, end := ends[0], ends[min(1, len(ends)-1)]
			if at > x.first {
				x.runs = append(x.runs, x.first+len(x.spare))
			}
			x.spare = merge(x.spare, x.matches[at:middle], x.matches[middle:end])
			at, ends = end, ends[min(2, len(ends)):]
		}
		x.matches = append(x.matches[:x.first], x.spare...)
	}
}

// flush moves the window's matches in slots below end, a multiple of 64, to the list of matches.
func (x *window) flush(end uint32) {
	if need := len(x.matches) + windowSlots; need > cap(x.matches) {
		x.matches = append(make([]Hit, 0, 2*need), x.matches...)
	}
	matches := x.matches
	for slot, end := x.low, min(end, x.low+windowSlots); slot < end; slot += 64 {
		left := x.found[slot%windowSlots/64]
		if left == 0 {
			continue
		}
		x.found[slot%windowSlots/64] = 0
		best := (*[64]float64)(x.best[slot%windowSlots:])
		for ; left != 0; left &= left - 1 {
			at := bits.TrailingZeros64(left) % 64
			matches = append(matches, Hit{slot + uint32(at), best[at]})
			best[at] = 0
		}
	}
	x.matches = matches
}

// merge appends two runs as one.
func merge(to, a, b []Hit) []Hit {
	from := len(to)
	for len(a) > 0 || len(b) > 0 {
		var h Hit
		if len(b) == 0 || len(a) > 0 && a[0].Slot <= b[0].Slot {
			h, a = a[0], a[1:]
		} else {
			h, b = b[0], b[1:]
		}
		if last := len(to) - 1; last >= from && to[last].Slot == h.Slot {
			to[last].Score = max(to[last].Score, h.Score)
		} else {
			to = append(to, h)
		}
	}
	return to
}
