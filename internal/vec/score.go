package vec

import "fmt"

// Score sets out[i] to the inner product of v, a vector of unit length with the dimensions of the set, with the row of slots[i],
// and to 0 where that slot is empty: what [Set.Search] without Full tells of it. Ascending slots are read fastest.
func (s *Set) Score(v []float32, slots []int, out []float32) error {
	if len(v) != s.dims {
		return fmt.Errorf("vector: has %d dimensions, the set has %d", len(v), s.dims)
	}
	q := questions.Get().(*question)
	defer questions.Put(q)
	q.set(v)
	w := workers.Get().(*worker)
	defer workers.Put(w)
	for i, slot := range slots {
		if out[i] = 0; s.holds(slot) {
			out[i] = w.score(s, q, slot)
		}
	}
	return nil
}
