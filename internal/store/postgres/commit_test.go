package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/store/postgres"
	"github.com/trilith-memory/trilith/internal/test/pgtest"
)

// Two commits that each rely on the absence of what the other makes cannot both be right.
func TestAbsenceHolds(t *testing.T) {
	t.Parallel()
	s := open(t, postgres.Options{URL: pgtest.Database(t)})
	for round := range 20 {
		a, b := 2*round, 2*round+1
		errs := make([]error, 2)
		var wg sync.WaitGroup
		for i, batch := range []role.Batch{
			{Expect: []role.Expect{{ID: id(b)}}, Memories: []trilith.Memory{note(a, "x")}},
			{Expect: []role.Expect{{ID: id(a)}}, Memories: []trilith.Memory{note(b, "x")}},
		} {
			wg.Go(func() { _, errs[i] = s.Commit(t.Context(), acme, batch) })
		}
		wg.Wait()
		won := 0
		for _, err := range errs {
			if err == nil {
				won++
			} else {
				wantKind(t, "Commit that relied on absence", err, trilith.Conflict)
			}
		}
		if ms, err := s.Get(t.Context(), acme, []trilith.ID{id(a), id(b)}); err != nil || won != 1 || len(ms) != 1 {
			t.Errorf("round %d: %d commits won and %d memories exist, %v; want 1 and 1", round, won, len(ms), err)
		}
	}
}

// Commits that lock the same rows in opposite order are begun again; the caller never notices.
func TestDeadlocksAreRepeated(t *testing.T) {
	t.Parallel()
	s := open(t, postgres.Options{URL: pgtest.Database(t)})
	const keys = 6
	var own, moved []role.Claim
	for n := range keys {
		own = append(own, role.Claim{Key: role.Key{Space: "k", Value: fmt.Sprint(n)}, Owner: id(1)})
		moved = append(moved, role.Claim{Key: role.Key{Space: "k", Value: fmt.Sprint(keys - n)},
			Owner: id(2), Move: true})
	}
	var wg sync.WaitGroup
	for w := range 6 {
		wg.Go(func() {
			for n := range 8 {
				b := role.Batch{Memories: []trilith.Memory{note(n%3, "x"), note(3-n%3, "y")}, Claims: moved}
				if w%2 == 0 {
					b = role.Batch{Release: []role.Key{{Space: "k", Value: fmt.Sprint(n)},
						{Space: "k", Value: fmt.Sprint(keys - n)}}, Delete: []role.Ref{{ID: id(3)}, {ID: id(n % 3)}}}
				}
				if _, err := s.Commit(t.Context(), acme, b); err != nil {
					t.Errorf("Commit = %v, want nil", err)
				}
			}
		})
	}
	wg.Wait()
	commit(t, s, role.Batch{Claims: own[:0]})
}

// A connection that the server ends is replaced; where nobody knows whether a commit was made, the answer says so.
func TestConnectionsLost(t *testing.T) {
	t.Parallel()
	url := pgtest.Database(t)
	admin := connect(t, url)
	kill := func() error {
		_, err := admin.Exec(context.Background(), `SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity
			WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'`)
		return err
	}
	fail := false
	s := open(t, postgres.Options{
		URL: url, Projections: []postgres.Projection{projection(func(context.Context, pgx.Tx, []trilith.Memory) error {
			if !fail {
				return nil
			}
			fail = false
			return kill()
		})}})
	commit(t, s, puts(note(1, "x")))
	if err := kill(); err != nil {
		t.Fatal(err)
	}
	if ms, err := s.Get(t.Context(), acme, []trilith.ID{id(1)}); err != nil || len(ms) != 1 {
		t.Errorf("Get after the connections were ended = %d memories, %v; want 1, nil", len(ms), err)
	}
	if err := kill(); err != nil {
		t.Fatal(err)
	}
	commit(t, s, puts(note(2, "x"))) // nothing had been sent that could have been committed
	fail = true                      // the connection ends between the writes and the commit
	_, err := s.Commit(t.Context(), acme, puts(note(3, "x")))
	wantKind(t, "Commit whose connection ended before its answer", err, trilith.Unavailable)
	if ms, err := s.Get(t.Context(), acme, []trilith.ID{id(3)}); err != nil || len(ms) != 0 {
		t.Errorf("Get of what was not committed = %d memories, %v; want none", len(ms), err)
	}
}

// A projection that fails undoes the commit.
func TestProjection(t *testing.T) {
	t.Parallel()
	var got []trilith.Memory
	var refuse error
	s := open(t, postgres.Options{
		URL: pgtest.Database(t),
		Projections: []postgres.Projection{projection(func(_ context.Context, _ pgx.Tx, put []trilith.Memory) error {
			got = put
			return refuse
		})}})
	m := note(1, "x")
	m.Version, m.Scope.Actor = 5, "ci"
	commit(t, s, puts(m))
	m.Text = "y"
	commit(t, s, puts(m))
	if len(got) != 1 || got[0].Version != 6 || got[0].Text != "y" || got[0].Scope.Actor != "" {
		t.Errorf("a projection was given %+v, want the memory as it is stored", got)
	}
	refuse = errors.New("no")
	_, err := s.Commit(t.Context(), acme, puts(note(2, "x")))
	wantKind(t, "Commit whose projection fails", err, trilith.Internal)
	if ms, err := s.Get(t.Context(), acme, []trilith.ID{id(2)}); err != nil || len(ms) != 0 {
		t.Errorf("Get after a failed projection = %d memories, %v; want none", len(ms), err)
	}
}

