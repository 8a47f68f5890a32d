package main

import (
	"context"
	"encoding/json"

	"github.com/trilith-memory/trilith/internal/door/mcpserver"
)

type toolsCmd struct {
	Format string   `help:"As which API takes them: ${enum}." enum:"openai,openai-responses,anthropic,gemini,mcp" default:"openai"`
	Tools  []string `help:"Sets of tools beside the default one: graph, reference, review, sessions, subagent; scope shows the arguments user, agent, project and session; only takes the default one away." placeholder:"SET,..."`
}

// Run prints JSON, on a terminal too: it goes into a request.
func (c *toolsCmd) Run(_ context.Context, a *app) error {
	definitions, err := mcpserver.Definitions(c.Format, c.Tools)
	if err != nil {
		return err
	}
	e := json.NewEncoder(a.out.w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(definitions)
}
