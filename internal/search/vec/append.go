package vec

// Append moves the vectors of another set of equal dimensions into this one: slot i of from becomes slot first+i, and
// replaces the vector there. Several goroutines can each fill a set, and the caller then joins them. It takes no time
// if first is a multiple of 1024 and no slot from there on is held. from is empty afterwards.
func (s *Set) Append(first int, from *Set) {
	for i, c := range from.chunks {
		if c == nil {
			continue
		}
		at := first + i*chunkSlots
		if at%chunkSlots == 0 && s.chunk(at) == nil {
			for at/chunkSlots >= len(s.chunks) {
				s.chunks = append(s.chunks, nil)
			}
			s.chunks[at/chunkSlots] = c
			continue
		}
		var row []byte
		for j := range chunkSlots {
			if c.holds(j) {
				row = from.AppendRowOf(row[:0], i*chunkSlots+j)
				s.put(at+j, row)
			}
		}
	}
	s.coarsest = max(s.coarsest, from.coarsest)
	from.chunks = nil
}
