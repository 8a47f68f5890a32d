package mcpserver

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/engine"
)

func (b *builder) addPrompts() {
	b.srv.AddPrompt(&mcp.Prompt{Name: "recall_context", Title: "Recall",
		Description: "Put what is remembered about a topic into the conversation.",
		Arguments:   []*mcp.PromptArgument{{Name: "topic", Description: "What it is about", Required: true}}},
		b.prompt("topic", b.recallContext))
	b.srv.AddPrompt(&mcp.Prompt{Name: "remember_this", Title: "Remember",
		Description: "Have something remembered for later conversations.",
		Arguments: []*mcp.PromptArgument{
			{Name: "content", Description: "What to remember; the conversation so far if empty"}}},
		b.prompt("content", rememberThis))
}

// prompt makes a prompt with one argument, which is made safe as all that a model reads.
func (b *builder) prompt(
	argument string, text func(context.Context, caller, string) (string, error)) mcp.PromptHandler {
	return func(ctx context.Context, req *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		said, err := text(ctx, b.who(ctx), engine.Neutral(req.Params.Arguments[argument]))
		if err != nil {
			return nil, b.protocolError(ctx, "prompts/get", err)
		}
		return &mcp.GetPromptResult{
			Messages: []*mcp.PromptMessage{{Role: "user", Content: &mcp.TextContent{Text: said}}}}, nil
	}
}

func (e *edge) recallContext(ctx context.Context, who caller, topic string) (string, error) {
	if topic == "" {
		return "", trilith.Errorf(trilith.Invalid, "topic: is missing; say what the conversation is about")
	}
	block, err := e.block(ctx, who, trilith.ContextRequest{
		RecallRequest: trilith.RecallRequest{Query: topic, StrongOnly: true}})
	switch {
	case err != nil:
		return "", err
	case block.Abstained:
		return "Nothing is remembered about this: " + topic, nil
	}
	return "This is what is remembered about: " + topic + "\n\n" + block.Text +
		"\nUse it where it helps, and say when it contradicts what I say now." + block.sentence(), nil
}

func rememberThis(_ context.Context, _ caller, content string) (string, error) {
	if content == "" {
		content = "what matters of this conversation for later ones"
	}
	return "Remember with memory_append: " + content +
			"\n\nLook with memory_search first. If the same is known, do nothing; if it has changed, " +
			"use memory_update with action supersede. One statement each, in full sentences that name who, what and when.",
		nil
}
