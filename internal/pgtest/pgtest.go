// Package pgtest gives tests databases of their own on a real PostgreSQL server.
//
// CAIRN_TEST_POSTGRES names the server: the URL of a superuser, as scripts/postgres prints it. Where it is not set, tests are
// skipped and say so; with CAIRN_REQUIRE=postgres they fail.
package pgtest

import (
	"context"
	"crypto/rand"
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
)

// Database returns the URL of a fresh, empty database, which is dropped when the test is over. It has the extensions named, or the
// test is skipped, or fails if CAIRN_REQUIRE names the extension: "vector", "age".
func Database(tb testing.TB, extensions ...string) string {
	tb.Helper()
	server := os.Getenv("CAIRN_TEST_POSTGRES")
	if server == "" {
		absent(tb, "postgres", "CAIRN_TEST_POSTGRES is not set; see scripts/postgres")
	}
	ctx := context.Background()
	name := "cairn_test_" + strings.ToLower(rand.Text())
	if err := exec(ctx, server, "CREATE DATABASE "+name); err != nil {
		tb.Fatalf("pgtest: CREATE DATABASE on the server of CAIRN_TEST_POSTGRES: %v", err)
	}
	tb.Cleanup(func() {
		if err := exec(ctx, server, "DROP DATABASE IF EXISTS "+name+" WITH (FORCE)"); err != nil {
			tb.Errorf("pgtest: DROP DATABASE %s: %v", name, err)
		}
	})
	u, err := url.Parse(server)
	if err != nil {
		tb.Fatalf("pgtest: CAIRN_TEST_POSTGRES is not a URL: %v", err)
	}
	u.Path = "/" + name
	for _, extension := range extensions {
		if err := exec(ctx, u.String(), "CREATE EXTENSION "+extension); err != nil {
			absent(tb, extension, err.Error())
		}
	}
	return u.String()
}

// absent ends a test that cannot run here.
func absent(tb testing.TB, what, why string) {
	tb.Helper()
	if slices.Contains(strings.Split(os.Getenv("CAIRN_REQUIRE"), ","), what) {
		tb.Fatalf("pgtest: no %s: %s", what, why)
	}
	tb.Skipf("pgtest: no %s: %s", what, why)
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
