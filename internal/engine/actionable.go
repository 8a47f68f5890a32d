package engine

import (
	"cmp"
	"context"

	"github.com/cairn-memory/cairn"
)

// undated are the types of facts that have no deadline: what people are like, and to each other.
var undated = []cairn.FactType{cairn.FactProfile, cairn.FactPreference, cairn.FactRelationship}

// Actionable returns the active facts that somebody should look at: those that something is to be done about, the pressing
// ones, and those whose deadline or end lies no more than so many days ahead. The most pressing come first, among those the ones that
// are due first, what is never due last; ties by id. limit is 1 to MaxPageSize, DefaultPageSize if 0; days is 1 to MaxAheadDays,
// DefaultAheadDays if 0.
func (e *Engine) Actionable(ctx context.Context, s cairn.Scope, limit, days int) (cairn.Page, error) {
	if err := checkScope(s); err != nil {
		return cairn.Page{}, err
	}
	limit, err := checkLimit(limit, cairn.DefaultPageSize, cairn.MaxPageSize)
	if err != nil {
		return cairn.Page{}, err
	}
	if days < 0 || days > cairn.MaxAheadDays {
		return cairn.Page{}, cairn.Errorf(cairn.Invalid, "days: is %d, must be 1 to %d (%d if left out)", days, cairn.MaxAheadDays, cairn.DefaultAheadDays)
	}
	soon := e.now().AddDate(0, 0, cmp.Or(days, cairn.DefaultAheadDays))
	of := func(f cairn.Filter) cairn.Filter { return cairn.AllOf(e.activeFact(), f) }
	return e.first(ctx, s, limit, cairn.ComparePressing,
		of(cairn.Where("requires_action", cairn.OpEq, true)),
		of(cairn.Where("priority", cairn.OpIn, texts([]cairn.Priority{cairn.PriorityHigh, cairn.PriorityCritical}))),
		of(cairn.Where("valid_until", cairn.OpLte, soon)),
		of(cairn.AllOf(cairn.Where("fact_type", cairn.OpNin, texts(undated)), cairn.Where("action_deadline", cairn.OpLte, soon))))
}
