// Package standby chooses the server for a read-only request: a standby that meets the request's expectations, or the
// primary.
//
// A request may expect three things: commits up to the position that its caller has seen are visible; commits
// acknowledged longer ago than [Bounds.Lag] are visible; and nothing erased before the request began is visible: the
// primary counts the erasures of a tenant, and a standby that shows a lower count is not used.
//
// The age of a standby's answers is measured only with the clock of this process: it reads the position of the
// primary's log and records the time, and a standby that has replayed up to that position is at least as new as that
// time.
package standby

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/wait"
)

// Primary is the server that takes writes.
type Primary interface {
	// Here returns a position of the log after every commit that was acknowledged before the call, and the number of
	// erasures of the tenant.
	Here(ctx context.Context, tenant string) (position uint64, erasures int64, err error)
	// Committed returns a position after every commit of this process, and Commits counts those.
	Committed(ctx context.Context) (position uint64, err error)
	Commits() uint64
}

// Server is a standby.
type Server interface {
	// Name shows no secret.
	Name() string
	// Replayed returns the position up to which the server has replayed the log, and how many erasures of the tenant a
	// read shows that begins after the call. follows says that the server is a standby now.
	Replayed(ctx context.Context, tenant string) (position uint64, erasures int64, follows bool, err error)
}

// Bounds say how old an answer may be, and how long a request waits.
type Bounds struct {
	Lag  time.Duration // between the moment when something is acknowledged and the moment when every read shows it
	Wait time.Duration // for a standby to replay the commits that a request expects, before the primary answers
}

// Defaults of [Bounds], and bounds of our own.
const (
	DefaultLag  = time.Second
	DefaultWait = 50 * time.Millisecond

	look         = 2 * time.Millisecond // between two checks whether a standby has replayed enough
	lookTimeout  = time.Second          // for an answer to such a check
	comebackWait = time.Second          // between two looks at whether a standby that is out serves again
	parts        = 8                    // the number of marks within the time of a lag
)

// Chooser chooses. Its methods are safe for concurrent use.
type Chooser struct {
	primary Primary
	servers []*server
	bounds  Bounds
	catchUp func(ctx context.Context) error
	logger  *slog.Logger
	now     func() time.Time
	turn    atomic.Uint64

	truth   marks // of the store
	indexed marks // of the store and of the text index
	behind  atomic.Int64
	down    atomic.Int64

	ending context.Context
	end    context.CancelFunc
	tended sync.WaitGroup
}

// server is a standby in its last known state.
type server struct {
	Server
	reads atomic.Int64

	mu  sync.Mutex
	out string // why it is not asked; "" if it is
}

// Config describes a chooser.
type Config struct {
	Primary Primary
	Servers []Server
	Bounds  Bounds
	CatchUp func(ctx context.Context) error // brings the text index in the primary up to the newest commit
	Logger  *slog.Logger
}

// New returns a chooser among servers.
func New(cfg Config) *Chooser {
	c := &Chooser{primary: cfg.Primary, bounds: cfg.Bounds, catchUp: cfg.CatchUp, logger: cfg.Logger, now: time.Now}
	for _, s := range cfg.Servers {
		c.servers = append(c.servers, &server{Server: s})
	}
	c.ending, c.end = context.WithCancel(context.Background())
	return c
}

// Close ends the looks at servers that are out.
func (c *Chooser) Close() error {
	c.end()
	c.tended.Wait()
	return nil
}

// Choose returns the number of a standby that may answer a request of the tenant, or false if only the primary may.
// after is the position that the caller has seen, 0 if none. searching says that the text index is used too.
func (c *Chooser) Choose(ctx context.Context, tenant string, after uint64, searching bool) (int, bool) {
	if !c.anyUp() {
		c.down.Add(1)
		return 0, false
	}
	need, erasures, err := c.need(ctx, tenant, after, searching)
	if err != nil { // an error here occurs again when the request is answered, and is reported there
		c.behind.Add(1)
		return 0, false
	}
	first := int(c.turn.Add(1) % uint64(len(c.servers)))
	for end := c.now().Add(c.bounds.Wait); ; {
		for i := range c.servers {
			i = (first + i) % len(c.servers)
			if c.has(ctx, c.servers[i], tenant, need, erasures) {
				c.servers[i].reads.Add(1)
				return i, true
			}
		}
		if !c.anyUp() {
			c.down.Add(1)
			return 0, false
		}
		if !c.now().Before(end) || wait.For(ctx, look) != nil {
			c.behind.Add(1)
			return 0, false
		}
	}
}

func (c *Chooser) anyUp() bool {
	return slices.ContainsFunc(c.servers, func(s *server) bool { return s.why() == "" })
}

// errPrimary says that only the primary can answer.
var errPrimary = trilith.Errorf(trilith.Unavailable, "store: no standby has what the request expects")

