package memory

import (
	"context"

	"github.com/trilith-memory/trilith"
)

// Remember stores something. With a RequestKey it can be repeated: the second time it changes nothing. If nothing of it
// is stored, that is an error, a [*trilith.Refused].
func (m *Memory) Remember(ctx context.Context, s trilith.Scope, r trilith.RememberRequest) (trilith.RememberResult, error) {
	out, err := m.engine.Remember(ctx, m.in(s), r)
	if err == nil {
		err = out.Refusal("request")
	}
	return out, err
}

// Recall searches the memories for a question.
func (m *Memory) Recall(ctx context.Context, s trilith.Scope, r trilith.RecallRequest) (trilith.RecallResult, error) {
	return m.engine.Recall(ctx, m.in(s), r)
}

// Context makes the text that a prompt gets.
func (m *Memory) Context(ctx context.Context, s trilith.Scope, r trilith.ContextRequest) (trilith.ContextBlock, error) {
	return m.engine.Context(ctx, m.in(s), r)
}

// Batch runs up to [trilith.MaxOperations] operations; see [trilith.BatchRequest].
func (m *Memory) Batch(ctx context.Context, s trilith.Scope, r trilith.BatchRequest) ([]trilith.OperationResult, error) {
	return m.engine.Batch(ctx, m.in(s), r)
}
