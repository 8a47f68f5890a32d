package vec

import (
	"encoding/binary"
	"math"
)

// Set holds vectors of one length by slot, quantised twice: to a byte a component (see [AppendRow]) for scores, and to
// a bit (see chunk) for bounds that save scoring. It is not safe for concurrent use while it changes; any number of
// searches may share one that does not.
type Set struct {
	dims    int
	chunks  []*chunk // of chunkSlots slots each; nil if no slot of it is held
	kernels *kernels
	pages   *Pages // nil for a small set

	coarsest float32 // the largest step of a stored row
}

// NewSet returns an empty set of vectors of dims components.
func NewSet(dims int) *Set { return &Set{dims: dims, kernels: fastest} }

// Dims returns the number of components of a vector.
func (s *Set) Dims() int { return s.dims }

// Put stores a vector of unit length in a slot, and replaces the one before. Slots must be small, less than 1<<32,
// because memory is allocated for all slots below the largest; they may come in any order. The length of v must be
// [Set.Dims].
func (s *Set) Put(slot int, v []float32) {
	scratch := rowScratch.Get().(*[]byte)
	defer rowScratch.Put(scratch)
	*scratch = AppendRow((*scratch)[:0], v[:s.dims])
	s.put(slot, *scratch)
}

// PutRow does what [Set.Put] does, with a row of [AppendRow], in a fraction of the time. An invalid row leaves the slot
// unchanged.
func (s *Set) PutRow(slot int, row []byte) error {
	if err := checkRow(s.dims, row); err != nil {
		return err
	}
	s.put(slot, row)
	return nil
}

func (s *Set) put(slot int, row []byte) {
	i := slot / chunkSlots
	for i >= len(s.chunks) {
		s.chunks = append(s.chunks, nil)
	}
	if s.chunks[i] == nil {
		if s.pages == nil {
			s.pages = PagesFor(slot)
		}
		s.chunks[i] = &chunk{width: width(s.dims), pages: s.pages}
	}
	s.chunks[i].put(slot%chunkSlots, row)
	s.coarsest = max(s.coarsest, stepOf(row))
}

// Remove empties a slot and overwrites its content, so that nothing of a deleted vector stays in memory.
func (s *Set) Remove(slot int) {
	if !s.holds(slot) {
		return
	}
	c := s.chunk(slot)
	if c.remove(slot % chunkSlots); c.n == 0 {
		s.chunks[slot/chunkSlots] = nil
	}
}

// AppendRowOf appends the row of a slot in the form of [AppendRow], and nothing if the slot is empty.
func (s *Set) AppendRowOf(b []byte, slot int) []byte {
	if !s.holds(slot) {
		return b
	}
	c, i := s.chunk(slot), slot%chunkSlots
	b = binary.LittleEndian.AppendUint32(b, math.Float32bits(c.steps[i]))
	return append(b, c.row(i)...)
}

// Bytes returns how much memory the set uses.
func (s *Set) Bytes() int64 {
	n := int64(cap(s.chunks)) * 8
	for _, c := range s.chunks {
		if c != nil {
			n += c.bytes()
		}
	}
	return n
}

func (s *Set) holds(slot int) bool {
	c := s.chunk(slot)
	return c != nil && c.holds(slot%chunkSlots)
}

// step returns the step of the row of an occupied slot.
func (s *Set) step(slot uint32) float32 { return s.chunks[slot/chunkSlots].steps[slot%chunkSlots] }

// chunk returns the chunk of a slot, or nil if the chunk is empty.
func (s *Set) chunk(slot int) *chunk {
	if slot < 0 || slot/chunkSlots >= len(s.chunks) {
		return nil
	}
	return s.chunks[slot/chunkSlots]
}
