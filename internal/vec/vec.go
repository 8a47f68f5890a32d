// Package vec finds the nearest of many unit vectors by looking at all of them.
//
// An exhaustive scan is exact, needs no building, and takes a filter for free: the filter is a set of slots, and slots
// outside it are never read. What a scan costs is memory traffic, so the rows lie densely in large blocks, the kernel keeps
// several sums in flight, and blocks are handed to several workers once there are enough of them.
package vec

// Matrix is a growing list of rows of equal length, addressed by slot. It is not safe for concurrent use while it changes;
// any number of readers may share one that does not.
type Matrix struct {
	dims   int
	rows   int
	blocks [][]float32 // of blockRows rows each, the last one as long as it needs to be
}

// blockRows is the unit of allocation and of parallel work. A block of 256 dimensions is one MiB: growing never copies more
// than that, and a worker that fetches a block is busy long enough to make fetching free. A multiple of 64, so that a block
// begins at a word of a set of slots.
const blockRows = 1024

// New returns an empty matrix whose rows have dims components.
func New(dims int) *Matrix { return &Matrix{dims: dims} }

// Dims returns the length of a row.
func (m *Matrix) Dims() int { return m.dims }

// Len returns the number of slots, zeroed ones included.
func (m *Matrix) Len() int { return m.rows }

// Append copies v into a new slot and returns its number; numbers count from 0. The length of v must be [Matrix.Dims].
func (m *Matrix) Append(v []float32) int {
	slot := m.rows
	if slot%blockRows == 0 {
		m.blocks = append(m.blocks, nil)
	}
	last := &m.blocks[len(m.blocks)-1]
	n := len(*last)
	if n+m.dims > cap(*last) {
		grown := make([]float32, n, min(max(2*n, 16*m.dims), blockRows*m.dims))
		copy(grown, *last)
		*last = grown
	}
	*last = append(*last, v[:m.dims]...)
	m.rows++
	return slot
}

// Replace copies v over the row of an existing slot. The length of v must be [Matrix.Dims].
func (m *Matrix) Replace(slot int, v []float32) { copy(m.Row(slot), v[:m.dims]) }

// Zero overwrites the row of a slot with zeros, so that nothing of a deleted vector stays in memory. The slot remains:
// keep it out of a search with the set of allowed slots.
func (m *Matrix) Zero(slot int) { clear(m.Row(slot)) }

// Row returns the row of a slot. It is the matrix's own memory, to be read only.
func (m *Matrix) Row(slot int) []float32 {
	i := slot % blockRows * m.dims
	return m.blocks[slot/blockRows][i : i+m.dims : i+m.dims]
}

// Dot returns the inner product of a and b over their common length: the cosine, if both are of unit length. Equal
// arguments give equal results bit for bit, whatever the machine is doing.
func Dot(a, b []float32) float32 {
	n := min(len(a), len(b))
	a, b = a[:n], b[:n]
	return fastest.dot(a, b)
}
