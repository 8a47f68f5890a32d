package firestore

import (
	"cmp"
	"context"
	"maps"
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
)

// maxDims is the largest number of dimensions of a Firestore vector.
const maxDims = 2048

// Vectors is the [role.VectorIndex] in the database of a [Store]. Firestore finds the nearest vectors by reading all
// that have a key, so its answers are exact; the parts of scope and filter that no key expresses are checked
// afterwards.
type Vectors struct {
	*database
	stamped stamped
	kept    readVectors
	scans   atomic.Int64
	scanned func(ctx context.Context, tenant string, vectors int) // may be nil
}

var _ role.VectorIndex = (*Vectors)(nil)

// Vectors returns the index in the store's database. The caller still has to close the store.
func (s *Store) Vectors() *Vectors { return &s.vectors }

// Close implements [role.VectorIndex]. The store stays open.
func (x *Vectors) Close() error { return nil }

// Scans returns the number of searches that had to read all vectors of a scope, because the thousand nearest were not
// enough.
func (x *Vectors) Scans() int64 { return x.scans.Load() }

// stamped caches stamps that were read recently, by the paths of their vectors. Changes by this process are dropped at
// once; changes by others are seen after [stampedFor].
type stamped struct {
	mu    sync.Mutex
	since time.Time
	known map[string]role.Stamp
}

// forget drops the caches after this process has deleted vectors.
func (x *Vectors) forget() {
	x.stamped.forget()
	x.kept.forget(nil)
}

func (x *Vectors) vector(tenant, gen string, id trilith.ID) string {
	return join(x.tenant(tenant), vectorsIn, gen+"~"+string(id))
}

// Reach is documented at [role.VectorIndex].
func (v *Vectors) Reach() role.Reach { return role.ReachAll }

// vectorBytes is the approximate size of a vector component in a request.
const vectorBytes = 40

// Apply implements [role.VectorIndex].
func (x *Vectors) Apply(ctx context.Context, g trilith.Generation, ps []role.Point) error {
	if err := x.ready(ctx); err != nil {
		return err
	}
	if err := checkPoints(g, ps); err != nil {
		return err
	}
	defer x.stamped.forget()
	// Of several points with one id the last with the highest version counts.
	at := make(map[string]int, len(ps))
	var order []string
	for i := range ps {
		path := x.vector(ps[i].Facets.Scope.Tenant, x.generation(g), ps[i].Facets.ID)
		was, twice := at[path]
		if !twice {
			order = append(order, path)
		}
		if !twice || ps[i].Facets.Version >= ps[was].Facets.Version {
			at[path] = i
		}
	}
	each := max(1, min(200, groupBytes/(vectorBytes*max(1, g.Dims)+2000)))
	for some := range slices.Chunk(order, each) {
		points := make(map[string]fields, len(some))
		for _, path := range some {
			f, err := x.pointFields(x.generation(g), &ps[at[path]])
			if err != nil {
				return err
			}
			points[path] = f
		}
		err := x.apply(ctx, points)
		x.kept.forget(some)
		if err != nil {
			return failed("firestore.Vectors.Apply", err)
		}
	}
	return nil
}

func checkPoints(g trilith.Generation, ps []role.Point) error {
	if g.Dims > maxDims {
		return trilith.Errorf(trilith.Unsupported,
			"vectors: have %d dimensions, Firestore takes %d at most; use an embedder with fewer, or TRILITH_VECTORS elsewhere", g.Dims, maxDims)
	}
	for i := range ps {
		if err := ps[i].Facets.ID.Validate(); err != nil {
			return err
		}
	}
	return role.ValidatePoints(g, ps)
}

func (x *Vectors) pointFields(gen string, p *role.Point) (fields, error) {
	f := p.Facets
	f.EventTime, f.RecordedAt = trilith.Time(f.EventTime), trilith.Time(f.RecordedAt)
	body, err := bodyOfFacets(&f)
	if err != nil {
		return nil, err
	}
	out := fields{fieldPrefix: text(x.prefix), fieldGen: text(gen), fieldMemory: text(string(f.ID)),
		fieldVersion: number(f.Version),
		fieldAt:      number(p.At.UnixMicro()),
		fieldKeys:    texts(vectorKeys(gen, &f)), fieldBody: octets(body), fieldVector: vectorValue(p.Vector)}
	if p.Cut {
		out[fieldCut] = yes()
	}
	return out, nil
}

