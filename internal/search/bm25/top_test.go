package bm25

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// The best of any hits, in any order and with any ties, are those that sorting finds.
func TestTop(t *testing.T) {
	t.Parallel()
	for seed := range uint64(400) {
		random := rand.New(rand.NewPCG(seed, 1))
		hits, scores := make([]Hit, random.IntN(300)), 1+random.IntN(300)
		for i, slot := range random.Perm(len(hits)) {
			hits[i] = Hit{uint32(slot), float64(1 + random.IntN(scores))}
		}
		k := random.IntN(120)
		best := top{k: k, before: func(a, b uint32) bool { return a > b }}
		floor := 0.
		for _, h := range hits {
			if h.Score >= floor {
				floor = best.offer(h)
			}
		}
		got := best.sorted()
		slices.SortFunc(hits, func(a, b Hit) int {
			if a.Score != b.Score {
				return int(b.Score - a.Score)
			}
			return int(b.Slot) - int(a.Slot)
		})
		if want := hits[:min(k, len(hits))]; !slices.Equal(got, want) {
			t.Fatalf("seed %d: the best %d are %v, want %v", seed, k, got, want)
		}
	}
}
