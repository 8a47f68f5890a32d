package main

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/compose"
	"github.com/trilith-memory/trilith/internal/door/camel"
	"github.com/trilith-memory/trilith/internal/door/mcpserver"
	"github.com/trilith-memory/trilith/internal/door/page"
	"github.com/trilith-memory/trilith/internal/door/rest"
	"github.com/trilith-memory/trilith/internal/transfer/imports"
	"github.com/trilith-memory/trilith/internal/wait"
)

type serveCmd struct {
	Addr         string   `help:"Address to listen on." default:"127.0.0.1:7700"`
	MaxBody      int64    `help:"Largest request body in bytes." default:"10485760"`
	Extract      string   `help:"How facts are derived from conversations and notes where neither the request, nor its project, nor its tenant says: auto, by rules and by a model if there is one; rules; llm; none." enum:"auto,rules,llm,none" default:"auto"`
	Embedded     bool     `help:"Serve the program that starts this one, and end with it: on a free port of 127.0.0.1 and with a key of its own, until standard input ends. The first line on standard output is JSON: url, key, pid, version."`
	Compat       []string `help:"Other memory systems whose clients are served at their own paths too, and not only under /compat/NAME: mem0, zep." placeholder:"NAME"`
	CompatDelete string   `help:"Effect of a deletion by such a client: forget, which can be undone; or erase, for good, which needs the right admin." enum:"forget,erase" default:"forget"`
	BackupDir    string   `help:"Folder for backups that are asked for over HTTP; without it there are none." placeholder:"DIR" path:""`
	traceFlags
	NoUI bool `name:"no-ui" help:"Serve no page for browsers."`

	beside func(*opened, *rest.Config) // adds other surfaces; nil: none
	// ends what that began, before the memory is closed
	closing func()
	ready   func(ctx context.Context, m *opened, addr net.Addr) error // called before the first answer; may be nil
}

func (c *serveCmd) Run(ctx context.Context, a *app) error {
	if c.MaxBody < 1 {
		return trilith.Errorf(trilith.Invalid, "max-body: is %d, must be at least 1 byte", c.MaxBody)
	}
	endTraces, err := c.start(a)
	if err != nil {
		return err
	}
	defer endTraces()
	return c.serve(ctx, a)
}

// serve opens the memory and answers requests until ctx ends.
func (c *serveCmd) serve(ctx context.Context, a *app) error {
	var parent *child
	if c.Embedded {
		c.Addr = "127.0.0.1:0"
		parent, ctx = newChild(ctx, a)
	}
	ln, err := listen(ctx, c.Addr)
	if err != nil {
		return err
	}
	defer ln.Close()
	a.extract, a.serves = c.Extract, true
	metrics := rest.NewMetrics(version)
	a.meter = metrics
	d := listener{app: a, ln: ln}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	m, handOver, err := d.await(ctx)
	if err != nil || m == nil {
		return err
	}
	defer m.Close()
	defer handOver()
	if m.Lack != "" {
		a.logger().Warn("store: "+m.Lack, "run as a superuser, and restart", m.Remedy)
	}
	if m.Maintain != nil {
		defer a.maintain(ctx, m.Maintain)()
	}
	cfg := rest.Config{Engine: m.Engine, Logger: a.logger(), Version: version, MaxBody: c.MaxBody, Metrics: metrics,
		Tracer: a.tracer}
	if parent != nil {
		cfg.Secret = parent.key
	} else if cfg.Local, err = localOnly(ctx, m, ln.Addr()); err != nil {
		return err
	}
	beside(&cfg)
	if p := page.New(); p != nil && !c.NoUI {
		cfg.Beside[page.Prefix] = func(rest.Guard) http.Handler { return p }
		home := http.RedirectHandler(page.Prefix, http.StatusSeeOther)
		cfg.Beside["GET /{$}"] = func(rest.Guard) http.Handler { return home }
	}
	if err := speak(m.Engine, cfg.Beside, c.Compat, c.CompatDelete == "erase"); err != nil {
		return err
	}
	if c.beside != nil {
		c.beside(m, &cfg)
		defer c.closing()
	}
	if m.Backuper != nil {
		cfg.Backup = func(context.Context, string) error { return errNoBackups }
	}
	if m.Backuper != nil && c.BackupDir != "" {
		folder, err := openBackupFolder(c.BackupDir, m.Backuper)
		if err != nil {
			return err
		}
		defer folder.root.Close()
		cfg.Backup = folder.write
	}
	a.out.linef("trilith serves %s on http://%s", compose.StoreName(a.Store), ln.Addr())
	if gen := m.Generation(); gen.Dims > 0 {
		a.out.linef("vectors are made by %s", gen)
	}
	if cfg.Local {
		a.out.linef("no API keys: everybody on this machine has full rights to tenant default; trilith keys create ends that")
	}
	if c.ready != nil {
		if err := c.ready(ctx, m, ln.Addr()); err != nil {
			return err
		}
	}
	if parent == nil {
		return d.serve(ctx, rest.New(cfg))
	}
	if err := parent.say("http://" + ln.Addr().String()); err != nil {
		return err
	}
	return d.serve(ctx, givesBack(rest.New(cfg)))
}

