package embedded

import (
	"math/bits"
	"sync"
)

// Sets of slots are bit sets: slot s is bit s%64 of word s/64, and words past the end are empty.

// unite adds the members of other to a set, up to the set's length.
func unite(set, other []uint64) {
	n := min(len(set), len(other))
	set, other = set[:n], other[:n]
	for i, word := range other {
		set[i] |= word
	}
}

// intersect removes from a set all that is not in other.
func intersect(set, other []uint64) {
	n := min(len(set), len(other))
	clear(set[n:])
	set, other = set[:n], other[:n]
	for i, word := range other {
		set[i] &= word
	}
}

// subtract removes from a set all that is in other.
func subtract(set, other []uint64) {
	n := min(len(set), len(other))
	set, other = set[:n], other[:n]
	for i, word := range other {
		set[i] &^= word
	}
}

// count returns how many slots are in a set.
func count(set []uint64) (n int) {
	for _, word := range set {
		n += bits.OnesCount64(word)
	}
	return n
}

// spare holds unused sets: a search needs a few, and each is as long as its table.
var spare sync.Pool

// newSet returns an empty set of the given number of words; return it with freeSet.
func newSet(words int) []uint64 {
	set := takeSet(words)
	clear(set)
	return set
}

// copySet returns a copy of a set, from newSet.
func copySet(other []uint64) []uint64 {
	set := takeSet(len(other))
	copy(set, other)
	return set
}

func takeSet(words int) []uint64 {
	if p, _ := spare.Get().(*[]uint64); p != nil && cap(*p) >= words {
		return (*p)[:words]
	}
	return make([]uint64, words)
}

// freeSet returns a set for reuse; it may be nil. The caller must not use it any more.
func freeSet(set []uint64) {
	if cap(set) > 0 {
		spare.Put(&set)
	}
}
