package engine

import (
	"context"

	"github.com/cairn-memory/cairn/internal/facts"
)

// SettleMentions returns when what was committed before the call has been looked at for facts that it speaks of again.
func (e *Engine) SettleMentions(ctx context.Context) error {
	for {
		n, err := e.facts.Mentions.CatchUp(ctx, facts.MentionStep)
		if err != nil || n < facts.MentionStep {
			return err
		}
	}
}
