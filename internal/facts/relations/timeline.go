package relations

import (
	"context"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/facts"
	"github.com/trilith-memory/trilith/internal/review/timeline"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/truth"
)

// Timeline makes the timeline of a project of the facts that belong to it.
func (r *Relations) Timeline(ctx context.Context, s trilith.Scope, project string, q trilith.TimelineQuery) (
	trilith.ProjectTimeline, error) {
	var out trilith.ProjectTimeline
	if err := truth.CheckScope(s); err != nil {
		return out, err
	}
	if err := truth.CheckName("project", project); err != nil {
		return out, err
	}
	if s.Project != "" && s.Project != project {
		return out, trilith.Errorf(trilith.Invalid, "project: the scope names another one; leave it out")
	}
	s.Project = project
	if err := s.Validate(); err != nil {
		return out, err
	}
	at, err := r.truth.ClockOf(s).Moment(q.AsOf, "")
	if err != nil {
		return out, err
	}
	owner := trilith.ProjectOwner(project)
	filter := owned(owner, trilith.FactTask, trilith.FactMilestone, trilith.FactSchedule)
	var all []trilith.Memory
	for m, err := range r.truth.Store.List(ctx, s, role.Listing{Filter: filter}) {
		if err != nil {
			return out, err
		}
		all = append(all, m)
	}
	g, err := r.graph(ctx, s, owner, at)
	if err != nil {
		return out, err
	}
	r.facts.RedactQuotes(ctx, s, facts.Pointers(all))
	moment := at.World
	if moment.IsZero() {
		moment = r.truth.Now()
	}
	return timeline.Build(project, moment, all, g.relations), nil
}

// DrawTimeline makes the timeline of a project and writes it as a Mermaid diagram.
func (r *Relations) DrawTimeline(ctx context.Context, s trilith.Scope, project string, q trilith.TimelineQuery) (string,
	error) {
	t, err := r.Timeline(ctx, s, project, q)
	if err != nil {
		return "", err
	}
	return timeline.Mermaid(&t), nil
}
