package client

import (
	"context"
	"net/http"

	"github.com/trilith-memory/trilith"
)

// Sweep sets the state of memories whose validity has ended. The key needs the right admin, here and below.
func (c *Client) Sweep(ctx context.Context, s trilith.Scope) (trilith.SweepResult, error) {
	return ask[trilith.SweepResult](ctx, c,
		request{method: http.MethodPost, path: "/admin/facts/sweep", query: scopeQuery(s),
			idempotent: true})
}

// Archive removes memories that were closed long ago from listings.
func (c *Client) Archive(ctx context.Context, s trilith.Scope, days int, dry bool) (trilith.ArchiveResult, error) {
	q := scopeQuery(s, "days", days, "dry_run", dry)
	return ask[trilith.ArchiveResult](ctx, c,
		request{method: http.MethodPost, path: "/admin/facts/archive", query: q, idempotent: true})
}

// RegenerateEmbeddings makes vectors for memories without one, facts first. With cut, it also makes those again that
// cover only the beginning of a text.
func (c *Client) RegenerateEmbeddings(ctx context.Context, s trilith.Scope, limit int, cut bool) (
	trilith.RegenerateResult, error) {
	q := scopeQuery(s, "limit", limit, "cut", cut)
	return ask[trilith.RegenerateResult](ctx, c,
		request{method: http.MethodPost, path: "/admin/facts/regenerate-embeddings", query: q,
			idempotent: true})
}
