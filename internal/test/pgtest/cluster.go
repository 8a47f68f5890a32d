package pgtest

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"
)

// startTimeout is how long a server may take to start or to follow another one; a busy machine takes long.
const startTimeout = time.Minute

// Cluster is two servers of a test's own: a primary, and a standby which has every acknowledged commit.
type Cluster struct {
	URL string // names both, the primary first; its database is empty

	primary, standby string // ports
}

// NewCluster starts a cluster, which ends with the test. It needs what tools/scripts/postgres needs, and extensions that can
// be created, or the test is skipped as in [Database].
func NewCluster(tb testing.TB, extensions ...string) *Cluster {
	tb.Helper()
	serverURL(tb)
	if _, err := script(tb, "install"); err != nil {
		absent(tb, "postgres", err.Error())
	}
	c := &Cluster{primary: freePort(tb), standby: freePort(tb)}
	primary := start(tb, "start", c.primary)
	available(tb, primary, extensions)
	start(tb, "replica", c.standby, c.primary)
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
	must(tb, "kill", c.primary)
}

// Promote makes the standby the primary and returns when it takes writes.
func (c *Cluster) Promote(tb testing.TB) {
	tb.Helper()
	must(tb, "promote", c.standby)
}

// synchronize makes commits wait for the standby, and returns when they do.
func (c *Cluster) synchronize(ctx context.Context, primary string) error {
	for _, statement := range []string{"ALTER SYSTEM SET synchronous_commit = on",
		"ALTER SYSTEM SET synchronous_standby_names = '*'", "SELECT pg_reload_conf()"} {
		if err := exec(ctx, primary, statement); err != nil {
			return err
		}
	}
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	again := time.NewTicker(20 * time.Millisecond)
	defer again.Stop()
	for {
		n, err := count(ctx, primary,
			"SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync' AND current_setting('synchronous_commit') = 'on'")
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
