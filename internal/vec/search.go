package vec

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/bits"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
)

// Probe is a search of a [Set].
type Probe struct {
	Vector []float32 // of unit length, with the dimensions of the set
	Allow  []uint64  // slots to look at: bit s%64 of word s/64, those past the end are not allowed; nil allows all
	K      int       // the most results; with fewer than one there are none
	// Before says which of two slots with equal scores comes first; nil prefers the smaller slot. It may be called by several
	// goroutines at once.
	Before func(a, b int) bool
	// Full calls yield with the vector, as it was put, of each of the slots that it knows, in any order. The slots come
	// ascending. It decides among the candidates whose order the set is not sure of, a few dozen; nil leaves that to what the
	// set holds. Its error ends the search.
	Full func(slots []int, yield func(slot int, v []float32)) error
}

// Numbers below were measured; see docs/performance.md.
const (
	// certainty is how many deviations a bound lies above its estimate. Beyond three of them lies one estimate in 740, and
	// that matters only where the vector is among the nearest by less than it is wrong.
	certainty = 3
	// few is how many slots of a chunk are scored one by one in the time of a scan of its codes.
	few = 96
	// spare is how many candidates more than are asked for are kept, and one for so many of those asked for, so that rounding a
	// component to a byte loses none.
	spare, spareShare = 32, 8
	// share is how many bytes a worker must have to read to be worth waking.
	share = 2 << 20
	// patience is how many chunks are searched between two looks at the context.
	patience = 64
)

// Search returns for each probe the slots with the largest inner products among those that are held and allowed, best first;
// fewer if there are fewer. Several probes share the reading of the memory, and what each of them gets does not depend on the
// others, nor on how many cores take part, nor on the processor where there is no Full.
//
// Codes bound the scores from above; what may still be among the best by its bound is scored by its row. A bound holds with a certainty of three
// deviations, and a score counts as no more than its bound, wherever it was computed: so it does not matter in which order chunks are searched.
func (s *Set) Search(ctx context.Context, ps ...Probe) ([][]Scored, error) {
	asked := make([]*inquiry, len(ps))
	work := 0
	for i := range ps {
		if got := len(ps[i].Vector); got != s.dims {
			return nil, fmt.Errorf("vector: has %d dimensions, the set has %d", got, s.dims)
		}
		asked[i] = newInquiry(&ps[i])
		defer questions.Put(asked[i].q)
		work += s.work(&ps[i])
	}
	workers := max(1, min(runtime.GOMAXPROCS(0), work/share))
	found := make([][]best, workers) // by worker and probe
	errs := make([]error, workers)
	var next atomic.Int64
	run := func(i int) { found[i], errs[i] = s.scan(ctx, asked, &next) }
	var wg sync.WaitGroup
	for i := range workers - 1 {
		wg.Go(func() { run(i + 1) })
	}
	run(0)
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	out := make([][]Scored, len(ps))
	for i, a := range asked {
		top := &found[0][i]
		for _, others := range found[1:] {
			for _, c := range others[i].heap {
				top.offer(c.Slot, c.Score)
			}
		}
		var err error
		if out[i], err = s.decide(a, top.heap); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// inquiry is a probe while it is searched.
type inquiry struct {
	*Probe
	q      *question
	before func(a, b int) bool
	depth  int           // candidates that are kept
	least  atomic.Uint32 // the bits of the score below which no candidate is needed any more
}

func newInquiry(p *Probe) *inquiry {
	a := &inquiry{Probe: p, q: questions.Get().(*question), before: p.Before}
	if p.K > 0 {
		a.depth = p.K + p.K/spareShare + spare
	}
	if a.before == nil {
		a.before = func(a, b int) bool { return a < b }
	}
	a.q.set(p.Vector)
	a.least.Store(math.Float32bits(float32(math.Inf(-1))))
	return a
}

// raise makes known that there are as many candidates as are needed with this score or more.
func (a *inquiry) raise(score float32) {
	for {
		old := a.least.Load()
		if score <= math.Float32frombits(old) || a.least.CompareAndSwap(old, math.Float32bits(score)) {
			return
		}
	}
}

// work is about how many bytes a probe reads.
func (s *Set) work(p *Probe) int {
	codes := len(s.chunks) * chunkSlots * width(s.dims) / 8
	if p.Allow == nil {
		return codes
	}
	n := 0
	for _, w := range p.Allow {
		n += bits.OnesCount64(w)
	}
	return min(codes, n*width(s.dims))
}

// worker is what is needed to search one chunk at a time.
type worker struct {
	which    [chunkSlots]uint16
	products [chunkSlots]int32
	bounds   [chunkSlots]float32
	passed   [chunkSlots / blockSlots]uint32
}

var workers = sync.Pool{New: func() any { return new(worker) }}

// scan searches chunks as long as next names any, and returns what it found by probe.
func (s *Set) scan(ctx context.Context, asked []*inquiry, next *atomic.Int64) ([]best, error) {
	w := workers.Get().(*worker)
	defer workers.Put(w)
	tops := make([]best, len(asked))
	for i, a := range asked {
		tops[i] = best{k: a.depth, before: a.before, heap: make([]Scored, 0, a.depth)}
	}
	for done := 0; ; done++ {
		i := int(next.Add(1)) - 1
		if i >= len(s.chunks) {
			return tops, nil
		}
		if done%patience == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if s.chunks[i] == nil {
			continue
		}
		for j, a := range asked {
			if a.depth > 0 {
				w.search(s.kernels, s.chunks[i], i, a, &tops[j])
			}
		}
	}
}

// search offers what chunk number i has for a probe.
func (w *worker) search(k *kernels, c *chunk, i int, a *inquiry, top *best) {
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
			top.offer(i*chunkSlots+int(slot), score)
		}
	}
	if len(top.heap) == top.k {
		a.raise(top.heap[0].Score)
	}
}

