package client

import (
	"context"
	"net/http"
	"strconv"

	"github.com/cairn-memory/cairn"
)

// SaveSearch saves a search that runs on every change of its scope and raises alerts.
func (c *Client) SaveSearch(ctx context.Context, s cairn.Scope, r cairn.SearchRequest) (cairn.SavedSearch, error) {
	return ask[cairn.SavedSearch](ctx, c, request{method: http.MethodPost, path: "/searches",
		body: struct {
			cairn.Scope
			cairn.SearchRequest
		}{s, r}})
}

// Searches returns the saved searches of a scope, by name.
func (c *Client) Searches(ctx context.Context, s cairn.Scope) (cairn.Searches, error) {
	return ask[cairn.Searches](ctx, c, get("/searches", scopeQuery(s)))
}

// SavedSearch returns one saved search.
func (c *Client) SavedSearch(ctx context.Context, s cairn.Scope, id cairn.ID) (cairn.SavedSearch, error) {
	if err := id.Validate(); err != nil {
		return cairn.SavedSearch{}, err
	}
	return ask[cairn.SavedSearch](ctx, c, get("/searches/"+string(id), scopeQuery(s)))
}

// ChangeSearch replaces what a saved search looks for.
func (c *Client) ChangeSearch(ctx context.Context, s cairn.Scope, id cairn.ID, r cairn.SearchRequest) (
	cairn.SavedSearch, error) {
	if err := id.Validate(); err != nil {
		return cairn.SavedSearch{}, err
	}
	return ask[cairn.SavedSearch](ctx, c, request{method: http.MethodPut, path: "/searches/" + string(id),
		query: scopeQuery(s), body: r, idempotent: r.Version == 0})
}

// DeleteSearch deletes a saved search with its alerts.
func (c *Client) DeleteSearch(ctx context.Context, s cairn.Scope, id cairn.ID) error {
	if err := id.Validate(); err != nil {
		return err
	}
	var was cairn.SavedSearch
	return c.call(ctx, request{method: http.MethodDelete, path: "/searches/" + string(id), query: scopeQuery(s)}, &was)
}

// Alerts returns what saved searches have raised, oldest first.
func (c *Client) Alerts(ctx context.Context, s cairn.Scope, r cairn.AlertQuery) (cairn.AlertPage, error) {
	q := limited(s, r.Limit)
	if r.Search != "" {
		q.Set("search", string(r.Search))
	}
	if r.After != 0 {
		q.Set("after", strconv.FormatInt(r.After, 10))
	}
	if r.Open {
		q.Set("open", "true")
	}
	return ask[cairn.AlertPage](ctx, c, get("/alerts", q))
}

// AcknowledgeAlerts notes that somebody has seen alerts, and returns how many were not acknowledged before.
func (c *Client) AcknowledgeAlerts(ctx context.Context, s cairn.Scope, ids []cairn.ID) (cairn.Acknowledged, error) {
	return ask[cairn.Acknowledged](ctx, c, request{method: http.MethodPost, path: "/alerts/acknowledge",
		idempotent: true, body: struct {
			cairn.Scope
			IDs []cairn.ID `json:"ids"`
		}{s, ids}})
}
