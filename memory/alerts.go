package memory

import (
	"context"

	"github.com/trilith-memory/trilith"
)

// SaveSearch saves a search that runs on every change of its scope and raises alerts.
func (m *Memory) SaveSearch(ctx context.Context, s trilith.Scope, r trilith.SearchRequest) (trilith.SavedSearch, error) {
	return m.engine.SaveSearch(ctx, m.in(s), r)
}

// Searches returns the saved searches of a scope, by name.
func (m *Memory) Searches(ctx context.Context, s trilith.Scope) (trilith.Searches, error) {
	return m.engine.Searches(ctx, m.in(s))
}

// SavedSearch returns one saved search.
func (m *Memory) SavedSearch(ctx context.Context, s trilith.Scope, id trilith.ID) (trilith.SavedSearch, error) {
	return m.engine.SavedSearch(ctx, m.in(s), id)
}

// ChangeSearch replaces what a saved search looks for.
func (m *Memory) ChangeSearch(ctx context.Context, s trilith.Scope, id trilith.ID, r trilith.SearchRequest) (
	trilith.SavedSearch, error) {
	return m.engine.ChangeSearch(ctx, m.in(s), id, r)
}

// DeleteSearch deletes a saved search with its alerts.
func (m *Memory) DeleteSearch(ctx context.Context, s trilith.Scope, id trilith.ID) error {
	return m.engine.DeleteSearch(ctx, m.in(s), id)
}

// Alerts returns what saved searches have raised, oldest first.
func (m *Memory) Alerts(ctx context.Context, s trilith.Scope, q trilith.AlertQuery) (trilith.AlertPage, error) {
	return m.engine.Alerts(ctx, m.in(s), q)
}

// AcknowledgeAlerts notes that somebody has seen alerts, and returns how many were not acknowledged before.
func (m *Memory) AcknowledgeAlerts(ctx context.Context, s trilith.Scope, ids []trilith.ID) (trilith.Acknowledged, error) {
	return m.engine.AcknowledgeAlerts(ctx, m.in(s), ids)
}
