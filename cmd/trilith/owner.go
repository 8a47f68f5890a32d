package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/compose"
	"github.com/trilith-memory/trilith/internal/door/mcpserver"
	"github.com/trilith-memory/trilith/internal/door/owner"
)

// protocol is the version of the protocol between an owner process and its users.
const protocol = "2"

// ownership serves other processes as an owner.
type ownership struct {
	*app
	ctx    context.Context
	end    func() error  // ends it, once, and gives the claim to the next
	opened chan struct{} // closed when the memory is open, or will not be
	memory *opened       // nil: it will not be
	ask    func()        // somebody asks to yield
	asked  chan struct{}
}

// open admits the connections that wait for the memory; with nil it sends them away. An owner lives long, so it loads
// the vectors before the first question.
func (o *ownership) open(m *opened) {
	o.memory = m
	close(o.opened)
	if m != nil {
		go func() {
			if err := m.Warm(o.ctx, o.scope()); err != nil && o.ctx.Err() == nil {
				o.logger().Info("owner: vectors could not be loaded in advance; the first search will load them", "why", err)
			}
		}()
	}
}

// owning opens the memory for a process that will own it. It asks another owner to yield; if that does not, the process
// takes over when the other ends.
func (a *app) owning(ctx context.Context) (m *opened, end func() error, err error) {
	path, ok := a.file()
	if !ok || a.ReadOnly { // a command that only reads owns nothing
		m, err = a.open(ctx)
		return m, func() error { return nil }, err
	}
	t, err := a.terms()
	if err != nil {
		return nil, nil, err
	}
	claim, err := owner.Take(path)
	if err != nil {
		if m, err = a.open(ctx); err != nil {
			return nil, nil, err
		}
		return m, a.succeed(ctx, path, t, m), nil
	}
	o := a.letIn(ctx, claim, t)
	m, err = a.open(ctx)
	o.open(m)
	if err != nil {
		return nil, nil, errors.Join(err, o.end())
	}
	return m, o.end, nil
}

// succeed makes this process, which has opened the memory, its next owner. The function that it returns ends that.
func (a *app) succeed(ctx context.Context, path string, t owner.Terms, m *opened) (end func() error) {
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() {
		claim, err := a.claim(ctx, path, t)
		if err != nil {
			if ctx.Err() == nil {
				a.logger().Info("owner: this process uses the memory beside its owner", "why", err)
			}
			ended <- nil
			return
		}
		o := a.letIn(ctx, claim, t)
		o.open(m)
		<-ctx.Done()
		ended <- o.end()
	}()
	return func() error {
		cancel()
		return <-ended
	}
}

// session says why a process connects to an owner: one of these. It comes from a process of the owner's user, who could
// open the file.
type session struct {
	Agent   *bridged    `json:"agent,omitempty"`
	Command *invocation `json:"command,omitempty"`
	Yield   bool        `json:"yield,omitempty"` // to own the memory instead
}

// claim waits until this process owns the memory. Processes that do not wait cannot overtake it.
func (a *app) claim(ctx context.Context, path string, t owner.Terms) (*owner.Claim, error) {
	successor, err := eventually(ctx, func() (*owner.Successor, error) { return owner.Succeed(path) })
	if err != nil {
		return nil, err
	}
	asked := false
	claim, err := eventually(ctx, func() (*owner.Claim, error) {
		if !asked {
			if conn, err := owner.Dial(ctx, path, t, session{Yield: true}, a.Patience); err == nil {
				asked = true
				_ = conn.Close()
			} else if trilith.KindOf(err) != trilith.Unavailable {
				asked = true
				a.logger().Info("owner: this process uses the memory beside its owner until it can take over", "why", err)
			}
		}
		return successor.Take()
	})
	return claim, errors.Join(err, successor.Release())
}

// serverSource provides the servers of a bridge: the owner if there is one, this process otherwise.
type serverSource struct {
	*app
	with   bridged
	here   *opened        // nil: the memory is not opened here
	end    func() error   // ends the ownership; nil: there is none
	gone   chan struct{}  // closed when this process gives up the memory it opened
	closed sync.WaitGroup // connections that were handed over
	hears  *owner.Conn    // the last owner
}

// way opens a connection to a server.
type way func(context.Context) (mcpserver.Conn, error)

