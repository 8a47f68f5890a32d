package client

import (
	"context"
	"net/http"
	"net/url"

	"github.com/trilith-memory/trilith"
)

// Recall searches the memories for a question.
func (c *Client) Recall(ctx context.Context, s trilith.Scope, r trilith.RecallRequest) (trilith.RecallResult, error) {
	return ask[trilith.RecallResult](ctx, c, request{method: http.MethodPost, path: "/search", idempotent: true,
		scope: &s, body: r})
}

// Context makes the text that a prompt gets.
func (c *Client) Context(ctx context.Context, s trilith.Scope, r trilith.ContextRequest) (trilith.ContextBlock, error) {
	return ask[trilith.ContextBlock](ctx, c, request{method: http.MethodPost, path: "/context", idempotent: true,
		scope: &s, body: r})
}

// scopeQuery is a query with a scope, and pairs of names and values as [set] adds them.
func scopeQuery(s trilith.Scope, pairs ...any) url.Values {
	q := url.Values{}
	for _, f := range s.Fields() {
		set(q, f.Name, f.Value)
	}
	set(q, "time_zone", s.TimeZone)
	set(q, pairs...)
	return q
}