// need returns the position that a standby has to have replayed, and the erasures that it has to show.
func (c *Chooser) need(ctx context.Context, tenant string, after uint64, searching bool) (uint64, int64, error) {
	asked := c.now()
	here, erasures, err := c.primary.Here(ctx, tenant)
	if err != nil {
		return 0, 0, err
	}
	if after > here { // of another database, or of a lost primary: no standby will ever have it
		return 0, 0, errPrimary
	}
	since := asked.Add(-c.bounds.Lag)
	if !searching {
		c.truth.add(mark{at: asked, from: here, to: here}, c.bounds.Lag)
		to, _ := c.truth.oldest(since, 0)
		return max(after, to), erasures, nil
	}
	to, err := c.needIndexed(ctx, tenant, since, after, mark{at: asked, from: here})
	return to, erasures, err
}

// needIndexed is like need, for a request that also uses the text index. The index lags behind the store until a
// process applies the commits: so one request in each part of the lag does, and then records the position of the log.
func (c *Chooser) needIndexed(ctx context.Context, tenant string, since time.Time, after uint64, m mark) (
	uint64, error) {
	to, ok := c.indexed.oldest(since, after)
	if ok && !c.indexed.due(m.at, c.bounds.Lag) {
		return to, nil
	}
	if !ok {
		c.indexed.making.Lock() // another request may have done it meanwhile
	} else if !c.indexed.making.TryLock() {
		return to, nil
	}
	defer c.indexed.making.Unlock()
	if to, ok = c.indexed.oldest(since, after); ok && !c.indexed.due(m.at, c.bounds.Lag) {
		return to, nil
	}
	if err := c.catchUp(ctx); err != nil {
		return 0, err
	}
	var err error
	if m.to, _, err = c.primary.Here(ctx, tenant); err != nil {
		return 0, err
	}
	c.indexed.add(m, c.bounds.Lag)
	to, ok = c.indexed.oldest(since, after)
	if !ok {
		to = m.to
	}
	return to, nil
}

// has reports whether a standby meets the expectations of a request. A standby that fails is not used until it is back.
func (c *Chooser) has(ctx context.Context, s *server, tenant string, need uint64, erasures int64) bool {
	if s.why() != "" {
		return false
	}
	position, shown, why := c.look(ctx, s, tenant)
	if why != "" {
		if ctx.Err() == nil {
			c.leaveOut(s, why)
		}
		return false
	}
	return position >= need && shown >= erasures
}

// Committing returns a function that returns the position of later commits of this process, "" if there are none.
func (c *Chooser) Committing() func(ctx context.Context) string {
	before := c.primary.Commits()
	return func(ctx context.Context) string {
		if c.primary.Commits() == before {
			return ""
		}
		position, err := c.primary.Committed(ctx)
		if err != nil { // the write succeeded; the next reader has no position
			return ""
		}
		return role.FormatPosition(position)
	}
}

// States looks at all standbys.
func (c *Chooser) States(ctx context.Context) ([]role.StandbyState, error) {
	here, _, err := c.primary.Here(ctx, "")
	if err != nil {
		return nil, err
	}
	out := make([]role.StandbyState, len(c.servers))
	for i, s := range c.servers {
		out[i] = role.StandbyState{Name: s.Name(), Out: s.why(), Reads: s.reads.Load()}
		if out[i].Out != "" {
			continue
		}
		position, _, why := c.look(ctx, s, "")
		if why != "" {
			c.leaveOut(s, why)
			out[i].Out = why
			continue
		}
		out[i].Bytes = max(0, int64(here)-int64(position)) // it may have replayed more by now
	}
	return out, nil
}

func (s *server) why() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.out
}

// leaveOut stops using a standby, logs it once, and checks in the background until it serves again.
func (c *Chooser) leaveOut(s *server, why string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.out != "" || c.ending.Err() != nil {
		return
	}
	s.out = why
	c.logger.Warn("standby: the primary answers until it is back", "standby", s.Name(), "reason", why)
	c.tended.Go(func() {
		for wait.For(c.ending, comebackWait) == nil {
			if _, _, why := c.look(c.ending, s, ""); why == "" {
				s.mu.Lock()
				s.out = ""
				s.mu.Unlock()
				c.logger.Info("standby: it is back", "standby", s.Name())
				return
			}
		}
	})
}

// look asks a standby how far it is; why says that it cannot be used.
func (c *Chooser) look(ctx context.Context, s *server, tenant string) (position uint64, erasures int64, why string) {
	ctx, cancel := context.WithTimeout(ctx, lookTimeout)
	defer cancel()
	position, erasures, follows, err := s.Replayed(ctx, tenant)
	switch {
	case err != nil:
		return 0, 0, "it does not answer: " + err.Error()
	case !follows:
		return 0, 0, "it is no standby"
	}
	return position, erasures, ""
}

// AtPrimary counts the requests that the primary has answered because all standbys were behind, or out.
func (c *Chooser) AtPrimary() (behind, out int64) { return c.behind.Load(), c.down.Load() }
