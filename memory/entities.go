package memory

import (
	"context"

	"github.com/trilith-memory/trilith"
)

// Entity returns one entity; one that was merged into another says so.
func (m *Memory) Entity(ctx context.Context, s trilith.Scope, id trilith.ID) (trilith.Entity, error) {
	return m.engine.Entity(ctx, m.in(s), id)
}

// Entities returns one page of a listing of entities.
func (m *Memory) Entities(ctx context.Context, s trilith.Scope, limit int, cursor string) (trilith.EntityPage, error) {
	return m.engine.Entities(ctx, m.in(s), limit, cursor)
}

// UpdateEntity changes the names, identifiers and attributes of an entity.
func (m *Memory) UpdateEntity(
	ctx context.Context, s trilith.Scope, id trilith.ID, u trilith.EntityUpdate,
) (trilith.Entity, error) {
	return m.engine.UpdateEntity(ctx, m.in(s), id, u)
}

// MergeEntities makes an entity a part of another, with its facts.
func (m *Memory) MergeEntities(ctx context.Context, s trilith.Scope, into, from trilith.ID) (trilith.Entity, error) {
	return m.engine.MergeEntities(ctx, m.in(s), into, from)
}

// SplitEntity takes a part of an entity out of it, or undoes a merge.
func (m *Memory) SplitEntity(
	ctx context.Context, s trilith.Scope, id trilith.ID, r trilith.SplitRequest,
) (trilith.SplitResult, error) {
	return m.engine.SplitEntity(ctx, m.in(s), id, r)
}

// EntityHistory returns one page of an entity's changes, newest first.
func (m *Memory) EntityHistory(
	ctx context.Context, s trilith.Scope, id trilith.ID, limit int, cursor string,
) (trilith.EntityHistory, error) {
	return m.engine.EntityHistory(ctx, m.in(s), id, limit, cursor)
}

// Neighborhood returns the facts and entities around an entity.
func (m *Memory) Neighborhood(ctx context.Context, s trilith.Scope, id trilith.ID, q trilith.NeighborhoodQuery) (
	trilith.Neighborhood, error) {
	return m.engine.Neighborhood(ctx, m.in(s), id, q)
}

// SearchEntities searches entities by name.
func (m *Memory) SearchEntities(ctx context.Context, s trilith.Scope, q trilith.EntityQuery) (trilith.EntityList, error) {
	return m.engine.SearchEntities(ctx, m.in(s), q)
}

// FactsOf returns the facts of an entity: those that hold and those that no longer do.
func (m *Memory) FactsOf(ctx context.Context, s trilith.Scope, id trilith.ID, q trilith.EntityFactsQuery) (
	trilith.LookupResult, error) {
	return m.engine.FactsOf(ctx, m.in(s), id, q)
}
