package recall

import (
	"cmp"
	"context"
	"slices"

	"github.com/cairn-memory/cairn"
	"github.com/cairn-memory/cairn/internal/facts"
	"github.com/cairn-memory/cairn/internal/truth"
)

// undated lists the types of facts that have no deadline: a profile, a preference, a relationship.
var undated = []cairn.FactType{cairn.FactProfile, cairn.FactPreference, cairn.FactRelationship}

// Actionable returns the active facts that need attention: those that ask for an action, the urgent ones, and those
// whose deadline or end is at most so many days ahead. The most urgent come first. Among equally urgent facts the
// earliest due comes first and a fact without a date last; ties are ordered by id. limit is 1 to MaxPageSize,
// DefaultPageSize if 0; days is 1 to MaxAheadDays, DefaultAheadDays if 0.
func (rd *Reader) Actionable(ctx context.Context, s cairn.Scope, limit, days int) (cairn.Page, error) {
	if err := truth.CheckScope(s); err != nil {
		return cairn.Page{}, err
	}
	limit, err := truth.CheckLimit(limit, cairn.DefaultPageSize, cairn.MaxPageSize)
	if err != nil {
		return cairn.Page{}, err
	}
	if days < 0 || days > cairn.MaxAheadDays {
		return cairn.Page{}, cairn.Errorf(cairn.Invalid, "days: is %d, must be 1 to %d (%d if left out)", days,
			cairn.MaxAheadDays, cairn.DefaultAheadDays)
	}
	soon := rd.truth.Now().AddDate(0, 0, cmp.Or(days, cairn.DefaultAheadDays))
	of := func(f cairn.Filter) cairn.Filter { return cairn.AllOf(rd.facts.ActiveFact(), f) }
	return rd.First(ctx, s, limit, cairn.ComparePressing,
		of(cairn.Where("requires_action", cairn.OpEq, true)),
		of(cairn.Where("priority", cairn.OpIn,
			truth.Texts([]cairn.Priority{cairn.PriorityHigh, cairn.PriorityCritical}))),
		of(cairn.Where("valid_until", cairn.OpLte, soon)),
		of(cairn.AllOf(cairn.Where("fact_type", cairn.OpNin, truth.Texts(undated)),
			cairn.Where("action_deadline", cairn.OpLte, soon))))
}

// First returns the first limit facts, in the order of compare, that any of the filters accepts; ties are ordered by
// id. Shares are skipped: a fact is listed only in the scope of its origin.
func (rd *Reader) First(ctx context.Context, s cairn.Scope, limit int, compare func(a, b *cairn.Memory) int,
	filters ...cairn.Filter) (cairn.Page, error) {
	page := cairn.Page{Items: []cairn.Memory{}}
	for _, f := range filters {
		for m, err := range rd.truth.Store.List(ctx, s, cairn.Listing{Filter: f}) {
			if err != nil {
				return cairn.Page{}, err
			}
			if m.SharedFrom != "" {
				continue
			}
			at, known := slices.BinarySearchFunc(page.Items, m, func(a, b cairn.Memory) int {
				return cmp.Or(compare(&a, &b), cmp.Compare(a.ID, b.ID))
			})
			if at < limit && !known {
				page.Items = slices.Insert(page.Items, at, m)[:min(limit, len(page.Items)+1)]
			}
		}
	}
	page.Items, page.Truncated = truth.Fit(page.Items)
	ms := facts.Pointers(page.Items)
	rd.DescribeMemories(ctx, s, ms)
	return page, rd.mentions.Annotate(ctx, s, ms, cairn.Moment{})
}
