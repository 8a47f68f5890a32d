package facts

import (
	"context"
	"slices"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/truth"
)

// maxTextScan is the largest number of memories that a filter on the text reads. Indexes store no texts, so each memory
// has to be read.
const maxTextScan = 100_000

// ResolveFilter reads the times of a filter as the caller means them, and replaces its text comparisons by the ids of the
// scope's memories that pass them. The other conditions of the filter limit which memories are read.
func (fs *Facts) ResolveFilter(ctx context.Context, s trilith.Scope, f trilith.Filter) (trilith.Filter, error) {
	f = f.InZone(fs.truth.ClockOf(s).Zone)
	if !f.Names(trilith.FilterText) {
		return f, nil
	}
	if err := truth.CheckScope(s); err != nil {
		return f, err
	}
	var beside []trilith.Filter
	for _, c := range f.Conjuncts() {
		if c.Field != trilith.FilterText {
			beside = append(beside, c)
		}
	}
	if err := trilith.AllOf(beside...).Validate(); err != nil {
		return f, err
	}
	return f.Replace(trilith.FilterText,
		func(c trilith.Filter) (trilith.Filter, error) {
			return fs.textCondition(ctx, s, c, trilith.AllOf(beside...))
		})
}

// textCondition returns a condition that accepts the memories whose text passes a comparison. It evaluates a negated
// comparison by its opposite, because the negation usually holds for nearly all texts.
func (fs *Facts) textCondition(ctx context.Context, s trilith.Scope, c, beside trilith.Filter) (trilith.Filter, error) {
	denied := c.Op == trilith.OpNe || c.Op == trilith.OpNin
	if denied {
		c.Op = map[trilith.Op]trilith.Op{trilith.OpNe: trilith.OpEq, trilith.OpNin: trilith.OpIn}[c.Op]
	}
	passes, err := c.TextTest()
	if err != nil {
		return c, err
	}
	ids, read := []trilith.ID{}, 0
	for m, err := range fs.truth.List(ctx, s, role.Listing{Filter: beside, Limit: maxTextScan + 1}) {
		if err != nil {
			return c, err
		}
		if read++; read > maxTextScan {
			return c, trilith.Errorf(trilith.Exhausted,
				"filter: text: would read more than %d memories; narrow the scope, or add conditions that hold beside it", maxTextScan)
		}
		if passes(m.Text) {
			ids = append(ids, m.ID)
		}
		if len(ids) > trilith.MaxFilterList {
			return c, trilith.Errorf(trilith.Exhausted,
				"filter: text: holds for more than %d memories; narrow the scope, or add conditions that hold beside it", trilith.MaxFilterList)
		}
	}
	var is trilith.Filter
	if len(ids) == 0 {
		is = trilith.Where("id", trilith.OpEq, nil) // every memory has an id, so this accepts none
	} else {
		is = trilith.Where("id", trilith.OpIn, slices.Clip(ids))
	}
	if denied {
		return trilith.Filter{Not: &is}, nil
	}
	return is, nil
}
