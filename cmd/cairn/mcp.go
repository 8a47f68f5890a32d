package main

import (
	"context"
	"time"

	"github.com/cairn-memory/cairn"
	"github.com/cairn-memory/cairn/internal/mcpserver"
)

// mcpTimeout bounds one call. The first search takes up the indexes of the whole memory; who has waited enough cancels.
const mcpTimeout = 2 * time.Minute

type mcpCmd struct {
	Tools []string `help:"Sets of tools beside the default one: graph, review, subagent." placeholder:"SET,..."`
	scopeFlags
}

// Run answers an agent that has started the program: standard output carries messages of the protocol and nothing else.
// Whoever may start the program may read the file, so it asks for no key.
func (c *mcpCmd) Run(ctx context.Context, a *app) error {
	return a.with(ctx, func(m *opened) error {
		return mcpserver.Serve(ctx, mcpserver.Config{Engine: m.Engine, Logger: a.logger(), Version: version, Timeout: mcpTimeout},
			mcpserver.Session{Who: cairn.Identity{Name: "local", Tenant: a.Tenant, Access: cairn.AccessAdmin}, Scope: c.in(cairn.Scope{}), Tools: c.Tools},
			a.stdin, a.out.w)
	})
}
