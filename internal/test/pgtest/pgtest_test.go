package pgtest

import (
	"context"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
)

// connect connects to a database as a test does.
func connect(t *testing.T, url string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	return conn
}

// Databases have the extensions that were requested and are isolated, many at once, and they are dropped with their
// tests.
func TestDatabase(t *testing.T) {
	t.Parallel()
	server := serverURL(t)
	var names []string
	var mu sync.Mutex
	t.Run("at once", func(t *testing.T) {
		for _, extensions := range [][]string{nil, {"vector"}, {"vector"}, {"vector", "age"},
			{"age", "vector"}, {"age"}} {
			t.Run(strings.Join(extensions, " "), func(t *testing.T) {
				t.Parallel()
				conn := connect(t, Database(t, extensions...))
				mu.Lock()
				names = append(names, conn.Config().Database)
				mu.Unlock()
				var has []string
				if err := conn.QueryRow(
					t.Context(), "SELECT array_agg(extname::text) FROM pg_extension WHERE extname <> 'plpgsql'").Scan(
					&has); err != nil {
					t.Fatal(err)
				}
				if len(has) != len(extensions) {
					t.Errorf("it has the extensions %q, want %q", has, extensions)
				}
				if _, err := conn.Exec(t.Context(), "CREATE TABLE mine (n int)"); err != nil {
					t.Errorf("it is not empty: %v", err)
				}
			})
		}
	})
	n, err := count(t.Context(), server, "SELECT count(*) FROM pg_database WHERE datname = ANY($1)", names)
	if err != nil || n > 0 {
		t.Errorf("%d of the databases %q are still there (%v)", n, names, err)
	}
}

// A standby has what the primary acknowledged before it was killed, and takes writes when it is promoted.
func TestCluster(t *testing.T) {
	t.Parallel()
	c := NewCluster(t)
	before := connect(t, c.URL)
	if _, err := before.Exec(t.Context(), "CREATE TABLE acknowledged (n int)"); err != nil {
		t.Fatal(err)
	}
	const writes = 200
	for n := range writes {
		if _, err := before.Exec(t.Context(), "INSERT INTO acknowledged VALUES ($1)", n); err != nil {
			t.Fatal(err)
		}
	}
	c.Kill(t)
	if _, err := before.Exec(t.Context(), "SELECT 1"); err == nil {
		t.Error("the primary answers after its death")
	}
	c.Promote(t)
	after := connect(t, c.URL)
	var n int
	if err := after.QueryRow(t.Context(), "SELECT count(*) FROM acknowledged").Scan(&n); err != nil || n != writes {
		t.Errorf("the standby has %d rows (%v), want %d", n, err, writes)
	}
	if _, err := after.Exec(t.Context(), "INSERT INTO acknowledged VALUES (-1)"); err != nil {
		t.Errorf("the standby takes no write: %v", err)
	}
}

// Through a pooler what a session set is another client's after the transaction, and the same database answers.
func TestPooler(t *testing.T) {
	t.Parallel()
	direct := Database(t)
	if err := exec(t.Context(), direct, "CREATE TABLE here (n int)"); err != nil {
		t.Fatal(err)
	}
	pooled := Pooler(t)(direct)
	one, other := connect(t, pooled), connect(t, pooled)
	if _, err := one.Exec(t.Context(),
		"SELECT set_config('trilith.mark', 'left behind', false) FROM (SELECT count(*) FROM here) h"); err != nil {
		t.Fatal(err)
	}
	var mark string
	if err := other.QueryRow(t.Context(), "SELECT current_setting('trilith.mark', true)").Scan(&mark); err != nil ||
		mark != "left behind" {
		t.Errorf("another client meets the setting %q (%v), want the one that the first left behind", mark, err)
	}
}

// recorder hears what pgtest does to a test where something is missing.
type recorder struct {
	testing.TB
	said string
}

func (r *recorder) Helper()                           {}
func (r *recorder) Skipf(format string, args ...any)  { r.said = "skipped: " + format; panic(r) }
func (r *recorder) Fatalf(format string, args ...any) { r.said = "failed: " + format; panic(r) }

// A missing server is never skipped silently. It changes the environment and so runs alone.
func TestMissing(t *testing.T) {
	meet := func(tb testing.TB) string {
		r := &recorder{TB: tb}
		func() {
			defer func() { _ = recover() }()
			Database(r, "no_such_extension")
		}()
		return r.said
	}
	for require, want := range map[string]string{"": "skipped: NOT TESTED", "llama,postgres": "skipped: NOT TESTED",
		"vector,no_such_extension": "failed: TRILITH_REQUIRE"} {
		t.Run("extension/"+require, func(t *testing.T) {
			serverURL(t)
			t.Setenv("TRILITH_REQUIRE", require)
			if said := meet(t); !strings.HasPrefix(said, want) {
				t.Errorf("with TRILITH_REQUIRE=%q: %q, want %q", require, said, want)
			}
		})
	}
	for require, want := range map[string]string{"": "skipped: NOT TESTED", "vector": "skipped: NOT TESTED",
		"llama,postgres": "failed: TRILITH_REQUIRE"} {
		t.Run("server/"+require, func(t *testing.T) {
			t.Setenv("TRILITH_REQUIRE", require)
			t.Setenv("TRILITH_TEST_POSTGRES", "")
			if said := meet(t); !strings.HasPrefix(said, want) {
				t.Errorf("with TRILITH_REQUIRE=%q: %q, want %q", require, said, want)
			}
		})
	}
}

// A copy holds what the original holds, and keeps to itself what comes later.
func TestCopy(t *testing.T) {
	t.Parallel()
	original := Database(t)
	if err := exec(t.Context(), original, "CREATE TABLE things AS SELECT 1 AS n"); err != nil {
		t.Fatal(err)
	}
	one, other := Copy(t, original), Copy(t, original)
	if err := exec(t.Context(), one, "INSERT INTO things VALUES (2)"); err != nil {
		t.Fatal(err)
	}
	for url, want := range map[string]int{one: 2, other: 1, original: 1} {
		if n, err := count(t.Context(), url, "SELECT count(*) FROM things"); n != want || err != nil {
			t.Errorf("%s holds %d things, %v; want %d", url, n, err, want)
		}
	}
}
