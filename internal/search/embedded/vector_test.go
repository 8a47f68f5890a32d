package embedded_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/search/embedded"
	"github.com/trilith-memory/trilith/internal/test/indextest"
	"pgregory.net/rapid"
)

func TestVector(t *testing.T) {
	t.Parallel()
	indextest.RunVector(t, indextest.VectorHarness{
		New: func(testing.TB) role.VectorIndex { return embedded.NewVector(nil) }})
}

func TestVectorOverBlobs(t *testing.T) {
	t.Parallel()
	var kept sync.Map // index → its blobs
	open := func(b *blobs) role.VectorIndex {
		x := embedded.NewVector(b)
		kept.Store(role.VectorIndex(x), b)
		return x
	}
	indextest.RunVector(t, indextest.VectorHarness{
		New: func(testing.TB) role.VectorIndex { return open(newBlobs()) },
		Reopen: func(tb testing.TB, old role.VectorIndex) role.VectorIndex {
			if err := old.Close(); err != nil {
				tb.Fatalf("Close() = %v", err)
			}
			b, _ := kept.Load(old)
			return open(b.(*blobs))
		},
	})
}

func TestVectorAbilities(t *testing.T) {
	t.Parallel()
	for name, kept := range map[string]bool{"over blobs": true, "in memory": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			indextest.RunVectorAbilities(t, func(testing.TB) func() role.VectorIndex {
				if !kept {
					return func() role.VectorIndex { return embedded.NewVector(nil) }
				}
				b := newBlobs()
				return func() role.VectorIndex { return embedded.NewVector(b) }
			})
		})
	}
}

func BenchmarkVector(b *testing.B) {
	indextest.BenchVector(b,
		indextest.VectorHarness{New: func(testing.TB) role.VectorIndex { return embedded.NewVector(nil) }})
}

// blobs is an [role.Blobs] in maps. It can be told to fail and to wait.
type blobs struct {
	mu    sync.Mutex
	rows  map[[2]string]map[string][]byte // by space and tenant
	err   error                           // of every call, if set
	reads map[string]int                  // calls of role.Blobs for the rows of points, by tenant
	// changed is called with all rows after every ChangeBlobs, if set.
	changed func(rows map[[2]string]map[string][]byte)
	wait    chan struct{} // Blobs waits for it to close, if set
	bad     string        // PutBlobs refuses rows of this id
}

func newBlobs() *blobs {
	return &blobs{rows: map[[2]string]map[string][]byte{}, reads: map[string]int{}}
}

func (b *blobs) failing(err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.err = err
}

func (b *blobs) PutBlobs(_ context.Context, space, tenant string, rows iter.Seq2[string, []byte]) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.err != nil {
		return b.err
	}
	key := [2]string{space, tenant}
	if b.rows[key] == nil {
		b.rows[key] = map[string][]byte{}
	}
	for id, data := range rows {
		if id == b.bad {
			return errors.New("disk full")
		}
		b.rows[key][id] = append([]byte(nil), data...)
	}
	return nil
}

