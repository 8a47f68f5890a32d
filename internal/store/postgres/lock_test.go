package postgres

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/test/pgtest"
)

// A request waits no longer for a connection than for a lock, if all of them wait for one.
func TestBusyConnections(t *testing.T) {
	t.Parallel()
	url := pgtest.Database(t)
	s, err := Open(t.Context(), Options{URL: url})
	if err != nil {
		t.Fatalf("Open = %v", err)
	}
	defer s.Close()
	s.lockWait = 50 * time.Millisecond
	holder, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer holder.Close(t.Context())
	tx, err := holder.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tx.Exec(t.Context(), "LOCK TABLE trilith.memories IN ACCESS EXCLUSIVE MODE"); err != nil {
		t.Fatal(err)
	}
	scope := trilith.Scope{Tenant: "acme"}
	most := int(s.pool.Config().MaxConns)
	jobs := make(chan error, most)
	for range most {
		go func() {
			_, err := s.Get(t.Context(), scope, []trilith.ID{"a"})
			jobs <- err
		}()
	}
	for waiting := 0; waiting < most; {
		if err := tx.QueryRow(t.Context(), "SELECT count(*) FROM pg_locks WHERE NOT granted AND database = (SELECT oid FROM pg_database WHERE datname = current_database())").Scan(&waiting); err != nil {
			t.Fatal(err)
		}
	}
	request, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	_, err = s.Commit(request, scope, role.Batch{Records: []role.Record{{Kind: role.RecordSource,
		ID: "01a2049f-0000-7000-8000-000000000001", Body: []byte(`{}`)}}})
	if trilith.KindOf(err) != trilith.Unavailable || request.Err() != nil {
		t.Errorf("a request while all connections wait = %v, want Unavailable soon", err)
	}
	if err := tx.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	for range most {
		if err := <-jobs; err != nil {
			t.Errorf("a job that waited for the lock = %v, want nil", err)
		}
	}
}

// While somebody holds a lock for long, a request, which has a deadline, soon gets an error; a job, which has none,
// waits for its turn.
func TestHeldLock(t *testing.T) {
	t.Parallel()
	url := pgtest.Database(t)
	s, err := Open(t.Context(), Options{URL: url})
	if err != nil {
		t.Fatalf("Open = %v", err)
	}
	defer s.Close()
	scope := trilith.Scope{Tenant: "acme"}
	list := func(ctx context.Context) error {
		_, err := s.Get(ctx, scope, []trilith.ID{"a"})
		return err
	}
	note := trilith.Memory{ID: "01a2049f-0000-7000-8000-000000000001", Kind: trilith.KindNote, Type: "decision", Text: "x",
		Scope: scope, State: trilith.StateActive,
		Trust: trilith.TrustUserStated, EventTime: time.Now(), RecordedAt: time.Now()}
	commit := func(ctx context.Context) error {
		m := note
		_, err := s.Commit(ctx, scope,
			role.Batch{Memories: []trilith.Memory{m},
				Audit: []trilith.AuditEntry{{At: time.Now(), Actor: "ci", Action: "remember"}}})
		return err
	}
	audit := func(ctx context.Context) error {
		if err := commit(ctx); err != nil {
			return err
		}
		_, err := s.Audit(ctx, scope, 0, 10)
		return err
	}
	lease := func(ctx context.Context) error {
		_, err := s.Lease(ctx, trilith.AsSystem("test"), trilith.LeaseRequest{Worker: "w", For: time.Minute, Max: 1})
		return err
	}
	if err := list(t.Context()); err != nil { // a connection is open, so what follows waits for locks alone
		t.Fatal(err)
	}
	s.lockWait = 250 * time.Millisecond
	for _, c := range []struct {
		name, lock string
		call       func(context.Context) error
	}{
		{"a table that is read", "LOCK TABLE trilith.memories IN ACCESS EXCLUSIVE MODE", list},
		{"a table that is written", "LOCK TABLE trilith.memories IN SHARE MODE", commit},
		{"the end of the audit log", "SELECT pg_advisory_xact_lock($1, $2)", audit},
		{"a table of all tenants", "LOCK TABLE trilith.jobs IN ACCESS EXCLUSIVE MODE", lease},
	} {
		holder, err := pgx.Connect(t.Context(), url)
		if err != nil {
			t.Fatal(err)
		}
		tx, err := holder.Begin(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var args []any
		if strings.Contains(c.lock, "$") {
			args = []any{int32(lockAudit), hashed(scope.Tenant)}
		}
		if _, err := tx.Exec(t.Context(), c.lock, args...); err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		request, cancel := context.WithTimeout(t.Context(), time.Minute)
		err = c.call(request)
		if trilith.KindOf(err) != trilith.Unavailable || !strings.Contains(trilith.MessageOf(err), "holds a lock") ||
			request.Err() != nil {
			t.Errorf("%s: a request that meets the lock = %v, want Unavailable and who has to be looked for", c.name,
				err)
		}
		cancel()
		job := make(chan error)
		go func() { job <- c.call(t.Context()) }()
		for waiting := 0; waiting == 0; { // the lock that it waits for says that it is there
			if err := tx.QueryRow(t.Context(),
				"SELECT count(*) FROM pg_locks WHERE NOT granted AND database = (SELECT oid FROM pg_database WHERE datname = current_database())").Scan(&waiting); err != nil {
				t.Fatal(err)
			}
		}
		if err := tx.Rollback(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := <-job; err != nil {
			t.Errorf("%s: a job that waited for the lock = %v, want nil", c.name, err)
		}
		if err := holder.Close(t.Context()); err != nil {
			t.Error(err)
		}
	}
}
