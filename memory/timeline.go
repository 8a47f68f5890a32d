package memory

import (
	"context"

	"github.com/trilith-memory/trilith"
)

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
