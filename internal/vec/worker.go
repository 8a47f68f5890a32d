package vec

import (
	"math"
	"math/bits"
	"slices"
	"sync"
)

const (
	// batch is the largest number of rows that are scored at a time.
	batch = 256
	// pace says when waiting slots are scored: once more than pace times the depth of an inquiry wait, the best
	// depth/pace of them are scored, to raise the limit for later chunks. The others wait until all bounds are known.
	pace = 4
)

// worker holds what the search of chunks needs, one chunk at a time.
type worker struct {
	bounds  [chunkSlots]float32
	passed  [chunkSlots / blockSlots]uint32
	lookup  lookup
	shares  []portion
	waiting []*queue // by number of the inquiry

	next, scored    [batch]candidate
	rows            [batch][]uint8
	products, finer [batch]int32
}

var workers = sync.Pool{New: func() any { return new(worker) }}

// newWorker returns a worker for the given number of inquiries, with empty queues.
func newWorker(inquiries int) *worker {
	w := workers.Get().(*worker)
	for len(w.waiting) < inquiries {
		w.waiting = append(w.waiting, &queue{came: make([]waiter, 0, 4*chunkSlots)})
	}
	for _, q := range w.waiting[:inquiries] {
		q.reset()
	}
	return w
}

// release gives the worker back to the pool. It holds no rows any more.
func (w *worker) release() {
	clear(w.rows[:])
	workers.Put(w)
}

// slotSet is a set of slots of a chunk.
type slotSet [chunkWords]uint64

// portion is the part of a chunk that one inquiry of a question needs.
type portion struct {
	slots slotSet
	some  bool    // any slots at all
	coded bool    // bounds are computed; otherwise every score is possible
	least float32 // the bound that is enough
}

// search puts the slots of chunk number i that the inquiries of a question need into their queues.
func (w *worker) search(s *Set, i int, a *asked) {
	c := s.chunks[i]
	shares := grown(&w.shares, len(a.by))
	var bounded slotSet
	least, coded := float32(math.Inf(1)), false
	for j, y := range a.by {
		p := &shares[j]
		n := p.slots.allowed(c, i, y.probe.Allow)
		p.least, p.some, p.coded = y.enough(), n > 0, n > few && c.codes != nil
		if p.coded {
			bounded.add(&p.slots)
			least, coded = min(least, p.least), true
		}
	}
	var along float32
	if coded {
		along = w.bound(s.kernels, c, a, least, &bounded)
	}
	for j, y := range a.by {
		p := &shares[j]
		if !p.some {
			continue
		}
		if p.coded {
			p.slots.keep(&bounded)
		}
		q := w.waiting[y.number]
		w.wait(q, p, i*chunkSlots, along)
		if q.late > pace*y.depth {
			n := y.depth
			if y.enough() > float32(math.Inf(-1)) {
				n /= pace
			}
			w.score(s, y, max(n, q.unbounded))
		}
	}
}

// wait queues the slots of a portion whose bounds are enough, with numbers from first on.
func (w *worker) wait(q *queue, p *portion, first int, along float32) {
	bound := float32(math.Inf(1))
	for j, word := range p.slots {
		for ; word != 0; word &= word - 1 {
			slot := j*64 + bits.TrailingZeros64(word)
			if p.coded {
				bound = w.bounds[slot] + along
			}
			if bound >= p.least {
				q.add(first+slot, bound)
			}
		}
	}
}

// score scores n of the waiting slots of an inquiry, or as many as it still needs.
func (w *worker) score(s *Set, y *inquiry, n int) {
	q := w.waiting[y.number]
	q.late = 0
	for n > 0 {
		next := q.take(w.next[:0:min(n, batch)], y.enough())
		if len(next) == 0 {
			return
		}
		n -= len(next)
		s.kernels.dots(y.q.high, w.fetch(s, next), w.products[:])
		least, scored := y.enough(), w.scored[:0]
		for i, c := range next {
			score := float32(w.products[i]-y.q.sumHigh) * s.step(c.slot) * y.q.step
			if score = min(score, c.score); score >= least {
				scored = append(scored, candidate{c.slot, score})
			}
		}
		if len(scored) > 0 {
			y.add(scored)
		}
	}
}

// rescore scores slots again, with the high and the low part of the question.
func (w *worker) rescore(s *Set, q *question, all []candidate) {
	for some := range slices.Chunk(all, batch) {
		rows := w.fetch(s, some)
		s.kernels.dots(q.high, rows, w.products[:])
		s.kernels.dots(q.low, rows, w.finer[:])
		for i := range some {
			product := float64(w.products[i]-q.sumHigh) + float64(w.finer[i]-q.sumLow)/lowLevels
			some[i].score = float32(product * float64(q.step) * float64(s.step(some[i].slot)))
		}
	}
}

// fetch returns the rows of at most one batch of slots.
func (w *worker) fetch(s *Set, slots []candidate) [][]uint8 {
	for i, c := range slots {
		w.rows[i] = s.chunks[c.slot/chunkSlots].row(int(c.slot % chunkSlots))
	}
	return w.rows[:len(slots)]
}

// allowed sets s to the held and allowed slots of chunk number i, and returns their number. A chunk without an allowed
// slot is not read.
func (s *slotSet) allowed(c *chunk, i int, allow []uint64) (n int) {
	if allow == nil {
		*s = c.held
		return c.n
	}
	*s = slotSet{}
	some := uint64(0)
	for j, word := range allow[min(len(allow), i*chunkWords):min(len(allow), (i+1)*chunkWords)] {
		s[j] = word
		some |= word
	}
	if some == 0 {
		return 0
	}
	s.keep(&c.held)
	for _, word := range s {
		n += bits.OnesCount64(word)
	}
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

// end returns the position after the last slot.
func (s *slotSet) end() int {
	for j := len(s) - 1; j >= 0; j-- {
		if s[j] != 0 {
			return j*64 + bits.Len64(s[j])
		}
	}
	return 0
}

// bound removes the slots from words whose bounds are below least. The bound of each slot that remains is its number in
// w.bounds plus the result, which is the product of the vector with the centre.
func (w *worker) bound(k *kernels, c *chunk, a *asked, least float32, words *slotSet) (along float32) {
	q := a.q
	along = dot(q.x, c.centre) // in Go, so that every processor has the same
	apart := max(0, q.norm+c.centreNorm-2*along)
	deviation := float32(math.Sqrt(float64(float32(c.spread*c.spread*apart) + q.rounding)))
	s := &w.lookup
	s.step, s.base = q.entry, q.base+float32(a.certainty*deviation)
	// A little less, because a sum in another order rounds differently; the least bound is checked again later.
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
