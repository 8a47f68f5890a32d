package pgtest

import (
	"errors"
	"fmt"
	"net"
	"os"
	osexec "os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Pooler starts PgBouncer before the server of TRILITH_TEST_POSTGRES, and returns a function that maps the URL of a
// database to one through it, where each transaction may get another connection. It ends with the test. Where
// there is no PgBouncer the test is skipped, or fails if TRILITH_REQUIRE names pgbouncer.
func Pooler(tb testing.TB) (through func(database string) string) {
	tb.Helper()
	server := parse(tb, serverURL(tb))
	if host := server.Hostname(); host != "127.0.0.1" && host != "localhost" {
		absent(tb, "pgbouncer", "tools/scripts/postgres starts one for servers of this machine alone")
	}
	port := freePort(tb)
	pooler, err := tryStart(tb, "pooler", port, server.Port())
	if err != nil {
		absent(tb, "pgbouncer", err.Error())
	}
	return func(url string) string { return database(tb, pooler, strings.TrimPrefix(parse(tb, url).Path, "/")) }
}

// start starts a server by a command of tools/scripts/postgres on the port that comes next, and returns its URL. It ends with
// the test.
func start(tb testing.TB, command, port string, more ...string) string {
	tb.Helper()
	server, err := tryStart(tb, command, port, more...)
	if err != nil {
		tb.Fatalf("pgtest: %v", err)
	}
	return server
}

func tryStart(tb testing.TB, command, port string, more ...string) (string, error) {
	tb.Helper()
	tb.Cleanup(func() { must(tb, "stop", port) })
	return script(tb, append([]string{command, port}, more...)...)
}

func must(tb testing.TB, args ...string) {
	tb.Helper()
	if _, err := script(tb, args...); err != nil {
		tb.Fatalf("pgtest: %v", err)
	}
}

// script runs tools/scripts/postgres of the module that the test belongs to, and returns its output.
func script(tb testing.TB, args ...string) (string, error) {
	tb.Helper()
	root, err := moduleRoot()
	if err != nil {
		tb.Fatalf("pgtest: %v", err)
	}
	out, err := osexec.Command(filepath.Join(root, "tools", "scripts", "postgres"), args...).Output()
	if err != nil {
		if exit, ok := errors.AsType[*osexec.ExitError](err); ok {
			err = fmt.Errorf("%w: %s", err, exit.Stderr)
		}
		return "", fmt.Errorf("tools/scripts/postgres %s: %w", strings.Join(args, " "), err)
	}
	return strings.TrimSpace(string(out)), nil
}

// moduleRoot returns the folder of the module that the test belongs to.
func moduleRoot() (string, error) {
	folder, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(folder, "go.mod")); err == nil {
			return folder, nil
		}
		up := filepath.Dir(folder)
		if up == folder {
			return "", errors.New("the test does not run in the folder of a module")
		}
		folder = up
	}
}

// freePort returns a port of loopback that was free a moment ago.
func freePort(tb testing.TB) string {
	tb.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	defer l.Close()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	return port
}
