package memory

import (
	"context"

	"github.com/trilith-memory/trilith"
)

// ListSessions pages through sessions, the one with the latest turn first.
func (m *Memory) ListSessions(ctx context.Context, s trilith.Scope, r trilith.SessionQuery) (trilith.SessionPage, error) {
	return m.engine.ListSessions(ctx, m.in(s), r)
}

// GetSession returns a session with a page of its turns in order.
func (m *Memory) GetSession(
	ctx context.Context, s trilith.Scope, id string, r trilith.SessionQuery,
) (trilith.SessionTurns, error) {
	return m.engine.GetSession(ctx, m.in(s), id, r)
}

// SessionContext returns the newest turns of a session, its newest summary and the relevant past.
func (m *Memory) SessionContext(
	ctx context.Context, s trilith.Scope, id string, r trilith.SessionContextRequest,
) (trilith.SessionContext, error) {
	return m.engine.SessionContext(ctx, m.in(s), id, r)
}

// Summarize makes summaries of a session, a period or an entity, or of the summaries of a scope by topic.
func (m *Memory) Summarize(
	ctx context.Context, s trilith.Scope, r trilith.SummarizeRequest,
) (trilith.SummarizeResult, error) {
	return m.engine.Summarize(ctx, m.in(s), r)
}

// Prune forgets the turns and notes of a scope that matter least.
func (m *Memory) Prune(ctx context.Context, s trilith.Scope, r trilith.PruneRequest) (trilith.PruneResult, error) {
	return m.engine.Prune(ctx, m.in(s), r)
}

// AppendItems adds items to the transcript of a session.
func (m *Memory) AppendItems(
	ctx context.Context, s trilith.Scope, id string, r trilith.AppendItems,
) (trilith.SessionItems, error) {
	return m.engine.AppendItems(ctx, m.in(s), id, r)
}

// SessionItems pages through the transcript of a session.
func (m *Memory) SessionItems(
	ctx context.Context, s trilith.Scope, id string, r trilith.ItemsQuery,
) (trilith.SessionItems, error) {
	return m.engine.SessionItems(ctx, m.in(s), id, r)
}

// PopItem removes the last item of a transcript and returns it.
func (m *Memory) PopItem(ctx context.Context, s trilith.Scope, id string) (trilith.SessionItem, error) {
	return m.engine.PopItem(ctx, m.in(s), id)
}

// ClearItems removes all items of a transcript.
func (m *Memory) ClearItems(ctx context.Context, s trilith.Scope, id string) (trilith.ClearedItems, error) {
	return m.engine.ClearItems(ctx, m.in(s), id)
}
