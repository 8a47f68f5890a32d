package vec

import (
	"math"
	"math/bits"
	"sync"
)

// worker is what is needed to search one chunk at a time.
type worker struct {
	which    [chunkSlots]uint16
	products [chunkSlots]int32
	bounds   [chunkSlots]float32
	passed   [chunkSlots / blockSlots]uint32
	lookup   lookup
}

var workers = sync.Pool{New: func() any { return new(worker) }}

// search offers what chunk number i has for a probe.
func (w *worker) search(k *kernels, c *chunk, i int, a *inquiry, f *finds) {
	words := c.held
	n := 0
	for j := range words {
		if a.Allow != nil {
			if i*chunkWords+j >= len(a.Allow) {
				clear(words[j:])
				break
			}
			words[j] &= a.Allow[i*chunkWords+j]
		}
		n += bits.OnesCount64(words[j])
	}
	if n == 0 {
		return
	}
	q, least := a.q, math.Float32frombits(a.least.Load())
	coded := c.codes != nil && n > few
	var along float32
	if coded {
		along = w.bound(k, c, q, least, &words)
	}
	which := w.which[:0]
	for j, word := range words {
		for ; word != 0; word &= word - 1 {
			which = append(which, uint16(j*64+bits.TrailingZeros64(word)))
		}
	}
	products := w.products[:len(which)]
	k.dots(q.high, c.rows, which, products)
	for j, slot := range which {
		score := float32(products[j]-q.sumHigh) * c.steps[slot] * q.step
		if coded {
			score = min(score, w.bounds[slot]+along)
		}
		if score >= least {
			f.offer(i*chunkSlots+int(slot), score)
		}
	}
	a.raise(f.least(a))
}

// bound takes those slots out of words whose bounds are below least. The bound of each that remains is its number in
// w.bounds plus what is returned, the product of the vector with the centre.
func (w *worker) bound(k *kernels, c *chunk, q *question, least float32, words *[chunkWords]uint64) (along float32) {
	along = dot(q.x, c.centre) // in Go, so that it is the same everywhere
	apart := max(0, q.norm+c.centreNorm-2*along)
	deviation := float32(math.Sqrt(float64(float32(c.spread*c.spread*apart) + q.rounding)))
	s := &w.lookup
	s.step, s.base = q.entry, q.base+float32(certainty*deviation)
	// A little less, because what is added up in another order is rounded otherwise; the least is looked at again.
	s.least = least - along - 1e-6
	groups := c.width / groupDims * groupBytes / blockSlots // bytes of code for a slot
	for from := 0; from < chunkWords; {
		if words[from] == 0 {
			from++
			continue
		}
		to := from + 1
		for to < chunkWords && words[to] != 0 {
			to++
		}
		first, end := from*64, to*64
		k.scan(s, q.table, c.codes[first*groups:end*groups], c.gain[first:end], c.shift[first:end], w.bounds[first:end],
			w.passed[first/blockSlots:end/blockSlots])
		for j := from; j < to; j++ {
			words[j] &= uint64(w.passed[2*j]) | uint64(w.passed[2*j+1])<<32
		}
		from = to
	}
	return along
}

// score is the product of a vector, whole but for its last bits, with the row of a slot.
func (w *worker) score(s *Set, q *question, slot int) float32 {
	c := s.chunk(slot)
	w.which[0] = uint16(slot % chunkSlots)
	s.kernels.dots(q.high, c.rows, w.which[:1], w.products[:1])
	high := w.products[0] - q.sumHigh
	s.kernels.dots(q.low, c.rows, w.which[:1], w.products[:1])
	product := float64(high) + float64(w.products[0]-q.sumLow)/lowLevels
	return float32(product * float64(q.step) * float64(c.steps[w.which[0]]))
}
