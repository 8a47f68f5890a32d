package main

import (
	"context"
	"net/http"
	"net/url"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/door/proxy"
	"github.com/trilith-memory/trilith/internal/door/rest"
)

type proxyCmd struct {
	Upstream string `required:"" help:"Address of the model's service, such as https://api.openai.com or http://localhost:11434; requests below /v1/ go there." placeholder:"URL"`
	Budget   int    `help:"Tokens of memory in a prompt at most." default:"1000"`
	Addr     string `help:"Address to listen on." default:"127.0.0.1:7701"`
	traceFlags
	MaxBody int64 `help:"Largest request body in bytes." default:"67108864"`
}

// Run serves like serve, and also the paths below /v1/ of the upstream.
func (c *proxyCmd) Run(ctx context.Context, a *app) error {
	upstream, err := url.Parse(c.Upstream)
	if err != nil || upstream.Host == "" || upstream.Scheme != "http" && upstream.Scheme != "https" {
		return trilith.Errorf(trilith.Invalid, "upstream: %.200q is not an address such as https://api.openai.com", c.Upstream)
	}
	if c.Budget < 1 || c.Budget > trilith.MaxBudget {
		return trilith.Errorf(trilith.Invalid, "budget: is %d, must be 1 to %d tokens", c.Budget, trilith.MaxBudget)
	}
	s := serveCmd{Addr: c.Addr, MaxBody: c.MaxBody, traceFlags: c.traceFlags, Extract: string(trilith.ExtractAuto)}
	var p *proxy.Proxy
	s.beside = func(m *opened, cfg *rest.Config) {
		cfg.Beside["/v1/"] = func(g rest.Guard) http.Handler {
			p = proxy.New(proxy.Config{Upstream: upstream, Memory: m.Engine, Budget: c.Budget, Logger: a.logger()}, g)
			return p
		}
		a.out.linef("prompts below /v1/ go to %s", upstream.Redacted())
	}
	s.closing = func() {
		if p != nil {
			p.Close()
		}
	}
	return s.Run(ctx, a)
}
