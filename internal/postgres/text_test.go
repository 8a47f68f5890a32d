package postgres_test

import (
	"testing"

	"github.com/cairn-memory/cairn"
	"github.com/cairn-memory/cairn/internal/indextest"
	"github.com/cairn-memory/cairn/internal/pgtest"
	"github.com/cairn-memory/cairn/internal/postgres"
	"github.com/cairn-memory/cairn/internal/textproc"
)

func TestText(t *testing.T) {
	t.Parallel()
	indextest.RunText(t, indextest.TextHarness{New: func(tb testing.TB) cairn.TextIndex { return openText(tb) }})
}

// openText opens an empty text index in a database of its own.
func openText(tb testing.TB) *postgres.Text {
	tb.Helper()
	s, err := postgres.Open(tb.Context(), postgres.Options{URL: pgtest.Database(tb)})
	if err != nil {
		tb.Fatalf("Open = %v", err)
	}
	tb.Cleanup(func() { s.Close() })
	return s.Text(textproc.Analyzer{})
}
