package client

import (
	"context"
	"net/url"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/door/op"
)

// perform calls an operation of the table.
func perform[T any](ctx context.Context, c *Client, o op.Route, s trilith.Scope, in any) (out T, err error) {
	if err := o.Check(s, in); err != nil {
		return out, err
	}
	s = o.Scoped(s)
	r := request{method: o.Method, query: url.Values{}, idempotent: o.Repeatable(in)}
	if o.ScopeInBody {
		r.scope = &s
	} else {
		r.query = scopeQuery(s)
	}
	path, body := o.Target(s, in, r.query)
	r.path = path
	if body {
		r.body = in
	}
	return ask[T](ctx, c, r)
}
