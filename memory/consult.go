package memory

import (
	"context"

	"github.com/trilith-memory/trilith"
)

// Consult sends a prompt to the configured model together with what is known; the exchange is stored. It is Unsupported
// without a model.
func (m *Memory) Consult(ctx context.Context, s trilith.Scope, r trilith.ConsultRequest) (trilith.ConsultResult, error) {
	return m.engine.Consult(ctx, m.in(s), r)
}

// ConsultStream is Consult that calls piece with the parts of the answer as they arrive, in order, before it returns.
func (m *Memory) ConsultStream(ctx context.Context, s trilith.Scope, r trilith.ConsultRequest, piece func(string)) (
	trilith.ConsultResult, error) {
	r.Stream = piece
	return m.engine.Consult(ctx, m.in(s), r)
}

// Recalls lists the questions in the recall log with their results, newest first.
func (m *Memory) Recalls(ctx context.Context, s trilith.Scope, r trilith.RecallsRequest) (trilith.RecallsPage, error) {
	return m.engine.Recalls(ctx, m.in(s), r)
}

// LoggedRecall returns one row of the recall log.
func (m *Memory) LoggedRecall(ctx context.Context, s trilith.Scope, id trilith.ID) (trilith.ServedRecall, error) {
	return m.engine.LoggedRecall(ctx, m.in(s), id)
}

// RecallAgain repeats a logged question and reports what has changed.
func (m *Memory) RecallAgain(ctx context.Context, s trilith.Scope, id trilith.ID) (trilith.RecallAgain, error) {
	return m.engine.RecallAgain(ctx, m.in(s), id)
}

// ForgetRecalls deletes the rows of the recall log in a scope and returns how many there were.
func (m *Memory) ForgetRecalls(ctx context.Context, s trilith.Scope) (int, error) {
	return m.engine.ForgetRecalls(ctx, m.in(s))
}
