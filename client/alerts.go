package client

import (
	"context"
	"net/http"

	"github.com/trilith-memory/trilith"
)

// SaveSearch saves a search that runs on every change of its scope and raises alerts.
func (c *Client) SaveSearch(ctx context.Context, s trilith.Scope, r trilith.SearchRequest) (trilith.SavedSearch, error) {
	return ask[trilith.SavedSearch](ctx, c, request{method: http.MethodPost, path: "/searches", scope: &s, body: r})
}

// Searches returns the saved searches of a scope, by name.
func (c *Client) Searches(ctx context.Context, s trilith.Scope) (trilith.Searches, error) {
	return ask[trilith.Searches](ctx, c, get("/searches", scopeQuery(s)))
}

// SavedSearch returns one saved search.
func (c *Client) SavedSearch(ctx context.Context, s trilith.Scope, id trilith.ID) (trilith.SavedSearch, error) {
	r := get("/searches/"+string(id), scopeQuery(s))
	r.id = &id
	return ask[trilith.SavedSearch](ctx, c, r)
}

// ChangeSearch replaces what a saved search looks for.
func (c *Client) ChangeSearch(ctx context.Context, s trilith.Scope, id trilith.ID, r trilith.SearchRequest) (
	trilith.SavedSearch, error) {
	return ask[trilith.SavedSearch](ctx, c, request{method: http.MethodPut, id: &id,
		path: "/searches/" + string(id), query: scopeQuery(s), body: r, idempotent: r.Version == 0})
}

// DeleteSearch deletes a saved search with its alerts.
func (c *Client) DeleteSearch(ctx context.Context, s trilith.Scope, id trilith.ID) error {
	var was trilith.SavedSearch
	return c.call(ctx, request{method: http.MethodDelete, id: &id, path: "/searches/" + string(id),
		query: scopeQuery(s)}, &was)
}

// Alerts returns what saved searches have raised, oldest first.
func (c *Client) Alerts(ctx context.Context, s trilith.Scope, r trilith.AlertQuery) (trilith.AlertPage, error) {
	q := scopeQuery(s, "limit", r.Limit, "search", r.Search, "after", r.After, "open", r.Open)
	return ask[trilith.AlertPage](ctx, c, get("/alerts", q))
}

// AcknowledgeAlerts notes that somebody has seen alerts, and returns how many were not acknowledged before.
func (c *Client) AcknowledgeAlerts(ctx context.Context, s trilith.Scope, ids []trilith.ID) (trilith.Acknowledged, error) {
	return ask[trilith.Acknowledged](ctx, c, request{method: http.MethodPost, path: "/alerts/acknowledge",
		idempotent: true, body: struct {
			trilith.Scope
			IDs []trilith.ID `json:"ids"`
		}{s, ids}})
}