func (b *blobs) Blobs(ctx context.Context, space, tenant string, yield func(id string, data []byte) error) error {
	b.mu.Lock()
	rows, wait, err := maps.Clone(b.rows[[2]string{space, tenant}]), b.wait, b.err
	if strings.HasPrefix(space, "vec:") {
		b.reads[tenant]++
	}
	b.mu.Unlock()
	if err != nil {
		return err
	}
	if wait != nil {
		select {
		case <-wait:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	for _, id := range slices.Sorted(maps.Keys(rows)) {
		if err := yield(id, rows[id]); err != nil {
			return err
		}
	}
	return nil
}

func (b *blobs) BlobsOf(_ context.Context, space, tenant string, ids []string,
	yield func(id string, data []byte) error) error {
	b.mu.Lock()
	rows, err := maps.Clone(b.rows[[2]string{space, tenant}]), b.err
	b.mu.Unlock()
	for _, id := range slices.Sorted(slices.Values(ids)) {
		if data, ok := rows[id]; ok && err == nil {
			err = yield(id, data)
		}
	}
	return err
}

func (b *blobs) BlobIDs(_ context.Context, space, tenant string) ([]string, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Sorted(maps.Keys(b.rows[[2]string{space, tenant}])), b.err
}

func (b *blobs) ChangeBlobs(_ context.Context, tenant string,
	change func(get func(space, id string) ([]byte, error),
		put func(space, id string, data []byte) error) error) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.err != nil {
		return b.err
	}
	var todo []func()
	get := func(space, id string) ([]byte, error) { return b.rows[[2]string{space, tenant}][id], nil }
	put := func(space, id string, data []byte) error {
		if id == b.bad {
			return errors.New("disk full")
		}
		todo = append(todo, func() {
			key := [2]string{space, tenant}
			switch {
			case data == nil:
				delete(b.rows[key], id)
			case b.rows[key] == nil:
				b.rows[key] = map[string][]byte{id: slices.Clone(data)}
			default:
				b.rows[key][id] = slices.Clone(data)
			}
		})
		return nil
	}
	if err := change(get, put); err != nil {
		return err
	}
	for _, do := range todo {
		do()
	}
	if b.changed != nil {
		b.changed(b.rows)
	}
	return nil
}

func (b *blobs) DeleteBlobs(_ context.Context, space, tenant string, ids []string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.err != nil {
		return b.err
	}
	for _, id := range ids {
		delete(b.rows[[2]string{space, tenant}], id)
	}
	return nil
}

func (b *blobs) BlobSpaces(context.Context) ([]string, error) {
	return b.places(0, func([2]string) bool { return true })
}

func (b *blobs) BlobTenants(_ context.Context, space string) ([]string, error) {
	return b.places(1, func(key [2]string) bool { return key[0] == space })
}

// places returns the spaces (0) or tenants (1) of the rows whose address passes.
func (b *blobs) places(part int, passes func(key [2]string) bool) ([]string, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	there := map[string]bool{}
	for key, rows := range b.rows {
		if len(rows) > 0 && passes(key) {
			there[key[part]] = true
		}
	}
	return slices.Sorted(maps.Keys(there)), b.err
}

func (b *blobs) DropBlobs(_ context.Context, space string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	maps.DeleteFunc(b.rows, func(key [2]string, _ map[string][]byte) bool { return space == "" || key[0] == space })
	return b.err
}

var (
	g   = trilith.Generation{Provider: "test", Model: "plane", Dims: 2, Recipe: 1}
	day = time.Date(2025, 6, 30, 0, 0, 0, 0, time.UTC)
)

// rounding is how far rounded vectors of two components put a cosine, at most.
const rounding = 5e-3

func vector(degrees int) trilith.Vector {
	sin, cos := math.Sincos(float64(degrees) * math.Pi / 180)
	return trilith.Vector{float32(cos), float32(sin)}
}

func point(tenant string, n int, version int64, degrees int) role.Point {
	return role.Point{
		Facets: trilith.Facets{ID: trilith.DeriveID("point", fmt.Sprint(n)), Version: version,
			Scope: trilith.Scope{Tenant: tenant}, Kind: trilith.KindNote},
		Vector: vector(degrees), At: day,
	}
}

func search(x *embedded.Vector, ctx context.Context, tenant string) ([]role.Candidate, error) {
	return indextest.First(x.Search(ctx, trilith.Scope{Tenant: tenant}, g, role.VectorProbe{Vector: vector(0), K: 10}))
}

func TestVectorLoadsATenantOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBlobs()
		first := embedded.NewVector(b)
		if err := first.Apply(t.Context(), g, []role.Point{point("ana", 1, 1, 0), point("ben", 2, 1, 0)}); err != nil {
			t.Fatalf("Apply() = %v", err)
		}
		b.reads = map[string]int{}
		b.wait = make(chan struct{})
		x := embedded.NewVector(b)
		ctx, cancel := context.WithCancel(t.Context())
		for range 5 {
			go func() {
				if got, err := search(x, t.Context(), "ana"); err != nil || len(got) != 1 {
					t.Errorf("Search() during loading = %v, %v, want one candidate", got, err)
				}
			}()
		}
		synctest.Wait()
		go func() {
			if _, err := search(x, ctx, "ana"); !errors.Is(err, context.Canceled) {
				t.Errorf("Search() given up while another loads = %v, want %v", err, context.Canceled)
			}
		}()
		synctest.Wait()
		cancel()
		synctest.Wait()
		close(b.wait)
		synctest.Wait()
		if diff := cmp.Diff(map[string]int{"ana": 1}, b.reads); diff != "" {
			t.Errorf("reads of the blobs by tenant: -want +got\n%s", diff)
		}
	})
}

