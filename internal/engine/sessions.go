package engine

import (
	"context"

	"github.com/trilith-memory/trilith"
)

// ListSessions is [sessions.Sessions.List].
func (e *Engine) ListSessions(ctx context.Context, s trilith.Scope, q trilith.SessionQuery) (trilith.SessionPage, error) {
	return e.sessions.List(ctx, s, q)
}

// GetSession is [sessions.Sessions.Get].
func (e *Engine) GetSession(ctx context.Context, s trilith.Scope, id string, q trilith.SessionQuery) (
	trilith.SessionTurns, error) {
	return e.sessions.Get(ctx, s, id, q)
}

// SessionContext is [sessions.Sessions.Context].
func (e *Engine) SessionContext(ctx context.Context, s trilith.Scope, id string, r trilith.SessionContextRequest) (
	trilith.SessionContext, error) {
	return e.sessions.Context(ctx, s, id, r)
}

// Summarize is [sessions.Sessions.Summarize].
func (e *Engine) Summarize(ctx context.Context, s trilith.Scope, r trilith.SummarizeRequest) (
	trilith.SummarizeResult, error) {
	return e.sessions.Summarize(ctx, s, r)
}

// Prune is [sessions.Sessions.Prune].
func (e *Engine) Prune(ctx context.Context, s trilith.Scope, r trilith.PruneRequest) (trilith.PruneResult, error) {
	return e.sessions.Prune(ctx, s, r)
}

// AppendItems is [sessions.Transcripts.Append].
func (e *Engine) AppendItems(ctx context.Context, s trilith.Scope, id string, r trilith.AppendItems) (
	trilith.SessionItems, error) {
	return e.sessions.Transcripts.Append(ctx, s, id, r)
}

// SessionItems is [sessions.Transcripts.Items].
func (e *Engine) SessionItems(ctx context.Context, s trilith.Scope, id string, q trilith.ItemsQuery) (
	trilith.SessionItems, error) {
	return e.sessions.Transcripts.Items(ctx, s, id, q)
}

// PopItem is [sessions.Transcripts.Pop].
func (e *Engine) PopItem(ctx context.Context, s trilith.Scope, id string) (trilith.SessionItem, error) {
	return e.sessions.Transcripts.Pop(ctx, s, id)
}

// ClearItems is [sessions.Transcripts.Clear].
func (e *Engine) ClearItems(ctx context.Context, s trilith.Scope, id string) (trilith.ClearedItems, error) {
	return e.sessions.Transcripts.Clear(ctx, s, id)
}
