package bm25

import "math"

// Neighbours says which documents follow each other, as the turns of a session do. Slots beyond its size have no
// neighbours.
type Neighbours struct {
	Prev, Next []uint32 // by slot: 1 + the slot before and after; 0: none. [Neighbours.Join] changes them
	Answers    []uint64 // bit set over slots: the document answers the one before it
	// bit set over slots: something outside of these sequences is between the document and the one before it
	Apart []uint64
	near  []steps // by slot
}

// steps are the distances from a slot to those before and after it: 0 means none, and far means that Prev and Next hold
// the slot. Searches use them, because two bytes a slot fit into the cache better than eight.
type steps struct{ prev, next int8 }

const far = math.MinInt8

// Fit makes room for n slots, which have no neighbours until they are joined.
func (t *Neighbours) Fit(n int) {
	if need := n - len(t.Next); need > 0 {
		t.Prev, t.Next = append(t.Prev, make([]uint32, need)...), append(t.Next, make([]uint32, need)...)
		t.near = append(t.near, make([]steps, need)...)
	}
	if need := (n+63)/64 - len(t.Apart); need > 0 {
		t.Answers, t.Apart = append(t.Answers, make([]uint64, need)...), append(t.Apart, make([]uint64, need)...)
	}
}

// Join makes the document next follow prev. Each is 1 + its slot; 0 means none: the other one begins or ends its
// sequence.
func (t *Neighbours) Join(prev, next uint32) {
	if prev != 0 {
		t.Next[prev-1], t.near[prev-1].next = next, step(prev, next)
	}
	if next != 0 {
		t.Prev[next-1], t.near[next-1].prev = prev, step(next, prev)
	}
}

// step returns the distance from one to another, each 1 + its slot.
func step(from, to uint32) int8 {
	switch d := int64(to) - int64(from); {
	case to == 0:
		return 0
	case d > math.MinInt8 && d <= math.MaxInt8:
		return int8(d)
	}
	return far
}

// fetch reads the steps of the slots of postings.
func (t *Neighbours) fetch(into []steps, ps []posting) {
	for i, p := range ps {
		into[i] = (steps{})
		if int(p.slot) < len(t.near) {
			into[i] = t.near[p.slot]
		}
	}
}

// none is no slot.
const none = math.MaxUint32

// next returns the next document in the set, or none. apart is 1 if something is in between. step is that of at.
func (t *Neighbours) next(at uint32, step int8, set []uint64) (to, apart uint32) {
	for range Reach {
		switch step {
		case 0:
			return none, 0
		case far:
			at = t.Next[at] - 1
		default:
			at += uint32(int32(step))
		}
		apart |= bit(t.Apart, at)
		if has(set, at) {
			return at, apart
		}
		step = t.near[at].next
	}
	return none, 0
}

// prev is next in the other direction.
func (t *Neighbours) prev(at uint32, step int8, set []uint64) (to, apart uint32) {
	for range Reach {
		apart |= bit(t.Apart, at)
		switch step {
		case 0:
			return none, 0
		case far:
			at = t.Prev[at] - 1
		default:
			at += uint32(int32(step))
		}
		if has(set, at) {
			return at, apart
		}
		step = t.near[at].prev
	}
	return none, 0
}
