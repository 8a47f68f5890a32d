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
	spare, spareShare = 64, 8
	// share is how many bytes a worker must have to read to be worth waking.
	share = 2 << 20
	// patience is how many chunks are searched between two looks at the context.
	patience = 64
)

// Search returns for each probe the slots with the largest inner products among those that are held and allowed, best first;
// fewer if there are fewer. Several probes share the reading of the memory, and what each of them gets does not depend on the
// others, nor on how many cores take part, nor, without Full, on the processor.
//
// Codes bound scores from above, and what may be among the best by its bound is scored by its row. A bound is not quite
// certain. So a score counts as no more than its bound, even where it was computed: then it makes no difference in which
// order chunks are searched, and how early the others have found what makes a bound too low.
func (s *Set) Search(ctx context.Context, ps ...Probe) ([][]Scored, error) {
	asked := make([]*inquiry, len(ps))
	work := 0
	for i := range ps {
		if got := len(ps[i].Vector); got != s.dims {
			return nil, fmt.Errorf("vector: has %d dimensions, the set has %d", got, s.dims)
		}
		asked[i] = s.ask(&ps[i])
		defer questions.Put(asked[i].q)
		work += s.work(&ps[i])
	}
	cores := max(1, min(runtime.GOMAXPROCS(0), work/share))
	found := make([][]finds, cores) // by worker and probe
	errs := make([]error, cores)
	var next atomic.Int64
	run := func(i int) { found[i], errs[i] = s.scan(ctx, asked, &next) }
	var wg sync.WaitGroup
	for i := range cores - 1 {
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
		if a.k < 1 {
			continue
		}
		all := &found[0][i]
		for _, others := range found[1:] {
			for _, c := range others[i].candidates.heap {
				all.offer(c.Slot, c.Score)
			}
		}
		var err error
		if out[i], err = s.decide(a, all); err != nil {
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
	k      int
	depth  int           // candidates that are kept
	margin float32       // what rounding to bytes may be wrong by between two scores
	least  atomic.Uint32 // the bits of the score below which no candidate is needed any more
}

func (s *Set) ask(p *Probe) *inquiry {
	a := &inquiry{Probe: p, q: questions.Get().(*question), before: p.Before}
	if a.k = min(p.K, len(s.chunks)*chunkSlots); a.k > 0 {
		a.depth = a.k + a.k/spareShare + spare
	}
	if a.before == nil {
		a.before = func(a, b int) bool { return a < b }
	}
	a.q.set(p.Vector)
	// Rounding a component is wrong by up to half a step, evenly: its deviation is step/√12, and that of the difference of two
	// scores √2 times as much.
	const deviations = certainty / 2.44948974278 // √6
	a.margin = deviations * (float32(float32(math.Sqrt(float64(a.q.norm)))*s.coarsest) + a.q.step)
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

// finds is what a worker has found for a probe.
type finds struct {
	nearest    best // as many as are asked for, by what their rows say
	candidates best // these and those that may take the place of one of them
}

func newFinds(a *inquiry) finds {
	return finds{
		nearest:    best{k: a.k, before: a.before, heap: make([]Scored, 0, a.k)},
		candidates: best{k: a.depth, before: a.before, heap: make([]Scored, 0, a.depth)},
	}
}

func (f *finds) offer(slot int, score float32) {
	f.nearest.offer(slot, score)
	f.candidates.offer(slot, score)
}

// least returns the score that a candidate must have. It rises with every offer.
func (f *finds) least(a *inquiry) float32 {
	least := float32(math.Inf(-1))
	if len(f.candidates.heap) == f.candidates.k {
		least = f.candidates.heap[0].Score
	}
	if len(f.nearest.heap) == f.nearest.k {
		least = max(least, f.nearest.heap[0].Score-a.margin)
	}
	return least
}

// scan searches chunks as long as next names any, and returns what it found by probe.
func (s *Set) scan(ctx context.Context, asked []*inquiry, next *atomic.Int64) ([]finds, error) {
	w := workers.Get().(*worker)
	defer workers.Put(w)
	all := make([]finds, len(asked))
	for i, a := range asked {
		if a.k > 0 {
			all[i] = newFinds(a)
		}
	}
	for done := 0; ; done++ {
		i := int(next.Add(1)) - 1
		if i >= len(s.chunks) {
			return all, nil
		}
		if done%patience == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if s.chunks[i] == nil {
			continue
		}
		for j, a := range asked {
			if a.k > 0 {
				w.search(s.kernels, s.chunks[i], i, a, &all[j])
			}
		}
	}
}

// decide orders the candidates by all that is known of them and returns the best.
func (s *Set) decide(a *inquiry, f *finds) ([]Scored, error) {
	compare := func(x, y Scored) int {
		if x.Score > y.Score || x.Score == y.Score && a.before(x.Slot, y.Slot) {
			return -1
		}
		return 1
	}
	candidates, least := f.candidates.heap, f.least(a)
	candidates = slices.DeleteFunc(candidates, func(c Scored) bool { return c.Score < least })
	w := workers.Get().(*worker)
	for i := range candidates {
		candidates[i].Score = w.score(s, a.q, candidates[i].Slot)
	}
	workers.Put(w)
	slices.SortFunc(candidates, compare)
	if a.Full == nil || len(candidates) == 0 {
		return candidates[:min(len(candidates), a.k)], nil
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
	return candidates[:min(len(candidates), a.k)], nil
}
