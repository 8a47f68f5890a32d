//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/test/pgtest"
)

// settlers are clients that store where people live, each at its own service, and repeat requests under the same
// idempotency key when the answer says so.
type settlers struct {
	acks chan struct{} // one for each acknowledged memory
	away chan int      // writes whose answer asked to repeat
	stop chan struct{}

	mu    sync.Mutex
	acked map[string]trilith.ID // by town
	back  map[int]time.Time     // when each settler was first acknowledged something after it had been told to repeat
}

// work stores until it is told to stop, and until its last request is acknowledged.
func (s *settlers) work(ctx context.Context, settler int, c *service) error {
	repeated := false
	for n := 0; ; {
		town := townName(settler, n)
		a, err := c.ask(ctx, "POST", "/api/v1/memories", fmt.Sprintf(`{"user": %q, "extract": "rules",
			"messages": [{"role": "user", "speaker": "Ana", "content": "I live in %[1]s."}]}`, town), "Idempotency-Key", town)
		if err != nil {
			return err
		}
		switch a.status {
		case http.StatusOK:
			var res trilith.RememberResult
			if err := json.Unmarshal(a.body, &res); err != nil || len(res.Memories) != 1 {
				return fmt.Errorf("%s: the answer is %s", town, a)
			}
			s.note(settler, town, res.Memories[0].ID, repeated)
			n++
			select {
			case s.acks <- struct{}{}:
			case <-s.stop:
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		case http.StatusServiceUnavailable:
			if a.header.Get("Retry-After") == "" {
				return fmt.Errorf("%s: the answer is %s, which does not say when to repeat", town, a)
			}
			repeated = true
			pause := time.NewTimer(50 * time.Millisecond)
			select {
			case s.away <- settler:
				<-pause.C
			case <-pause.C:
			case <-ctx.Done():
				return ctx.Err()
			}
		default:
			return fmt.Errorf("%s: the answer is %s, want success or 503", town, a)
		}
	}
}

// townName is a name of letters, as towns have.
func townName(settler, n int) string {
	return "Town" + strings.Map(func(digit rune) rune { return digit - '0' + 'a' }, fmt.Sprintf("%d%04d", settler, n))
}

func (s *settlers) note(settler int, town string, id trilith.ID, repeated bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.acked[town] = id
	if s.back[settler].IsZero() && repeated {
		s.back[settler] = time.Now()
	}
}

// TestFailover: the primary of a database is killed while three services write to it, and its standby is promoted.
// Acknowledged writes are there, once, with their facts; the others have to be repeated; and the services go on by
// themselves.
func TestFailover(t *testing.T) {
	t.Parallel()
	const before, after = 45, 45
	c := pgtest.NewCluster(t, "vector")
	f := newFleet(t, c.URL)
	f.join(t, 3)
	s := settlers{acks: make(chan struct{}), away: make(chan int), stop: make(chan struct{}),
		acked: map[string]trilith.ID{}, back: map[int]time.Time{}}
	g, ctx := errgroup.WithContext(t.Context())
	for i, r := range f.each {
		g.Go(func() error { return s.work(ctx, i, r.service) })
	}
	await := func(n int) {
		for n > 0 {
			select {
			case <-s.acks:
				n--
			case <-s.away: // until the new primary is found
			case <-ctx.Done():
				t.Fatal(g.Wait())
			}
		}
	}
	await(before)
	c.Kill(t)
	killed := time.Now()
	for told := map[int]bool{}; len(told) < len(f.each); {
		select {
		case <-s.acks: // it was acknowledged before
		case settler := <-s.away:
			told[settler] = true
		case <-ctx.Done():
			t.Fatal(g.Wait())
		}
	}
	if a, err := f.each[0].ask(ctx, "GET", "/readyz", ""); err != nil || a.status != http.StatusServiceUnavailable {
		t.Errorf("GET /readyz without a primary = %v, %v, want 503", a, err)
	}
	c.Promote(t)
	promoted := time.Now()
	await(after)
	close(s.stop)
	if err := g.Wait(); err != nil {
		t.Fatal(err)
	}
	for settler, at := range s.back {
		t.Logf("service %d stored again %v after the promotion, %v after the kill", settler,
			at.Sub(promoted).Round(time.Millisecond), at.Sub(killed).Round(time.Millisecond))
	}
	if len(s.back) != len(f.each) {
		t.Errorf("%d services stored again, want all %d", len(s.back), len(f.each))
	}
	lapse(t, c.URL) // of jobs whose end could not be written down
	f.front.settle(t)
	stored, facts := f.front.listed(t, "episode"), f.front.listed(t, "fact")
	if len(stored) != len(s.acked) || len(facts) != len(s.acked) {
		t.Errorf("%d texts and %d facts are stored, want one for each of %d that were acknowledged", len(stored),
			len(facts), len(s.acked))
	}
	for town, id := range s.acked {
		if ids := stored["I live in "+town+"."]; len(ids) != 1 || ids[0] != id {
			t.Errorf("%s was acknowledged as %s and is stored as %v", town, id, ids)
		}
		if ids := facts["Ana lives in "+town+"."]; len(ids) != 1 {
			t.Errorf("%s has the facts %v, want one", town, ids)
		}
	}
}