// connect returns a connection to the owner of the memory. If there is none, this process becomes the owner.
func (p *serverSource) connect(ctx context.Context) (mcpserver.Conn, error) {
	if p.here != nil {
		select {
		case <-p.gone:
			p.yielded()
		default:
			return nil, trilith.Errorf(trilith.Internal, "mcp: the session ended although its client is still there")
		}
	}
	path, ok := p.file()
	if !ok || p.ReadOnly {
		return p.direct(ctx)
	}
	if p.hears != nil && p.hears.Silent() {
		return p.alone(ctx, trilith.Errorf(trilith.Unavailable, "the owner process does not respond"))
	}
	t, err := p.terms()
	if err != nil {
		return nil, err
	}
	looking, cancel := context.WithTimeout(ctx, 3*p.Patience)
	defer cancel()
	found, err := eventually(looking, func() (way, error) { return p.way(looking, path, t) })
	switch {
	case err == nil:
		return found(ctx)
	case ctx.Err() != nil:
		return nil, ctx.Err()
	}
	return p.alone(ctx, trilith.Errorf(trilith.Unavailable, "the process that owns the memory does not answer"))
}

// yielded closes the memory, which another process owns now, in the background.
func (p *serverSource) yielded() {
	m := p.here
	p.here, p.end = nil, nil
	p.closed.Go(func() {
		if err := m.Close(); err != nil {
			p.logger().Warn("owner: the memory could not be closed after the handover", "error", err)
		}
		debug.FreeOSMemory() // a bridge needs little
	})
}

// file is the path of the store, if it is a file.
func (a *app) file() (path string, ok bool) { return compose.File(a.Store) }

// minTimeout leaves an owner some milliseconds for each of its heartbeats.
const minTimeout = heartbeatsMissed * 10 * time.Millisecond

// terms returns the settings that processes sharing an owner must agree on, because others would make a different
// engine.
func (a *app) terms() (owner.Terms, error) {
	if a.Patience < minTimeout {
		return nil, trilith.Errorf(trilith.Invalid, "patience: is %v, must be at least %v", a.Patience, minTimeout)
	}
	profiles, domains := a.Profiles, a.Domains
	for _, folder := range []*string{&profiles, &domains} {
		if *folder != "" {
			var err error
			if *folder, err = filepath.Abs(*folder); err != nil {
				return nil, err
			}
		}
	}
	return owner.Terms{"protocol": protocol, "version": identity(), "embedder": strings.TrimSuffix(a.Embedder, ":"),
		"models": a.Models, "model": a.Model,
		"reranker":     fmt.Sprint(a.Reranker, " ", a.RerankDepth, " ", a.RerankTimeout),
		"daily-budget": strings.Join(a.DailyBudget, ","),
		"languages":    strings.Join(a.Languages, ","), "profiles": profiles, "domains": domains,
		"patience": a.Patience.String()}, nil
}

// eventually calls f, less and less often, until it answers something else than Conflict or Unavailable.
func eventually[T any](ctx context.Context, f func() (T, error)) (T, error) {
	for pause := time.Millisecond; ; pause = min(2*pause, time.Second/4) {
		v, err := f()
		if kind := trilith.KindOf(err); err == nil || kind != trilith.Conflict && kind != trilith.Unavailable {
			return v, err
		}
		select {
		case <-ctx.Done():
			return v, ctx.Err()
		case <-time.After(pause):
		}
	}
}

// way finds one; it answers Unavailable while the owner begins or ends.
func (p *serverSource) way(ctx context.Context, path string, t owner.Terms) (way, error) {
	claim, err := owner.Take(path)
	switch {
	case err == nil:
		return func(ctx context.Context) (mcpserver.Conn, error) { return p.own(ctx, claim, t) }, nil
	case trilith.KindOf(err) != trilith.Conflict:
		return func(ctx context.Context) (mcpserver.Conn, error) { return p.alone(ctx, err) }, nil
	}
	conn, err := owner.Dial(ctx, path, t, session{Agent: &p.with}, p.Patience)
	switch kind := trilith.KindOf(err); {
	case err == nil:
		p.hears = conn
		return func(context.Context) (mcpserver.Conn, error) { return conn, nil }, nil
	case ctx.Err() == nil && (kind == trilith.Conflict || kind == trilith.DeadlineExceeded):
		return func(ctx context.Context) (mcpserver.Conn, error) { return p.alone(ctx, err) }, nil
	}
	return nil, err
}

