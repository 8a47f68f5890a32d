package walk

import (
	"context"
	"slices"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
)

// listed is how many values one listing asks for: half of a filter's limit.
const listed = trilith.MaxFilterList / 2

// OverStore returns a graph whose edges are the facts themselves: following one is a listing of the facts that name the
// same entity or the same source. The graph keeps no data of its own, so it never lags and never has to be rebuilt. It
// is as fast as the store lists memories by entity_id, entity_ref and source_id. The store stays the caller's to close.
func OverStore(store role.Store) Graph {
	return Graph{Store: store, List: func(ctx context.Context, s trilith.Scope, e Edge, ids []trilith.ID, limit int) (
		[]trilith.Memory, error) {
		return list(ctx, store, s, e, ids, limit)
	}}
}

// list is a [Lister] by listings of the store.
func list(ctx context.Context, store role.Store, s trilith.Scope, e Edge, ids []trilith.ID, limit int) (
	[]trilith.Memory, error) {
	var found []trilith.Memory
	for some := range slices.Chunk(ids, listed) {
		has := trilith.Where(string(e), trilith.OpIn, some)
		if len(some) == 1 {
			has = trilith.Where(string(e), trilith.OpEq, some[0])
		}
		l := role.Listing{Limit: limit, Filter: trilith.AllOf(has,
			trilith.Where("kind", trilith.OpEq, trilith.KindFact), trilith.Where("state", trilith.OpEq, trilith.StateActive))}
		for m, err := range store.List(ctx, s, l) {
			if err != nil {
				return nil, trilith.WrapError(trilith.Internal, "walk.List", err)
			}
			if m.Fact != nil {
				found = append(found, m)
			}
		}
	}
	return found, nil
}
