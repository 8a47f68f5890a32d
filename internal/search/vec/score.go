package vec

import "fmt"

// Score sets out[i] to the inner product of v, a vector of unit length with the dimensions of the set, with the row of
// slots[i], and to 0 if that slot is empty. These are the scores of [Set.Search] without Full. Ascending slots are read
// fastest.
func (s *Set) Score(v []float32, slots []int, out []float32) error {
	if len(v) != s.dims {
		return fmt.Errorf("vector: has %d dimensions, the set has %d", len(v), s.dims)
	}
	q := questions.Get().(*question)
	defer questions.Put(q)
	q.set(v)
	w := newWorker(0)
	defer w.release()
	held, places := make([]candidate, 0, len(slots)), make([]int, 0, len(slots))
	for i, slot := range slots {
		out[i] = 0
		if s.holds(slot) {
			held, places = append(held, candidate{slot: uint32(slot)}), append(places, i)
		}
	}
	w.rescore(s, q, held)
	for i, c := range held {
		out[places[i]] = c.score
	}
	return nil
}
