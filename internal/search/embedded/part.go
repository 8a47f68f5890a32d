package embedded

import (
	"context"
	"slices"
	"sync/atomic"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/search/vec"
)

// part holds the vectors of one tenant in one generation. The memory and the vector of a point have the same slot.
// Vectors in memory are quantised; the blobs, if there are any, have them in full precision.
type part struct {
	slots *slots
	set   *vec.Set          // nil in a part of a few points
	full  map[int][]float32 // by slot: vectors that are not in the blobs, or were just read from them
	cut   map[uint32]bool   // slots of the few vectors that cover only the beginning of a text
	kept  kept              // the state of its snapshot
}

// newPart returns an empty partition, stored in segments of the given number of slots.
func newPart(tenant string, dims, segment int) *part {
	return &part{slots: newSlots(tenant), set: vec.NewSet(dims), cut: map[uint32]bool{}, kept: kept{segment: segment}}
}

// newFew returns a part for a few points, which are searched without quantisation.
func newFew(tenant string) *part {
	return &part{slots: newSlots(tenant), full: map[int][]float32{}, cut: map[uint32]bool{},
		kept: kept{segment: 1 << 30}}
}

// put stores a point, unless the part holds a higher version of it. The part keeps no reference to p.
func (pt *part) put(p *role.Point) {
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

func (pt *part) remove(id trilith.ID) {
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

// newer returns the points that replace older ones in the partition, each id once.
func (pt *part) newer(ps []role.Point) []role.Point {
	place := map[trilith.ID]int{}
	var out []role.Point
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

func (pt *part) stamps(ids []trilith.ID) []role.Stamp {
	out := pt.slots.stamps(ids)
	if len(pt.cut) > 0 {
		for i := range out {
			slot, _ := pt.slots.slot(out[i].ID)
			out[i].Cut = pt.cut[slot]
		}
	}
	return out
}

// readFull reads vectors and their versions from the rows in the blobs.
type readFull func(ids []string, yield func(id string, version int64, v []float32)) error

// ask is a checked probe.
type ask struct {
	sel    selection
	ids    []trilith.ID // the points to consider; empty: all
	vector trilith.Vector
	k      int
}

// search returns for each ask the k best points that its selection accepts. If the row of a point already has another
// version, because it is being applied, the point is scored and returned as in its row, if that is read.
func (pt *part) search(ctx context.Context, asks []ask, read readFull) ([][]role.Candidate, error) {
	out := make([][]role.Candidate, len(asks))
	var probes []vec.Probe
	var of []int                               // the asks of the probes; the other asks name their points
	others := make([]map[int]int64, len(asks)) // versions by slot, where the row has another one
	before := func(a, b int) bool { return pt.slots.compareIDs(uint32(a), uint32(b)) < 0 }
	for i := range asks {
		a := &asks[i]
		if len(a.ids) > 0 {
			var err error
			if out[i], err = pt.measure(a); err != nil {
				return nil, err
			}
			continue
		}
		probe := vec.Probe{Vector: a.vector, Allow: pt.slots.allow(a.sel), K: a.k, Before: before}
		if a.whole() {
			others[i] = map[int]int64{}
			probe.Full = pt.fullOf(read, others[i])
		}
		probes, of = append(probes, probe), append(of, i)
	}
	if len(probes) == 0 {
		return out, nil
	}
	nearest, err := pt.set.Search(ctx, probes...)
	for _, p := range probes {
		freeSet(p.Allow)
	}
	if err != nil {
		return nil, err
	}
	for n, top := range nearest {
		i := of[n]
		out[i] = make([]role.Candidate, len(top))
		for j, c := range top {
			out[i][j] = pt.slots.candidate(uint32(c.Slot), cosine(c.Score))
			if version, other := others[i][c.Slot]; other {
				out[i][j].Version = version
			}
		}
	}
	return out, nil
}

// whole reports whether original vectors decide, at some microseconds each if they are read from a file, or the
// quantised ones.
func (a *ask) whole() bool { return a.k <= role.ExactCandidates }

// fullOf returns a function that yields vectors of rows by slot, and records versions that differ from those in memory.
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

// take returns a function that puts rows of the blobs into the partition. Unreadable rows are counted and skipped.
func (pt *part) take(ctx context.Context, tenant string, dims int, broken *atomic.Int64) func(
	id string, data []byte) error {
	var p role.Point
	return func(id string, data []byte) error {
		if decodeRow(&p, tenant, id, dims, data) != nil {
			broken.Add(1)
		} else {
			pt.put(&p)
		}
		return ctx.Err()
	}
}