// A request that names a few points does not load the partition, and answers the same.
func TestVectorReadsFew(t *testing.T) {
	t.Parallel()
	ctx, b := t.Context(), newBlobs()
	ana := trilith.Scope{Tenant: "ana"}
	if err := embedded.NewVector(b).Apply(
		ctx, g, []role.Point{point("ana", 1, 1, 0), point("ana", 2, 5, 10), point("ana", 3, 1, 20)}); err != nil {
		t.Fatalf("Apply() = %v", err)
	}
	ids := []trilith.ID{trilith.DeriveID("point", "2"), trilith.DeriveID("point", "3"), "unknown"}
	probe := role.VectorProbe{Vector: vector(0), K: 10, IDs: ids}
	x := embedded.NewVector(b)
	ask := func() (out []any) {
		t.Helper()
		stamps, err := x.Stamps(ctx, ana, g, ids)
		if err != nil || len(stamps) != 2 {
			t.Fatalf("Stamps() = %v, %v; want two", stamps, err)
		}
		found, err := indextest.First(x.Search(ctx, ana, g, probe))
		if err != nil || len(found) != 2 {
			t.Fatalf("Search() by id = %v, %v; want two", found, err)
		}
		return append(out, stamps, found)
	}
	before := ask()
	if err := x.Apply(ctx, g,
		[]role.Point{point("ana", 2, 4, 90), point("ana", 3, 2, 20), point("ana", 4, 1, 30)}); err != nil {
		t.Fatalf("Apply() = %v", err)
	}
	few := ask()
	if len(b.reads) > 0 {
		t.Errorf("all rows were read: %v", b.reads)
	}
	if diff := cmp.Diff(before[1].([]role.Candidate)[0], few[1].([]role.Candidate)[0]); diff != "" {
		t.Errorf("a lower version replaced a higher one: -before +after\n%s", diff)
	}
	if got, err := search(x, ctx, "ana"); err != nil || len(got) != 4 || b.reads["ana"] != 1 {
		t.Errorf("Search() of all = %v, %v, reading all rows %d times; want four points and once", got, err,
			b.reads["ana"])
	}
	if diff := cmp.Diff(few, ask(), cmpopts.EquateApprox(0, rounding)); diff != "" {
		t.Errorf("in memory it answers otherwise: -few +all\n%s", diff)
	}
}

// The caller that loads may give up; the callers that wait for it must not fail with it.
func TestVectorLoaderGivesUp(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBlobs()
		if err := embedded.NewVector(b).Apply(t.Context(), g, []role.Point{point("ana", 1, 1, 0)}); err != nil {
			t.Fatalf("Apply() = %v", err)
		}
		b.wait = make(chan struct{})
		x := embedded.NewVector(b)
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			if _, err := search(x, ctx, "ana"); !errors.Is(err, context.Canceled) {
				t.Errorf("Search() of the loader = %v, want %v", err, context.Canceled)
			}
		}()
		synctest.Wait()
		go func() {
			if got, err := search(x, t.Context(), "ana"); err != nil || len(got) != 1 {
				t.Errorf("Search() of the one who waited = %v, %v, want one candidate", got, err)
			}
		}()
		synctest.Wait()
		cancel()
		synctest.Wait()
		close(b.wait)
		synctest.Wait()
	})
}

// A point that the blobs refuse must not be found: it would be gone after a restart.
func TestVectorWritesBlobsFirst(t *testing.T) {
	t.Parallel()
	ctx, b := t.Context(), newBlobs()
	x := embedded.NewVector(b)
	if err := x.Apply(ctx, g, []role.Point{point("ana", 1, 1, 0)}); err != nil {
		t.Fatalf("Apply() = %v", err)
	}
	b.failing(errors.New("disk full"))
	if err := x.Apply(ctx, g, []role.Point{point("ana", 1, 2, 90), point("ana", 2, 1, 0)}); trilith.KindOf(
		err) != trilith.Unavailable {
		t.Errorf("Apply() over failing blobs = %v, want kind %s", err, trilith.Unavailable)
	}
	if err := x.Delete(ctx, trilith.Scope{Tenant: "ana"}, []trilith.ID{trilith.DeriveID("point", "1")}); trilith.KindOf(
		err) != trilith.Unavailable {
		t.Errorf("Delete() over failing blobs = %v, want kind %s", err, trilith.Unavailable)
	}
	if _, err := search(x, ctx, "ben"); trilith.KindOf(err) != trilith.Unavailable {
		t.Errorf("Search() that has to load from failing blobs = %v, want kind %s", err, trilith.Unavailable)
	}
	b.failing(nil)
	got, err := search(x, ctx, "ana")
	if err != nil || len(got) != 1 || got[0].Version != 1 {
		t.Errorf("Search() after failures = %v, %v, want the first point in version 1", got, err)
	}
	if got, err := search(x, ctx, "ben"); err != nil || len(got) != 0 {
		t.Errorf("Search() once the blobs answer again = %v, %v, want nothing", got, err)
	}
}