// everything is the part of a key that stands for any state and kind.
const everything = "*"

// vectorKeys returns the keys of a vector: for each scope, one for its class and one for any class.
func vectorKeys(gen string, f *trilith.Facets) []string {
	keys := scopeKeys(f.Scope, f.Owner(), gen, everything)
	return append(keys, scopeKeys(f.Scope, f.Owner(), gen, string(f.State), groupOf(f))...)
}

// Groups of memories with vectors. A group and a state form a class.
const (
	groupFacts   = "facts"
	groupWindows = "windows"
	groupSaid    = "said"     // by an assistant
	groupOther   = "anything" // else
)

func groupOf(f *trilith.Facets) string {
	switch {
	case f.Kind == trilith.KindFact:
		return groupFacts
	case f.Kind == trilith.KindWindow:
		return groupWindows
	case f.Role == trilith.RoleAssistant:
		return groupSaid
	}
	return groupOther
}

// apply writes points over those of lower versions.
func (x *Vectors) apply(ctx context.Context, points map[string]fields) error {
	for next := firstPause; len(points) > 0; next = min(2*next, longPause) {
		paths := make([]string, 0, len(points))
		for path := range points {
			paths = append(paths, path)
		}
		slices.Sort(paths)
		was, err := x.c.get(ctx, paths, fieldVersion)
		if err != nil {
			return err
		}
		var ws []write
		for _, path := range paths {
			d := was[path]
			if d != nil && d.Fields.number(fieldVersion) > points[path].number(fieldVersion) {
				delete(points, path)
				continue
			}
			ws = append(ws, x.put(path, points[path], unchanged(d)))
		}
		if len(ws) == 0 {
			return nil
		}
		_, err = x.c.commit(ctx, ws)
		f := asFailure(err)
		if err == nil || f == nil || !f.moved() && !f.soon() {
			return err
		}
		if err := x.c.pause(ctx, jitter(next)); err != nil { // writing again is harmless
			return err
		}
	}
	return nil
}

// stampedFor is how long the stamps of search results are cached: a recall needs those of its hits, and should not pay
// for reading them twice.
const stampedFor = time.Second

func (k *stamped) keep(found map[string]role.Stamp) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if time.Since(k.since) > stampedFor {
		k.known, k.since = make(map[string]role.Stamp, len(found)), time.Now()
	}
	maps.Copy(k.known, found)
}

func (k *stamped) forget() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.known, k.since = nil, time.Time{}
}

// of returns the cached stamps of paths, and the paths without any.
func (k *stamped) of(paths []string) (known []role.Stamp, others []string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	fresh := time.Since(k.since) <= stampedFor
	for _, p := range paths {
		if s, ok := k.known[p]; ok && fresh {
			known = append(known, s)
		} else {
			others = append(others, p)
		}
	}
	return known, others
}

// stored is the data that an index has about a memory.
type stored struct {
	facets  trilith.Facets
	version int64
	score   float64
	stamp   role.Stamp // without an id if it was not read just now
}

func (x *Vectors) read(tenant string, d *document) (stored, bool) {
	m, ok := decodeMemory(tenant, trilith.ID(d.Fields.text(fieldMemory)), d.Fields.number(fieldVersion),
		d.Fields.octets(fieldBody))
	return stored{facets: role.FacetsOf(&m), version: m.Version, stamp: stampOf(d.Fields)}, ok
}

// finding is one search.
type finding struct {
	x     *Vectors
	scope trilith.Scope
	gen   string
	probe *role.VectorProbe
	match trilith.Matcher
	found map[trilith.ID]stored
}

