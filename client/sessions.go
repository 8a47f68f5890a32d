package client

import (
	"context"
	"net/http"
	"net/url"

	"github.com/cairn-memory/cairn"
)

// ListSessions pages through sessions, the one with the latest turn first.
func (c *Client) ListSessions(ctx context.Context, s cairn.Scope, r cairn.SessionQuery) (cairn.SessionPage, error) {
	var out cairn.SessionPage
	err := c.call(ctx, request{method: http.MethodGet, path: "/sessions", query: paged(s, r.Limit, r.Cursor)}, &out)
	return out, err
}

// GetSession returns a session with a page of its turns in order.
func (c *Client) GetSession(ctx context.Context, s cairn.Scope, id string, r cairn.SessionQuery) (
	cairn.SessionTurns, error) {
	var out cairn.SessionTurns
	err := c.inSession(ctx, http.MethodGet, id, "", paged(s, r.Limit, r.Cursor), nil, false, &out)
	return out, err
}

// SessionContext returns the newest turns of a session, its newest summary and the relevant past.
func (c *Client) SessionContext(ctx context.Context, s cairn.Scope, id string, r cairn.SessionContextRequest) (
	cairn.SessionContext, error) {
	var out cairn.SessionContext
	err := c.inSession(ctx, http.MethodPost, id, "/context", scopeQuery(s), r, true, &out)
	return out, err
}

// Summarize makes summaries of a session, a period or an entity, or of the summaries of a scope by topic.
func (c *Client) Summarize(ctx context.Context, s cairn.Scope, r cairn.SummarizeRequest) (
	cairn.SummarizeResult, error) {
	var out cairn.SummarizeResult
	err := c.call(ctx, request{method: http.MethodPost, path: "/summaries", idempotent: true,
		body: struct {
			cairn.Scope
			cairn.SummarizeRequest
		}{s, r}}, &out)
	return out, err
}

// Prune forgets the turns and notes of a scope that matter least.
func (c *Client) Prune(ctx context.Context, s cairn.Scope, r cairn.PruneRequest) (cairn.PruneResult, error) {
	var out cairn.PruneResult
	err := c.call(ctx, request{method: http.MethodPost, path: "/memories/prune",
		body: struct {
			cairn.Scope
			cairn.PruneRequest
		}{s, r}}, &out)
	return out, err
}

// AppendItems adds items to the transcript of a session. Give it a RequestKey to have it repeated safely.
func (c *Client) AppendItems(ctx context.Context, s cairn.Scope, id string, r cairn.AppendItems) (
	cairn.SessionItems, error) {
	var out cairn.SessionItems
	err := c.inSession(ctx, http.MethodPost, id, "/items", scopeQuery(s), r, r.RequestKey != "", &out)
	return out, err
}

// SessionItems pages through the transcript of a session.
func (c *Client) SessionItems(ctx context.Context, s cairn.Scope, id string, r cairn.ItemsQuery) (
	cairn.SessionItems, error) {
	var out cairn.SessionItems
	q := paged(s, r.Limit, r.Cursor)
	if r.Latest {
		q.Set("latest", "true")
	}
	err := c.inSession(ctx, http.MethodGet, id, "/items", q, nil, false, &out)
	return out, err
}

// PopItem removes the last item of a transcript and returns it.
func (c *Client) PopItem(ctx context.Context, s cairn.Scope, id string) (cairn.SessionItem, error) {
	var out cairn.SessionItem
	err := c.inSession(ctx, http.MethodPost, id, "/items/pop", scopeQuery(s), nil, false, &out)
	return out, err
}

// ClearItems removes all items of a transcript.
func (c *Client) ClearItems(ctx context.Context, s cairn.Scope, id string) (cairn.ClearedItems, error) {
	var out cairn.ClearedItems
	err := c.inSession(ctx, http.MethodDelete, id, "/items", scopeQuery(s), nil, true, &out)
	return out, err
}

// inSession calls an operation on a session.
func (c *Client) inSession(ctx context.Context, method, id, path string, q url.Values, body any, idempotent bool,
	out any) error {
	if id == "" {
		return cairn.Errorf(cairn.Invalid, "session id: must be 1 to %d bytes", cairn.MaxNameBytes)
	}
	return c.call(ctx, request{method: method, path: "/sessions/" + url.PathEscape(id) + path, query: q, body: body,
		idempotent: idempotent}, out)
}
