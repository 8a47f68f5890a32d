package client

import (
	"context"
	"net/http"
	"unicode/utf8"

	"github.com/trilith-memory/trilith"
)

// Entity returns one entity; one that was merged into another says so.
func (c *Client) Entity(ctx context.Context, s trilith.Scope, id trilith.ID) (trilith.Entity, error) {
	return ofEntity[trilith.Entity](ctx, c, s, id, request{method: http.MethodGet, idempotent: true})
}

// Entities returns one page of a listing of entities.
func (c *Client) Entities(ctx context.Context, s trilith.Scope, limit int, cursor string) (trilith.EntityPage, error) {
	return ask[trilith.EntityPage](ctx, c, get("/graph/entities", scopeQuery(s, "limit", limit, "cursor", cursor)))
}

// UpdateEntity changes the names, identifiers and attributes of an entity.
func (c *Client) UpdateEntity(ctx context.Context, s trilith.Scope, id trilith.ID, u trilith.EntityUpdate) (
	trilith.Entity, error) {
	var out trilith.Entity
	for _, text := range append(u.AddAliases, deref(u.Name), deref(u.Type)) {
		if !utf8.ValidString(text) {
			return out, trilith.Errorf(trilith.Invalid, "update: holds text that is not valid UTF-8")
		}
	}
	return ofEntity[trilith.Entity](ctx, c, s, id, request{method: http.MethodPatch, body: u})
}

func deref(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// MergeEntities makes an entity a part of another, with its facts.
func (c *Client) MergeEntities(ctx context.Context, s trilith.Scope, into, from trilith.ID) (trilith.Entity, error) {
	return ofEntity[trilith.Entity](ctx, c, s, into, request{method: http.MethodPost, path: "/merge", idempotent: true,
		body: struct {
			From trilith.ID `json:"from"`
		}{from}})
}

// SplitEntity takes a part of an entity out of it, or undoes a merge.
func (c *Client) SplitEntity(ctx context.Context, s trilith.Scope, id trilith.ID, r trilith.SplitRequest) (
	trilith.SplitResult, error) {
	return ofEntity[trilith.SplitResult](ctx, c, s, id, request{method: http.MethodPost, path: "/split", body: r})
}

// EntityHistory returns one page of an entity's changes, newest first.
func (c *Client) EntityHistory(ctx context.Context, s trilith.Scope, id trilith.ID, limit int, cursor string) (
	trilith.EntityHistory, error) {
	return ofEntity[trilith.EntityHistory](ctx, c, s, id, get("/history", scopeQuery(s, "limit", limit, "cursor", cursor)))
}

// Neighborhood returns the facts and entities around an entity.
func (c *Client) Neighborhood(ctx context.Context, s trilith.Scope, id trilith.ID, q trilith.NeighborhoodQuery) (
	trilith.Neighborhood, error) {
	query := scopeQuery(s, "limit", q.Limit, "hops", q.Hops, "as_of", q.AsOf)
	return ofEntity[trilith.Neighborhood](ctx, c, s, id, get("/neighborhood", query))
}

// SearchEntities searches entities by name.
func (c *Client) SearchEntities(ctx context.Context, s trilith.Scope, q trilith.EntityQuery) (trilith.EntityList, error) {
	query := scopeQuery(s, "limit", q.Limit, "q", q.Text, "type", q.Type, "sort", q.Sort, "cursor", q.Cursor)
	return ask[trilith.EntityList](ctx, c, get("/graph/entities/search", query))
}

// FactsOf returns the facts of an entity: those that hold and those that no longer do.
func (c *Client) FactsOf(ctx context.Context, s trilith.Scope, id trilith.ID, q trilith.EntityFactsQuery) (
	trilith.LookupResult, error) {
	query := scopeQuery(s)
	for _, st := range q.States {
		query.Add("states", string(st))
	}
	set(query, "as_of", q.AsOf, "known_at", q.KnownAt)
	return ofEntity[trilith.LookupResult](ctx, c, s, id, get("/facts", query))
}

func ofEntity[T any](ctx context.Context, c *Client, s trilith.Scope, id trilith.ID, r request) (out T, err error) {
	r.id, r.path = &id, "/graph/entities/"+string(id)+r.path
	if r.query == nil {
		r.query = scopeQuery(s)
	}
	return ask[T](ctx, c, r)
}