// Search implements [role.VectorIndex].
func (x *Vectors) Search(ctx context.Context, sc trilith.Scope, g trilith.Generation,
	ps ...role.VectorProbe) ([][]role.Candidate, error) {
	if err := x.within(ctx, sc); err != nil {
		return nil, err
	}
	out := make([][]role.Candidate, len(ps))
	matchers := make([]trilith.Matcher, len(ps))
	for i := range ps {
		if err := ps[i].Validate(g.Dims); err != nil {
			return nil, err
		}
		var err error
		if matchers[i], err = ps[i].Filter.Compile(); err != nil {
			return nil, err
		}
	}
	if g.Dims > maxDims {
		return out, nil
	}
	for i := range ps {
		f := &finding{x: x, scope: sc, gen: x.generation(g), probe: &ps[i], match: matchers[i]}
		if err := f.run(ctx); err != nil {
			return nil, failed("firestore.Vectors.Search", err)
		}
		out[i] = f.best()
		read := make(map[string]role.Stamp, len(f.found))
		for id, found := range f.found {
			if found.stamp.ID != "" {
				read[x.vector(sc.Tenant, f.gen, id)] = found.stamp
			}
		}
		x.stamped.keep(read)
	}
	return out, nil
}

// best returns the answer: the nearest, ties by id.
func (f *finding) best() []role.Candidate {
	out := make([]role.Candidate, 0, len(f.found))
	for id, s := range f.found {
		out = append(out, role.Candidate{ID: id, Version: s.version, Score: s.score})
	}
	slices.SortFunc(out, func(a, b role.Candidate) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score),
			cmp.Compare(a.ID, b.ID))
	})
	return out[:min(len(out), f.probe.K)]
}

func (f *finding) accepts(s *stored) bool {
	return f.scope.SeesFacets(&s.facets) && (f.match == nil || f.match(&s.facets))
}

func (f *finding) run(ctx context.Context) error {
	f.found = make(map[trilith.ID]stored)
	if len(f.probe.IDs) > 0 {
		return f.named(ctx)
	}
	keys, exact := f.keys()
	for _, k := range keys { // a vector with several keys is stored once in found
		whole, err := f.nearest(ctx, k, exact)
		if err != nil {
			return err
		}
		if !whole {
			if err := f.scan(ctx, k); err != nil {
				return err
			}
		}
	}
	return nil
}

// scanRows is the number of vectors on one page of a scan: some megabytes.
const scanRows = 200

// named reads the vectors of ids.
func (f *finding) named(ctx context.Context) error {
	x, now := f.x, time.Now()
	var paths []string
	for i, id := range f.probe.IDs {
		if id.Validate() != nil {
			continue
		}
		path := x.vector(f.scope.Tenant, f.gen, id)
		if len(f.probe.Versions) > 0 {
			if v, ok := x.kept.of(path, f.probe.Versions[i], now); ok {
				f.score(v.stored, v.vector)
				continue
			}
		}
		paths = append(paths, path)
	}
	slices.Sort(paths)
	drops := x.kept.now()
	for some := range slices.Chunk(slices.Compact(paths), scanRows) {
		docs, err := x.c.get(ctx, some, fieldMemory, fieldVersion, fieldAt, fieldCut, fieldBody, fieldVector)
		if err != nil {
			return err
		}
		for path, d := range docs {
			if s, ok := x.read(f.scope.Tenant, d); ok {
				v := d.Fields[fieldVector].vector()
				f.score(s, v)
				s.stamp = role.Stamp{}
				x.kept.keep(drops, path, readVector{s, v, now})
			}
		}
	}
	return nil
}

const (
	mostNearest = 1000 // limit of Firestore
	ties        = 1    // requested beyond K: ids decide between equal scores, so all of these are needed
)

const distanceField = "distance"

