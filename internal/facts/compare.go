package facts

import (
	"context"
	"maps"
	"slices"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/truth"
)

// EntitiesToCompare returns the entities that have several selected facts in the scope, by ascending id: the candidates
// for conflicts and duplicates.
func (fs *Facts) EntitiesToCompare(ctx context.Context, s trilith.Scope, c trilith.Comparing) ([]trilith.EntityFacts, error) {
	if store, ok := truth.Ability[role.Tallier](fs.truth); ok {
		return store.Comparable(ctx, s, c)
	}
	count := map[trilith.ID]int{}
	for m, err := range fs.truth.List(ctx, s, role.Listing{Filter: ComparedFacts(c)}) {
		if err != nil {
			return nil, err
		}
		if m.Fact.EntityID > c.After {
			count[m.Fact.EntityID]++
		}
	}
	var out []trilith.EntityFacts
	for _, id := range slices.Sorted(maps.Keys(count)) {
		if count[id] > 1 {
			out = append(out, trilith.EntityFacts{Entity: id, Facts: count[id]})
		}
	}
	return out, nil
}

// ComparedFacts accepts the facts that a comparison selects, of every entity.
func ComparedFacts(c trilith.Comparing) trilith.Filter {
	open := trilith.Filter{Or: []trilith.Filter{trilith.Where("valid_until", trilith.OpEq, nil),
		trilith.Where("valid_until", trilith.OpGt, c.At)}}
	return trilith.AllOf(truth.AnyFact, trilith.Where("state", trilith.OpIn, c.States), open, truth.Unshared)
}
