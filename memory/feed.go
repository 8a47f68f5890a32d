package memory

import (
	"context"

	"github.com/trilith-memory/trilith"
)

// Feed pages through what has happened to the memories of the scope, latest first.
func (m *Memory) Feed(ctx context.Context, s trilith.Scope, q trilith.FeedQuery) (trilith.Feed, error) {
	return m.engine.Feed(ctx, m.in(s), q)
}

// AuditLog pages through the audit of the tenant, oldest or latest first.
func (m *Memory) AuditLog(ctx context.Context, s trilith.Scope, q trilith.AuditQuery) (trilith.AuditPage, error) {
	return m.engine.AuditLog(ctx, m.in(s), q)
}
