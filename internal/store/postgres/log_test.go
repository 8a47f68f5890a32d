package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/store/postgres"
	"github.com/trilith-memory/trilith/internal/test/pgtest"
)

var (
	acme   = trilith.Scope{Tenant: "acme"}
	system = trilith.AsSystem("test")
	at     = time.Date(2025, 3, 1, 12, 0, 0, 0, time.UTC)
)

func id(n int) trilith.ID { return trilith.ID(fmt.Sprintf("00000000-0000-7000-8000-%012x", n)) }

func note(n int, text string) trilith.Memory {
	return trilith.Memory{ID: id(n), Version: 1, Kind: trilith.KindNote, Text: text, Scope: acme, EventTime: at,
		RecordedAt: at,
		State:      trilith.StateActive, Trust: trilith.TrustUserStated}
}

func commit(tb testing.TB, s *postgres.Store, b role.Batch) role.Commit {
	tb.Helper()
	c, err := s.Commit(tb.Context(), acme, b)
	if err != nil {
		tb.Fatalf("Commit = %v, want nil", err)
	}
	return c
}

func puts(ms ...trilith.Memory) role.Batch { return role.Batch{Memories: ms} }

// projection is what a test does inside of commits.
type projection func(ctx context.Context, tx pgx.Tx, put []trilith.Memory) error

func (projection) Prepare(context.Context, pgx.Tx) error { return nil }

func (p projection) Project(ctx context.Context, tx pgx.Tx, _ string, done role.Batch,
	_ func([]trilith.ID) ([]trilith.Entity, error)) error {
	return p(ctx, tx, done.Memories)
}

// Not in the suite: it has commits last, each its own time, so that they end in another order than they took their
// numbers.
func TestLogUnderLongCommits(t *testing.T) {
	t.Parallel()
	const writers, commits = 6, 25
	url := pgtest.Database(t)
	s := open(t, postgres.Options{URL: url + "&pool_max_conns=10",
		Projections: []postgres.Projection{projection(func(ctx context.Context, tx pgx.Tx, put []trilith.Memory) error {
			_, err := tx.Exec(ctx, "SELECT pg_sleep(0.02 * random())")
			return err
		})}})
	var done atomic.Bool
	var wg, reader sync.WaitGroup
	seen := make(map[trilith.ID]int)
	reader.Go(func() {
		after := trilith.Cursor("")
		for last := false; !last; {
			last = done.Load()
			for {
				cs, next, err := s.Changes(t.Context(), system, 0, after, 4)
				if err != nil {
					t.Errorf("Changes = %v, want nil", err)
					return
				}
				for _, c := range cs {
					if c.Cursor <= after {
						t.Errorf("Changes after %s = %s", after, c.Cursor)
					}
					after = c.Cursor
					seen[c.ID]++
				}
				if next != after {
					t.Errorf("Changes goes on from %s, want %s", next, after)
				}
				if len(cs) == 0 {
					break
				}
			}
		}
	})
	for w := range writers {
		wg.Go(func() {
			for n := range commits {
				c, err := s.Commit(t.Context(), acme, puts(note(w*1000+2*n, "x"), note(w*1000+2*n+1, "x")))
				if err != nil {
					t.Errorf("Commit = %v, want nil", err)
					return
				}
				if head, err := s.Head(t.Context(), system, 0); err != nil || head < c.Cursor {
					t.Errorf("Head after a commit of %s = %s, %v", c.Cursor, head, err)
				}
			}
		})
	}
	wg.Wait()
	done.Store(true)
	reader.Wait()
	if want := 2 * writers * commits; len(seen) != want {
		t.Errorf("a reader that followed the log saw %d memories, want %d", len(seen), want)
	}
	for id, n := range seen {
		if n != 1 {
			t.Errorf("a reader that followed the log saw %s %d times, want once", id, n)
		}
	}
}

// A commit that was overtaken is not skipped, and a reader of changes behind it waits for it.
func TestLogWaitsForWriters(t *testing.T) {
	t.Parallel()
	inside, gate := make(chan struct{}), make(chan struct{})
	s := open(t, postgres.Options{
		URL: pgtest.Database(t),
		Projections: []postgres.Projection{projection(func(_ context.Context, _ pgx.Tx, put []trilith.Memory) error {
			if put[0].Text == "slow" {
				close(inside)
				<-gate
			}
			return nil
		})}})
	slow := make(chan error, 1)
	go func() {
		_, err := s.Commit(t.Context(), acme, puts(note(1, "slow")))
		slow <- err
	}()
	<-inside
	commit(t, s, puts(note(2, "fast")))
	short, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if cs, _, err := s.Changes(short, system, 0, "", 10); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Changes while a lower number is being committed = %v, %v; want it to wait", cs, err)
	}
	if head, err := s.Head(short, system, 0); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Head while a lower number is being committed = %v, %v; want it to wait", head, err)
	}
	close(gate)
	if cs, _, err := s.Changes(t.Context(), system, 0, "", 10); err != nil || len(cs) != 2 || cs[0].ID != id(1) {
		t.Errorf("Changes = %v, %v; want both, in the order of their numbers", cs, err)
	}
	if err := <-slow; err != nil {
		t.Errorf("Commit = %v, want nil", err)
	}
}

// Transactions of other programs, however long, do not hold the log back.
func TestLogIgnoresOthers(t *testing.T) {
	t.Parallel()
	url := pgtest.Database(t)
	s := open(t, postgres.Options{URL: url})
	other := connect(t, url)
	for _, statement := range []string{"BEGIN ISOLATION LEVEL REPEATABLE READ", "CREATE TABLE of_others (n int)",
		"INSERT INTO of_others VALUES (1)", "SELECT pg_advisory_xact_lock(1)"} {
		if _, err := other.Exec(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	c := commit(t, s, puts(note(1, "x")))
	if head, err := s.Head(t.Context(), system, 0); err != nil || head != c.Cursor {
		t.Errorf("Head = %q, %v; want %q, nil", head, err, c.Cursor)
	}
	if cs, _, err := s.Changes(t.Context(), system, 0, "", 10); err != nil || len(cs) != 1 {
		t.Errorf("Changes = %v, %v; want the one", cs, err)
	}
}
