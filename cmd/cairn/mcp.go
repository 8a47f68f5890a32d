package main

import (
	"context"

	"github.com/cairn-memory/cairn"
	"github.com/cairn-memory/cairn/internal/mcpserver"
)

type mcpCmd struct {
	Tools []string `help:"Sets of tools beside the default one: graph, review, subagent." placeholder:"SET,..."`
	scopeFlags
}

// Run answers an agent that has started the program: standard output carries messages of the protocol and nothing else.
// Whoever may start the program may read the file, so it asks for no key.
func (c *mcpCmd) Run(ctx context.Context, a *app) error {
	return a.with(ctx, func(m *opened) error {
		return mcpserver.Serve(ctx, mcpserver.Config{Engine: m.Engine, Logger: a.logger(), Version: version},
			mcpserver.Session{Who: cairn.Identity{Name: "local", Tenant: a.Tenant, Access: cairn.AccessAdmin}, Scope: c.in(cairn.Scope{}), Tools: c.Tools},
			a.stdin, a.out.w)
	})
}
