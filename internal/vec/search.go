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
	// Before says which of two slots with equal scores comes first; nil prefers the smaller slot. It may be called by
	// several goroutines at once.
	Before func(a, b int) bool
	// Full calls yield with the vector, as it was put, of each of the slots that it knows, in any order. The slots come
	// ascending. It decides among the candidates whose order the set is not sure of, a few dozen more than K; nil
	// leaves that to the rows that the set holds, which tell a product to about a thousandth. Its error ends the
	// search.
	Full func(slots []int, yield func(slot int, v []float32)) error
}

// Numbers below were measured; see docs/performance.md.
const (
	// certainty is how many deviations a bound lies above its estimate. Beyond three of them lies one estimate in 740,
	// and that matters only where the vector is among the nearest by less than it is wrong. Where rows decide, two do:
	// one estimate in 44, while a third less rows are scored and recall is the same to a thousandth.
	certainty, rowCertainty = 3, 2
	// few is how many slots of a chunk are scored one by one. A scan of its codes takes the time of twice as many, but
	// most often other probes have a part in it.
	few = 32
	// spare is how many candidates more than are asked for are kept, and one for so many of those asked for, so that
	// rounding a component to a byte loses none.
	spare, spareShare = 64, 8
	// share is how many bytes a worker must have to read to be worth waking.
	share = 2 << 20
	// checkEvery is how many chunks are searched between two looks at the context.
	checkEvery = 64
)

