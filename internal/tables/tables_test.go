package tables_test

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/cairn-memory/cairn"
	"github.com/cairn-memory/cairn/internal/graphtest"
	"github.com/cairn-memory/cairn/internal/inmem"
	"github.com/cairn-memory/cairn/internal/sqlite"
	"github.com/cairn-memory/cairn/internal/tables"
)

func TestGraphInMemory(t *testing.T) {
	t.Parallel()
	graphtest.Run(t, graphtest.Harness{New: func(testing.TB) (cairn.Store, cairn.Graph) {
		s := inmem.New(time.Now)
		return s, tables.New(s)
	}})
}

func TestGraphOnSQLite(t *testing.T) {
	t.Parallel()
	graphtest.Run(t, graphtest.Harness{New: func(tb testing.TB) (cairn.Store, cairn.Graph) {
		s := open(tb)
		return s, tables.New(s)
	}})
}

func open(tb testing.TB) *sqlite.Store {
	tb.Helper()
	s, err := sqlite.Open(tb.Context(), sqlite.Options{Path: filepath.Join(tb.TempDir(), "cairn.db")})
	if err != nil {
		tb.Fatalf("Open = %v, want nil", err)
	}
	return s
}
