package client

import (
	"context"
	"net/http"
	"net/url"

	"github.com/trilith-memory/trilith"
)

// ListSessions pages through sessions, the one with the latest turn first.
func (c *Client) ListSessions(ctx context.Context, s trilith.Scope, r trilith.SessionQuery) (trilith.SessionPage, error) {
	return ask[trilith.SessionPage](ctx, c,
		request{method: http.MethodGet, path: "/sessions", query: scopeQuery(s, "limit", r.Limit, "cursor", r.Cursor)})
}

// GetSession returns a session with a page of its turns in order.
func (c *Client) GetSession(ctx context.Context, s trilith.Scope, id string, r trilith.SessionQuery) (
	trilith.SessionTurns, error) {
	return inSession[trilith.SessionTurns](ctx, c, http.MethodGet, id, "",
		scopeQuery(s, "limit", r.Limit, "cursor", r.Cursor), nil, false)
}

// SessionContext returns the newest turns of a session, its newest summary and the relevant past.
func (c *Client) SessionContext(ctx context.Context, s trilith.Scope, id string, r trilith.SessionContextRequest) (
	trilith.SessionContext, error) {
	return inSession[trilith.SessionContext](ctx, c, http.MethodPost, id, "/context", scopeQuery(s), r, true)
}

// Summarize makes summaries of a session, a period or an entity, or of the summaries of a scope by topic.
func (c *Client) Summarize(ctx context.Context, s trilith.Scope, r trilith.SummarizeRequest) (
	trilith.SummarizeResult, error) {
	return ask[trilith.SummarizeResult](ctx, c, request{method: http.MethodPost, path: "/summaries", idempotent: true,
		scope: &s, body: r})
}

// Prune forgets the turns and notes of a scope that matter least.
func (c *Client) Prune(ctx context.Context, s trilith.Scope, r trilith.PruneRequest) (trilith.PruneResult, error) {
	return ask[trilith.PruneResult](ctx, c, request{method: http.MethodPost, path: "/memories/prune", scope: &s, body: r})
}

// AppendItems adds items to the transcript of a session. Give it a RequestKey to have it repeated safely.
func (c *Client) AppendItems(ctx context.Context, s trilith.Scope, id string, r trilith.AppendItems) (
	trilith.SessionItems, error) {
	return inSession[trilith.SessionItems](ctx, c, http.MethodPost, id, "/items", scopeQuery(s), r, r.RequestKey != "")
}

// SessionItems pages through the transcript of a session.
func (c *Client) SessionItems(ctx context.Context, s trilith.Scope, id string, r trilith.ItemsQuery) (
	trilith.SessionItems, error) {
	q := scopeQuery(s, "limit", r.Limit, "cursor", r.Cursor, "latest", r.Latest)
	return inSession[trilith.SessionItems](ctx, c, http.MethodGet, id, "/items", q, nil, false)
}

// PopItem removes the last item of a transcript and returns it.
func (c *Client) PopItem(ctx context.Context, s trilith.Scope, id string) (trilith.SessionItem, error) {
	return inSession[trilith.SessionItem](ctx, c, http.MethodPost, id, "/items/pop", scopeQuery(s), nil, false)
}

// ClearItems removes all items of a transcript.
func (c *Client) ClearItems(ctx context.Context, s trilith.Scope, id string) (trilith.ClearedItems, error) {
	return inSession[trilith.ClearedItems](ctx, c, http.MethodDelete, id, "/items", scopeQuery(s), nil, true)
}

// inSession calls an operation on a session.
func inSession[T any](ctx context.Context, c *Client, method, id, path string, q url.Values, body any,
	idempotent bool) (out T, err error) {
	if id == "" {
		return out, trilith.Errorf(trilith.Invalid, "session id: must be 1 to %d bytes", trilith.MaxNameBytes)
	}
	return ask[T](ctx, c, request{method: method, path: "/sessions/" + url.PathEscape(id) + path, query: q, body: body,
		idempotent: idempotent})
}