// Search returns for each probe the slots with the largest inner products among those that are held and allowed, best
// first; fewer if there are fewer. Several probes share the reading of the memory, and those with equal vectors most of
// the work, too; what each of them gets does not depend on the others, nor on how many cores take part, nor, without
// Full, on the processor.
//
// Codes bound scores from above, and what may be among the best by its bound is scored by its row, the highest bounds
// first: what they find makes most of the others too low. A bound is not quite certain. So a score counts as no more
// than its bound, even where it was computed: then it makes no difference in which order slots are scored, and how
// early the others have found what makes a bound too low.
func (s *Set) Search(ctx context.Context, ps ...Probe) ([][]Scored, error) {
	asked, inquiries, err := s.ask(ps)
	defer func() {
		for _, a := range asked {
			a.release()
		}
	}()
	if err != nil {
		return nil, err
	}
	work := 0
	for _, a := range asked {
		work += s.work(a)
	}
	cores := max(1, min(runtime.GOMAXPROCS(0), work/share))
	errs := make([]error, cores)
	var next atomic.Int64
	var wg sync.WaitGroup
	for i := range cores - 1 {
		wg.Go(func() { errs[i+1] = s.scan(ctx, asked, len(ps), &next) })
	}
	errs[0] = s.scan(ctx, asked, len(ps), &next)
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	out := make([][]Scored, len(ps))
	for i, y := range inquiries {
		if y == nil {
			continue
		}
		if out[i], err = s.decide(y); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// inquiry is a probe while it is searched.
type inquiry struct {
	finds
	number int // of its probe
	probe  *Probe
	q      *question
}

// asked is a question and its caller.
type asked struct {
	q         *question
	by        []*inquiry
	certainty float32 // of bounds
}

var inquiries = sync.Pool{New: func() any { return new(inquiry) }}

// ask prepares the searching of probes: the questions, and the inquiries by probe, nil for one that wants no results.
func (s *Set) ask(ps []Probe) (all []*asked, by []*inquiry, err error) {
	by = make([]*inquiry, len(ps))
	for i := range ps {
		p := &ps[i]
		if got := len(p.Vector); got != s.dims {
			return all, nil, fmt.Errorf("vector: has %d dimensions, the set has %d", got, s.dims)
		}
		k := min(p.K, len(s.chunks)*chunkSlots)
		if k < 1 {
			continue
		}
		at := slices.IndexFunc(all, func(a *asked) bool {
			q := a.by[0].probe
			return (q.Full == nil) == (p.Full == nil) && slices.Equal(q.Vector, p.Vector)
		})
		if at < 0 {
			at = len(all)
			all = append(all, &asked{q: questions.Get().(*question), certainty: certainty})
			all[at].q.set(p.Vector)
			if p.Full == nil {
				all[at].certainty = rowCertainty
			}
		}
		y := inquiries.Get().(*inquiry)
		y.reset()
		y.probe, y.q, y.before, y.number = p, all[at].q, p.Before, i
		if y.before == nil {
			y.before = func(a, b int) bool { return a < b }
		}
		y.k, y.depth, y.margin = k, k+k/spareShare+spare, s.margin(y, all[at].certainty)
		all[at].by, by[i] = append(all[at].by, y), y
	}
	return all, by, nil
}

func (a *asked) release() {
	for _, y := range a.by {
		y.probe, y.q, y.before = nil, nil, nil
		inquiries.Put(y)
	}
	questions.Put(a.q)
}

// margin is what may be wrong between two scores that are computed from bytes. Rounding a component is wrong by up to
// half a step, evenly: its deviation is step/√12, and that of the difference of two scores √2 times as much. The
// components of the question are rounded, and where the order is that of the vectors themselves those of the rows are.
func (s *Set) margin(y *inquiry, certainty float32) float32 {
	step := y.q.step
	if y.probe.Full != nil {
		step += float32(math.Sqrt(float64(y.q.norm))) * s.coarsest
	}
	return certainty / 2.44948974278 * step // √6
}

// work is about how many bytes a question reads.
func (s *Set) work(a *asked) int {
	row := width(s.dims)
	codes, rows := len(s.chunks)*chunkSlots*row/8, 0
	for _, y := range a.by {
		if y.probe.Allow == nil {
			return codes
		}
		for _, w := range y.probe.Allow {
			if rows += bits.OnesCount64(w) * row; rows >= codes {
				return codes
			}
		}
	}
	return rows
}

// scan searches chunks as long as next names any, for as many inquiries as there are probes.
func (s *Set) scan(ctx context.Context, asked []*asked, probes int, next *atomic.Int64) error {
	w := newWorker(probes)
	defer w.release()
	for done := 0; ; done++ {
		i := int(next.Add(1)) - 1
		if i >= len(s.chunks) {
			break
		}
		if done%checkEvery == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if s.chunks[i] == nil {
			continue
		}
		for _, a := range asked {
			w.search(s, i, a)
		}
	}
	for _, a := range asked {
		for _, y := range a.by {
			w.score(s, y, math.MaxInt)
		}
	}
	return nil
}

// decide orders the candidates by all that is known of them and returns the best.
func (s *Set) decide(y *inquiry) ([]Scored, error) {
	y.settle()
	candidates := y.found
	w := newWorker(0)
	w.rescore(s, y.q, candidates)
	w.release()
	if y.probe.Full != nil && len(candidates) > 0 {
		if err := y.probe.whole(candidates); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(candidates, y.before.compare)
	out := make([]Scored, min(len(candidates), y.k))
	for i := range out {
		out[i] = Scored{int(candidates[i].slot), candidates[i].score}
	}
	return out, nil
}

// whole scores candidates by their vectors, as far as Full knows them.
func (p *Probe) whole(candidates []candidate) error {
	slices.SortFunc(candidates, func(x, y candidate) int { return cmp.Compare(x.slot, y.slot) })
	slots := make([]int, len(candidates))
	for i, c := range candidates {
		slots[i] = int(c.slot)
	}
	return p.Full(slots, func(slot int, v []float32) {
		i, ok := slices.BinarySearch(slots, slot)
		if !ok {
			return
		}
		if candidates[i].score = Dot(p.Vector, v); candidates[i].score != candidates[i].score {
			candidates[i].score = float32(math.Inf(-1))
		}
	})
}
