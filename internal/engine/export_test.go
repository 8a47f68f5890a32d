package engine

import "context"

// SettleMentions returns when what was committed before the call has been looked at for facts that it speaks of again.
func (e *Engine) SettleMentions(ctx context.Context) error {
	for {
		n, err := e.mentions.follow(ctx, mentionStep)
		if err != nil || n < mentionStep {
			return err
		}
	}
}
