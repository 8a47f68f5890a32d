package postgres_test

import (
	"testing"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/store/postgres"
	"github.com/trilith-memory/trilith/internal/test/pgtest"
	"github.com/trilith-memory/trilith/internal/test/storetest"
)

func TestTurns(t *testing.T) {
	t.Parallel()
	storetest.RunTurns(t, func(tb testing.TB) func() storetest.Turner {
		url := pgtest.Database(tb)
		return func() storetest.Turner { return open(tb, postgres.Options{URL: url}) }
	})
}

// Not in the suite: how a turn is lost is the product's own affair.
func TestTurnLost(t *testing.T) {
	t.Parallel()
	url := pgtest.Database(t)
	s := open(t, postgres.Options{URL: url})
	turn, release, ok, err := s.TryTurn(t.Context(), trilith.AsSystem("test"), "index")
	if err != nil || !ok {
		t.Fatalf("TryTurn = %t, %v; want true, nil", ok, err)
	}
	defer release()
	admin := connect(t, url)
	_, err = admin.Exec(t.Context(),
		`SELECT pg_terminate_backend(pid, 5000) FROM pg_locks JOIN pg_database ON database = pg_database.oid
		WHERE locktype = 'advisory' AND datname = current_database() AND pid <> pg_backend_pid()`)
	if err != nil {
		t.Fatal(err)
	}
	<-turn.Done()
	_, next, ok, err := s.TryTurn(t.Context(), trilith.AsSystem("test"), "index")
	if err != nil || !ok {
		t.Fatalf("TryTurn after the turn was lost = %t, %v; want true, nil", ok, err)
	}
	next()
}

// A turn leaves its connection to the next one, which does without if the server has ended it meanwhile.
func TestTurnsShareAConnection(t *testing.T) {
	t.Parallel()
	url := pgtest.Database(t)
	s, admin := open(t, postgres.Options{URL: url}), connect(t, url)
	holder := func() (pid int) {
		_, release, ok, err := s.TryTurn(t.Context(), trilith.AsSystem("test"), "index")
		if err != nil || !ok {
			t.Fatalf("TryTurn = %t, %v; want true, nil", ok, err)
		}
		defer release()
		if err := admin.QueryRow(t.Context(), `SELECT pid FROM pg_locks JOIN pg_database ON database = pg_database.oid
			WHERE locktype = 'advisory' AND datname = current_database()`).Scan(&pid); err != nil {
			t.Fatal(err)
		}
		return pid
	}
	first := holder()
	if second := holder(); second != first {
		t.Errorf("the second turn is held by process %d, want that of the first, %d", second, first)
	}
	if _, err := admin.Exec(t.Context(), "SELECT pg_terminate_backend($1, 5000)", first); err != nil {
		t.Fatal(err)
	}
	if third := holder(); third == first {
		t.Errorf("the third turn is held by process %d, which was ended", third)
	}
}
