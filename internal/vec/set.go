package vec

import (
	"encoding/binary"
	"math"
)

// Set is vectors of one length by slot, quantised twice: to a byte a component (see [AppendRow]), which scores, and to
// a bit (see chunk), which tells what need not be scored. It is not safe for concurrent use while it changes; any
// number of searches may share one that does not.
type Set struct {
	dims    int
	chunks  []*chunk // of chunkSlots slots each; nil: none of them is held
	kernels *kernels

	coarsest float32 // the largest step of a row that was put
}

// NewSet returns an empty set of vectors of dims components.
func NewSet(dims int) *Set { return &Set{dims: dims, kernels: fastest} }

// Dims returns the number of components of a vector.
func (s *Set) Dims() int { return s.dims }

// Put puts a vector of unit length into a slot, over what it held. Slots are small numbers, less than 1<<32, because
// memory is held for those below them too; they may come in any order. The length of v must be [Set.Dims].
func (s *Set) Put(slot int, v []float32) {
	scratch := rowScratch.Get().(*[]byte)
	defer rowScratch.Put(scratch)
	*scratch = AppendRow((*scratch)[:0], v[:s.dims])
	s.put(slot, *scratch)
}

// PutRow is [Set.Put] of the vector that [AppendRow] has written, in a fraction of the time. If the row is nothing of
// that kind, the slot is unchanged.
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
		s.chunks[i] = &chunk{width: width(s.dims)}
	}
	s.chunks[i].put(slot%chunkSlots, row)
	s.coarsest = max(s.coarsest, stepOf(row))
}

// Remove empties a slot and overwrites what it held, so that nothing of a deleted vector stays in memory.
func (s *Set) Remove(slot int) {
	if !s.holds(slot) {
		return
	}
	c := s.chunk(slot)
	if c.remove(slot % chunkSlots); c.n == 0 {
		s.chunks[slot/chunkSlots] = nil
	}
}

// AppendRowOf appends the row of a slot as [AppendRow] has written it; nothing, if the slot is empty.
func (s *Set) AppendRowOf(b []byte, slot int) []byte {
	if !s.holds(slot) {
		return b
	}
	c, i := s.chunk(slot), slot%chunkSlots
	b = binary.LittleEndian.AppendUint32(b, math.Float32bits(c.steps[i]))
	return append(b, c.row(i)...)
}

// Bytes returns the memory that the set holds.
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

// step returns the step of the row of a slot that is held.
func (s *Set) step(slot uint32) float32 { return s.chunks[slot/chunkSlots].steps[slot%chunkSlots] }

// chunk returns the chunk of a slot, nil if no slot of it is held.
func (s *Set) chunk(slot int) *chunk {
	if slot < 0 || slot/chunkSlots >= len(s.chunks) {
		return nil
	}
	return s.chunks[slot/chunkSlots]
}
