package main

import (
	"context"
	"errors"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/door/mcpserver"
)

// mcpTimeout bounds one call. The first search loads the indexes of the whole memory; a client that has waited enough
// cancels.
const mcpTimeout = 2 * time.Minute

type mcpCmd struct {
	Tools   []string `help:"Sets of tools beside the default one: graph, reference, review, sessions, subagent; scope shows the arguments user, agent, project and session; only takes the default one away." placeholder:"SET,..."`
	Print   string   `help:"Print the definitions of the tools as the API of a model takes them, and serve nothing: openai, openai-responses, anthropic, gemini or mcp." enum:",openai,openai-responses,anthropic,gemini,mcp" default:"" placeholder:"FORMAT"`
	Extract string   `help:"Default for deriving facts from appended texts: auto, by rules and by a model if there is one; rules; llm; none." enum:"auto,rules,llm,none" default:"auto"`
	traceFlags
	scopeFlags
}

// Run serves an agent that has started the program: standard output carries protocol messages and nothing else. A user
// who can start the program can read the file, so no key is needed.
func (c *mcpCmd) Run(ctx context.Context, a *app) error {
	if c.Print != "" {
		definitions, err := mcpserver.Definitions(c.Print, c.Tools)
		a.out.json = true
		return a.told(definitions, err, nil)
	}
	a.extract, a.serves = c.Extract, true
	p := &serverSource{app: a, with: bridged{Tenant: a.Tenant, Scope: c.in(trilith.Scope{TimeZone: localZone()}),
		Tools: c.Tools}}
	if err := p.with.session().Check(); err != nil {
		return err
	}
	endTraces, err := c.start(a)
	if err != nil {
		return err
	}
	defer endTraces()
	return errors.Join(mcpserver.Bridge(ctx, a.stdin, a.out.w, p.connect), p.close())
}
