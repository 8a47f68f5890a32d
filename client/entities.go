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
	var out cairn.Entity
	err := c.ofEntity(ctx, s, id, request{method: http.MethodGet, idempotent: true}, &out)
	return out, err
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
	var out cairn.EntityPage
	err := c.call(ctx, request{method: http.MethodGet, path: "/graph/entities", query: q, idempotent: true}, &out)
	return out, err
}

// UpdateEntity changes what an entity is called and known by.
func (c *Client) UpdateEntity(ctx context.Context, s cairn.Scope, id cairn.ID, u cairn.EntityUpdate) (
	cairn.Entity, error) {
	var out cairn.Entity
	for _, text := range append(u.AddAliases, deref(u.Name), deref(u.Type)) {
		if !utf8.ValidString(text) {
			return out, cairn.Errorf(cairn.Invalid, "update: holds text that is not valid UTF-8")
		}
	}
	err := c.ofEntity(ctx, s, id, request{method: http.MethodPatch, body: u}, &out)
	return out, err
}

func deref(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// MergeEntities makes an entity a part of another, with its facts.
func (c *Client) MergeEntities(ctx context.Context, s cairn.Scope, into, from cairn.ID) (cairn.Entity, error) {
	var out cairn.Entity
	err := c.ofEntity(ctx, s, into, request{method: http.MethodPost, path: "/merge", idempotent: true,
		body: struct {
			From cairn.ID `json:"from"`
		}{from}}, &out)
	return out, err
}

// SplitEntity takes a part of an entity out of it, or undoes a merge.
func (c *Client) SplitEntity(ctx context.Context, s cairn.Scope, id cairn.ID, r cairn.SplitRequest) (
	cairn.SplitResult, error) {
	var out cairn.SplitResult
	err := c.ofEntity(ctx, s, id, request{method: http.MethodPost, path: "/split", body: r}, &out)
	return out, err
}

// EntityHistory returns one page of what was changed of an entity, newest first.
func (c *Client) EntityHistory(ctx context.Context, s cairn.Scope, id cairn.ID, limit int, cursor string) (
	cairn.EntityHistory, error) {
	q := limited(s, limit)
	if cursor != "" {
		q.Set("cursor", cursor)
	}
	var out cairn.EntityHistory
	err := c.ofEntity(ctx, s, id, request{method: http.MethodGet, path: "/history", query: q, idempotent: true}, &out)
	return out, err
}

// Neighborhood returns the facts and entities around an entity.
func (c *Client) Neighborhood(ctx context.Context, s cairn.Scope, id cairn.ID, hops int) (cairn.Neighborhood, error) {
	q := scopeQuery(s)
	if hops != 0 {
		q.Set("hops", strconv.Itoa(hops))
	}
	var out cairn.Neighborhood
	err := c.ofEntity(ctx, s, id, request{method: http.MethodGet, path: "/neighborhood", query: q, idempotent: true},
		&out)
	return out, err
}

func (c *Client) ofEntity(ctx context.Context, s cairn.Scope, id cairn.ID, r request, out any) error {
	if err := id.Validate(); err != nil {
		return err
	}
	r.path = "/graph/entities/" + string(id) + r.path
	if r.query == nil {
		r.query = scopeQuery(s)
	}
	return c.call(ctx, r, out)
}
