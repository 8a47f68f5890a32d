package embedded

import (
	"context"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
)

// Vector is the [role.VectorIndex] in the memory of the process. A search compares all points that scope and filter
// accept by quantised vectors (see package vec). If few candidates are asked for, the best are read from their rows and
// ranked in full precision.
//
// A partition is read on first use and stays in memory: from its snapshot and later changes, or from the rows of its
// points. Until then a call that names a few points, such as for the stamps of a search's hits, reads just those. Apply
// and Delete write to the blobs before they return; the blobs decide how durable that is.
type Vector struct {
	blobs role.Blobs // a space for each generation and another for snapshots; nil: nothing is stored

	// gate is held for reading by calls that change one tenant's blobs or read a partition, and for writing by Drop,
	// Reset and Close, which concern all. Searches in memory do not pass it, but hold open while they read vectors.
	gate   sync.RWMutex
	open   sync.RWMutex
	closed atomic.Bool
	broken atomic.Int64

	keep    keeping
	keeping sync.Mutex // held by SaveSnapshot and DiscardSnapshot

	mu      sync.Mutex
	tenants map[string]*tenantVectors
}

// tenantVectors are the partitions of a tenant.
type tenantVectors struct {
	writing chan struct{} // holds a token during writing or loading; a channel, so that waiting heeds a context
	// guards the list of partitions and their content; writers of the blobs do not hold it
	mu     sync.RWMutex
	byKey  map[string]*part // by key of the generation
	behind map[string]int   // changes written while the partition was not in memory; used by the writer
}

// NewVector returns an index over the content of b; with nil it is empty, and its content is lost when the process
// ends. Closing the index does not close b.
func NewVector(b role.Blobs) *Vector {
	return &Vector{blobs: b, keep: asUsual, tenants: map[string]*tenantVectors{}}
}

var (
	_ role.VectorIndex  = (*Vector)(nil)
	_ role.LocalVectors = (*Vector)(nil)
)

// Reach is that of the blobs, which is the store's; without blobs it is the process's.
func (x *Vector) Reach() role.Reach {
	if x.blobs == nil {
		return role.ReachProcess
	}
	return role.ReachStore
}

// Apply stores points. A call for several tenants is atomic for each of them only; repeating it is harmless.
func (x *Vector) Apply(ctx context.Context, g trilith.Generation, ps []role.Point) error {
	const op = "embedded.Vector.Apply"
	leave, err := x.enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	if err := role.ValidatePoints(g, ps); err != nil {
		return trilith.WrapError(trilith.Invalid, op, err)
	}
	byTenant := map[string][]role.Point{}
	for _, p := range ps {
		tenant := p.Facets.Scope.Tenant
		p.At = trilith.Time(p.At)
		byTenant[tenant] = append(byTenant[tenant], p)
	}
	for _, tenant := range slices.Sorted(maps.Keys(byTenant)) {
		if err := x.applyTo(ctx, tenant, g, byTenant[tenant]); err != nil {
			return trilith.WrapError(trilith.Unavailable, op, err)
		}
	}
	return nil
}

