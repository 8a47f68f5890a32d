package client

import (
	"context"
	"net/http"
	"unicode/utf8"

	"github.com/cairn-memory/cairn"
)

// AddEntry stores a knowledge entry. It is repeated while the server is unavailable only if it has a RequestKey or an
// ExternalID.
func (c *Client) AddEntry(ctx context.Context, s cairn.Scope, r cairn.EntryRequest) (cairn.Memory, error) {
	var out cairn.Memory
	if !utf8.ValidString(r.Content) {
		return out, cairn.Errorf(cairn.Invalid, "content: is not valid UTF-8")
	}
	err := c.call(ctx, request{method: http.MethodPost, path: "/entries", idempotent: r.RequestKey != "" ||
		r.ExternalID != "",
		body: struct {
			cairn.Scope
			cairn.EntryRequest
		}{s, r}}, &out)
	return out, err
}

// Entry returns one knowledge entry.
func (c *Client) Entry(ctx context.Context, s cairn.Scope, id cairn.ID) (cairn.Memory, error) {
	var out cairn.Memory
	if err := id.Validate(); err != nil {
		return out, err
	}
	err := c.call(ctx, request{method: http.MethodGet, path: "/entries/" + string(id), query: scopeQuery(s),
		idempotent: true}, &out)
	return out, err
}

// SimilarEntries returns the entries of the scope's domain that are most like a text or an embedding.
func (c *Client) SimilarEntries(ctx context.Context, s cairn.Scope, r cairn.SimilarRequest) (
	cairn.SimilarEntries, error) {
	var out cairn.SimilarEntries
	if !utf8.ValidString(r.Text) {
		return out, cairn.Errorf(cairn.Invalid, "text: is not valid UTF-8")
	}
	err := c.call(ctx, request{method: http.MethodPost, path: "/entries/similar", idempotent: true,
		body: struct {
			cairn.Scope
			cairn.SimilarRequest
		}{s, r}}, &out)
	return out, err
}
