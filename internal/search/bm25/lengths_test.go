package bm25

import (
	"math/rand/v2"
	"testing"
)

// TestLengths: after any puts and removals, the length of a set is the sum of its documents' lengths.
func TestLengths(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	var l lengths
	held := map[uint32]uint32{}
	for range 2000 {
		slot := random.Uint32N(300)
		if _, ok := held[slot]; ok {
			delete(held, slot)
			l.drop(slot)
		} else {
			held[slot] = random.Uint32N(1 << random.IntN(20))
			l.put(slot, held[slot])
		}
		set, want := make([]uint64, random.IntN(6)), 0
		for w := range set {
			set[w] = random.Uint64()
		}
		for slot, length := range held {
			if has(set, slot) {
				want += int(length)
			}
		}
		if got := l.sum(set); got != want {
			t.Fatalf("the set has %d terms together, want %d", got, want)
		}
	}
}
