package pgtest

import (
	"context"
	"net/url"
	"strings"
	"testing"
	"time"
)

// Standbys are servers of a test's own: a primary, and standbys that follow it without making it wait.
type Standbys struct {
	URL   string   // of an empty database of the primary
	Addrs []string // of the standbys

	ports []string
}

// NewStandbys starts a primary and n standbys, which end with the test. It needs what [NewCluster] needs.
func NewStandbys(tb testing.TB, n int, extensions ...string) *Standbys {
	tb.Helper()
	serverURL(tb)
	if _, err := script(tb, "install"); err != nil {
		absent(tb, "postgres", err.Error())
	}
	primary := freePort(tb)
	s := &Standbys{URL: start(tb, "start", primary)}
	available(tb, s.URL, extensions)
	// Else a commit waits for some hundred milliseconds until it is sent.
	for _, statement := range []string{"ALTER SYSTEM SET synchronous_commit = on", "SELECT pg_reload_conf()"} {
		if err := exec(context.Background(), s.URL, statement); err != nil {
			tb.Fatalf("pgtest: %s: %v", statement, err)
		}
	}
	for range n {
		port := freePort(tb)
		start(tb, "replica", port, primary)
		s.ports, s.Addrs = append(s.ports, port), append(s.Addrs, "127.0.0.1:"+port)
	}
	return s
}

// Store is the URL of the database with the addresses of the standbys, and further parameters.
func (s *Standbys) Store(params string) string {
	return s.URL + "&standbys=" + strings.Join(s.Addrs, ",") + params
}

// Pause keeps a standby from replaying the changes that it receives, Resume lets it go on.
func (s *Standbys) Pause(tb testing.TB, i int) {
	tb.Helper()
	s.on(tb, i, "SELECT pg_wal_replay_pause()")
	s.until(tb, i, "SELECT count(*) FROM (SELECT) AS one WHERE pg_get_wal_replay_pause_state() = 'paused'")
}

// Resume is documented at [Standbys.Pause].
func (s *Standbys) Resume(tb testing.TB, i int) {
	tb.Helper()
	s.on(tb, i, "SELECT pg_wal_replay_resume()")
}

// Kill ends a standby at once, Restart starts it again, and Promote makes a primary of its own of it.
func (s *Standbys) Kill(tb testing.TB, i int) {
	tb.Helper()
	must(tb, "kill", s.ports[i])
}

// Restart is documented at [Standbys.Kill].
func (s *Standbys) Restart(tb testing.TB, i int) {
	tb.Helper()
	must(tb, "again", s.ports[i])
}

// Promote is documented at [Standbys.Kill].
func (s *Standbys) Promote(tb testing.TB, i int) {
	tb.Helper()
	must(tb, "promote", s.ports[i])
}

// Standby is the URL of the database on a standby.
func (s *Standbys) Standby(tb testing.TB, i int) string {
	tb.Helper()
	u, err := url.Parse(s.URL)
	if err != nil {
		tb.Fatal("pgtest: the URL of the primary is none")
	}
	u.Host = s.Addrs[i]
	return u.String()
}

func (s *Standbys) on(tb testing.TB, i int, statement string) {
	tb.Helper()
	if err := exec(context.Background(), s.Standby(tb, i), statement); err != nil {
		tb.Fatalf("pgtest: %s on a standby: %v", statement, err)
	}
}

// until waits until a standby counts something.
func (s *Standbys) until(tb testing.TB, i int, query string) {
	tb.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), startTimeout)
	defer cancel()
	again := time.NewTicker(20 * time.Millisecond)
	defer again.Stop()
	for {
		n, err := count(ctx, s.Standby(tb, i), query)
		if err != nil {
			tb.Fatalf("pgtest: %s on a standby: %v", query, err)
		}
		if n > 0 {
			return
		}
		select {
		case <-ctx.Done():
			tb.Fatalf("pgtest: %s on a standby: %v", query, ctx.Err())
		case <-again.C:
		}
	}
}