// nearest requests the nearest vectors with a key, and more if too few of them are accepted. It reports whether the
// answer is complete.
func (f *finding) nearest(ctx context.Context, k string, exact bool) (whole bool, err error) {
	most := f.probe.K + ties
	if !exact {
		most = 2*f.probe.K + 2*ties
	}
	for ; ; most *= 4 {
		most = min(most, mostNearest)
		q := of(vectorsIn, false).holding(fieldKeys, []string{k}).only(fieldMemory, fieldVersion, fieldAt, fieldCut,
			fieldBody, distanceField)
		q.Nearest = &nearest{Field: fieldRef{fieldVector}, Vector: vectorValue(f.probe.Vector), Measure: "COSINE",
			Limit: most, Distance: distanceField}
		docs, err := f.x.c.run(ctx, f.x.tenant(f.scope.Tenant), q)
		if err != nil {
			return false, err
		}
		accepted, last := 0, math.Inf(1)
		for i := range docs {
			s, ok := f.x.read(f.scope.Tenant, docs[i])
			distance, known := docs[i].Fields.double(distanceField)
			if !ok || !known {
				continue
			}
			s.score = 1 - distance
			if f.accepts(&s) {
				f.found[s.facets.ID] = s
				if accepted++; accepted == f.probe.K {
					last = distance
				}
			}
		}
		if len(docs) < most {
			return true, nil
		}
		// The answer is complete if it contains one that is farther than the last that is wanted.
		if end, _ := docs[len(docs)-1].Fields.double(distanceField); accepted >= f.probe.K && end > last {
			return true, nil
		}
		if most == mostNearest {
			return false, nil
		}
	}
}

// scan reads all vectors with a key.
func (f *finding) scan(ctx context.Context, k string) error {
	s := f.x
	s.scans.Add(1)
	n := 0
	for after := ""; ; {
		q := of(vectorsIn, false).holding(fieldKeys, []string{k}).by(byName, ascending).limit(scanRows).
			only(fieldMemory, fieldVersion, fieldAt, fieldCut, fieldBody, fieldVector)
		if after != "" {
			q.after(reference(after))
		}
		docs, err := s.c.run(ctx, s.tenant(f.scope.Tenant), q)
		if err != nil {
			return err
		}
		for i := range docs {
			f.look(docs[i])
		}
		n += len(docs)
		if len(docs) < scanRows {
			break
		}
		after = docs[len(docs)-1].Name
	}
	if s.scanned != nil {
		s.scanned(ctx, f.scope.Tenant, n)
	}
	return nil
}

// look scores the vector of a document.
func (f *finding) look(d *document) {
	if s, ok := f.x.read(f.scope.Tenant, d); ok {
		f.score(s, d.Fields[fieldVector].vector())
	}
}

func (f *finding) score(s stored, v trilith.Vector) {
	if len(v) != len(f.probe.Vector) || !f.accepts(&s) {
		return
	}
	var dot, a, b float64
	for i := range v {
		x, y := float64(v[i]), float64(f.probe.Vector[i])
		dot, a, b = dot+x*y, a+x*x, b+y*y
	}
	s.score = dot / math.Sqrt(a*b)
	f.found[s.facets.ID] = s
}

// keys returns keys such that every vector that may be found has at least one; exact if the filter accepts almost all
// vectors with one of them.
func (f *finding) keys() (keys []string, exact bool) {
	state, groups := "", []string{groupFacts, groupWindows, groupSaid, groupOther}
	without := func(gone ...string) {
		groups = slices.DeleteFunc(groups, func(g string) bool { return slices.Contains(gone, g) })
	}
	ofKind := map[string]string{string(trilith.KindFact): groupFacts, string(trilith.KindWindow): groupWindows}
	exact = pure(f.probe.Filter)
	role := false
	for _, c := range f.probe.Filter.Conjuncts() {
		v, ok := textOf(c.Value)
		is, isNot := ok && c.Op == trilith.OpEq, ok && c.Op == trilith.OpNe
		group, assistant := ofKind[v], v == string(trilith.RoleAssistant)
		switch {
		case c.Field == fieldState && is && (state == "" || state == v):
			state = v
		case c.Field == fieldKind && is && group != "":
			groups = slices.DeleteFunc(groups, func(g string) bool { return g != group })
		case c.Field == fieldKind && isNot && group != "":
			without(group)
		case c.Field == "role" && is && assistant:
			without(groupOther)
			role = true
		case c.Field == "role" && isNot && assistant:
			without(groupSaid)
			role = true
		case c.Field == "role" && isNot && v == string(trilith.RoleSystem): // few are
		default:
			exact = false
		}
	}
	if state == "" {
		return keysOf(f.scope, f.gen, everything), f.match == nil
	}
	if role && (slices.Contains(groups, groupFacts) || slices.Contains(groups, groupWindows)) { // these have roles too
		exact = false
	}
	for _, g := range groups {
		keys = append(keys, keysOf(f.scope, f.gen, state, g)...)
	}
	return keys, exact
}

