// Package pgtest gives tests databases of their own on a real PostgreSQL server, and servers of their own where a test
// ends them.
//
// TRILITH_TEST_POSTGRES names the server: the URL of a superuser, as tools/scripts/postgres prints it. Where it is not set,
// tests are skipped and say so; with TRILITH_REQUIRE=postgres they fail.
package pgtest

import (
	"context"
	"crypto/rand"
	"fmt"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
)

// Database returns the URL of a fresh, empty database, which is dropped when the test is over. It has the extensions
// named, or the test is skipped, or fails if TRILITH_REQUIRE names the extension: "vector", "age".
func Database(tb testing.TB, extensions ...string) string {
	tb.Helper()
	Need(tb, extensions...)
	server, source := serverURL(tb), "template1"
	if len(extensions) > 0 {
		source = template(tb, server, extensions)
	}
	return create(tb, server, source)
}

// Need ends the test as [Database] does where there is no server, or one without an extension. A test whose subtests
// make databases in its own name calls it first: a subtest may not skip the test that it belongs to.
func Need(tb testing.TB, extensions ...string) {
	tb.Helper()
	available(tb, serverURL(tb), extensions)
}

// Copy returns the URL of a copy of a database that [Database] returned, which is dropped when the test is over. The
// original must have no connections.
func Copy(tb testing.TB, original string) string {
	tb.Helper()
	u, err := url.Parse(original)
	if err != nil {
		tb.Fatal("pgtest: the original is not a URL")
	}
	return create(tb, serverURL(tb), strings.TrimPrefix(u.Path, "/"))
}

// create copies a database file by file: on a server that does not wait for its disk that takes a third of the time.
func create(tb testing.TB, server, source string) string {
	tb.Helper()
	ctx := context.Background()
	name := prefix + strings.ToLower(rand.Text())
	if err := exec(ctx, server, "CREATE DATABASE "+name+" TEMPLATE "+source+" STRATEGY FILE_COPY"); err != nil {
		tb.Fatalf("pgtest: CREATE DATABASE on the server of TRILITH_TEST_POSTGRES: %v", err)
	}
	tb.Cleanup(func() {
		if err := exec(ctx, server, "DROP DATABASE IF EXISTS "+name+" WITH (FORCE)"); err != nil {
			tb.Errorf("pgtest: DROP DATABASE %s: %v", name, err)
		}
	})
	return database(tb, server, name)
}

const prefix = "trilith_test_" // of databases

// serverURL returns the server that TRILITH_TEST_POSTGRES names.
func serverURL(tb testing.TB) string {
	tb.Helper()
	server := os.Getenv("TRILITH_TEST_POSTGRES")
	if server == "" {
		absent(tb, "postgres", "TRILITH_TEST_POSTGRES is not set; tools/scripts/postgres run -- go test … sets it")
	}
	return server
}

// absent ends a test that cannot run here.
func absent(tb testing.TB, what, why string) {
	tb.Helper()
	if slices.Contains(strings.Split(os.Getenv("TRILITH_REQUIRE"), ","), what) {
		tb.Fatalf("TRILITH_REQUIRE names %s, and there is none: %s", what, why)
	}
	tb.Skipf("NOT TESTED, there is no %s: %s", what, why)
}

// available ends the test if the server lacks an extension.
func available(tb testing.TB, server string, extensions []string) {
	tb.Helper()
	for _, extension := range extensions {
		n, err := count(context.Background(), server, "SELECT count(*) FROM pg_available_extensions WHERE name = $1",
			extension)
		if err != nil {
			tb.Fatalf("pgtest: the extensions of the server: %v", err)
		}
		if n == 0 {
			absent(tb, extension, "the server does not have the extension")
		}
	}
}

var making sync.Mutex // does for one process what template's lock does for all

// template returns the name of a database that has extensions and nothing else. Making them takes half a second, so one
// database for each set of extensions stays on the server, and the databases of tests are copies of it.
func template(tb testing.TB, server string, extensions []string) string {
	tb.Helper()
	name := prefix + "template_" + strings.Join(slices.Compact(slices.Sorted(slices.Values(extensions))), "_")
	making.Lock()
	defer making.Unlock()
	if err := makeTemplate(context.Background(), server, database(tb, server, name+"_new"), name,
		extensions); err != nil {
		tb.Fatalf("pgtest: a template with %v on the server of TRILITH_TEST_POSTGRES: %v", extensions, err)
	}
	return name
}

// makeTemplate makes the database name unless it is there. It has another name, at the URL unfinished, until it is
// complete.
func makeTemplate(ctx context.Context, server, unfinished, name string, extensions []string) error {
	conn, err := pgx.Connect(ctx, server)
	if err != nil {
		return err
	}
	defer conn.Close(ctx) // and the lock goes with it
	if _, err := conn.Exec(ctx, "SELECT pg_advisory_lock(hashtext($1))", name); err != nil {
		return err
	}
	var made bool
	if err := conn.QueryRow(ctx, "SELECT EXISTS (SELECT FROM pg_database WHERE datname = $1)", name).Scan(
		&made); err != nil || made {
		return err
	}
	for _, statement := range []string{"DROP DATABASE IF EXISTS " + name + "_new", "CREATE DATABASE " + name + "_new"} {
		if _, err := conn.Exec(ctx, statement); err != nil {
			return err
		}
	}
	for _, extension := range extensions {
		if err := exec(ctx, unfinished, "CREATE EXTENSION IF NOT EXISTS "+extension); err != nil {
			return err
		}
	}
	_, err = conn.Exec(ctx, fmt.Sprintf("ALTER DATABASE %s_new RENAME TO %s", name, name))
	return err
}

// database returns the URL of another database of a server.
func database(tb testing.TB, server, name string) string {
	tb.Helper()
	u := parse(tb, server)
	u.Path = "/" + name
	return u.String()
}

func parse(tb testing.TB, server string) *url.URL {
	tb.Helper()
	u, err := url.Parse(server)
	if err != nil {
		tb.Fatal("pgtest: TRILITH_TEST_POSTGRES is not a URL")
	}
	return u
}

func exec(ctx context.Context, server, statement string) error {
	conn, err := pgx.Connect(ctx, server)
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	_, err = conn.Exec(ctx, statement)
	return err
}

func count(ctx context.Context, server, query string, args ...any) (n int, err error) {
	conn, err := pgx.Connect(ctx, server)
	if err != nil {
		return 0, err
	}
	defer conn.Close(ctx)
	err = conn.QueryRow(ctx, query, args...).Scan(&n)
	return n, err
}
