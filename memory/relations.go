package memory

import (
	"context"

	"github.com/trilith-memory/trilith"
)

// Relate says how a fact bears on another one of its owner.
func (m *Memory) Relate(ctx context.Context, s trilith.Scope, id trilith.ID, r trilith.RelateRequest) (
	trilith.Relation, error) {
	return m.engine.Relate(ctx, m.in(s), id, r)
}

// Relations returns the relations of a fact, in both directions, and the facts that they connect.
func (m *Memory) Relations(ctx context.Context, s trilith.Scope, id trilith.ID, q trilith.RelationQuery) (
	trilith.RelationList, error) {
	return m.engine.Relations(ctx, m.in(s), id, q)
}

// Unrelate takes back a relation of a fact.
func (m *Memory) Unrelate(ctx context.Context, s trilith.Scope, id, relation trilith.ID) error {
	return m.engine.Unrelate(ctx, m.in(s), id, relation)
}

// Timeline returns the timeline of a project.
func (m *Memory) Timeline(ctx context.Context, s trilith.Scope, project string, q trilith.TimelineQuery) (
	trilith.ProjectTimeline, error) {
	return m.engine.Timeline(ctx, m.in(s), project, q)
}

// DrawTimeline returns the timeline of a project as a Mermaid diagram.
func (m *Memory) DrawTimeline(ctx context.Context, s trilith.Scope, project string, q trilith.TimelineQuery) (string,
	error) {
	return m.engine.DrawTimeline(ctx, m.in(s), project, q)
}
