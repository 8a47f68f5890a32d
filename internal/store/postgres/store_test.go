package postgres_test

import (
	"context"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/store/postgres"
	"github.com/trilith-memory/trilith/internal/store/walk"
	"github.com/trilith-memory/trilith/internal/test/graphtest"
	"github.com/trilith-memory/trilith/internal/test/pgtest"
	"github.com/trilith-memory/trilith/internal/test/storetest"
)

func open(tb testing.TB, o postgres.Options) *postgres.Store {
	tb.Helper()
	s, err := postgres.Open(tb.Context(), o)
	if err != nil {
		tb.Fatalf("Open = %v, want nil", err)
	}
	tb.Cleanup(func() {
		if err := s.Close(); err != nil {
			tb.Errorf("Close() = %v, want nil", err)
		}
	})
	return s
}

func harness() storetest.Harness {
	return harnessOn(func(tb testing.TB) string { return pgtest.Database(tb) })
}

// harnessOn opens stores on databases that are new.
func harnessOn(database func(testing.TB) string) storetest.Harness {
	return storetest.At(database, func(tb testing.TB, url string, now func() time.Time) storetest.Backend {
		return open(tb, postgres.Options{URL: url, Now: now})
	})
}

func TestStore(t *testing.T) {
	t.Parallel()
	storetest.Run(t, harness())
}

func TestAbilities(t *testing.T) {
	t.Parallel()
	storetest.RunAbilities(t, harness())
}

func TestCache(t *testing.T) {
	t.Parallel()
	storetest.RunCache(t, harness())
}

func TestGraph(t *testing.T) {
	t.Parallel()
	graphtest.Run(t, graphtest.Harness{New: func(tb testing.TB) (role.Store, role.Graph) {
		s := open(tb, postgres.Options{URL: pgtest.Database(tb)})
		return s, walk.OverStore(s)
	}})
}

func BenchmarkStore(b *testing.B) { storetest.Bench(b, harness()) }

// connect returns a connection of a test's own.
func connect(tb testing.TB, url string) *pgx.Conn {
	tb.Helper()
	conn, err := pgx.Connect(tb.Context(), url)
	if err != nil {
		tb.Fatalf("Connect = %v, want nil", err)
	}
	tb.Cleanup(func() { conn.Close(context.Background()) })
	return conn
}
