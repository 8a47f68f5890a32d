package postgres

import (
	"context"
	"testing"

	"github.com/cairn-memory/cairn"
	"github.com/cairn-memory/cairn/internal/indextest"
	"github.com/cairn-memory/cairn/internal/pgtest"
)

// opened opens a vector index in a database of its own.
func opened(tb testing.TB, o VectorOptions) *Vectors {
	tb.Helper()
	return openedAt(tb, pgtest.Database(tb, "vector"), o)
}

func openedAt(tb testing.TB, url string, o VectorOptions) *Vectors {
	tb.Helper()
	s, err := Open(tb.Context(), Options{URL: url + "&pool_max_conns=4"})
	if err != nil {
		tb.Fatalf("Open() = %v", err)
	}
	tb.Cleanup(func() { s.Close() })
	v, err := s.Vectors(tb.Context(), o)
	if err != nil {
		tb.Fatalf("Vectors() = %v", err)
	}
	tb.Cleanup(func() { v.Close() })
	return v
}

func TestVectors(t *testing.T) {
	t.Parallel()
	indextest.RunVector(t, indextest.VectorHarness{
		New: func(tb testing.TB) cairn.VectorIndex { return opened(tb, VectorOptions{}) },
		Reopen: func(tb testing.TB, old cairn.VectorIndex) cairn.VectorIndex {
			tb.Helper()
			if err := old.Close(); err != nil {
				tb.Fatalf("Close() = %v", err)
			}
			v, err := old.(*Vectors).store.Vectors(tb.Context(), VectorOptions{})
			if err != nil {
				tb.Fatalf("Vectors() = %v", err)
			}
			return v
		},
	})
}

// indexed is an index that is brought up to date before every search.
type indexed struct{ *Vectors }

func (x indexed) Search(ctx context.Context, s cairn.Scope, g cairn.Generation, p cairn.VectorProbe) ([]cairn.Candidate, error) {
	if err := x.ready(ctx); err != nil {
		return nil, err
	}
	if err := x.Maintain(ctx); err != nil {
		return nil, err
	}
	return x.Vectors.Search(ctx, s, g, p)
}

// Every tenant has an index of its own, however few its vectors are.
func TestVectorsWithIndexes(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{hnsw, ivfflat} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			indextest.RunVector(t, indextest.VectorHarness{New: func(tb testing.TB) cairn.VectorIndex {
				return indexed{opened(tb, VectorOptions{Index: kind, IndexFrom: 1})}
			}})
		})
	}
}
