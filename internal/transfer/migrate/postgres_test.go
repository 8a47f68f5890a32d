package migrate_test

import (
	"testing"

	"github.com/trilith-memory/trilith/internal/store/postgres"
	"github.com/trilith-memory/trilith/internal/test/pgtest"
)

func init() { drivers["postgres"] = onPostgres }

// pooled is a database that is opened once in a test: every opening would have connections of its own.
type pooled struct{ *postgres.Store }

func (pooled) Close() error { return nil }

func onPostgres(tb testing.TB) place {
	url := pgtest.Database(tb)
	s, err := postgres.Open(tb.Context(), postgres.Options{URL: url})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := s.Close(); err != nil {
			tb.Error(err)
		}
	})
	return place{url, func(testing.TB) store { return pooled{s} }}
}
