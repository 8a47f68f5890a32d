package rest

import (
	"context"

	"github.com/danielgtaylor/huma/v2"
	"github.com/trilith-memory/trilith"
)

type toolsInput struct {
	Format string   `query:"format" doc:"As which API takes them: openai (chat completions) if absent" enum:"openai,openai-responses,anthropic,gemini,mcp"`
	Tools  []string `query:"tools,explode" doc:"Sets of tools beside the default one, with commas between them or repeated: graph, reference, review, scope, sessions, subagent"`
}

type toolList struct {
	Items []any `json:"items" doc:"Definitions, to be handed to a model as they are"`
}

func (s *upkeepRoutes) registerTools(api huma.API) {
	handle(s.edge, api, get("tools", "/tools", "Definitions of the memory's tools for a model; they are called at /mcp"),
		func(_ context.Context, _ trilith.Identity, in *toolsInput) (toolList, error) {
			if s.tools == nil {
				return toolList{}, trilith.Errorf(trilith.Unsupported, "tools: this server has none; use trilith serve")
			}
			format := in.Format
			if format == "" {
				format = "openai"
			}
			items, err := s.tools(format, separated(in.Tools))
			return toolList{items}, err
		})
}
