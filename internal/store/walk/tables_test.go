package walk_test

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/store/sqlite"
	"github.com/trilith-memory/trilith/internal/store/walk"
	"github.com/trilith-memory/trilith/internal/test/graphtest"
	"github.com/trilith-memory/trilith/internal/test/inmem"
)

func TestGraphInMemory(t *testing.T) {
	t.Parallel()
	graphtest.Run(t, graphtest.Harness{New: func(testing.TB) (role.Store, role.Graph) {
		s := inmem.New(time.Now)
		return s, walk.OverStore(s)
	}})
}

func TestGraphOnSQLite(t *testing.T) {
	t.Parallel()
	graphtest.Run(t, graphtest.Harness{New: func(tb testing.TB) (role.Store, role.Graph) {
		s := open(tb)
		return s, walk.OverStore(s)
	}})
}

func open(tb testing.TB) *sqlite.Store {
	tb.Helper()
	s, err := sqlite.Open(tb.Context(), sqlite.Options{Path: filepath.Join(tb.TempDir(), "trilith.db")})
	if err != nil {
		tb.Fatalf("Open = %v, want nil", err)
	}
	return s
}
