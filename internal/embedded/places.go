package embedded

import (
	"iter"
	"math/bits"
	"slices"
)

// places say where the values of a column are, so that a condition costs what it accepts and not what there is. They are
// made when somebody first asks for them. What was set since then is listed; when that has become much they are thrown
// away.
type places struct {
	sets    map[uint32][]uint64 // by code, of those that many slots hold: their bit set
	starts  []uint32            // by code, of the others: where in slots theirs begin
	slots   []uint32
	changed []uint32 // slots that were set since
	most    int      // of changed
}

// dense is how many slots there are to one that holds a value, at most, where a bit set is smaller than a list.
const dense = 32

// fewChanged is how many changes are listed in any case.
const fewChanged = 256

// touch notes that the value of a slot, or whether it lives, may be another one now.
func (c *column) touch(slot uint32) {
	p := c.places.Load()
	if p == nil {
		return
	}
	if p.changed = append(p.changed, slot); len(p.changed) > p.most {
		c.places.Store(nil)
	}
}

// find returns the places of the column's values in the live slots. Searches that find none make equal ones at the same time.
func (c *column) find(live []uint64) *places {
	if p := c.places.Load(); p != nil {
		return p
	}
	n := 64 * len(live)
	p := &places{sets: map[uint32][]uint64{}, starts: make([]uint32, len(c.names)+1), most: max(fewChanged, n/dense)}
	uses := slices.Clone(c.uses) // of all but absent
	for _, word := range live {
		uses[absent] += uint32(bits.OnesCount64(word))
	}
	uses[absent] -= uint32(c.valued)
	listed := uint32(0)
	for code, n64 := range uses {
		p.starts[code] = listed
		if int(n64) > n/dense {
			p.sets[uint32(code)] = make([]uint64, len(live))
		} else {
			listed += n64
		}
	}
	p.starts[len(uses)] = listed
	p.slots = make([]uint32, listed)
	next := slices.Clone(p.starts)
	var last uint32
	var lastSet []uint64
	lastSet = p.sets[last]
	for slot := range members(live) {
		code := c.at(slot)
		if code != last {
			last, lastSet = code, p.sets[code]
		}
		if lastSet != nil {
			lastSet[slot/64] |= 1 << (slot % 64)
			continue
		}
		p.slots[next[code]] = slot
		next[code]++
	}
	c.places.Store(p)
	return p
}

// mark adds to the set the live slots whose code is one of the codes. Slots that were changed are decided anew, so the set
// may not hold any that it is not to hold.
func (c *column) mark(set, live []uint64, codes []uint32) {
	p := c.find(live)
	for _, code := range codes {
		if int(code) >= len(p.starts)-1 {
			continue // given since
		}
		if of := p.sets[code]; of != nil {
			for i, word := range of {
				set[i] |= word
			}
			continue
		}
		for _, slot := range p.slots[p.starts[code]:p.starts[code+1]] {
			set[slot/64] |= 1 << (slot % 64)
		}
	}
	for _, slot := range p.changed {
		w, bit := slot/64, uint64(1)<<(slot%64)
		set[w] &^= bit
		if _, ok := slices.BinarySearch(codes, c.at(slot)); ok {
			set[w] |= bit & live[w]
		}
	}
}

// members yields the slots of a set, ascending.
func members(set []uint64) iter.Seq[uint32] {
	return func(yield func(uint32) bool) {
		for w, word := range set {
			for ; word != 0; word &= word - 1 {
				if !yield(uint32(w*64 + bits.TrailingZeros64(word))) {
					return
				}
			}
		}
	}
}