func TestVectorSkipsBrokenRows(t *testing.T) {
	t.Parallel()
	ctx, b := t.Context(), newBlobs()
	if err := embedded.NewVector(b).Apply(
		ctx, g, []role.Point{point("ana", 1, 1, 0), point("ana", 2, 1, 10), point("ana", 3, 1, 20)}); err != nil {
		t.Fatalf("Apply() = %v", err)
	}
	for _, rows := range b.rows {
		id := string(trilith.DeriveID("point", "2"))
		rows[id] = rows[id][:len(rows[id])-1]
		rows["other"] = []byte("rubbish")
	}
	x := embedded.NewVector(b)
	got, err := search(x, ctx, "ana")
	if err != nil || len(got) != 2 {
		t.Errorf("Search() over two broken rows = %v, %v, want the other two points", got, err)
	}
	if n := x.Broken(); n != 2 {
		t.Errorf("Broken() = %d, want 2", n)
	}
	if err := x.Apply(ctx, g, []role.Point{point("ana", 2, 1, 10)}); err != nil {
		t.Fatalf("Apply() over a broken row = %v", err)
	}
	if got, err := search(x, ctx, "ana"); err != nil || len(got) != 3 {
		t.Errorf("Search() after the repair = %v, %v, want three points", got, err)
	}
}

// Random operations on the embedded index, reopened now and then, and on the reference index leave no difference.
func TestVectorEqualsReference(t *testing.T) {
	t.Parallel()
	ctx, sys := t.Context(), trilith.AsSystem("test")
	rapid.Check(t, func(t *rapid.T) {
		b := newBlobs()
		open := func() *embedded.Vector { return embedded.NewVector(b).KeepOften(8) }
		x, ref := open(), indextest.NewVector()
		gens := []trilith.Generation{g, {Provider: "test", Model: "other", Dims: 2}}
		tenants := []string{"ana", "ben"}
		drawGen := func() trilith.Generation { return rapid.SampledFrom(gens).Draw(t, "generation") }
		drawScope := func() trilith.Scope {
			return trilith.Scope{Tenant: rapid.SampledFrom(tenants).Draw(t, "tenant"),
				User: rapid.SampledFrom([]string{"", "u1", "u2"}).Draw(t, "user")}
		}
		drawN := func() int { return rapid.IntRange(0, 80).Draw(t, "n") }
		drawIDs := func() []trilith.ID {
			return []trilith.ID{trilith.DeriveID("point", fmt.Sprint(drawN())),
				trilith.DeriveID("point", fmt.Sprint(drawN()))}
		}
		tolerance := 1e-5
		same := func(what string, got, want any, err, refErr error) {
			t.Helper()
			if (err == nil) != (refErr == nil) {
				t.Fatalf("%s = %v, the reference says %v", what, err, refErr)
			}
			if diff := cmp.Diff(want, got, cmpopts.EquateEmpty(), cmpopts.EquateApprox(0, tolerance)); diff != "" {
				t.Fatalf("%s: -reference +got\n%s", what, diff)
			}
		}
		t.Repeat(map[string]func(*rapid.T){
			"apply": func(t *rapid.T) {
				gen := drawGen()
				ps := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) role.Point {
					p := point("", drawN(), int64(rapid.IntRange(1, 4).Draw(t, "version")),
						rapid.IntRange(0, 45).Draw(t, "angle")*4)
					p.Facets.Scope = drawScope()
					p.Facets.State = rapid.SampledFrom(trilith.States()).Draw(t, "state")
					p.Facets.Tags = rapid.SampledFrom([][]string{nil, {"red"}, {"red", "blue"}}).Draw(t, "tags")
					return p
				}), 0, 40).Draw(t, "points")
				same("Apply", nil, nil, x.Apply(ctx, gen, ps), ref.Apply(ctx, gen, ps))
			},
			"delete": func(t *rapid.T) {
				s, ids := drawScope(), drawIDs()
				same("Delete", nil, nil, x.Delete(ctx, s, ids), ref.Delete(ctx, s, ids))
			},
			"drop": func(t *rapid.T) {
				if rapid.IntRange(0, 4).Draw(t, "seldom") == 0 {
					gen := drawGen()
					same("Drop", nil, nil, x.Drop(ctx, sys, gen), ref.Drop(ctx, sys, gen))
				}
			},
			"reset": func(t *rapid.T) {
				if rapid.IntRange(0, 8).Draw(t, "seldom") == 0 {
					same("Reset", nil, nil, x.Reset(ctx, sys), ref.Reset(ctx, sys))
				}
			},
			"reopen": func(t *rapid.T) {
				if err := x.Close(); err != nil {
					t.Fatalf("Close() = %v", err)
				}
				x = open()
			},
			"keep":    func(t *rapid.T) { same("Keep", nil, nil, x.SaveSnapshot(ctx), nil) },
			"discard": func(t *rapid.T) { same("Discard", nil, nil, x.DiscardSnapshot(ctx), nil) },
			"search": func(t *rapid.T) {
				s, gen := drawScope(), drawGen()
				p := role.VectorProbe{K: rapid.IntRange(1, role.ExactCandidates).Draw(t, "k"),
					Vector: probe(rapid.IntRange(0, 360).Draw(t, "angle"))}
				p.Filter = rapid.SampledFrom([]trilith.Filter{{}, trilith.Where("state", trilith.OpEq, trilith.StateActive),
					trilith.Where("tags", trilith.OpContains, "blue")}).Draw(t, "filter")
				got, err := indextest.First(x.Search(ctx, s, gen, p))
				want, refErr := indextest.First(ref.Search(ctx, s, gen, p))
				same("Search", got, want, err, refErr)
			},
			"measure": func(t *rapid.T) {
				s, gen, ids := drawScope(), drawGen(), drawIDs()
				p := role.VectorProbe{K: len(ids), Vector: probe(rapid.IntRange(0, 360).Draw(t, "angle")), IDs: ids}
				got, err := indextest.First(x.Search(ctx, s, gen, p))
				want, refErr := indextest.First(ref.Search(ctx, s, gen, p))
				byID := func(a, b role.Candidate) int { return strings.Compare(string(a.ID), string(b.ID)) }
				slices.SortFunc(got, byID) // of two that are about as near either may be the first
				slices.SortFunc(want, byID)
				tolerance = rounding
				same("Search of some", got, want, err, refErr)
				tolerance = 1e-5
			},
			"stamps": func(t *rapid.T) {
				s, gen, ids := trilith.Scope{Tenant: rapid.SampledFrom(tenants).Draw(t, "tenant")}, drawGen(), drawIDs()
				got, err := x.Stamps(ctx, s, gen, ids)
				want, refErr := ref.Stamps(ctx, s, gen, ids)
				same("Stamps of some", got, want, err, refErr)
			},
			"": func(t *rapid.T) {
				if rapid.Bool().Draw(t, "not in memory yet") {
					return
				}
				for _, tenant := range tenants {
					got, err := x.Stamps(ctx, trilith.Scope{Tenant: tenant}, g, nil)
					want, refErr := ref.Stamps(ctx, trilith.Scope{Tenant: tenant}, g, nil)
					same("Stamps", got, want, err, refErr)
				}
			},
		})
	})
}

