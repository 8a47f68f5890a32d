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
	scores   [chunkSlots]float32
	bounds   [chunkSlots]float32
	passed   [chunkSlots / blockSlots]uint32
	batch    [chunkSlots]Scored
	shares   []portion
	lookup   lookup
}

var workers = sync.Pool{New: func() any { return new(worker) }}

// slotSet is a set of slots of a chunk.
type slotSet [chunkWords]uint64

// portion is what one of those who ask a question wants of a chunk.
type portion struct {
	slots slotSet // to be scored
	least float32 // and which scores are enough
	coded bool    // bounds are asked before
}

// search adds what chunk number i has for those who ask a question.
func (w *worker) search(k *kernels, c *chunk, i int, a *asked) {
	shares := grown(&w.shares, len(a.by))
	var bounded, scored slotSet
	least, coded := float32(math.Inf(1)), false
	for j, y := range a.by {
		p := &shares[j]
		n := p.slots.allowed(c, i, y.probe.Allow)
		p.least, p.coded = y.enough(), c.codes != nil && n > few
		if p.coded {
			bounded.add(&p.slots)
			least, coded = min(least, p.least), true
		}
	}
	var along float32
	if coded {
		along = w.bound(k, c, a, least, &bounded)
	}
	for j := range shares {
		if p := &shares[j]; p.coded {
			p.slots.keep(&bounded)
			if p.least > least {
				w.narrow(p, along)
			}
		}
		scored.add(&shares[j].slots)
	}
	which := scored.list(w.which[:0])
	if len(which) == 0 {
		return
	}
	products := w.products[:len(which)]
	k.dots(a.q.high, c.rows, which, products)
	for j, slot := range which {
		w.scores[slot] = float32(products[j]-a.q.sumHigh) * c.steps[slot] * a.q.step
	}
	for j, y := range a.by {
		if batch := w.take(&shares[j], i*chunkSlots, along); len(batch) > 0 {
			y.add(batch)
		}
	}
}

// narrow takes those slots out of a portion whose bounds are not enough for it.
func (w *worker) narrow(p *portion, along float32) {
	for j, word := range p.slots {
		for ; word != 0; word &= word - 1 {
			if slot := j*64 + bits.TrailingZeros64(word); w.bounds[slot]+along < p.least {
				p.slots[j] &^= 1 << (slot % 64)
			}
		}
	}
}

// take returns the slots of a portion whose scores are enough, as numbers from first on.
func (w *worker) take(p *portion, first int, along float32) []Scored {
	batch := w.batch[:0]
	for j, word := range p.slots {
		for ; word != 0; word &= word - 1 {
			slot := j*64 + bits.TrailingZeros64(word)
			score := w.scores[slot]
			if p.coded {
				score = min(score, w.bounds[slot]+along)
			}
			if score >= p.least {
				batch = append(batch, Scored{first + slot, score})
			}
		}
	}
	return batch
}

// allowed sets s to the slots of chunk number i that are held and allowed, and returns how many they are.
func (s *slotSet) allowed(c *chunk, i int, allow []uint64) (n int) {
	*s = c.held
	if allow == nil {
		return c.n
	}
	words := allow[min(len(allow), i*chunkWords):min(len(allow), (i+1)*chunkWords)]
	for j, word := range words {
		s[j] &= word
		n += bits.OnesCount64(s[j])
	}
	clear(s[len(words):])
	return n
}

func (s *slotSet) add(o *slotSet) {
	for j, word := range o {
		s[j] |= word
	}
}

func (s *slotSet) keep(o *slotSet) {
	for j, word := range o {
		s[j] &= word
	}
}

// end returns the slot behind the last one.
func (s *slotSet) end() int {
	for j := len(s) - 1; j >= 0; j-- {
		if s[j] != 0 {
			return j*64 + bits.Len64(s[j])
		}
	}
	return 0
}

// list appends the slots, ascending.
func (s *slotSet) list(to []uint16) []uint16 {
	for j, word := range s {
		for ; word != 0; word &= word - 1 {
			to = append(to, uint16(j*64+bits.TrailingZeros64(word)))
		}
	}
	return to
}

// bound takes those slots out of words whose bounds are below least. The bound of each that remains is its number in
// w.bounds plus what is returned, the product of the vector with the centre.
func (w *worker) bound(k *kernels, c *chunk, a *asked, least float32, words *slotSet) (along float32) {
	q := a.q
	along = dot(q.x, c.centre) // in Go, so that it is the same everywhere
	apart := max(0, q.norm+c.centreNorm-2*along)
	deviation := float32(math.Sqrt(float64(float32(c.spread*c.spread*apart) + q.rounding)))
	s := &w.lookup
	s.step, s.base = q.entry, q.base+float32(a.certainty*deviation)
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
