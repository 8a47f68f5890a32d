package memory

import (
	"context"

	"github.com/cairn-memory/cairn"
)

// Relate says how a fact bears on another one of its owner.
func (m *Memory) Relate(ctx context.Context, s cairn.Scope, id cairn.ID, r cairn.RelateRequest) (
	cairn.Relation, error) {
	return m.engine.Relate(ctx, m.in(s), id, r)
}

// Relations returns the relations of a fact, in both directions, and the facts that they connect.
func (m *Memory) Relations(ctx context.Context, s cairn.Scope, id cairn.ID, q cairn.RelationQuery) (
	cairn.RelationList, error) {
	return m.engine.Relations(ctx, m.in(s), id, q)
}

// Unrelate takes back a relation of a fact.
func (m *Memory) Unrelate(ctx context.Context, s cairn.Scope, id, relation cairn.ID) error {
	return m.engine.Unrelate(ctx, m.in(s), id, relation)
}

// Timeline returns the timeline of a project.
func (m *Memory) Timeline(ctx context.Context, s cairn.Scope, project string, q cairn.TimelineQuery) (
	cairn.ProjectTimeline, error) {
	return m.engine.Timeline(ctx, m.in(s), project, q)
}

// DrawTimeline returns the timeline of a project as text: a Mermaid diagram, or an SVG picture.
func (m *Memory) DrawTimeline(ctx context.Context, s cairn.Scope, project string, q cairn.TimelineQuery,
	f cairn.TimelineFormat) (string, error) {
	text, _, err := m.engine.DrawTimeline(ctx, m.in(s), project, q, f)
	return text, err
}
