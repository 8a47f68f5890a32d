package client

import (
	"context"
	"net/http"
	"net/url"

	"github.com/cairn-memory/cairn"
)

// ListSessions pages through sessions, the one with the latest turn first.
func (c *Client) ListSessions(ctx context.Context, s cairn.Scope, r cairn.SessionQuery) (cairn.SessionPage, error) {
	return ask[cairn.SessionPage](ctx, c,
		request{method: http.MethodGet, path: "/sessions", query: paged(s, r.Limit, r.Cursor)})
}

// GetSession returns a session with a page of its turns in order.
func (c *Client) GetSession(ctx context.Context, s cairn.Scope, id string, r cairn.SessionQuery) (
	cairn.SessionTurns, error) {
	return inSession[cairn.SessionTurns](ctx, c, http.MethodGet, id, "", paged(s, r.Limit, r.Cursor), nil, false)
}

// SessionContext returns the newest turns of a session, its newest summary and the relevant past.
func (c *Client) SessionContext(ctx context.Context, s cairn.Scope, id string, r cairn.SessionContextRequest) (
	cairn.SessionContext, error) {
	return inSession[cairn.SessionContext](ctx, c, http.MethodPost, id, "/context", scopeQuery(s), r, true)
}

// Summarize makes summaries of a session, a period or an entity, or of the summaries of a scope by topic.
func (c *Client) Summarize(ctx context.Context, s cairn.Scope, r cairn.SummarizeRequest) (
	cairn.SummarizeResult, error) {
	return ask[cairn.SummarizeResult](ctx, c, request{method: http.MethodPost, path: "/summaries", idempotent: true,
		body: struct {
			cairn.Scope
			cairn.SummarizeRequest
		}{s, r}})
}

// Prune forgets the turns and notes of a scope that matter least.
func (c *Client) Prune(ctx context.Context, s cairn.Scope, r cairn.PruneRequest) (cairn.PruneResult, error) {
	return ask[cairn.PruneResult](ctx, c, request{method: http.MethodPost, path: "/memories/prune",
		body: struct {
			cairn.Scope
			cairn.PruneRequest
		}{s, r}})
}

// AppendItems adds items to the transcript of a session. Give it a RequestKey to have it repeated safely.
func (c *Client) AppendItems(ctx context.Context, s cairn.Scope, id string, r cairn.AppendItems) (
	cairn.SessionItems, error) {
	return inSession[cairn.SessionItems](ctx, c, http.MethodPost, id, "/items", scopeQuery(s), r, r.RequestKey != "")
}

// SessionItems pages through the transcript of a session.
func (c *Client) SessionItems(ctx context.Context, s cairn.Scope, id string, r cairn.ItemsQuery) (
	cairn.SessionItems, error) {
	q := paged(s, r.Limit, r.Cursor)
	if r.Latest {
		q.Set("latest", "true")
	}
	return inSession[cairn.SessionItems](ctx, c, http.MethodGet, id, "/items", q, nil, false)
}

// PopItem removes the last item of a transcript and returns it.
func (c *Client) PopItem(ctx context.Context, s cairn.Scope, id string) (cairn.SessionItem, error) {
	return inSession[cairn.SessionItem](ctx, c, http.MethodPost, id, "/items/pop", scopeQuery(s), nil, false)
}

// ClearItems removes all items of a transcript.
func (c *Client) ClearItems(ctx context.Context, s cairn.Scope, id string) (cairn.ClearedItems, error) {
	return inSession[cairn.ClearedItems](ctx, c, http.MethodDelete, id, "/items", scopeQuery(s), nil, true)
}

// inSession calls an operation on a session.
func inSession[T any](ctx context.Context, c *Client, method, id, path string, q url.Values, body any,
	idempotent bool) (out T, err error) {
	if id == "" {
		return out, cairn.Errorf(cairn.Invalid, "session id: must be 1 to %d bytes", cairn.MaxNameBytes)
	}
	return ask[T](ctx, c, request{method: method, path: "/sessions/" + url.PathEscape(id) + path, query: q, body: body,
		idempotent: idempotent})
}
