package recall

import (
	"cmp"
	"context"
	"slices"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/facts"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/truth"
)

// undated lists the types of facts that have no deadline: a profile, a preference, a relationship.
var undated = []trilith.FactType{trilith.FactProfile, trilith.FactPreference, trilith.FactRelationship}

// Actionable returns the active facts that need attention: those that ask for an action, the urgent ones, and those
// whose deadline or end is at most so many days ahead. The most urgent come first. Among equally urgent facts the
// earliest due comes first and a fact without a date last; of others the one that was said first.
func (rd *Reader) Actionable(ctx context.Context, s trilith.Scope, q trilith.ActionableQuery) (trilith.Page, error) {
	if err := truth.CheckScope(s); err != nil {
		return trilith.Page{}, err
	}
	limit, err := truth.CheckLimit(q.Limit, trilith.DefaultPageSize, trilith.MaxPageSize)
	if err != nil {
		return trilith.Page{}, err
	}
	if q.Days < 0 || q.Days > trilith.MaxAheadDays {
		return trilith.Page{}, trilith.Errorf(trilith.Invalid, "days: is %d, must be 1 to %d (%d if left out)", q.Days,
			trilith.MaxAheadDays, trilith.DefaultAheadDays)
	}
	soon := rd.truth.Now().AddDate(0, 0, cmp.Or(q.Days, trilith.DefaultAheadDays))
	of := func(f trilith.Filter) trilith.Filter { return trilith.AllOf(rd.facts.ActiveFact(), Ours(s), f) }
	return rd.First(ctx, s, limit, trilith.ComparePressing,
		trilith.AllOf(rd.facts.ActiveFact(), trilith.Where("requires_action", trilith.OpEq, true)),
		of(trilith.Where("priority", trilith.OpIn,
			truth.Texts([]trilith.Priority{trilith.PriorityHigh, trilith.PriorityCritical}))),
		of(trilith.Where("valid_until", trilith.OpLte, soon)),
		of(trilith.AllOf(trilith.Where("fact_type", trilith.OpNin, truth.Texts(undated)),
			trilith.Where("action_deadline", trilith.OpLte, soon))))
}

// Ours accepts everyone's memories in a project, except other users' own: see [trilith.Scope.OfEveryone].
func Ours(s trilith.Scope) trilith.Filter {
	if !s.Everyone {
		return trilith.Filter{}
	}
	return trilith.Filter{Or: []trilith.Filter{trilith.Where("owner", trilith.OpEq, nil),
		trilith.Where("owner", trilith.OpIn, truth.Texts([]trilith.Owner{s.MatterOwner(), s.Owner()}))}}
}

// First returns the first limit facts, in the order of compare, that any of the filters accepts; ties are ordered by
// event time and id. Shares are skipped: a fact is listed only in the scope of its origin.
func (rd *Reader) First(ctx context.Context, s trilith.Scope, limit int, compare func(a, b *trilith.Memory) int,
	filters ...trilith.Filter) (trilith.Page, error) {
	page := trilith.Page{Items: []trilith.Memory{}}
	for _, f := range filters {
		for m, err := range rd.truth.Store.List(ctx, s, role.Listing{Filter: f}) {
			if err != nil {
				return trilith.Page{}, err
			}
			if m.SharedFrom != "" {
				continue
			}
			at, known := slices.BinarySearchFunc(page.Items, m, func(a, b trilith.Memory) int {
				return cmp.Or(compare(&a, &b), a.EventTime.Compare(b.EventTime), cmp.Compare(a.ID, b.ID))
			})
			if at < limit && !known {
				page.Items = slices.Insert(page.Items, at, m)[:min(limit, len(page.Items)+1)]
			}
		}
	}
	page.Items, page.Truncated = truth.Fit(page.Items)
	ms := facts.Pointers(page.Items)
	rd.DescribeMemories(ctx, s, ms)
	return page, nil
}
