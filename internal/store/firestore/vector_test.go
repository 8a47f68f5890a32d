package firestore_test

import (
	"testing"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/store/firestore"
	"github.com/trilith-memory/trilith/internal/store/walk"
	"github.com/trilith-memory/trilith/internal/test/graphtest"
	"github.com/trilith-memory/trilith/internal/test/indextest"
)

// index is the vectors of a store, as one that is closed with it.
type index struct {
	*firestore.Vectors
	store   *firestore.Store
	options firestore.Options
}

func (x index) Close() error { return x.store.Close() }

func TestVectors(t *testing.T) {
	onBoth(t, func(t *testing.T, s server) {
		opened := func(tb testing.TB, o firestore.Options) role.VectorIndex {
			store := open(tb, o)
			return index{store.Vectors(), store, o}
		}
		indextest.RunVector(t, indextest.VectorHarness{
			New: func(tb testing.TB) role.VectorIndex { return opened(tb, s.options(time.Now)) },
			Reopen: func(tb testing.TB, old role.VectorIndex) role.VectorIndex {
				if err := old.Close(); err != nil {
					tb.Fatalf("Close = %v", err)
				}
				return opened(tb, old.(index).options)
			},
		})
	})
}

// TestReadVectors: the vector of a candidate that words found is read once for each version of its memory, whoever
// changes it.
func TestReadVectors(t *testing.T) {
	t.Parallel()
	d, srv := double(t)
	o := srv.options(clock)
	mine, others := open(t, o).Vectors(), open(t, o).Vectors()
	g := trilith.Generation{Provider: "test", Model: "plane", Dims: 2, Recipe: 1}
	apply := func(version int64, v trilith.Vector) {
		t.Helper()
		m := noted(1, "x")
		m.Version = version
		if err := others.Apply(t.Context(), g, []role.Point{{Facets: role.FacetsOf(&m), Vector: v,
			At: epoch}}); err != nil {
			t.Fatalf("Apply = %v", err)
		}
	}
	ask := func(when string, version int64, score float64, reads int) {
		t.Helper()
		d.Bill()
		p := role.VectorProbe{Vector: trilith.Vector{1, 0}, IDs: []trilith.ID{memoryID(1)}, Versions: []int64{version},
			K: 1}
		got, err := mine.Search(t.Context(), acme, g, p)
		if err != nil || len(got[0]) != 1 || got[0][0].Score != score || got[0][0].Version != version {
			t.Errorf("%s: Search = %v, %v; want version %d with the score %v", when, got, err, version, score)
		}
		if b := d.Bill(); b.Reads != reads {
			t.Errorf("%s: it costs %d reads, want %d", when, b.Reads, reads)
		}
	}
	apply(1, trilith.Vector{1, 0})
	ask("at first", 1, 1, 1)
	ask("again", 1, 1, 0)
	apply(2, trilith.Vector{0, 1})
	ask("replaced by another process", 2, 0, 1)
	ask("again after that", 2, 0, 0)
}

func TestGraph(t *testing.T) {
	onBoth(t, func(t *testing.T, s server) {
		graphtest.Run(t, graphtest.Harness{New: func(tb testing.TB) (role.Store, role.Graph) {
			store := open(tb, s.options(time.Now))
			return store, walk.OverStore(store)
		}})
	})
}
