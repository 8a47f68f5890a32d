package postgres_test

import (
	"testing"

	"github.com/trilith-memory/trilith/internal/lang/textproc"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/store/postgres"
	"github.com/trilith-memory/trilith/internal/test/indextest"
	"github.com/trilith-memory/trilith/internal/test/pgtest"
	"github.com/trilith-memory/trilith/internal/test/storetest"
)

// Nothing depends on the session: the suites pass where each transaction has another connection. With -short only those
// about commits run: all others ask the same connections.
func TestPooled(t *testing.T) {
	t.Parallel()
	through := pgtest.Pooler(t)
	pooled := func(tb testing.TB) string { return through(pgtest.Database(tb)) }
	h := harnessOn(pooled)
	if testing.Short() {
		storetest.RunCommits(t, h)
		return
	}
	t.Run("store", func(t *testing.T) { storetest.Run(t, h) })
	t.Run("cache", func(t *testing.T) { storetest.RunCache(t, h) })
	t.Run("texts", func(t *testing.T) {
		indextest.RunText(t, indextest.TextHarness{New: func(tb testing.TB) role.TextIndex {
			return open(tb, postgres.Options{URL: pooled(tb)}).Text(textproc.Analyzer{})
		}})
	})
	t.Run("vectors", func(t *testing.T) {
		indextest.RunVector(t, indextest.VectorHarness{New: func(tb testing.TB) role.VectorIndex {
			v, err := open(tb, postgres.Options{URL: through(pgtest.Database(tb, "vector"))}).Vectors(
				tb.Context(), postgres.VectorOptions{})
			if err != nil {
				tb.Fatal(err)
			}
			return v
		}})
	})
}
