package vec

import (
	"math"
	"math/bits"
	"slices"
	"sync"
	"sync/atomic"
)

const (
	// batch is the largest number of rows that are scored at a time.
	batch = 256
	// pace says when waiting slots are scored: once more than pace times the depth of an inquiry wait, the best
	// depth/pace of them are scored, to raise the limit for later chunks. The others wait until all bounds are known.
	pace = 4
)

// worker is the working memory of a search of chunks, one chunk at a time.
type worker struct {
	bounds  [chunkSlots]float32
	lookup  lookup
	plans   [2]plan
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

// release gives the worker back to the pool. It holds neither rows nor chunks any more.
func (w *worker) release() {
	clear(w.rows[:])
	w.plans[0].chunk, w.plans[1].chunk = nil, nil
	workers.Put(w)
}

// slotSet is a set of slots of a chunk.
type slotSet [chunkWords]uint64

// plan is a chunk with the parts of it that inquiries need.
type plan struct {
	chunk  *chunk // nil: none is left
	first  int    // the number of its first slot
	coded  bool   // bounds are computed for some inquiry
	shares []portion
}

// portion is the part of a chunk that one inquiry needs.
type portion struct {
	slots slotSet
	some  bool // any slots at all
	coded bool // bounds are computed; otherwise every score is possible
}

// make plans the next chunk that some inquiry needs.
func (p *plan) make(s *Set, asked []*asked, next *atomic.Int64) {
	for p.chunk, p.coded = nil, false; p.chunk == nil; {
		i := int(next.Add(1)) - 1
		if i >= len(s.chunks) {
			return
		}
		c := s.chunks[i]
		if c == nil {
			continue
		}
		for _, a := range asked {
			for _, y := range a.by {
				if y.number >= len(p.shares) {
					p.shares = append(p.shares, make([]portion, y.number+1-len(p.shares))...)
				}
				share := &p.shares[y.number]
				n := share.slots.allowed(c, i, y.probe.Allow)
				if share.some, share.coded = n > 0, n > few && c.codes != nil; share.some {
					p.chunk, p.first, p.coded = c, i*chunkSlots, p.coded || share.coded
				}
			}
		}
	}
}

// search puts the slots of a chunk that the inquiries of a question need into their queues. The codes that the plan
// ahead needs are fetched meanwhile.
func (w *worker) search(s *Set, now, ahead *plan, a *asked) {
	var bounded slotSet
	coded := false
	for _, y := range a.by {
		if p := &now.shares[y.number]; p.coded {
			bounded.add(&p.slots)
			coded = true
		}
	}
	var along float32
	if coded {
		along = w.bound(s.kernels, now.chunk, ahead.codes(), a, &bounded)
	}
	for _, y := range a.by {
		p := &now.shares[y.number]
		if !p.some {
			continue
		}
		q := w.waiting[y.number]
		if p.coded {
			w.wait(s.kernels, q, y.enough(), now.first, &p.slots, along)
		} else {
			q.addAll(now.first, &p.slots)
		}
		if q.late > pace*y.depth {
			n := y.depth
			if y.enough() > float32(math.Inf(-1)) {
				n /= pace
			}
			w.score(s, y, max(n, q.unbounded))
		}
	}
}

// codes returns the chunk if its codes are needed.
func (p *plan) codes() *chunk {
	if p.coded {
		return p.chunk
	}
	return nil
}

// wait queues those of the slots whose bounds are at least least, with numbers from first on.
func (w *worker) wait(k *kernels, q *queue, least float32, first int, slots *slotSet, along float32) {
	// A little less, because a sum in another order rounds differently.
	k.above(w.bounds[:], least-along-1e-6, slots[:])
	for j, word := range slots {
		for ; word != 0; word &= word - 1 {
			slot := j*64 + bits.TrailingZeros64(word)
			if bound := w.bounds[slot] + along; bound >= least {
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

// allowed sets s to the held and allowed slots of chunk number i, and returns their number.
func (s *slotSet) allowed(c *chunk, i int, allow []uint64) (n int) {
	if allow == nil {
		*s = c.held
		return c.n
	}
	var end slotSet
	words := &end
	if from := i * chunkWords; from+chunkWords <= len(allow) {
		words = (*slotSet)(allow[from:])
	} else if from < len(allow) {
		copy(end[:], allow[from:])
	}
	for j, word := range words {
		word &= c.held[j]
		s[j] = word
		n += bits.OnesCount64(word)
	}
	return n
}

func (s *slotSet) add(o *slotSet) {
	for j, word := range o {
		s[j] |= word
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

// bound computes the bounds of slots, and of some others: the bound of each is its number in w.bounds plus the result,
// which is the product of the vector with the centre. The codes of the chunk ahead, if there is one, are fetched
// meanwhile.
func (w *worker) bound(k *kernels, c, ahead *chunk, a *asked, slots *slotSet) (along float32) {
	q := a.q
	along = k.product(q.x, c.centre)
	apart := max(0, q.norm+c.centreNorm-2*along)
	deviation := float32(math.Sqrt(float64(float32(c.spread*c.spread*apart) + q.rounding)))
	s := &w.lookup
	s.step, s.base = q.entry, q.base+float32(a.certainty*deviation)
	groups := c.width / groupDims * groupBytes / blockSlots // bytes of code for a slot
	for from := 0; from < chunkWords; {
		if slots[from] == 0 {
			from++
			continue
		}
		to := from + 1
		for to < chunkWords && slots[to] != 0 {
			to++
		}
		first, end := from*64, to*64
		if ahead != nil {
			s.codes, s.numbers = &ahead.codes[first*groups], &ahead.numbers[first*len(ahead.numbers)/chunkSlots]
		}
		k.scan(s, q.table, c.codes[first*groups:end*groups], c.gain[first:end], c.shift[first:end],
			w.bounds[first:end])
		from = to
	}
	s.codes, s.numbers = nil, nil
	return along
}
