package retrieve

import (
	"slices"

	"github.com/trilith-memory/trilith"
)

// Ranking returns candidates best first. A recall uses few of hundreds, so it is a heap: only as many are sorted as are
// used.
type Ranking struct {
	heap []*Fused // no element comes before its parent
	of   *Union   // to be reused; nil if none
}

// Rank ranks candidates as [Plan.Fuse] does.
func Rank(all []Fused) *Ranking {
	r := &Ranking{}
	r.fill(all, nil)
	return r
}

func (r *Ranking) fill(lists ...[]Fused) {
	for _, list := range lists {
		for i := range list {
			r.heap = append(r.heap, &list[i])
		}
	}
	for i := len(r.heap)/2 - 1; i >= 0; i-- {
		r.sink(i)
	}
}

// Free ends the use of the ranking and its results.
func (r *Ranking) Free() {
	if r.of != nil {
		r.of.free()
	}
}

// Len returns how many candidates are left.
func (r *Ranking) Len() int { return len(r.heap) }

// Scored returns the candidates that are left, by their ids. They are the caller's.
func (r *Ranking) Scored() map[trilith.ID]Fused {
	out := make(map[trilith.ID]Fused, len(r.heap))
	for _, f := range r.heap {
		out[f.ID] = *f
	}
	return out
}

// Next removes and returns the best remaining candidate; nil if there is none. The caller may use it until
// [Ranking.Free].
func (r *Ranking) Next() *Fused {
	last := len(r.heap) - 1
	if last < 0 {
		return nil
	}
	best := r.heap[0]
	r.heap[0], r.heap[last] = r.heap[last], nil
	r.heap = r.heap[:last]
	r.sink(0)
	return best
}

// Among returns the remaining candidates that want accepts, best first, without removing them.
func (r *Ranking) Among(want func(*Fused) bool) []*Fused {
	var out []*Fused
	for _, f := range r.heap {
		if want(f) {
			out = append(out, f)
		}
	}
	slices.SortFunc(out, compare)
	return out
}

// sink moves a candidate down to its place.
func (r *Ranking) sink(i int) {
	for {
		best := i
		for child := 2*i + 1; child <= 2*i+2 && child < len(r.heap); child++ {
			if compare(r.heap[child], r.heap[best]) < 0 {
				best = child
			}
		}
		if best == i {
			return
		}
		r.heap[i], r.heap[best] = r.heap[best], r.heap[i]
		i = best
	}
}
