package memory

import (
	"context"

	"github.com/trilith-memory/trilith"
)

// Generations lists the generations of vectors that the memory holds.
func (m *Memory) Generations(ctx context.Context) ([]trilith.GenerationStatus, error) {
	return m.engine.Generations(ctx)
}

// SwitchTo makes the vectors of another embedder in the background, and switches to it when they are all there. The
// embedder is one of [Options.Embedders], by its name.
func (m *Memory) SwitchTo(ctx context.Context, embedder string) ([]trilith.GenerationStatus, error) {
	return m.engine.SwitchTo(ctx, embedder)
}

// Rollback goes back to the generation before the last switch.
func (m *Memory) Rollback(ctx context.Context) ([]trilith.GenerationStatus, error) {
	return m.engine.Rollback(ctx)
}

// ForgetPrevious removes the vectors of the generation before the last switch.
func (m *Memory) ForgetPrevious(ctx context.Context) ([]trilith.GenerationStatus, error) {
	return m.engine.ForgetPrevious(ctx)
}
