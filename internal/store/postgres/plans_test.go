package postgres

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/trilith-memory/trilith/internal/test/pgtest"
	"github.com/trilith-memory/trilith/internal/test/storetest"
)

var update = flag.Bool("update", false, "write testdata/plans.golden; a plan that reads more than before needs a reason")

// asked notes what a connection is asked in batches.
type asked struct {
	mu      sync.Mutex
	queries []pgx.QueuedQuery
}

func (a *asked) TraceQueryStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceQueryStartData) context.Context {
	return ctx
}
func (a *asked) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}
func (a *asked) TraceBatchStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceBatchStartData) context.Context {
	return ctx
}
func (a *asked) TraceBatchEnd(context.Context, *pgx.Conn, pgx.TraceBatchEndData) {}
func (a *asked) TraceBatchQuery(_ context.Context, _ *pgx.Conn, d pgx.TraceBatchQueryData) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if of := strings.TrimSpace(d.SQL); strings.HasPrefix(of, "SELECT") || strings.HasPrefix(of, "WITH") ||
		strings.HasPrefix(of, "UPDATE") {
		a.queries = append(a.queries, pgx.QueuedQuery{SQL: d.SQL, Arguments: d.Args})
	}
}

// take returns what was asked since the last time.
func (a *asked) take() []pgx.QueuedQuery {
	a.mu.Lock()
	defer a.mu.Unlock()
	defer func() { a.queries = nil }()
	return a.queries
}

// TestPlans compares how each question of [storetest.Reads] is answered with testdata/plans.golden. Of the few rows of
// the test the planner would read all, so that is made expensive: the plan shows which index serves.
func TestPlans(t *testing.T) {
	t.Parallel()
	url := pgtest.Database(t)
	now := func() time.Time { return time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC) }
	s, err := Open(t.Context(), Options{URL: url, Now: now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	// Where the server happens to vacuum a table before it is asked, an index alone is cheaper.
	if _, err := s.database.pool.Exec(t.Context(), notVacuumed); err != nil {
		t.Fatal(err)
	}
	if err := storetest.Fill(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	if _, err := s.database.pool.Exec(t.Context(), "ANALYZE"); err != nil {
		t.Fatal(err)
	}
	cfg, err := configOf(url)
	if err != nil {
		t.Fatal(err)
	}
	tracer := &asked{}
	cfg.ConnConfig.Tracer = tracer
	s.database.pool.Close()
	if s.database.pool, err = pgxpool.NewWithConfig(t.Context(), cfg); err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	for _, read := range storetest.Reads() {
		tracer.take()
		if err := read.Ask(t.Context(), s); err != nil {
			t.Fatalf("%s: %v", read.Name, err)
		}
		fmt.Fprintln(&got, read.Name)
		for _, q := range tracer.take() {
			for _, line := range s.planOf(t, read.All, q) {
				fmt.Fprintf(&got, "\t%s\n", line)
			}
		}
	}
	const path = "testdata/plans.golden"
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got.String(), "\n")); diff != "" {
		t.Errorf("queries have other plans; run with -update if they are as good (-want +got):\n%s", diff)
	}
}

// notVacuumed keeps the server from vacuuming the tables by itself.
const notVacuumed = `DO $$ DECLARE named text; BEGIN
FOR named IN SELECT oid::regclass FROM pg_class WHERE relkind = 'r' AND relnamespace = 'trilith'::regnamespace LOOP
EXECUTE 'ALTER TABLE ' || named || ' SET (autovacuum_enabled = false)'; END LOOP; END $$`

// setting is a name of the program's own in a plan.
var setting = regexp.MustCompile(`'trilith[a-z_.]*'`)

// aside are lines that do not say what is read.
var aside = regexp.MustCompile(`^ *(?:One-Time Filter|Filter|Join Filter|Recheck Cond|Disabled):`)

// planOf returns the plan of a query, as the role of the tenant, or of all, has it.
func (s *Store) planOf(t *testing.T, all bool, q pgx.QueuedQuery) (plan []string) {
	t.Helper()
	tenant := "acme"
	if all {
		tenant = allTenants
	}
	err := s.read(t.Context(), "plan", tenant, func(b *pgx.Batch) {
		b.Queue("SELECT set_config(name, 'off', true) FROM pg_settings WHERE name IN ('enable_seqscan', 'jit')")
		b.Queue("SELECT set_config('trilith.mark', '0', true)") // the log is read up to it
		b.Queue("EXPLAIN (COSTS OFF) "+q.SQL, q.Arguments...).Query(func(rows pgx.Rows) (err error) {
			plan, err = pgx.CollectRows(rows, pgx.RowTo[string])
			return err
		})
	})
	if err != nil {
		t.Fatalf("%s: %v", q.SQL, err)
	}
	plan = slices.DeleteFunc(plan, aside.MatchString)
	for i, line := range plan {
		plan[i] = setting.ReplaceAllString(line, "'NAME'")
	}
	return plan
}
