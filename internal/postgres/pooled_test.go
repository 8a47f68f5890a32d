package postgres_test

import (
	"testing"

	"github.com/cairn-memory/cairn"
	"github.com/cairn-memory/cairn/internal/indextest"
	"github.com/cairn-memory/cairn/internal/pgtest"
	"github.com/cairn-memory/cairn/internal/postgres"
	"github.com/cairn-memory/cairn/internal/storetest"
	"github.com/cairn-memory/cairn/internal/textproc"
)

// Nothing depends on the session: the suites pass where each transaction has another connection.
func TestPooled(t *testing.T) {
	t.Parallel()
	through := pgtest.Pooler(t)
	pooled := func(tb testing.TB) string { return through(pgtest.Database(tb)) }
	h := harnessOn(pooled)
	t.Run("store", func(t *testing.T) { storetest.Run(t, h) })
	t.Run("cache", func(t *testing.T) { storetest.RunCache(t, h) })
	t.Run("texts", func(t *testing.T) {
		indextest.RunText(t, indextest.TextHarness{New: func(tb testing.TB) cairn.TextIndex {
			return open(tb, postgres.Options{URL: pooled(tb)}).Text(textproc.Analyzer{})
		}})
	})
	t.Run("vectors", func(t *testing.T) {
		indextest.RunVector(t, indextest.VectorHarness{New: func(tb testing.TB) cairn.VectorIndex {
			v, err := open(tb, postgres.Options{URL: through(pgtest.Database(tb, "vector"))}).Vectors(
				tb.Context(), postgres.VectorOptions{})
			if err != nil {
				tb.Fatal(err)
			}
			return v
		}})
	})
}