// own opens the memory for this process and others, until it ends or is asked to yield: for example to a serve, which
// outlives an agent. Then this process answers its pending requests, and becomes a bridge.
func (p *serverSource) own(ctx context.Context, claim *owner.Claim, t owner.Terms) (mcpserver.Conn, error) {
	o := p.letIn(ctx, claim, t)
	conn, err := p.direct(ctx)
	o.open(p.here)
	if err != nil {
		return nil, errors.Join(err, o.end())
	}
	p.end = o.end
	gone := p.gone
	go func() {
		select {
		case <-o.asked:
			p.logger().Info("owner: this process hands the memory over")
			if err := o.end(); err != nil {
				p.logger().Warn("owner: handing the memory over failed", "error", err)
			}
			close(gone)
			_ = conn.CloseWrite()
		case <-ctx.Done():
		}
	}()
	return conn, nil
}

// heartbeatsMissed is how many heartbeats an owner may miss.
const heartbeatsMissed = 10

// letIn serves other processes until end is called. Until open is called they wait, and learn that an owner is
// starting.
func (a *app) letIn(ctx context.Context, claim *owner.Claim, t owner.Terms) *ownership {
	ctx, cancel := context.WithCancel(ctx)
	o := &ownership{app: a, ctx: ctx, opened: make(chan struct{}), asked: make(chan struct{})}
	o.ask = sync.OnceFunc(func() { close(o.asked) })
	ended := make(chan error, 1)
	go func() { ended <- claim.Serve(ctx, t, a.Patience/heartbeatsMissed, o.talk) }()
	o.end = sync.OnceValue(func() error {
		cancel()
		return errors.Join(<-ended, claim.Release())
	})
	return o
}

func (o *ownership) talk(ctx context.Context, said json.RawMessage, conn *owner.Conn) {
	var s session
	if err := json.Unmarshal(said, &s); err != nil {
		o.logger().Warn("owner: a connection sent no valid greeting", "error", err)
		return
	}
	if s.Yield {
		o.ask()
		return
	}
	select {
	case <-o.opened:
	case <-ctx.Done():
		return
	}
	switch {
	case o.memory == nil:
	case s.Command != nil:
		s.Command.do(ctx, o.memory, conn)
	case s.Agent != nil:
		if err := mcpserver.Serve(ctx, o.mcpConfig(o.memory), s.Agent.session(), conn, conn); err != nil {
			o.logger().Info("owner: the connection of a bridge was lost", "error", err)
		}
	}
}

// alone opens the memory in this process although another one owns it. Every process may do that; it only costs time
// and memory.
func (p *serverSource) alone(ctx context.Context, why error) (mcpserver.Conn, error) {
	p.logger().Log(ctx, levelOf(why), "owner: this process uses the memory beside its owner", "why", why)
	return p.direct(ctx)
}

// levelOf returns the level of a log line that says why this process does not use the owner: a warning if the owner
// hangs, and information if their settings differ, because somebody chose them.
func levelOf(why error) slog.Level {
	if kind := trilith.KindOf(why); kind == trilith.DeadlineExceeded || kind == trilith.Unavailable {
		return slog.LevelWarn
	}
	return slog.LevelInfo
}

func (p *serverSource) direct(ctx context.Context) (mcpserver.Conn, error) {
	m, err := p.app.open(ctx)
	if err != nil {
		return nil, err
	}
	p.here, p.gone = m, make(chan struct{})
	return mcpserver.Connect(ctx, p.mcpConfig(m), p.with.session()), nil
}

// mcpConfig configures an MCP server for agents of this machine's user.
func (a *app) mcpConfig(m *opened) mcpserver.Config {
	return mcpserver.Config{Engine: m.Engine, Logger: a.logger(), Tracer: a.tracer,
		Version: version, Timeout: mcpTimeout,
		MaxMessage: mcpserver.DefaultMaxMessage + 1<<10} // a bridge adds a name to a call
}

// bridged is an agent whose process uses the owner's engine.
type bridged struct {
	Tenant string        `json:"tenant"`
	Scope  trilith.Scope `json:"scope"`
	Tools  []string      `json:"tools"`
}

func (b bridged) session() mcpserver.Session {
	return mcpserver.Session{Who: trilith.Identity{Name: "local", Tenant: b.Tenant, Access: trilith.AccessAdmin},
		Scope: b.Scope, Tools: b.Tools}
}

// close hands over to the next owner and closes what this process has opened.
func (p *serverSource) close() error {
	var errs []error
	if p.end != nil {
		errs = append(errs, p.end())
	}
	if p.here != nil {
		errs = append(errs, p.here.Close())
	}
	p.closed.Wait()
	return errors.Join(errs...)
}
