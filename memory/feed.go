package memory

import (
	"context"

	"github.com/cairn-memory/cairn"
)

// Feed pages through what has happened to the memories of the scope, latest first.
func (m *Memory) Feed(ctx context.Context, s cairn.Scope, q cairn.FeedQuery) (cairn.Feed, error) {
	return m.engine.Feed(ctx, m.in(s), q)
}

// AuditLog pages through the audit of the tenant, oldest or latest first.
func (m *Memory) AuditLog(ctx context.Context, s cairn.Scope, q cairn.AuditQuery) (cairn.AuditPage, error) {
	return m.engine.AuditLog(ctx, m.in(s), q)
}
