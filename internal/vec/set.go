package vec

// Set is vectors of one length by slot, quantised; see [AppendRow]. It is not safe for concurrent use while it changes; any
// number of searches may share one that does not.
type Set struct {
	dims int
	rows map[int][]byte
}

// NewSet returns an empty set of vectors of dims components.
func NewSet(dims int) *Set { return &Set{dims: dims, rows: map[int][]byte{}} }

// Dims returns the number of components of a vector.
func (s *Set) Dims() int { return s.dims }

// Put puts a vector of unit length into a slot, over what it held. Slots are small numbers, because memory is held for those
// below them too; they may come in any order. The length of v must be [Set.Dims].
func (s *Set) Put(slot int, v []float32) { s.rows[slot] = AppendRow(nil, v[:s.dims]) }

// PutRow is [Set.Put] of what [AppendRow] has written for the vector, in a fraction of the time. If it is nothing of that kind, the slot
// remains as it is.
func (s *Set) PutRow(slot int, row []byte) error {
	if err := checkRow(s.dims, row); err != nil {
		return err
	}
	s.rows[slot] = append([]byte(nil), row...)
	return nil
}

// Remove empties a slot and overwrites what it held.
func (s *Set) Remove(slot int) { delete(s.rows, slot) }

// AppendRowOf appends the row of a slot as [AppendRow] has written it; nothing, if the slot is empty.
func (s *Set) AppendRowOf(b []byte, slot int) []byte { return append(b, s.rows[slot]...) }

// Bytes returns the memory that the set holds.
func (s *Set) Bytes() int64 { return int64(len(s.rows) * RowBytes(s.dims)) }