// probe is a vector to which no two of the points' angles are equally near: those are multiples of four degrees.
func probe(degrees int) trilith.Vector {
	sin, cos := math.Sincos((float64(degrees) + 0.3) * math.Pi / 180)
	return trilith.Vector{float32(cos), float32(sin)}
}

func BenchmarkVectorLoad(b *testing.B) {
	const rows, dims = 10_000, 256
	gen := trilith.Generation{Provider: "test", Model: "wide", Dims: dims}
	kept, v := newBlobs(), make(trilith.Vector, dims)
	v[0] = 1
	ps := make([]role.Point, rows)
	for i := range ps {
		ps[i] = point("ana", i, 1, 0)
		ps[i].Vector = v
		f := &ps[i].Facets
		f.Scope.User, f.Scope.Session, f.Role, f.Speaker = "user", fmt.Sprint("session-", i/20), trilith.RoleUser, "Ana"
		f.EventTime, f.RecordedAt, f.State, f.Trust, f.SourceID = day, day, trilith.StateActive,
			trilith.TrustUserStated, f.ID
		f.Tags, f.Metadata = []string{"tag"}, map[string]any{"key": strings.Repeat("v", 20)}
	}
	if err := embedded.NewVector(kept).Apply(b.Context(), gen, ps); err != nil {
		b.Fatal(err)
	}
	b.Run("10000x256", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			x := embedded.NewVector(kept)
			if _, err := x.Search(b.Context(), trilith.Scope{Tenant: "ana"}, gen,
				role.VectorProbe{Vector: v, K: 1}); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(rows*b.N)/b.Elapsed().Seconds(), "rows/s")
	})
}
