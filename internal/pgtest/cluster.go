package pgtest

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	osexec "os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// patience is how long servers may take to follow one another; a machine with much else to do takes long.
const patience = time.Minute

// Cluster is two servers of a test's own: a primary, and a standby which has what is acknowledged.
type Cluster struct {
	URL string // names both, the primary first; its database is empty

	script           string
	primary, standby string // their ports
}

// NewCluster starts a cluster, which ends with the test. It needs what scripts/postgres needs, or the test is skipped as in
// [Database].
func NewCluster(tb testing.TB) *Cluster {
	tb.Helper()
	serverURL(tb)
	c := &Cluster{script: script(tb), primary: freePort(tb), standby: freePort(tb)}
	if _, err := c.run("install"); err != nil {
		absent(tb, "postgres", err.Error())
	}
	tb.Cleanup(func() {
		for _, port := range []string{c.standby, c.primary} {
			c.must(tb, "stop", port)
		}
	})
	primary := c.must(tb, "start", c.primary)
	c.must(tb, "replica", c.standby, c.primary)
	// The standby is copied by now, and so will not wait for one of its own once it is the primary.
	if err := c.synchronize(context.Background(), primary); err != nil {
		tb.Fatalf("pgtest: the standby does not follow: %v", err)
	}
	hosts := fmt.Sprintf("127.0.0.1:%s,127.0.0.1:%s", c.primary, c.standby)
	c.URL = strings.Replace(primary, "127.0.0.1:"+c.primary, hosts, 1)
	return c
}

// Kill ends the primary at once, as a machine that loses its power does.
func (c *Cluster) Kill(tb testing.TB) {
	tb.Helper()
	c.must(tb, "kill", c.primary)
}

// Promote makes the standby the primary and returns when it takes writes.
func (c *Cluster) Promote(tb testing.TB) {
	tb.Helper()
	c.must(tb, "promote", c.standby)
}

// synchronize makes commits wait for the standby, and returns when they do.
func (c *Cluster) synchronize(ctx context.Context, primary string) error {
	for _, statement := range []string{"ALTER SYSTEM SET synchronous_commit = on", "ALTER SYSTEM SET synchronous_standby_names = '*'", "SELECT pg_reload_conf()"} {
		if err := exec(ctx, primary, statement); err != nil {
			return err
		}
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	again := time.NewTicker(20 * time.Millisecond)
	defer again.Stop()
	for {
		n, err := count(ctx, primary, "SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync' AND current_setting('synchronous_commit') = 'on'")
		if n > 0 || err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-again.C:
		}
	}
}

func (c *Cluster) must(tb testing.TB, args ...string) string {
	tb.Helper()
	out, err := c.run(args...)
	if err != nil {
		tb.Fatalf("pgtest: %v", err)
	}
	return out
}

// run runs scripts/postgres and returns what it prints.
func (c *Cluster) run(args ...string) (string, error) {
	out, err := osexec.Command(c.script, args...).Output()
	if err != nil {
		var exit *osexec.ExitError
		if errors.As(err, &exit) {
			err = fmt.Errorf("%w: %s", err, exit.Stderr)
		}
		return "", fmt.Errorf("scripts/postgres %s: %w", strings.Join(args, " "), err)
	}
	return strings.TrimSpace(string(out)), nil
}

// script returns where scripts/postgres lies, from any package of the module.
func script(tb testing.TB) string {
	tb.Helper()
	folder, err := os.Getwd()
	if err != nil {
		tb.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(folder, "go.mod")); err == nil {
			return filepath.Join(folder, "scripts", "postgres")
		}
		if folder == filepath.Dir(folder) {
			tb.Fatal("pgtest: the test does not run in the module's folder")
		}
		folder = filepath.Dir(folder)
	}
}

// freePort returns a port of loopback that nobody listened on a moment ago.
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
