package mcpserver

import (
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/trilith-memory/trilith"
)

// Definitions returns the default tools and those of the named sets, in the order in which a model reads them, in the
// form of a vendor's API: OpenAI's chat completions or responses, Anthropic's messages, Gemini's functions.
func Definitions(format string, sets []string) ([]any, error) {
	if !slices.Contains(Formats(), format) {
		return nil, trilith.Errorf(trilith.Invalid, "format: %.32q is not one of %s", format, strings.Join(Formats(), ", "))
	}
	if err := CheckTools(sets); err != nil {
		return nil, err
	}
	b := newBuilder(newEdge(Config{}), sets, nil)
	b.addTools(sets)
	out := make([]any, len(b.tools))
	for i, t := range b.tools {
		out[i] = definition(format, t)
	}
	return out, nil
}

// Formats lists the formats of [Definitions]: APIs of models that take definitions of tools, and MCP itself.
func Formats() []string { return []string{"openai", "openai-responses", "anthropic", "gemini", "mcp"} }

// Types of definitions. Each vendor has its own name for the schema of the arguments.
type (
	heading struct {
		Name        string `json:"name"`
		Description string `json:"description"`
	}
	function struct {
		heading
		Parameters any `json:"parameters"`
	}
	chatTool struct {
		Type     string   `json:"type"`
		Function function `json:"function"`
	}
	responsesTool struct {
		Type string `json:"type"`
		function
		Strict bool `json:"strict"` // arguments may be left out, which strict mode refuses
	}
	anthropicTool struct {
		heading
		InputSchema any `json:"input_schema"`
	}
	geminiTool struct {
		heading
		Parameters any `json:"parametersJsonSchema"`
	}
)

func definition(format string, t *mcp.Tool) any {
	head := heading{t.Name, t.Description}
	switch format {
	case "openai":
		return chatTool{"function", function{head, t.InputSchema}}
	case "openai-responses":
		return responsesTool{Type: "function", function: function{head, t.InputSchema}}
	case "anthropic":
		return anthropicTool{head, t.InputSchema}
	case "gemini":
		return geminiTool{head, t.InputSchema}
	}
	return t
}
