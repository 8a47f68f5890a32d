package indextest

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
)

// Vector is the reference [role.VectorIndex]: maps, a loop over all points, and no storage. Other drivers are compared
// with its answers.
type Vector struct {
	mu     sync.RWMutex
	closed bool
	points map[vectorSpace]map[trilith.ID]role.Point
}

// vectorSpace is the part of the index that a search stays in.
type vectorSpace struct{ tenant, generation string }

// NewVector returns an empty index.
func NewVector() *Vector {
	return &Vector{points: map[vectorSpace]map[trilith.ID]role.Point{}}
}

var (
	_ role.VectorIndex  = (*Vector)(nil)
	_ role.VectorReader = (*Vector)(nil)
)

// Apply stores points.
func (v *Vector) Apply(ctx context.Context, g trilith.Generation, ps []role.Point) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	if err := v.ready(ctx); err != nil {
		return err
	}
	if err := role.ValidatePoints(g, ps); err != nil {
		return err
	}
	for _, p := range ps {
		space := vectorSpace{p.Facets.Scope.Tenant, g.Key()}
		if old, ok := v.points[space][p.Facets.ID]; ok && old.Facets.Version > p.Facets.Version {
			continue
		}
		if v.points[space] == nil {
			v.points[space] = map[trilith.ID]role.Point{}
		}
		v.points[space][p.Facets.ID] = ownPoint(p)
	}
	return nil
}

// Reach implements [role.VectorIndex].
func (x *Vector) Reach() role.Reach { return role.ReachAll }

// Points implements [role.VectorReader].
func (v *Vector) Points(ctx context.Context, s trilith.Scope, g trilith.Generation, ids []trilith.ID) ([]role.Point,
	error) {
	v.mu.RLock()
	defer v.mu.RUnlock()
	if err := v.ready(ctx); err != nil {
		return nil, err
	}
	if err := s.Validate(); err != nil {
		return nil, err
	}
	var out []role.Point
	for _, id := range ids {
		if p, ok := v.points[vectorSpace{s.Tenant, g.Key()}][id]; ok {
			out = append(out, ownPoint(p))
		}
	}
	return out, nil
}

// Search scores every point that the scope covers and the filter accepts.
func (v *Vector) Search(ctx context.Context, s trilith.Scope, g trilith.Generation, ps ...role.VectorProbe) (
	[][]role.Candidate, error) {
	v.mu.RLock()
	defer v.mu.RUnlock()
	if err := v.ready(ctx); err != nil {
		return nil, err
	}
	if err := s.Validate(); err != nil {
		return nil, err
	}
	out := make([][]role.Candidate, len(ps))
	for i, p := range ps {
		var err error
		if out[i], err = v.search(s, g, p); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (v *Vector) search(s trilith.Scope, g trilith.Generation, p role.VectorProbe) ([]role.Candidate, error) {
	if err := p.Validate(g.Dims); err != nil {
		return nil, err
	}
	match, err := p.Filter.Compile()
	if err != nil {
		return nil, err
	}
	var out []role.Candidate
	for id, pt := range v.points[vectorSpace{s.Tenant, g.Key()}] {
		named := len(p.IDs) == 0 || slices.Contains(p.IDs, id)
		if named && s.SeesFacets(&pt.Facets) && (match == nil || match(&pt.Facets)) {
			out = append(out, role.Candidate{ID: id, Version: pt.Facets.Version, Score: cosine(p.Vector, pt.Vector)})
		}
	}
	slices.SortFunc(out, func(a, b role.Candidate) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.ID, b.ID))
	})
	return out[:min(p.K, len(out))], nil
}

// Stamps returns the stamps of the content.
func (v *Vector) Stamps(ctx context.Context, s trilith.Scope, g trilith.Generation, ids []trilith.ID) ([]role.Stamp,
	error) {
	v.mu.RLock()
	defer v.mu.RUnlock()
	if err := v.ready(ctx); err != nil {
		return nil, err
	}
	if err := s.Validate(); err != nil {
		return nil, err
	}
	held := v.points[vectorSpace{s.Tenant, g.Key()}]
	if len(ids) == 0 {
		ids = slices.Collect(maps.Keys(held))
	}
	ids = slices.Sorted(slices.Values(ids))
	var out []role.Stamp
	for _, id := range slices.Compact(ids) {
		if p, ok := held[id]; ok {
			out = append(out, role.Stamp{ID: id, Version: p.Facets.Version, At: p.At, Cut: p.Cut})
		}
	}
	return out, nil
}

// Delete removes ids of the tenant from every generation.
func (v *Vector) Delete(ctx context.Context, s trilith.Scope, ids []trilith.ID) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	if err := v.ready(ctx); err != nil {
		return err
	}
	if err := s.Validate(); err != nil {
		return err
	}
	for space, held := range v.points {
		if space.tenant != s.Tenant {
			continue
		}
		for _, id := range ids {
			delete(held, id)
		}
	}
	return nil
}

// Drop removes a generation.
func (v *Vector) Drop(ctx context.Context, sys trilith.System, g trilith.Generation) error {
	return v.remove(ctx, sys, func(s vectorSpace) bool { return s.generation == g.Key() })
}

// Reset removes everything.
func (v *Vector) Reset(ctx context.Context, sys trilith.System) error {
	return v.remove(ctx, sys, func(vectorSpace) bool { return true })
}

func (v *Vector) remove(ctx context.Context, sys trilith.System, which func(vectorSpace) bool) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	if err := v.ready(ctx); err != nil {
		return err
	}
	if err := sys.Validate(); err != nil {
		return err
	}
	maps.DeleteFunc(v.points, func(s vectorSpace, _ map[trilith.ID]role.Point) bool { return which(s) })
	return nil
}

// Close makes every other method answer Unavailable.
func (v *Vector) Close() error {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.closed = true
	v.points = nil
	return nil
}

func (v *Vector) ready(ctx context.Context) error {
	if v.closed {
		return trilith.Errorf(trilith.Unavailable, "the vector index is closed")
	}
	return ctx.Err()
}

func cosine(a, b trilith.Vector) float64 {
	var sum float64
	for i := range a {
		sum += float64(a[i]) * float64(b[i])
	}
	return sum
}

// ownPoint copies the parts that the caller could still change, with times as stores keep them.
func ownPoint(p role.Point) role.Point {
	p.Vector = slices.Clone(p.Vector)
	p.At = trilith.Time(p.At)
	p.Facets = p.Facets.Clone()
	f := &p.Facets
	if f.Fact != nil {
		f.Fact.Content = nil // no filter tests it
		stored(f.Fact.ActionDeadline, f.Fact.Verification.At)
		for i := range f.Fact.Evidence {
			stored(f.Fact.Evidence[i].Until)
		}
	}
	stored(f.ValidUntil, f.SupersededAt)
	return p
}

// stored truncates times to the precision of stores.
func stored(times ...*time.Time) {
	for _, t := range times {
		if t != nil {
			*t = trilith.Time(*t)
		}
	}
}
