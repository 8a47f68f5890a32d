package vec

import (
	"math/rand/v2"
	"testing"
)

// TestScore: a slot that is named has the score that a search tells of it, and an empty one none.
func TestScore(t *testing.T) {
	const dims, n = 100, chunkSlots + 50
	eachKernels(t, dims, func(t *testing.T, s *Set) {
		r := rand.New(rand.NewPCG(5, 6))
		for slot := range n {
			s.Put(slot, unit(r, dims))
		}
		s.Remove(7)
		q := unit(r, dims)
		told := map[int]float32{}
		for _, c := range search(t, s, Probe{Vector: q, K: n}) {
			told[c.Slot] = c.Score
		}
		slots := []int{0, 7, n - 1, 40, 40, n, -1, 100 * chunkSlots}
		scores := make([]float32, len(slots))
		scores[1] = 1 // of another use
		if err := s.Score(q, slots, scores); err != nil {
			t.Fatal(err)
		}
		for i, slot := range slots {
			if scores[i] != told[slot] {
				t.Errorf("slot %d: Score tells %g, Search %g", slot, scores[i], told[slot])
			}
		}
		if err := s.Score(q[1:], slots, scores); err == nil {
			t.Error("Score takes a vector of other dimensions")
		}
	})
}