func listen(ctx context.Context, addr string) (net.Listener, error) {
	ln, err := (&net.ListenConfig{}).Listen(ctx, "tcp", addr)
	if errors.Is(err, syscall.EADDRINUSE) {
		return nil, trilith.Errorf(trilith.Invalid,
			"addr: another program listens on %s, perhaps another trilith serve; name another one with --addr", addr)
	}
	if err != nil {
		return nil, trilith.Errorf(trilith.Invalid, "addr: %w", err)
	}
	return ln, nil
}

// beside adds imports and the other surfaces of the service: MCP and the camelCase dialect.
func beside(cfg *rest.Config) {
	e, log, tracer := cfg.Engine, cfg.Logger, cfg.Tracer
	cfg.Imports = imports.New(e, time.Now)
	cfg.Tools = mcpserver.Definitions
	door := func(d rest.Guard) http.Handler { return camel.New(e, d) }
	cfg.Beside = map[string]func(rest.Guard) http.Handler{"/mcp": func(d rest.Guard) http.Handler {
		return mcpserver.NewHandler(
			mcpserver.Config{Engine: e, Logger: log, Tracer: tracer, Version: version, Timeout: d.Timeout()}, d)
	}}
	for _, path := range camel.Paths() {
		cfg.Beside[path] = door
	}
	cfg.Listed = []rest.Listed{
		{Method: "POST", Path: "/mcp", Summary: "The Model Context Protocol, for agents",
			Description: "Needs the right reader; tools that write need writer."}}
	for _, o := range camel.Operations() {
		cfg.Listed = append(cfg.Listed,
			rest.Listed{Method: o.Method, Path: o.Path, Summary: o.Summary, Description: "Needs the right " +
				string(o.Need) + "."})
	}
}

// maintain maintains the indexes of a database in the background until the returned function is called.
func (a *app) maintain(ctx context.Context, do func(context.Context) error) (end func()) {
	ctx, stop := context.WithCancel(ctx)
	var over sync.WaitGroup
	over.Go(func() {
		if err := do(ctx); err != nil && ctx.Err() == nil {
			a.logger().Error("store: the indexes of vectors are not up to date; searches are slower", "error", err)
		}
	})
	return func() {
		stop()
		over.Wait()
	}
}

// listener is where a service listens.
type listener struct {
	*app
	ln    net.Listener
	gate  *rest.Gate // nil: requests wait until the memory is open
	ended chan error // of the server that the gate is part of
}

// await opens the memory. It waits without a limit for a database that is unavailable, and requests get that reason
// meanwhile. If ctx ends before that, it opens nothing.
func (d *listener) await(ctx context.Context) (m *opened, end func() error, err error) {
	d.app.waits.database = 0
	for {
		m, end, err = d.owning(ctx)
		switch {
		case err != nil && ctx.Err() != nil && d.gate != nil:
			return nil, nil, <-d.ended
		case !compose.Away(err):
			return m, end, err
		case d.gate == nil:
			reason := strings.TrimSuffix(trilith.MessageOf(err), "; repeat") + ". The service waits for it; repeat later"
			d.gate, d.ended = rest.NewGate(reason), make(chan error, 1)
			go func() { d.ended <- rest.Serve(ctx, d.ln, d.gate) }()
			d.logger().Warn("store: the database is not available; the service waits for it", "error", err)
			d.out.linef("trilith waits for %s on http://%s", compose.StoreName(d.Store), d.ln.Addr())
		}
		_ = wait.For(ctx, compose.StorePause) // the next attempt tells why it ended early
	}
}

// serve answers requests until ctx ends.
func (d *listener) serve(ctx context.Context, service http.Handler) error {
	if d.gate == nil {
		return rest.Serve(ctx, d.ln, service)
	}
	d.gate.Open(service)
	return <-d.ended
}

// localOnly reports whether the service runs without keys, which it does on a loopback address only.
func localOnly(ctx context.Context, m *opened, addr net.Addr) (bool, error) {
	keys, err := m.HasKeys(ctx)
	if err != nil || keys {
		return false, err
	}
	ap, err := netip.ParseAddrPort(addr.String())
	if err != nil || !ap.Addr().IsLoopback() {
		return false, trilith.Errorf(
			trilith.Forbidden, "addr: %s can be reached from other machines and there are no API keys; "+
				"make one with trilith keys create NAME, or listen on 127.0.0.1", addr)
	}
	return true, nil
}
