package facts

import (
	"context"
	"maps"
	"slices"

	"github.com/cairn-memory/cairn"
	"github.com/cairn-memory/cairn/internal/truth"
)

// EntitiesToCompare returns the entities that have several selected facts in the scope, by ascending id: the candidates
// for conflicts and duplicates.
func (fs *Facts) EntitiesToCompare(ctx context.Context, s cairn.Scope, c cairn.Comparing) ([]cairn.EntityFacts, error) {
	if store, ok := fs.truth.Store.(cairn.Tallier); ok {
		return store.Comparable(ctx, s, c)
	}
	count := map[cairn.ID]int{}
	for m, err := range fs.truth.Store.List(ctx, s, cairn.Listing{Filter: ComparedFacts(c)}) {
		if err != nil {
			return nil, err
		}
		if m.Fact.EntityID > c.After {
			count[m.Fact.EntityID]++
		}
	}
	var out []cairn.EntityFacts
	for _, id := range slices.Sorted(maps.Keys(count)) {
		if count[id] > 1 {
			out = append(out, cairn.EntityFacts{Entity: id, Facts: count[id]})
		}
	}
	return out, nil
}

// ComparedFacts accepts the facts that a comparison selects, of every entity.
func ComparedFacts(c cairn.Comparing) cairn.Filter {
	open := cairn.Filter{Or: []cairn.Filter{cairn.Where("valid_until", cairn.OpEq, nil),
		cairn.Where("valid_until", cairn.OpGt, c.At)}}
	return cairn.AllOf(truth.AnyFact, cairn.Where("state", cairn.OpIn, c.States), open, truth.Unshared)
}
