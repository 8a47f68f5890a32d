package vec

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
)

// Probe is a search of a [Set].
type Probe struct {
	Vector []float32 // of unit length, with the dimensions of the set
	Allow  []uint64  // slots to look at: bit s%64 of word s/64, those past the end are not allowed; nil allows all
	K      int       // the most results; with fewer than one there are none
	// Before says which of two slots with equal scores comes first; nil prefers the smaller slot. It may be called by several
	// goroutines at once.
	Before func(a, b int) bool
	// Full calls yield with the vector, as it was put, of each of the slots that it knows, in any order. It decides among
	// the last few dozen candidates; nil leaves that to what the set holds. Its error ends the search.
	Full func(slots []int, yield func(slot int, v []float32)) error
}

// Search returns for each probe the slots with the largest inner products among those that are held and allowed, best first; fewer if
// there are fewer. Several probes share the reading of the memory.
func (s *Set) Search(ctx context.Context, ps ...Probe) ([][]Scored, error) {
	out := make([][]Scored, len(ps))
	for i, p := range ps {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if len(p.Vector) != s.dims {
			return nil, fmt.Errorf("vector: has %d dimensions, the set has %d", len(p.Vector), s.dims)
		}
		if p.K < 1 {
			continue
		}
		before := p.Before
		if before == nil {
			before = func(a, b int) bool { return a < b }
		}
		x := make([]float32, width(s.dims))
		copy(x, p.Vector)
		rotate(x)
		var all []Scored
		for slot, row := range s.rows {
			if p.Allow != nil && (slot/64 >= len(p.Allow) || p.Allow[slot/64]>>(slot%64)&1 == 0) {
				continue
			}
			var sum float32
			for j, c := range row[4:] {
				sum += x[j] * float32(int(c)-zeroLevel)
			}
			all = append(all, Scored{slot, sum * math.Float32frombits(binary.LittleEndian.Uint32(row))})
		}
		sort := func() {
			slices.SortFunc(all, func(a, b Scored) int {
				if a.Score > b.Score || a.Score == b.Score && before(a.Slot, b.Slot) {
					return -1
				}
				return 1
			})
		}
		sort()
		if p.Full != nil {
			all = all[:min(len(all), p.K+40)]
			slots := make([]int, len(all))
			place := map[int]int{}
			for j, c := range all {
				slots[j], place[c.Slot] = c.Slot, j
			}
			if err := p.Full(slots, func(slot int, v []float32) { all[place[slot]].Score = Dot(p.Vector, v) }); err != nil {
				return nil, err
			}
			sort()
		}
		out[i] = all[:min(len(all), p.K)]
	}
	return out, nil
}
