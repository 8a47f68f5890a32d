package projects

import (
	"context"
	"math"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/facts"
	"github.com/trilith-memory/trilith/internal/truth"
)

// Timeline makes the timeline of a project of the facts that belong to it.
func (ps *Projects) Timeline(ctx context.Context, s trilith.Scope, q trilith.TimelineQuery) (
	trilith.ProjectTimeline, error) {
	var out trilith.ProjectTimeline
	if err := truth.CheckScope(s); err != nil {
		return out, err
	}
	if err := truth.CheckName("project", s.Project); err != nil {
		return out, err
	}
	if err := s.Validate(); err != nil {
		return out, err
	}
	at, err := ps.truth.ClockOf(s).Moment(q.AsOf, "")
	if err != nil {
		return out, err
	}
	types := truth.Texts([]trilith.FactType{trilith.FactTask, trilith.FactMilestone, trilith.FactSchedule})
	all, err := ps.facts(ctx, s, trilith.Where("fact_type", trilith.OpIn, types), math.MaxInt)
	if err != nil {
		return out, err
	}
	related, err := ps.relations.Between(ctx, s, trilith.ProjectOwner(s.Project), at)
	if err != nil {
		return out, err
	}
	ps.quotes.RedactQuotes(ctx, s, facts.Pointers(all))
	moment := at.World
	if moment.IsZero() {
		moment = ps.truth.Now()
	}
	return buildTimeline(s.Project, moment, all, related), nil
}
