package embedded

import (
	"slices"
	"sync"
)

// memos cache which slots met the last expensive conditions: the searches of a question repeat them, and so do an
// application's questions.
type memos struct {
	mu   sync.Mutex
	last []*memo // most recently used first
}

// maxMemos is the number of cached conditions, at two bits for each slot.
const maxMemos = 8

type memo struct {
	condition string
	mu        sync.Mutex // held while slots are tested: a search for the same condition waits
	known     []uint64
	met       []uint64 // the known slots that meet it
}

// of returns the cached results of a condition.
func (x *memos) of(condition string) *memo {
	x.mu.Lock()
	defer x.mu.Unlock()
	i := slices.IndexFunc(x.last, func(v *memo) bool { return v.condition == condition })
	v := &memo{condition: condition}
	if i >= 0 {
		v = x.last[i]
		x.last = slices.Delete(x.last, i, i+1)
	}
	x.last = slices.Insert(x.last[:min(len(x.last), maxMemos-1)], 0, v)
	return v
}

// forget removes the cached results of a slot when its memory changes. It needs exclusive access.
func (x *memos) forget(slot uint32) {
	for _, v := range x.last {
		if int(slot/64) < len(v.known) {
			v.known[slot/64] &^= 1 << (slot % 64)
		}
	}
}

// narrow keeps the slots of a set that meet the condition; ask tests those without a cached result.
func (v *memo) narrow(set []uint64, ask narrower) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if n := len(set) - len(v.known); n > 0 {
		v.known, v.met = append(v.known, make([]uint64, n)...), append(v.met, make([]uint64, n)...)
	}
	unknown := copySet(set)
	defer freeSet(unknown)
	subtract(unknown, v.known)
	if count(unknown) > 0 {
		subtract(v.met, unknown) // results from a former memory of the slot
		unite(v.known, unknown)
		ask(unknown)
		unite(v.met, unknown)
	}
	intersect(set, v.met)
}
