package postgres_test

import (
	"testing"

	"github.com/cairn-memory/cairn/internal/pgtest"
	"github.com/cairn-memory/cairn/internal/storetest"
)

// Nothing depends on the session: the suites hold where each transaction has another connection.
func TestPooled(t *testing.T) {
	t.Parallel()
	through := pgtest.Pooler(t)
	h := harnessOn(func(tb testing.TB) string { return through(pgtest.Database(tb)) })
	t.Run("store", func(t *testing.T) { storetest.Run(t, h) })
	t.Run("cache", func(t *testing.T) { storetest.RunCache(t, h) })
}
