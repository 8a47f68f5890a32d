// Package tables plays [cairn.Graph] on any [cairn.Store]: the edges of the graph are the facts themselves, and
// following one is a listing of the facts that name the same entity or the same source. Nothing is kept beside the
// store, so the graph never lags and never has to be rebuilt.
//
// It is as fast as the store lists memories by entity_id, entity_ref and source_id.
package tables

import (
	"context"
	"slices"

	"github.com/cairn-memory/cairn"
	"github.com/cairn-memory/cairn/internal/walk"
)

// listed is how many values one listing asks for; half of what a filter may hold.
const listed = cairn.MaxFilterList / 2

// Graph plays [cairn.Graph]. It keeps nothing, and is as safe for concurrent use as its store.
type Graph struct{ walk.Graph }

var _ cairn.Graph = (*Graph)(nil)

// New makes a graph of the store's facts. The store stays the caller's to close.
func New(store cairn.Store) *Graph {
	return &Graph{walk.Graph{
		Store: store, List: func(ctx context.Context, s cairn.Scope, e walk.Edge, ids []cairn.ID, limit int) (
			[]cairn.Memory, error) {
			return list(ctx, store, s, e, ids, limit)
		}}}
}

// list is a [walk.Lister] by listings of the store.
func list(ctx context.Context, store cairn.Store, s cairn.Scope, e walk.Edge, ids []cairn.ID, limit int) (
	[]cairn.Memory, error) {
	var found []cairn.Memory
	for some := range slices.Chunk(ids, listed) {
		has := cairn.Where(string(e), cairn.OpIn, some)
		if len(some) == 1 {
			has = cairn.Where(string(e), cairn.OpEq, some[0])
		}
		l := cairn.Listing{Limit: limit, Filter: cairn.AllOf(has,
			cairn.Where("kind", cairn.OpEq, cairn.KindFact), cairn.Where("state", cairn.OpEq, cairn.StateActive))}
		for m, err := range store.List(ctx, s, l) {
			if err != nil {
				return nil, cairn.WrapError(cairn.Internal, "tables.List", err)
			}
			if m.Fact != nil {
				found = append(found, m)
			}
		}
	}
	return found, nil
}