// pure reports whether a filter is a conjunction of comparisons.
func pure(f trilith.Filter) bool {
	return f.Or == nil && f.Not == nil && !slices.ContainsFunc(f.And, func(g trilith.Filter) bool { return !pure(g) })
}

// Stamps implements [role.VectorIndex].
func (x *Vectors) Stamps(ctx context.Context, sc trilith.Scope, g trilith.Generation, ids []trilith.ID) ([]role.Stamp,
	error) {
	const op = "firestore.Vectors.Stamps"
	if err := x.within(ctx, sc); err != nil {
		return nil, err
	}
	fieldsOf := []string{fieldMemory, fieldVersion, fieldAt, fieldCut}
	var out []role.Stamp
	add := func(f fields) { out = append(out, stampOf(f)) }
	if len(ids) > 0 {
		var paths []string
		for _, id := range slices.Compact(slices.Sorted(slices.Values(ids))) {
			if id.Validate() == nil {
				paths = append(paths, x.vector(sc.Tenant, x.generation(g), id))
			}
		}
		out, paths = x.stamped.of(paths)
		docs, err := x.c.get(ctx, paths, fieldsOf...)
		if err != nil {
			return nil, failed(op, err)
		}
		for _, d := range docs {
			add(d.Fields)
		}
		slices.SortFunc(out, func(a, b role.Stamp) int { return cmp.Compare(a.ID, b.ID) })
		return out, nil
	}
	all := keysOf(trilith.Scope{Tenant: sc.Tenant}, x.generation(g), everything)
	for after := ""; ; {
		q := of(vectorsIn, false).holding(fieldKeys, all).by(byName, ascending).only(fieldsOf...).limit(rowsEach)
		if after != "" {
			q.after(reference(after))
		}
		docs, err := x.c.run(ctx, x.tenant(sc.Tenant), q)
		if err != nil {
			return nil, failed(op, err)
		}
		for i := range docs {
			add(docs[i].Fields)
		}
		if len(docs) < rowsEach {
			return out, nil
		}
		after = docs[len(docs)-1].Name
	}
}

func stampOf(f fields) role.Stamp {
	return role.Stamp{ID: trilith.ID(f.text(fieldMemory)), Version: f.number(fieldVersion),
		At: time.UnixMicro(f.number(fieldAt)).UTC(), Cut: f.has(fieldCut)}
}

// Delete implements [role.VectorIndex].
func (x *Vectors) Delete(ctx context.Context, sc trilith.Scope, ids []trilith.ID) error {
	if err := x.within(ctx, sc); err != nil {
		return err
	}
	defer x.forget()
	return failed("firestore.Vectors.Delete", x.removeOf(ctx, sc.Tenant, vectorsIn, ids))
}

// Drop implements [role.VectorIndex].
func (x *Vectors) Drop(ctx context.Context, sys trilith.System, g trilith.Generation) error {
	return x.removeAll(ctx, sys, func() *query {
		return of(vectorsIn, true).where(fieldGen, "EQUAL", text(x.generation(g)))
	})
}

func (x *Vectors) generation(g trilith.Generation) string { return key(fieldGen, x.prefix, g.Key()) }

// Reset implements [role.VectorIndex].
func (x *Vectors) Reset(ctx context.Context, sys trilith.System) error {
	return x.removeAll(ctx, sys, func() *query { return x.all(vectorsIn) })
}

func (x *Vectors) removeAll(ctx context.Context, sys trilith.System, which func() *query) error {
	const op = "firestore.Vectors.Reset"
	if err := x.across(ctx, sys); err != nil {
		return err
	}
	defer x.forget()
	for {
		docs, err := x.c.run(ctx, everywhere, which().only().limit(rowsEach))
		if err != nil || len(docs) == 0 {
			return failed(op, err)
		}
		if err := x.removeDocuments(ctx, docs); err != nil {
			return failed(op, err)
		}
	}
}
