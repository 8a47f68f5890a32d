package firestore_test

import (
	"testing"
	"time"

	"github.com/cairn-memory/cairn"
	"github.com/cairn-memory/cairn/internal/firestore"
	"github.com/cairn-memory/cairn/internal/graphtest"
	"github.com/cairn-memory/cairn/internal/indextest"
	"github.com/cairn-memory/cairn/internal/tables"
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
		opened := func(tb testing.TB, o firestore.Options) cairn.VectorIndex {
			store := open(tb, o)
			return index{store.Vectors(), store, o}
		}
		indextest.RunVector(t, indextest.VectorHarness{
			New: func(tb testing.TB) cairn.VectorIndex { return opened(tb, s.options(time.Now)) },
			Reopen: func(tb testing.TB, old cairn.VectorIndex) cairn.VectorIndex {
				if err := old.Close(); err != nil {
					tb.Fatalf("Close = %v", err)
				}
				return opened(tb, old.(index).options)
			},
		})
	})
}

func TestGraph(t *testing.T) {
	onBoth(t, func(t *testing.T, s server) {
		graphtest.Run(t, graphtest.Harness{New: func(tb testing.TB) (cairn.Store, cairn.Graph) {
			store := open(tb, s.options(time.Now))
			return store, tables.New(store)
		}})
	})
}
