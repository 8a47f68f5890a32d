package facts

import (
	"context"
	"slices"

	"github.com/cairn-memory/cairn"
	"github.com/cairn-memory/cairn/internal/truth"
)

// maxTextScan is the largest number of memories that a filter on the text reads. Indexes store no texts, so each memory
// has to be read.
const maxTextScan = 100_000

// ResolveTextFilters replaces the text comparisons of a filter by the ids of the scope's memories that pass them. The
// other conditions of the filter limit which memories are read.
func (fs *Facts) ResolveTextFilters(ctx context.Context, s cairn.Scope, f cairn.Filter) (cairn.Filter, error) {
	if !f.Names(cairn.FilterText) {
		return f, nil
	}
	if err := truth.CheckScope(s); err != nil {
		return f, err
	}
	var beside []cairn.Filter
	for _, c := range f.Conjuncts() {
		if c.Field != cairn.FilterText {
			beside = append(beside, c)
		}
	}
	if err := cairn.AllOf(beside...).Validate(); err != nil {
		return f, err
	}
	return f.Replace(cairn.FilterText,
		func(c cairn.Filter) (cairn.Filter, error) { return fs.textCondition(ctx, s, c, cairn.AllOf(beside...)) })
}

// textCondition returns a condition that accepts the memories whose text passes a comparison. It evaluates a negated
// comparison by its opposite, because the negation usually holds for nearly all texts.
func (fs *Facts) textCondition(ctx context.Context, s cairn.Scope, c, beside cairn.Filter) (cairn.Filter, error) {
	denied := c.Op == cairn.OpNe || c.Op == cairn.OpNin
	if denied {
		c.Op = map[cairn.Op]cairn.Op{cairn.OpNe: cairn.OpEq, cairn.OpNin: cairn.OpIn}[c.Op]
	}
	passes, err := c.TextTest()
	if err != nil {
		return c, err
	}
	ids, read := []cairn.ID{}, 0
	for m, err := range fs.truth.Store.List(ctx, s, cairn.Listing{Filter: beside, Limit: maxTextScan + 1}) {
		if err != nil {
			return c, err
		}
		if read++; read > maxTextScan {
			return c, cairn.Errorf(cairn.Exhausted,
				"filter: text: would read more than %d memories; narrow the scope, or add conditions that hold beside it", maxTextScan)
		}
		if passes(m.Text) {
			ids = append(ids, m.ID)
		}
		if len(ids) > cairn.MaxFilterList {
			return c, cairn.Errorf(cairn.Exhausted,
				"filter: text: holds for more than %d memories; narrow the scope, or add conditions that hold beside it", cairn.MaxFilterList)
		}
	}
	var is cairn.Filter
	if len(ids) == 0 {
		is = cairn.Where("id", cairn.OpEq, nil) // every memory has an id, so this accepts none
	} else {
		is = cairn.Where("id", cairn.OpIn, slices.Clip(ids))
	}
	if denied {
		return cairn.Filter{Not: &is}, nil
	}
	return is, nil
}