func (x *Vector) applyTo(ctx context.Context, tenant string, g trilith.Generation, ps []role.Point) error {
	t := x.tenant(tenant)
	if err := t.lock(ctx); err != nil {
		return err
	}
	defer t.unlock()
	pt, err := x.held(ctx, t, tenant, g, ps)
	if err != nil {
		return err
	}
	if ps = pt.newer(ps); len(ps) == 0 {
		return nil
	}
	if x.blobs != nil {
		ps = asKept(ps)
		if err := x.write(ctx, t, tenant, g, ps); err != nil {
			return err
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if pt = t.byKey[g.Key()]; pt == nil {
		return nil
	}
	for i := range ps {
		pt.put(&ps[i])
	}
	return nil
}

// write writes the rows of a tenant's points. The caller is the tenant's only writer.
func (x *Vector) write(ctx context.Context, t *tenantVectors, tenant string, g trilith.Generation,
	ps []role.Point) error {
	rows, ids := make([][]byte, len(ps)), make([]trilith.ID, len(ps))
	for i := range ps {
		var err error
		if rows[i], err = encodeRow(&ps[i]); err != nil {
			return err
		}
		ids[i] = ps[i].Facets.ID
	}
	j := newJournal(ids)
	err := x.blobs.ChangeBlobs(ctx, tenant, func(get blobGet, put blobPut) error {
		for i, row := range rows {
			if err := put(spaceOf(g.Key()), string(ids[i]), row); err != nil {
				return err
			}
		}
		return j.put(g.Key(), get, put)
	})
	if err == nil {
		t.note(j)
	}
	return err
}

// Search scores every point that the scope covers and the filter of a probe accepts, for all probes in one pass.
func (x *Vector) Search(ctx context.Context, s trilith.Scope, g trilith.Generation, ps ...role.VectorProbe) (
	[][]role.Candidate, error) {
	const op = "embedded.Vector.Search"
	if len(ps) == 0 {
		return nil, nil
	}
	asks := make([]ask, len(ps))
	for i, p := range ps {
		sel, err := compile(s, p.Filter)
		if err != nil {
			return nil, trilith.WrapError(trilith.Invalid, op, err)
		}
		if err := p.Validate(g.Dims); err != nil {
			return nil, trilith.WrapError(trilith.Invalid, op, err)
		}
		asks[i] = ask{sel: sel, ids: p.IDs, vector: p.Vector, k: p.K}
	}
	x.open.RLock() // so that nothing reads the blobs after Close
	defer x.open.RUnlock()
	full := func(ids []string, yield func(id string, version int64, v []float32)) error {
		var v trilith.Vector
		return x.blobs.BlobsOf(ctx, spaceOf(g.Key()), s.Tenant, ids, func(id string, data []byte) error {
			if r, err := splitRow(g.Dims, data); err == nil { // otherwise the vector in memory decides
				v = readVector(v[:0], r.format, g.Dims, r.vector)
				yield(id, r.version, v)
			}
			return nil
		})
	}
	var out [][]role.Candidate
	err := x.read(ctx, s.Tenant, g, func() []string { return namedBy(asks) }, func(pt *part) (err error) {
		out, err = pt.search(ctx, asks, full)
		return err
	})
	return out, trilith.WrapError(trilith.Unavailable, op, err)
}

// namedBy returns the ids to load if every ask names some, else nil.
func namedBy(asks []ask) (ids []string) {
	for _, a := range asks {
		if len(a.ids) == 0 {
			return nil
		}
		ids = append(ids, names(a.ids)...)
	}
	return ids
}

// Stamps returns the stamps of the content.
func (x *Vector) Stamps(ctx context.Context, s trilith.Scope, g trilith.Generation, ids []trilith.ID) ([]role.Stamp,
	error) {
	const op = "embedded.Vector.Stamps"
	if err := s.Validate(); err != nil {
		return nil, trilith.WrapError(trilith.Invalid, op, err)
	}
	var out []role.Stamp
	err := x.read(ctx, s.Tenant, g, func() []string { return names(ids) }, func(pt *part) error {
		out = pt.stamps(ids)
		return nil
	})
	return out, trilith.WrapError(trilith.Unavailable, op, err)
}

// Delete removes ids of the tenant from every generation, those not in memory included.
func (x *Vector) Delete(ctx context.Context, s trilith.Scope, ids []trilith.ID) error {
	const op = "embedded.Vector.Delete"
	leave, err := x.enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	if err := s.Validate(); err != nil {
		return trilith.WrapError(trilith.Invalid, op, err)
	}
	if len(ids) == 0 {
		return nil
	}
	t := x.tenant(s.Tenant)
	if err := t.lock(ctx); err != nil {
		return err
	}
	defer t.unlock()
	if x.blobs != nil {
		if err := x.erase(ctx, t, s.Tenant, ids); err != nil {
			return trilith.WrapError(trilith.Unavailable, op, err)
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, pt := range t.byKey {
		for _, id := range ids {
			pt.remove(id)
		}
	}
	return nil
}

// erase deletes the rows of ids in every generation. The caller is the tenant's only writer.
func (x *Vector) erase(ctx context.Context, t *tenantVectors, tenant string, ids []trilith.ID) error {
	keys, err := x.keys(ctx, rowSpace)
	if err != nil {
		return err
	}
	j := newJournal(ids)
	err = x.blobs.ChangeBlobs(ctx, tenant, func(get blobGet, put blobPut) error {
		for _, key := range keys {
			for _, id := range ids {
				if err := put(spaceOf(key), string(id), nil); err != nil {
					return err
				}
			}
			if err := j.put(key, get, put); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil {
		t.note(j)
	}
	return err
}

// keys returns the keys of the generations that have rows in their space with the prefix.
func (x *Vector) keys(ctx context.Context, prefix string) ([]string, error) {
	spaces, err := x.blobs.BlobSpaces(ctx)
	var keys []string
	for _, space := range spaces {
		if key, ok := strings.CutPrefix(space, prefix); ok {
			keys = append(keys, key)
		}
	}
	return keys, err
}

// Drop removes a generation of all tenants.
func (x *Vector) Drop(ctx context.Context, sys trilith.System, g trilith.Generation) error {
	return x.drop(ctx, sys, "embedded.Vector.Drop", []string{keptSpaceOf(g.Key()), spaceOf(g.Key())},
		func(t *tenantVectors) { t.forget(g.Key()) })
}

// Reset removes everything.
func (x *Vector) Reset(ctx context.Context, sys trilith.System) error {
	return x.drop(ctx, sys, "embedded.Vector.Reset", []string{""}, func(t *tenantVectors) {
		clear(t.byKey)
		clear(t.behind)
	})
}

func (x *Vector) drop(ctx context.Context, sys trilith.System, op string, spaces []string,
	forget func(*tenantVectors)) error {
	x.gate.Lock()
	defer x.gate.Unlock()
	if err := x.ready(ctx); err != nil {
		return err
	}
	if err := sys.Validate(); err != nil {
		return trilith.WrapError(trilith.Internal, op, err)
	}
	if x.blobs != nil {
		for _, space := range spaces { // snapshots first: none may outlast its rows
			if err := x.blobs.DropBlobs(ctx, space); err != nil {
				return trilith.WrapError(trilith.Unavailable, op, err)
			}
		}
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, t := range x.tenants {
		t.mu.Lock()
		forget(t)
		t.mu.Unlock()
	}
	return nil
}

// Close waits for running writes and frees the memory. Nothing touches the blobs afterwards.
func (x *Vector) Close() error {
	x.open.Lock()
	defer x.open.Unlock()
	x.gate.Lock()
	defer x.gate.Unlock()
	x.closed.Store(true)
	x.mu.Lock()
	defer x.mu.Unlock()
	clear(x.tenants)
	return nil
}

// Broken returns how many rows were unreadable and left out since the index was opened. A caller that compares
// [Vector.Stamps] with the truth finds them missing and applies them again.
func (x *Vector) Broken() int64 { return x.broken.Load() }

func (x *Vector) ready(ctx context.Context) error {
	if x.closed.Load() {
		return trilith.Errorf(trilith.Unavailable, "the vector index is closed")
	}
	return ctx.Err()
}

// enter passes the gate for work on one tenant.
func (x *Vector) enter(ctx context.Context) (leave func(), err error) {
	x.gate.RLock()
	if err := x.ready(ctx); err != nil {
		x.gate.RUnlock()
		return nil, err
	}
	return x.gate.RUnlock, nil
}

func (x *Vector) tenant(name string) *tenantVectors {
	x.mu.Lock()
	defer x.mu.Unlock()
	t := x.tenants[name]
	if t == nil {
		t = &tenantVectors{writing: make(chan struct{}, 1), byKey: map[string]*part{}, behind: map[string]int{}}
		x.tenants[name] = t
	}
	return t
}

// lock makes the caller the tenant's only writer.
func (t *tenantVectors) lock(ctx context.Context) error {
	select {
	case t.writing <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (t *tenantVectors) unlock() { <-t.writing }

func (t *tenantVectors) forget(key string) {
	delete(t.byKey, key)
	delete(t.behind, key)
}

// few is the largest number of points that are read by themselves. Reading their whole partition takes as long as
// reading some ten thousand single points.
const few = 200

// read calls f with the partition while it cannot change. If some is given and returns ids, the partition may hold just
// those. If it is not in memory, one caller loads it and the others wait.
func (x *Vector) read(ctx context.Context, tenant string, g trilith.Generation, some func() []string,
	f func(*part) error) error {
	if err := x.ready(ctx); err != nil {
		return err
	}
	t, key := x.tenant(tenant), g.Key()
	t.mu.RLock()
	pt := t.byKey[key]
	t.mu.RUnlock()
	if pt == nil && x.blobs != nil {
		if ids := some(); ids != nil && len(ids) <= few {
			leave, err := x.enter(ctx)
			if err != nil {
				return err
			}
			defer leave()
			if pt, err = x.some(ctx, tenant, g, ids); err != nil {
				return err
			}
			return f(pt)
		}
	}
	if pt == nil {
		if err := x.alone(ctx, t, func() (err error) {
			pt, err = x.load(ctx, t, tenant, key, g.Dims)
			return err
		}); err != nil {
			return err
		}
	}
	t.mu.RLock()
	defer t.mu.RUnlock()
	return f(pt)
}

// load returns the partition, and reads it from the blobs unless it is in memory. The caller is the tenant's only
// writer.
func (x *Vector) load(ctx context.Context, t *tenantVectors, tenant, key string, dims int) (*part, error) {
	if pt := t.byKey[key]; pt != nil { // only writers change the map
		return pt, nil
	}
	var pt *part
	if x.blobs == nil {
		pt = newPart(tenant, dims, x.keep.segment)
		pt.full = map[int][]float32{}
	} else {
		var err error
		if pt, err = x.readPart(ctx, tenant, key, dims); err != nil {
			return nil, err
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.byKey[key] = pt
	delete(t.behind, key)
	return pt, nil
}

// some returns a partition with only the points of the given ids.
func (x *Vector) some(ctx context.Context, tenant string, g trilith.Generation, ids []string) (*part, error) {
	pt := newFew(tenant)
	var broken atomic.Int64 // the goroutine that loads the partition counts them
	return pt, x.blobs.BlobsOf(ctx, spaceOf(g.Key()), tenant, ids, pt.take(ctx, tenant, g.Dims, &broken))
}

// held returns a partition with the present state of the points: the whole one, unless that is not in memory and the
// points are few. The caller is the tenant's only writer.
func (x *Vector) held(ctx context.Context, t *tenantVectors, tenant string, g trilith.Generation, ps []role.Point) (
	*part, error) {
	if t.byKey[g.Key()] != nil || len(ps) > few || x.blobs == nil {
		return x.load(ctx, t, tenant, g.Key(), g.Dims)
	}
	ids := make([]string, len(ps))
	for i := range ps {
		ids[i] = string(ps[i].Facets.ID)
	}
	return x.some(ctx, tenant, g, ids)
}

// rowSpace begins the names of the spaces for rows of points, keptSpace those for snapshots; the key of the generation
// follows.
const (
	rowSpace  = "vec:"
	keptSpace = "vec kept:"
)

func spaceOf(key string) string { return rowSpace + key }

func keptSpaceOf(key string) string { return keptSpace + key }

// names returns ids in the form of the blobs; nil for none.
func names(ids []trilith.ID) []string {
	var out []string
	for _, id := range ids {
		out = append(out, string(id))
	}
	return out
}
