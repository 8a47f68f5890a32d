package bm25

import (
	"math/rand/v2"
	"testing"
)

// After any puts and deletions between them, searches of sets that recur with small changes count the documents of
// their set and their lengths correctly.
func TestTallies(t *testing.T) {
	t.Parallel()
	const size = 64 * 100
	random := rand.New(rand.NewPCG(1, 2))
	x, docs := New(K1, B), map[uint32]int{}
	sets := make([][]uint64, maxTallies+2)
	for i := range sets {
		sets[i] = make([]uint64, random.IntN(size/64))
		for w := range sets[i] {
			sets[i][w] = random.Uint64()
		}
	}
	for range 4000 {
		slot := random.Uint32N(1 + random.Uint32N(size))
		switch random.IntN(6) {
		case 0:
			x.Delete(slot)
			delete(docs, slot)
		case 1, 2:
			docs[slot] = random.IntN(300)
			x.Put(slot, make([]string, docs[slot]))
		}
		set := sets[random.IntN(1+random.IntN(len(sets)))]
		for range random.IntN(40) * random.IntN(2) {
			if len(set) > 0 {
				set[random.IntN(len(set))] ^= 1 << random.IntN(64)
			}
		}
		count, length := 0, 0
		for slot, n := range docs {
			if has(set, slot) {
				count, length = count+1, length+n
			}
		}
		if _, n, l := x.among(new(scratch), set); n != count || l != length {
			t.Fatalf("the set holds %d documents of %d terms, want %d of %d", n, l, count, length)
		}
	}
}