// Settings that a login or a pooler may bring along change nothing.
func TestConnectionSettings(t *testing.T) {
	t.Parallel()
	for _, settings := range []string{"default_query_exec_mode=exec&default_transaction_isolation=repeatable%20read",
		"default_query_exec_mode=simple_protocol",
		"default_query_exec_mode=cache_describe&default_transaction_isolation=serializable",
		"timezone=Asia/Tokyo&datestyle=German"} {
		s := open(t, postgres.Options{URL: pgtest.Database(t) + "&" + settings})
		m := note(1, "x")
		m.Metadata, m.Tags = map[string]any{"a": "b", "list": []any{1.0, "x"}}, []string{"t"}
		c := commit(t, s, role.Batch{Memories: []trilith.Memory{m},
			Jobs:    []trilith.Job{{ID: id(2), Kind: "embed", Payload: []byte(`{"n":1}`)}},
			Records: []role.Record{{Kind: "source", ID: id(3), Body: []byte(`{}`)}},
			Audit:   []trilith.AuditEntry{{At: at, Actor: "ci", Action: "remember"}}})
		var got []trilith.Memory
		filter := trilith.AllOf(trilith.Where("metadata.a", trilith.OpIn, []any{"b", 1}),
			trilith.Where("tags", trilith.OpContains, "t"), trilith.Where("event_time", trilith.OpEq, at))
		for m, err := range s.List(t.Context(), acme, role.Listing{Filter: filter}) {
			if err != nil {
				t.Errorf("List with %s = %v", settings, err)
			}
			got = append(got, m)
		}
		if diff := cmp.Diff([]trilith.Memory{m}, got); diff != "" {
			t.Errorf("List with %s (-want +got):\n%s", settings, diff)
		}
		if head, err := s.Head(t.Context(), system, 0); err != nil || head != c.Cursor {
			t.Errorf("Head with %s = %q, %v; want %q", settings, head, err, c.Cursor)
		}
		jobs, err := s.Lease(t.Context(), system, trilith.LeaseRequest{Worker: "w", For: time.Minute})
		if err != nil || len(jobs) != 1 {
			t.Fatalf("Lease with %s = %v, %v; want the job", settings, jobs, err)
		}
		if err := s.ChangeJob(t.Context(),
			trilith.Lease{Tenant: "acme", JobID: id(2), Worker: "w", Attempt: 1}.Finish()); err != nil {
			t.Errorf("Finish with %s = %v", settings, err)
		}
		if err := s.Check(t.Context()); err != nil {
			t.Errorf("Check with %s = %v", settings, err)
		}
		if err := s.Purge(t.Context()); err != nil {
			t.Errorf("Purge with %s = %v", settings, err)
		}
	}
}

func TestSpace(t *testing.T) {
	t.Parallel()
	s := open(t, postgres.Options{URL: pgtest.Database(t)})
	used, _, err := s.Space()
	if wantKind(t, "Space", err, trilith.Unsupported); used <= 0 {
		t.Errorf("Space says that the database takes %d bytes", used)
	}
	version, err := s.Schema(t.Context())
	if err != nil || version < 1 {
		t.Errorf("Schema = %d, %v", version, err)
	}
}

// Check tells what is wrong with the database.
// Rows here have no checksum of ours, so the store tells whether the server's pages have one, and what to do if not.
func TestChecksums(t *testing.T) {
	t.Parallel()
	url := pgtest.Database(t)
	var setting string
	if err := connect(t, url).QueryRow(t.Context(), "SHOW data_checksums").Scan(&setting); err != nil {
		t.Fatal(err)
	}
	on, fix, err := open(t, postgres.Options{URL: url}).Checksums(t.Context())
	if err != nil || on != (setting == "on") || on != (fix == "") {
		t.Errorf("Checksums = %v, %q, %v with data_checksums = %s; want what the server says, and a fix if they are off", on, fix, err, setting)
	}
}

func TestCheck(t *testing.T) {
	t.Parallel()
	url := pgtest.Database(t)
	s := open(t, postgres.Options{URL: url})
	everything(t, s, "acme")
	if err := s.Check(t.Context()); err != nil {
		t.Errorf("Check = %v, want nil", err)
	}
	admin := connect(t, url)
	for _, c := range []struct{ spoil, mend, want string }{
		{"ALTER TABLE trilith.claims NO FORCE ROW LEVEL SECURITY",
			"ALTER TABLE trilith.claims FORCE ROW LEVEL SECURITY", "claims"},
		{"REVOKE SELECT ON trilith.schema_version FROM trilith_app; REVOKE SELECT ON trilith.jobs FROM trilith_app; GRANT SELECT ON trilith.schema_version TO trilith_app", "GRANT SELECT ON trilith.jobs TO trilith_app", "jobs"},
		{"UPDATE trilith.audit SET seq = 2", "UPDATE trilith.audit SET seq = 1", "gaps"},
	} {
		exec(t, admin, c.spoil)
		if err := s.Check(t.Context()); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("Check after %s = %v, want it to name %s", c.spoil, err, c.want)
		}
		exec(t, admin, c.mend)
	}
	if err := s.Check(t.Context()); err != nil {
		t.Errorf("Check after all was mended = %v, want nil", err)
	}
}
