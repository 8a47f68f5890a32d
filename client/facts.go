package client

import (
	"context"
	"net/http"

	"github.com/trilith-memory/trilith"
)

// Reextract derives facts in the background: again from all sources of the scope that have facts, or with missing from
// conversations and notes without any. The key needs the right admin.
func (c *Client) Reextract(ctx context.Context, s trilith.Scope, missing bool) (trilith.Reextraction, error) {
	return ask[trilith.Reextraction](ctx, c, request{method: http.MethodPost, path: "/admin/reextract", idempotent: true,
		query: scopeQuery(s, "missing", missing)})
}
