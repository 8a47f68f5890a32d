package recall

import (
	"cmp"
	"context"
	"slices"

	"github.com/cairn-memory/cairn"
	"github.com/cairn-memory/cairn/internal/facts"
	"github.com/cairn-memory/cairn/internal/truth"
)

// undated are the types of facts that have no deadline: what people are like, and to each other.
var undated = []cairn.FactType{cairn.FactProfile, cairn.FactPreference, cairn.FactRelationship}

// Actionable returns the active facts that somebody should look at: those that something is to be done about, the
// pressing ones, and those whose deadline or end lies no more than so many days ahead. The most pressing come first,
// among those the ones that are due first, what is never due last; ties by id. limit is 1 to MaxPageSize,
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

// First returns the limit facts that any of the filters accepts and that compare lowest, ties by id. Shares are passed
// over: what is to be done is listed where it belongs.
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
	return page, rd.facts.SpokenOfAgain(ctx, s, ms, cairn.Moment{})
}
