package vec

import (
	"math/bits"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
)

// Scored is a slot and its inner product with the query.
type Scored struct {
	Slot  int
	Score float32
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

// best holds the k best seen so far as a heap with the worst of them on top.
type best struct {
	k      int
	before func(a, b int) bool
	heap   []Scored
}

func (t *best) worse(a, b Scored) bool {
	if a.Score != b.Score {
		return a.Score < b.Score
	}
	return t.before(b.Slot, a.Slot)
}

func (t *best) offer(slot int, score float32) {
	s := Scored{slot, score}
	if len(t.heap) == t.k {
		if score < t.heap[0].Score || !t.worse(t.heap[0], s) {
			return
		}
		t.heap[0] = s
		t.sink()
		return
	}
	t.heap = append(t.heap, s)
	for i := len(t.heap) - 1; i > 0; {
		parent := (i - 1) / 2
		if !t.worse(t.heap[i], t.heap[parent]) {
			return
		}
		t.heap[i], t.heap[parent] = t.heap[parent], t.heap[i]
		i = parent
	}
}

func (t *best) sink() {
	for i := 0; ; {
		least := i
		for child := 2*i + 1; child <= 2*i+2 && child < len(t.heap); child++ {
			if t.worse(t.heap[child], t.heap[least]) {
				least = child
			}
		}
		if least == i {
			return
		}
		t.heap[i], t.heap[least] = t.heap[least], t.heap[i]
		i = least
	}
}
