package embedded

import (
	"math/bits"
	"sync"
)

// Sets of slots are bit sets: slot s is bit s%64 of word s/64, and words past the end are empty.

// unite adds to a set what is in another one, as far as the set reaches.
func unite(set, other []uint64) {
	n := min(len(set), len(other))
	set, other = set[:n], other[:n]
	for i, word := range other {
		set[i] |= word
	}
}

// intersect leaves in a set what is in another one.
func intersect(set, other []uint64) {
	n := min(len(set), len(other))
	clear(set[n:])
	set, other = set[:n], other[:n]
	for i, word := range other {
		set[i] &= word
	}
}

// subtract removes from a set what is in another one.
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

// spare holds sets that nobody uses: a search needs a few, and each is as long as its table.
var spare sync.Pool

// newSet returns an empty set of so many words, which may be given back with freeSet.
func newSet(words int) []uint64 {
	set := takeSet(words)
	clear(set)
	return set
}

// copySet is newSet with what is in another set.
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

// freeSet gives a set back, which may be nil. It must not be used any more.
func freeSet(set []uint64) {
	if cap(set) > 0 {
		spare.Put(&set)
	}
}
