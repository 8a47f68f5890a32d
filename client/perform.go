package client

import (
	"context"
	"net/url"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/door/op"
)

// perform calls an operation of the table.
func perform[T any](ctx context.Context, c *Client, o op.Route, s trilith.Scope, in any) (out T, err error) {
	if err := o.Check(in); err != nil {
		return out, err
	}
	r := request{method: o.Method, query: url.Values{}, idempotent: o.Repeatable(in)}
	if o.ScopeInBody {
		r.scope = &s
	} else if !o.Unscoped {
		r.query = scopeQuery(s)
	}
	path, body := o.Target(in, r.query)
	if r.path = path; body {
		r.body = in
	}
	return ask[T](ctx, c, r)
}
