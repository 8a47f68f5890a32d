package embedded

import (
	"context"
	"slices"
	"sync/atomic"

	"github.com/cairn-memory/cairn"
	"github.com/cairn-memory/cairn/internal/vec"
)

// part is the vectors of one tenant in one generation. Memory and vector of a point have the same slot. In memory vectors
// are quantised; in full precision they lie in the blobs, if there are any.
type part struct {
	slots *slots
	set   *vec.Set          // nil in a part of a few points
	full  map[int][]float32 // by slot: what lies in no blobs, or was read from them just now
	cut   map[uint32]bool   // slots of the few vectors that stand for the beginning of a text
	kept  kept              // what of it the snapshot holds
}

// newPart returns an empty partition that is kept in segments of so many slots.
func newPart(tenant string, dims, segment int) *part {
	return &part{slots: newSlots(tenant), set: vec.NewSet(dims), cut: map[uint32]bool{}, kept: kept{segment: segment}}
}

// newFew returns a part for a few points, which are searched as they are.
func newFew(tenant string) *part {
	return &part{slots: newSlots(tenant), full: map[int][]float32{}, cut: map[uint32]bool{}, kept: kept{segment: 1 << 30}}
}

// put holds a point, unless it holds a higher version of it. Nothing of p is held.
func (pt *part) put(p *cairn.Point) {
	slot, ok := pt.slots.put(&p.Facets, p.At)
	if !ok {
		return
	}
	if pt.set != nil {
		pt.set.Put(int(slot), p.Vector)
	}
	if pt.full != nil {
		pt.full[int(slot)] = slices.Clone(p.Vector)
	}
	if p.Cut {
		pt.cut[slot] = true
	} else {
		delete(pt.cut, slot)
	}
	pt.kept.touch(slot)
}

func (pt *part) remove(id cairn.ID) {
	slot, ok := pt.slots.remove(id)
	if !ok {
		return
	}
	pt.set.Remove(int(slot))
	delete(pt.full, int(slot))
	delete(pt.cut, slot)
	pt.kept.touch(slot)
	pt.kept.erased = true
}

// newer returns the points that replace what the partition holds, each id once.
func (pt *part) newer(ps []cairn.Point) []cairn.Point {
	place := map[cairn.ID]int{}
	var out []cairn.Point
	for _, p := range ps {
		id := p.Facets.ID
		if slot, ok := pt.slots.slot(id); ok && pt.slots.version(slot) > p.Facets.Version {
			continue
		}
		i, repeated := place[id]
		switch {
		case !repeated:
			place[id] = len(out)
			out = append(out, p)
		case out[i].Facets.Version <= p.Facets.Version:
			out[i] = p
		}
	}
	return out
}

func (pt *part) stamps(ids []cairn.ID) []cairn.Stamp {
	out := pt.slots.stamps(ids)
	if len(pt.cut) > 0 {
		for i := range out {
			slot, _ := pt.slots.slot(out[i].ID)
			out[i].Cut = pt.cut[slot]
		}
	}
	return out
}

// readFull reads vectors in full precision from the blobs, with the versions that they are of.
type readFull func(ids []string, yield func(id string, version int64, v []float32)) error

// search returns the k best of the points that the selection lets through. A point whose row is of another version already,
// because it is just being applied, is scored and returned as its row says.
func (pt *part) search(ctx context.Context, sel selection, v cairn.Vector, k int, read readFull) ([]cairn.Candidate, error) {
	allow := pt.slots.allow(sel)
	defer freeSet(allow)
	before := func(a, b int) bool { return pt.slots.compareIDs(uint32(a), uint32(b)) < 0 }
	var top []vec.Scored
	others := map[int]int64{} // versions by slot, where the row has another one
	if pt.set == nil {
		top = pt.exact(allow, v, k, before)
	} else {
		found, err := pt.set.Search(ctx, vec.Probe{Vector: v, Allow: allow, K: k, Before: before, Full: pt.fullOf(read, others)})
		if err != nil {
			return nil, err
		}
		top = found[0]
	}
	out := make([]cairn.Candidate, len(top))
	for i, c := range top {
		out[i] = pt.slots.candidate(uint32(c.Slot), float64(c.Score))
		if version, other := others[c.Slot]; other {
			out[i].Version = version
		}
	}
	return out, nil
}

// exact scores each of a few points.
func (pt *part) exact(allow []uint64, v cairn.Vector, k int, before func(a, b int) bool) []vec.Scored {
	if allow == nil {
		allow = pt.slots.live
	}
	var top []vec.Scored
	for slot := range members(allow) {
		top = append(top, vec.Scored{Slot: int(slot), Score: vec.Dot(v, pt.full[int(slot)])})
	}
	slices.SortFunc(top, func(a, b vec.Scored) int {
		if a.Score > b.Score || a.Score == b.Score && before(a.Slot, b.Slot) {
			return -1
		}
		return 1
	})
	return top[:min(k, len(top))]
}

// maxWhole is how many vectors a search reads in full precision from a file at most, at some microseconds each. Who asks for more
// candidates than that weighs them against something else; bytes tell their cosines to about a thousandth.
const maxWhole = 100

// fullOf returns what yields vectors in full precision by slot, none if there are too many, and notes their versions that are not
// those in memory.
func (pt *part) fullOf(read readFull, others map[int]int64) func([]int, func(int, []float32)) error {
	return func(slots []int, yield func(int, []float32)) error {
		if pt.full != nil {
			for _, slot := range slots {
				if v := pt.full[slot]; v != nil {
					yield(slot, v)
				}
			}
			return nil
		}
		if len(slots) > maxWhole {
			return nil
		}
		ids := make([]string, len(slots))
		bySlot := make(map[string]int, len(slots))
		for i, slot := range slots {
			ids[i] = string(pt.slots.ids.id(uint32(slot)))
			bySlot[ids[i]] = slot
		}
		return read(ids, func(id string, version int64, v []float32) {
			slot := bySlot[id]
			if version != pt.slots.version(uint32(slot)) {
				others[slot] = version
			}
			yield(slot, v)
		})
	}
}

// take returns what puts rows of the blobs into the partition. Those that are not readable are counted and left out.
func (pt *part) take(ctx context.Context, tenant string, dims int, broken *atomic.Int64) func(id string, data []byte) error {
	var p cairn.Point
	return func(id string, data []byte) error {
		if decodeRow(&p, tenant, id, dims, data) != nil {
			broken.Add(1)
		} else {
			pt.put(&p)
		}
		return ctx.Err()
	}
}
