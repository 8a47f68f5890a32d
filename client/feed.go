package client

import (
	"context"
	"net/url"
	"time"

	"github.com/trilith-memory/trilith"
)

// Feed pages through what has happened to the memories of the scope, latest first.
func (c *Client) Feed(ctx context.Context, s trilith.Scope, q trilith.FeedQuery) (trilith.Feed, error) {
	query := scopeQuery(s)
	for _, k := range q.Kinds {
		query.Add("kinds", string(k))
	}
	setPage(query, q.From, q.To, q.Limit, q.Cursor)
	var out trilith.Feed
	if err := setFilter(query, q.Filter); err != nil {
		return out, err
	}
	return ask[trilith.Feed](ctx, c, get("/changes", query))
}

// AuditLog pages through the audit of the key's tenant, oldest or latest first. The key needs the right admin.
func (c *Client) AuditLog(ctx context.Context, _ trilith.Scope, q trilith.AuditQuery) (trilith.AuditPage, error) {
	query := url.Values{}
	for _, a := range q.Actions {
		query.Add("actions", a)
	}
	set(query, "newest", q.Newest, "actor", q.Actor, "target", q.Target)
	setPage(query, q.From, q.To, q.Limit, q.Cursor)
	return ask[trilith.AuditPage](ctx, c, get("/admin/audit", query))
}

// setPage adds the parameters of a page between two times to a query.
func setPage(q url.Values, from, to time.Time, limit int, cursor string) {
	if !from.IsZero() {
		q.Set("from", from.Format(time.RFC3339Nano))
	}
	if !to.IsZero() {
		q.Set("to", to.Format(time.RFC3339Nano))
	}
	set(q, "limit", limit, "cursor", cursor)
}