// bound takes those slots out of words whose bounds are below least. The bound of each that remains is its number in
// w.bounds plus what is returned, the product of the vector with the centre.
func (w *worker) bound(k *kernels, c *chunk, q *question, least float32, words *[chunkWords]uint64) (along float32) {
	along = dot(q.x, c.centre) // in Go, so that it is the same everywhere
	apart := max(0, q.norm+c.centreNorm-2*along)
	deviation := float32(math.Sqrt(float64(float32(c.spread*c.spread*apart) + q.rounding)))
	s := lookup{step: q.entry, base: q.base + float32(certainty*deviation)}
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
		k.scan(&s, q.table, c.codes[first*groups:end*groups], c.gain[first:end], c.shift[first:end], w.bounds[first:end],
			w.passed[first/blockSlots:end/blockSlots])
		for j := from; j < to; j++ {
			words[j] &= uint64(w.passed[2*j]) | uint64(w.passed[2*j+1])<<32
		}
		from = to
	}
	return along
}

// decide orders the candidates by all that is known of them and returns the best.
func (s *Set) decide(a *inquiry, candidates []Scored) ([]Scored, error) {
	compare := func(x, y Scored) int {
		if x.Score > y.Score || x.Score == y.Score && a.before(x.Slot, y.Slot) {
			return -1
		}
		return 1
	}
	w := workers.Get().(*worker)
	for i := range candidates {
		candidates[i].Score = w.score(s, a.q, candidates[i].Slot)
	}
	workers.Put(w)
	slices.SortFunc(candidates, compare)
	if k := max(a.K, 0); a.Full == nil || len(candidates) == 0 {
		return candidates[:min(len(candidates), k)], nil
	}
	// Rounding to a byte is wrong by up to half a step, evenly, in each component.
	if len(candidates) > a.K {
		length := math.Sqrt(float64(a.q.norm))
		last := candidates[a.K-1].Score
		candidates = slices.DeleteFunc(candidates, func(c Scored) bool {
			return c.Score < last-float32(4*length*float64(s.step(c.Slot))/math.Sqrt(6))
		})
	}
	slices.SortFunc(candidates, func(x, y Scored) int { return cmp.Compare(x.Slot, y.Slot) })
	slots := make([]int, len(candidates))
	for i, c := range candidates {
		slots[i] = c.Slot
	}
	err := a.Full(slots, func(slot int, v []float32) {
		i, ok := slices.BinarySearchFunc(candidates, slot, func(c Scored, slot int) int { return cmp.Compare(c.Slot, slot) })
		if !ok {
			return
		}
		if candidates[i].Score = Dot(a.Vector, v); candidates[i].Score != candidates[i].Score {
			candidates[i].Score = float32(math.Inf(-1))
		}
	})
	if err != nil {
		return nil, err
	}
	slices.SortFunc(candidates, compare)
	return candidates[:min(len(candidates), a.K)], nil
}

// score is the product of a vector, whole but for its last bits, with the row of a slot.
func (w *worker) score(s *Set, q *question, slot int) float32 {
	c := s.chunk(slot)
	w.which[0] = uint16(slot % chunkSlots)
	s.kernels.dots(q.high, c.rows, w.which[:1], w.products[:1])
	high := w.products[0] - q.sumHigh
	s.kernels.dots(q.low, c.rows, w.which[:1], w.products[:1])
	product := float64(high) + float64(w.products[0]-q.sumLow)/lowLevels
	return float32(product * float64(q.step) * float64(s.step(slot)))
}

// step returns the step of a held slot.
func (s *Set) step(slot int) float32 { return s.chunk(slot).steps[slot%chunkSlots] }
