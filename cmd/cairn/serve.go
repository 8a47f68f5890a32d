package main

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"syscall"

	"github.com/cairn-memory/cairn"
	"github.com/cairn-memory/cairn/internal/dialect"
	"github.com/cairn-memory/cairn/internal/mcpserver"
	"github.com/cairn-memory/cairn/internal/rest"
)

type serveCmd struct {
	Addr    string `help:"Address to listen on." default:"127.0.0.1:7700"`
	MaxBody int64  `help:"Largest request body in bytes." default:"10485760"`
}

func (c *serveCmd) Run(ctx context.Context, a *app) error {
	if c.MaxBody < 1 {
		return cairn.Errorf(cairn.Invalid, "max-body: is %d, must be at least 1 byte", c.MaxBody)
	}
	ln, err := (&net.ListenConfig{}).Listen(ctx, "tcp", c.Addr)
	if errors.Is(err, syscall.EADDRINUSE) {
		return cairn.Errorf(cairn.Invalid, "addr: another program listens on %s, perhaps another cairn serve; name another one with --addr", c.Addr)
	}
	if err != nil {
		return cairn.Errorf(cairn.Invalid, "addr: %w", err)
	}
	defer ln.Close()
	metrics := rest.NewMetrics(version)
	a.meter = metrics
	m, handOver, err := a.owning(ctx)
	if err != nil {
		return err
	}
	defer m.Close()
	defer handOver()
	if m.lack != "" {
		a.logger().Warn("store: "+m.lack, "run as a superuser, and restart", m.remedy)
	}
	if m.maintain != nil {
		maintaining, stop := context.WithCancel(ctx)
		var over sync.WaitGroup
		over.Go(func() {
			if err := m.maintain(maintaining); err != nil && maintaining.Err() == nil {
				a.logger().Error("indexes of vectors are not up to date; searches are slower", "error", err)
			}
		})
		defer over.Wait()
		defer stop()
	}
	local, err := localOnly(ctx, m, ln.Addr())
	if err != nil {
		return err
	}
	cfg := rest.Config{Engine: m.Engine, Logger: a.logger(), Version: version, Local: local, MaxBody: c.MaxBody, Metrics: metrics}
	camel := func(d rest.Door) http.Handler { return dialect.New(m.Engine, d) }
	cfg.Beside = map[string]func(rest.Door) http.Handler{"/mcp": func(d rest.Door) http.Handler {
		return mcpserver.NewHandler(mcpserver.Config{Engine: m.Engine, Logger: a.logger(), Version: version, Timeout: d.Timeout()}, d)
	}}
	for _, path := range dialect.Paths() {
		cfg.Beside[path] = camel
	}
	if m.file != nil {
		cfg.Backup = func(ctx context.Context, path string) error { return m.file.Backup(ctx, path, nil) }
	}
	a.out.linef("cairn serves %s on http://%s", storeName(a.Store), ln.Addr())
	if gen := m.Generation(); gen.Dims > 0 {
		a.out.linef("vectors are made by %s", gen)
	}
	if local {
		a.out.linef("no API keys: everybody on this machine has full rights to tenant default; cairn keys create ends that")
	}
	return rest.Serve(ctx, ln, rest.New(cfg))
}

// localOnly reports whether the service runs without keys, which it does on a loopback address only.
func localOnly(ctx context.Context, m *opened, addr net.Addr) (bool, error) {
	keys, err := m.HasKeys(ctx)
	if err != nil || keys {
		return false, err
	}
	ap, err := netip.ParseAddrPort(addr.String())
	if err != nil || !ap.Addr().IsLoopback() {
		return false, cairn.Errorf(cairn.Forbidden, "addr: %s can be reached from other machines and there are no API keys; "+
			"make one with cairn keys create NAME, or listen on 127.0.0.1", addr)
	}
	return true, nil
}
