package vec

import (
	"math/bits"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
)

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

// parallelRows is from how many rows on several workers share a scan: below, one core is done in a few milliseconds and
// waking the others gains less than it costs.
const parallelRows = 20_000

// TopK returns the k slots whose rows have the largest inner products with the query, best first; fewer if there are
// fewer. Only slots whose bit is set in allow are read (bit s%64 of word s/64; slots past its end are not allowed); nil
// allows every slot. Of two slots with equal scores the one that before reports to come first wins; nil prefers the
// smaller slot. The length of query must be [Matrix.Dims].
//
// The result does not depend on how many cores share the work, and the work allocates nothing per row.
func TopK(m *Matrix, query []float32, allow []uint64, k int, before func(a, b int) bool) []Scored {
	if before == nil {
		before = func(a, b int) bool { return a < b }
	}
	rows := m.rows
	if allow != nil {
		rows = 0
		for _, w := range allow {
			rows += bits.OnesCount64(w)
		}
	}
	if k = min(k, rows); k <= 0 {
		return nil
	}
	workers := 1
	if rows > parallelRows {
		workers = min(runtime.GOMAXPROCS(0), len(m.blocks))
	}
	parts := make([]best, workers)
	var next atomic.Int64
	scan := func(top *best) {
		*top = best{k: k, before: before, heap: make([]Scored, 0, k)}
		for {
			b := int(next.Add(1)) - 1
			if b >= len(m.blocks) {
				return
			}
			if allow == nil {
				m.scanAll(b, query, top)
			} else {
				m.scanSome(b, query, allow, top)
			}
		}
	}
	var wg sync.WaitGroup
	for i := range parts[1:] {
		wg.Go(func() { scan(&parts[i+1]) })
	}
	scan(&parts[0])
	wg.Wait()

	top := &parts[0]
	for _, p := range parts[1:] {
		for _, s := range p.heap {
			top.offer(s.Slot, s.Score)
		}
	}
	slices.SortFunc(top.heap, func(a, b Scored) int {
		if top.worse(a, b) {
			return 1
		}
		return -1
	})
	return top.heap
}

func (m *Matrix) scanAll(block int, query []float32, top *best) {
	data := m.blocks[block]
	first := block * blockRows
	for row := range min(blockRows, m.rows-first) {
		top.offer(first+row, Dot(query, data[row*m.dims:(row+1)*m.dims]))
	}
}

func (m *Matrix) scanSome(block int, query []float32, allow []uint64, top *best) {
	data := m.blocks[block]
	first := block * blockRows
	rows := min(blockRows, m.rows-first)
	for i := 0; i < rows; i += 64 {
		if (first+i)/64 >= len(allow) {
			return
		}
		w := allow[(first+i)/64]
		if left := rows - i; left < 64 {
			w &= 1<<left - 1
		}
		for ; w != 0; w &= w - 1 {
			row := i + bits.TrailingZeros64(w)
			top.offer(first+row, Dot(query, data[row*m.dims:(row+1)*m.dims]))
		}
	}
}
