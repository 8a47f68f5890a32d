package memory

import (
	"context"

	"github.com/trilith-memory/trilith"
)

// ConsultStream is Consult that calls piece with the parts of the answer as they arrive, in order, before it returns.
func (m *Memory) ConsultStream(ctx context.Context, s trilith.Scope, r trilith.ConsultRequest, piece func(string)) (
	trilith.ConsultResult, error) {
	r.Stream = piece
	return m.engine.Consult(ctx, m.in(s), r)
}

// Consult sends a prompt to the configured model together with relevant memories; the exchange is stored. It is
// Unsupported without a model.
func (m *Memory) Consult(ctx context.Context, s trilith.Scope, r trilith.ConsultRequest) (trilith.ConsultResult, error) {
	return m.engine.Consult(ctx, m.in(s), r)
}
