package standby_test

import (
	"context"
	"errors"
	"log/slog"
	"math"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/store/standby"
)

// server is a primary and its standby, whose logs are numbers.
type server struct {
	here, erased     atomic.Int64
	replayed, shown  atomic.Int64
	away, follows    atomic.Bool
	looks, catchesUp atomic.Int64
}

func (s *server) Here(context.Context, string) (uint64, int64, error) {
	return uint64(s.here.Load()), s.erased.Load(), nil
}
func (s *server) Committed(context.Context) (uint64, error) { return uint64(s.here.Load()), nil }
func (s *server) Commits() uint64                           { return uint64(s.here.Load()) }
func (s *server) Name() string                              { return "db2" }

func (s *server) Replayed(context.Context, string) (uint64, int64, bool, error) {
	s.looks.Add(1)
	if s.away.Load() {
		return 0, 0, false, errors.New("refused")
	}
	return uint64(s.replayed.Load()), s.shown.Load(), s.follows.Load(), nil
}

func open(t *testing.T, s *server, log *strings.Builder) *standby.Chooser {
	s.follows.Store(true)
	c := standby.New(standby.Config{Primary: s, Servers: []standby.Server{s},
		Bounds:  standby.Bounds{Lag: time.Second, Wait: 50 * time.Millisecond},
		CatchUp: func(context.Context) error { s.catchesUp.Add(1); return nil },
		Logger:  slog.New(slog.NewTextHandler(log, nil))})
	t.Cleanup(func() { _ = c.Close() })
	return c
}

func TestChoose(t *testing.T) {
	t.Parallel()
	for _, searching := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			s := new(server)
			c := open(t, s, new(strings.Builder))
			defer c.Close()
			chosen := func(after uint64) bool {
				_, ok := c.Choose(t.Context(), "acme", after, searching)
				return ok
			}
			s.here.Store(10)
			s.replayed.Store(10)
			if !chosen(0) || !chosen(10) {
				t.Error("a standby that has everything is not chosen")
			}
			s.here.Store(20)
			if !chosen(0) {
				t.Error("a standby is not chosen that was up to date less than the lag ago")
			}
			if start := time.Now(); chosen(20) || time.Since(start) < 50*time.Millisecond {
				t.Error("a standby is chosen that lacks what the caller has seen, or nobody waited for it")
			}
			if start := time.Now(); chosen(21) || time.Since(start) > 0 {
				t.Error("somebody waits for a position that even the primary does not have")
			}
			go func() {
				<-time.After(20 * time.Millisecond)
				s.replayed.Store(20)
			}()
			if !chosen(20) {
				t.Error("a standby is not waited for")
			}
			s.erased.Store(1)
			if chosen(0) {
				t.Error("a standby is chosen that still shows what was erased")
			}
			s.shown.Store(1)
			s.here.Store(30)
			if !chosen(0) {
				t.Error("a standby is not chosen that has erased as much as the primary")
			}
			<-time.After(1100 * time.Millisecond)
			if chosen(0) {
				t.Error("a standby is chosen that is further behind than the lag")
			}
		})
	}
}

// A search has the index brought up to date some times in the lag, however many searches there are.
func TestCatchUp(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := new(server)
		c := open(t, s, new(strings.Builder))
		defer c.Close()
		for range 1000 {
			s.here.Add(1)
			s.replayed.Add(1)
			if _, ok := c.Choose(t.Context(), "acme", 0, true); !ok {
				t.Fatal("a standby that has everything is not chosen")
			}
			<-time.After(10 * time.Millisecond)
		}
		if n := s.catchesUp.Load(); n < 10 || n > 100 {
			t.Errorf("in ten times the lag the index was brought up to date %d times, want at most eight in each", n)
		}
	})
}

// A standby that is away or was promoted is left out with one warning, and is back when it serves again.
func TestLeftOut(t *testing.T) {
	t.Parallel()
	for what, leave := range map[string]func(*server, bool){
		"away":     func(s *server, out bool) { s.away.Store(out) },
		"promoted": func(s *server, out bool) { s.follows.Store(!out) },
	} {
		synctest.Test(t, func(t *testing.T) {
			s, log := new(server), new(strings.Builder)
			c := open(t, s, log)
			leave(s, true)
			for range 10 {
				if _, ok := c.Choose(t.Context(), "acme", 0, false); ok {
					t.Fatalf("%s: it is chosen", what)
				}
			}
			if n := s.looks.Load(); n != 1 {
				t.Errorf("%s: it was asked %d times, want once until it may be back", what, n)
			}
			leave(s, false)
			<-time.After(2 * time.Second)
			if _, ok := c.Choose(t.Context(), "acme", 0, false); !ok {
				t.Errorf("%s: it does not come back", what)
			}
			_ = c.Close()
			if n := strings.Count(log.String(), "level=WARN"); n != 1 {
				t.Errorf("%s: there are %d warnings, want one: %s", what, n, log)
			}
		})
	}
}

func TestPositions(t *testing.T) {
	t.Parallel()
	for _, p := range []uint64{1, 0x16_B374D848, math.MaxUint64} {
		if got, err := role.ParsePosition(role.FormatPosition(p)); got != p || err != nil {
			t.Errorf("Parse(Format(%d)) = %d, %v", p, got, err)
		}
	}
	for _, s := range []string{"x", "1", "1/", "/1", "1/123456789", "-1/2", "1/2/3", "é/1"} {
		if _, err := role.ParsePosition(s); trilith.KindOf(err) != trilith.Invalid {
			t.Errorf("Parse(%q): %v, want Invalid", s, err)
		}
	}
}
