package embedded

import (
	"slices"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/search/vec"
)

// point is one of the points that an ask names.
type point struct {
	slot  uint32
	id    trilith.ID
	score float32
}

// measure scores the points that an ask names, and returns the k best that its selection accepts. The time depends on
// the number of ids, not on the number of points.
func (pt *part) measure(a *ask) ([]role.Candidate, error) {
	points := make([]point, 0, len(a.ids))
	meets := pt.slots.meets(a.sel)
	slots, places := pt.slots.ids.findAll(a.ids)
	for i, slot := range slots {
		if meets(slot) {
			points = append(points, point{slot: slot, id: a.ids[places[i]]})
		}
	}
	if err := pt.score(a.vector, points); err != nil {
		return nil, err
	}
	slices.SortFunc(points, func(a, b point) int {
		switch {
		case a.score > b.score:
			return -1
		case a.score < b.score:
			return 1
		}
		return pt.slots.compareIDs(a.slot, b.slot)
	})
	points = slices.CompactFunc(points, func(a, b point) bool { return a.slot == b.slot }) // named twice
	out := make([]role.Candidate, min(a.k, len(points)))
	for i := range out {
		out[i] = role.Candidate{ID: points[i].id, Version: pt.slots.version(points[i].slot),
			Score: cosine(points[i].score)}
	}
	return out, nil
}

func (pt *part) score(v trilith.Vector, points []point) error {
	if pt.set == nil {
		for i := range points {
			points[i].score = vec.Dot(v, pt.full[int(points[i].slot)])
		}
		return nil
	}
	slots, scores := make([]int, len(points)), make([]float32, len(points))
	for i, p := range points {
		slots[i] = int(p.slot)
	}
	err := pt.set.Score(v, slots, scores)
	for i := range points {
		points[i].score = scores[i]
	}
	return err
}

// cosine returns the product of two vectors as a cosine: the product of rounded vectors may exceed 1.
func cosine(product float32) float64 { return float64(max(-1, min(1, product))) }
