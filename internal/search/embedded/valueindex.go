package embedded

import (
	"iter"
	"math/bits"
	"slices"
)

// valueIndex says which slots hold a value of a column, so that a condition costs as much as its matches, not as much
// as the table. It is built by the first query. Bit sets are kept up to date. For values with a list, later changes are
// recorded, and the index is dropped when there are many.
type valueIndex struct {
	valued  []uint64            // the slots that hold any value
	sets    map[uint32][]uint64 // bit sets of the values that many slots hold, by code
	starts  []uint32            // by code, of the other values: where their slots start
	slots   []uint32
	changed []uint32 // slots that got or lost a value with a list
	most    int      // the largest length of changed
}

// dense is the largest ratio of all slots to those of a value at which a bit set is smaller than a list.
const dense = 32

// fewChanged is the number of changes that are always recorded.
const fewChanged = 256

// touch records that the code of a slot changed.
func (c *column) touch(slot, old, code uint32) {
	p := c.valueIndex.Load()
	if p == nil || old == code {
		return
	}
	listed := false
	if old == absent {
		p.valued = with(p.valued, slot)
	} else if set, ok := p.sets[old]; ok {
		set[slot/64] &^= 1 << (slot % 64)
	} else {
		listed = true
	}
	if code == absent {
		p.valued[slot/64] &^= 1 << (slot % 64)
	} else if set, ok := p.sets[code]; ok {
		p.sets[code] = with(set, slot)
	} else {
		listed = true
	}
	if !listed {
		return
	}
	if p.changed = append(p.changed, slot); len(p.changed) > p.most {
		c.valueIndex.Store(nil)
	}
}

// with returns the set with the slot in it.
func with(set []uint64, slot uint32) []uint64 {
	for int(slot/64) >= len(set) {
		set = append(set, 0)
	}
	set[slot/64] |= 1 << (slot % 64)
	return set
}

// find returns the index of the column's values. Concurrent searches that find none build equal ones.
func (c *column) find() *valueIndex {
	if p := c.valueIndex.Load(); p != nil {
		return p
	}
	n, words := c.codes.n, (c.codes.n+63)/64
	p := &valueIndex{valued: make([]uint64, words), sets: map[uint32][]uint64{}, starts: make([]uint32, len(c.names)+1),
		most: max(fewChanged, n/dense)}
	listed := uint32(0)
	for code := 1; code < len(c.uses); code++ {
		p.starts[code] = listed
		if int(c.uses[code]) > n/dense {
			p.sets[uint32(code)] = make([]uint64, words)
		} else {
			listed += c.uses[code]
		}
	}
	p.starts[len(c.uses)] = listed
	p.slots = make([]uint32, listed)
	next := slices.Clone(p.starts)
	var buffer [chunkSlots]int64
	last, lastSet := uint32(absent), []uint64(nil)
	for at := range c.codes.chunks {
		if same := &c.codes.chunks[at]; same.width == 0 && same.base == absent {
			continue
		}
		for i, v := range c.codes.values(at, &buffer) {
			code, slot := uint32(v), uint32(at*chunkSlots+i)
			if code == absent {
				continue
			}
			p.valued[slot/64] |= 1 << (slot % 64)
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
	}
	c.valueIndex.Store(p)
	return p
}

// mark adds to an empty set the live slots whose code is one of the codes.
func (c *column) mark(set, live []uint64, codes []uint32) {
	p := c.find()
	for _, code := range codes {
		if code == absent {
			unite(set, live)
			subtract(set, p.valued)
		} else if of, ok := p.sets[code]; ok {
			unite(set, of)
		} else {
			for _, slot := range p.listed(code) {
				set[slot/64] |= 1 << (slot % 64)
			}
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

// placesOf returns a set and how to read it: a live slot holds one of the codes (with holds) or none of them (without)
// exactly if its membership of the set is has. It returns nil if there is no such set.
func (c *column) placesOf(codes []uint32, holds bool) (set []uint64, has bool) {
	if len(codes) != 1 {
		return nil, holds
	}
	p := c.find()
	if codes[0] == absent {
		return p.valued, !holds
	}
	return p.sets[codes[0]], holds
}

// anyOf reports whether a slot of the set has a code other than absent.
func (c *column) anyOf(set []uint64, code uint32) bool {
	p := c.find()
	if of, ok := p.sets[code]; ok {
		for i := range min(len(of), len(set)) {
			if of[i]&set[i] != 0 {
				return true
			}
		}
		return false
	}
	has := func(slot uint32) bool {
		return int(slot/64) < len(set) && set[slot/64]>>(slot%64)&1 == 1 && c.at(slot) == code
	}
	return slices.ContainsFunc(p.listed(code), has) || slices.ContainsFunc(p.changed, has)
}

// listed returns the slots of a value that has a list, as they were when the index was built.
func (p *valueIndex) listed(code uint32) []uint32 {
	if int(code) >= len(p.starts)-1 {
		return nil // added since
	}
	return p.slots[p.starts[code]:p.starts[code+1]]
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
