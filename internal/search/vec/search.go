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
	Allow  []uint64  // the slots to search: bit s%64 of word s/64; slots past the end are excluded; nil allows all
	K      int       // the largest number of results; below 1 there are none
	// Before says which of two slots with equal scores comes first; nil prefers the smaller slot. Several goroutines
	// may call it at once.
	Before func(a, b int) bool
	// Full calls yield with the original vector of each slot that it knows, in any order. The slots are in ascending
	// order. It decides between candidates whose order is uncertain, a few dozen more than K. With nil the rows decide,
	// which are accurate to about a thousandth. An error of Full ends the search.
	Full func(slots []int, yield func(slot int, v []float32)) error
}

// The numbers below were measured; see docs/performance.md.
const (
	// certainty is how many deviations a bound lies above its estimate. One estimate in 740 lies beyond three of them,
	// which matters only if the vector is among the nearest by less than the error. Where rows decide, two are enough:
	// one estimate in 44 lies beyond, a third fewer rows are scored, and recall is the same to a thousandth.
	certainty, rowCertainty = 3, 2
	// few is the number of slots of a chunk up to which they are scored one by one. A scan of the chunk's codes takes
	// as long as twice as many, but other probes usually share it.
	few = 32
	// spare is how many candidates are kept beyond those asked for, plus one for every spareShare asked for, so that
	// rounding a component to a byte loses none.
	spare, spareShare = 64, 8
	// share is how many bytes there must be to read for each worker that is woken.
	share = 2 << 20
	// checkEvery is how many chunks are searched between two checks of the context.
	checkEvery = 64
)

// Search returns for each probe the held and allowed slots with the largest inner products, best first; fewer if there
// are fewer. Several probes share the reading of memory, and those with equal vectors share most of the work. The
// results of a probe do not depend on the other probes, on the number of cores, or, without Full, on the processor.
//
// Codes bound scores from above. A slot that may be among the best by its bound is scored by its row, the highest
// bounds first; their scores rule out most of the others. A bound is not quite certain, so a score never counts as more
// than its bound, even if it was computed: then the result depends neither on the order in which slots are scored nor
// on when other workers raised the limit.
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

// asked is a question and its inquiries.
type asked struct {
	q         *question
	by        []*inquiry
	certainty float32 // of bounds
}

var inquiries = sync.Pool{New: func() any { return new(inquiry) }}

// ask prepares a search: the questions, and the inquiries by probe, nil for a probe that wants no results.
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

// margin is the possible error of the difference of two scores that are computed from bytes. The error of rounding a
// component is uniform, up to half a step: its deviation is step/√12, and √2 times that for the difference of two
// scores. The components of the question are rounded; those of the rows too, if the order is that of the original
// vectors.
func (s *Set) margin(y *inquiry, certainty float32) float32 {
	step := y.q.step
	if y.probe.Full != nil {
		step += float32(math.Sqrt(float64(y.q.norm))) * s.coarsest
	}
	return certainty / 2.44948974278 * step // √6
}

// work estimates the bytes that a question reads.
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

// scan searches chunks for the given number of probes until next runs past the last chunk. It always knows the chunk
// after the one that it searches, so that the memory of the codes is read ahead.
func (s *Set) scan(ctx context.Context, asked []*asked, probes int, next *atomic.Int64) error {
	w := newWorker(probes)
	defer w.release()
	now, ahead := &w.plans[0], &w.plans[1]
	now.make(s, asked, next)
	for done := 0; now.chunk != nil; done++ {
		if done%checkEvery == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		ahead.make(s, asked, next)
		for _, a := range asked {
			w.search(s, now, ahead, a)
		}
		now, ahead = ahead, now
	}
	for _, a := range asked {
		for _, y := range a.by {
			w.score(s, y, math.MaxInt)
		}
	}
	return nil
}

// decide orders the candidates by their final scores and returns the best.
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

// whole scores candidates by their original vectors, where Full knows them.
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
