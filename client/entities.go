package client

import (
	"context"
	"net/http"
	"strconv"
	"unicode/utf8"

	"github.com/cairn-memory/cairn"
)

// Entity returns one entity; one that was merged into another says so.
func (c *Client) Entity(ctx context.Context, s cairn.Scope, id cairn.ID) (cairn.Entity, error) {
	return ofEntity[cairn.Entity](ctx, c, s, id, request{method: http.MethodGet, idempotent: true})
}

// Entities returns one page of a listing of entities.
func (c *Client) Entities(ctx context.Context, s cairn.Scope, limit int, cursor string) (cairn.EntityPage, error) {
	q := scopeQuery(s)
	if limit != 0 {
		q.Set("limit", strconv.Itoa(limit))
	}
	if cursor != "" {
		q.Set("cursor", cursor)
	}
	return ask[cairn.EntityPage](ctx, c, get("/graph/entities", q))
}

// UpdateEntity changes the names, identifiers and attributes of an entity.
func (c *Client) UpdateEntity(ctx context.Context, s cairn.Scope, id cairn.ID, u cairn.EntityUpdate) (
	cairn.Entity, error) {
	var out cairn.Entity
	for _, text := range append(u.AddAliases, deref(u.Name), deref(u.Type)) {
		if !utf8.ValidString(text) {
			return out, cairn.Errorf(cairn.Invalid, "update: holds text that is not valid UTF-8")
		}
	}
	return ofEntity[cairn.Entity](ctx, c, s, id, request{method: http.MethodPatch, body: u})
}

func deref(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// MergeEntities makes an entity a part of another, with its facts.
func (c *Client) MergeEntities(ctx context.Context, s cairn.Scope, into, from cairn.ID) (cairn.Entity, error) {
	return ofEntity[cairn.Entity](ctx, c, s, into, request{method: http.MethodPost, path: "/merge", idempotent: true,
		body: struct {
			From cairn.ID `json:"from"`
		}{from}})
}

// SplitEntity takes a part of an entity out of it, or undoes a merge.
func (c *Client) SplitEntity(ctx context.Context, s cairn.Scope, id cairn.ID, r cairn.SplitRequest) (
	cairn.SplitResult, error) {
	return ofEntity[cairn.SplitResult](ctx, c, s, id, request{method: http.MethodPost, path: "/split", body: r})
}

// EntityHistory returns one page of an entity's changes, newest first.
func (c *Client) EntityHistory(ctx context.Context, s cairn.Scope, id cairn.ID, limit int, cursor string) (
	cairn.EntityHistory, error) {
	q := limited(s, limit)
	if cursor != "" {
		q.Set("cursor", cursor)
	}
	return ofEntity[cairn.EntityHistory](ctx, c, s, id, get("/history", q))
}

// Neighborhood returns the facts and entities around an entity.
func (c *Client) Neighborhood(ctx context.Context, s cairn.Scope, id cairn.ID, q cairn.NeighborhoodQuery) (
	cairn.Neighborhood, error) {
	query := limited(s, q.Limit)
	if q.Hops != 0 {
		query.Set("hops", strconv.Itoa(q.Hops))
	}
	set(query, "as_of", q.AsOf)
	return ofEntity[cairn.Neighborhood](ctx, c, s, id, get("/neighborhood", query))
}

// SearchEntities searches entities by name.
func (c *Client) SearchEntities(ctx context.Context, s cairn.Scope, q cairn.EntityQuery) (cairn.EntityList, error) {
	query := limited(s, q.Limit)
	set(query, "q", q.Text, "type", q.Type, "sort", string(q.Sort), "cursor", q.Cursor)
	return ask[cairn.EntityList](ctx, c, get("/graph/entities/search", query))
}

// FactsOf returns the facts of an entity: those that hold and those that no longer do.
func (c *Client) FactsOf(ctx context.Context, s cairn.Scope, id cairn.ID, q cairn.EntityFactsQuery) (
	cairn.LookupResult, error) {
	query := scopeQuery(s)
	for _, st := range q.States {
		query.Add("states", string(st))
	}
	set(query, "as_of", q.AsOf, "known_at", q.KnownAt)
	return ofEntity[cairn.LookupResult](ctx, c, s, id, get("/facts", query))
}

func ofEntity[T any](ctx context.Context, c *Client, s cairn.Scope, id cairn.ID, r request) (out T, err error) {
	if err := id.Validate(); err != nil {
		return out, err
	}
	r.path = "/graph/entities/" + string(id) + r.path
	if r.query == nil {
		r.query = scopeQuery(s)
	}
	return ask[T](ctx, c, r)
}
