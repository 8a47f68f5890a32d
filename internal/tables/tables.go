// Package tables plays [cairn.Graph] on any [cairn.Store]: the edges of the graph are the facts themselves, and following
// one is a listing of the facts that name the same entity or the same source. Nothing is kept beside the store, so the
// graph never lags and never has to be rebuilt.
//
// It is as fast as the store lists memories by entity_id, entity_ref and source_id.
package tables

import (
	"cmp"
	"context"
	"slices"

	"github.com/cairn-memory/cairn"
)

// listed is how many values one listing asks for; half of what a filter may hold.
const listed = cairn.MaxFilterList / 2

// maxHops is how far the contract lets a walk go.
const maxHops = 2

// Graph plays [cairn.Graph]. It keeps nothing, and is as safe for concurrent use as its store.
type Graph struct{ store cairn.Store }

var _ cairn.Graph = (*Graph)(nil)

// New makes a graph of the store's facts. The store stays the caller's to close.
func New(store cairn.Store) *Graph { return &Graph{store: store} }

// Match is documented at [cairn.Graph].
func (g *Graph) Match(ctx context.Context, s cairn.Scope, entity cairn.ID, verb, factID string) (cairn.Memory, error) {
	if err := s.Validate(); err != nil {
		return cairn.Memory{}, err
	}
	ms, err := g.store.Get(ctx, s, []cairn.ID{cairn.FactMemoryID(entity, verb, factID)})
	if err != nil {
		return cairn.Memory{}, cairn.WrapError(cairn.Internal, "tables.Match", err)
	}
	if len(ms) == 0 || ms[0].Fact == nil {
		return cairn.Memory{}, cairn.Errorf(cairn.NotFound, "fact: there is no such assertion")
	}
	return ms[0], nil
}

// Facts is documented at [cairn.Graph]. A limit over [cairn.MaxWalk] is Invalid.
func (g *Graph) Facts(ctx context.Context, s cairn.Scope, entities []cairn.ID, limit int) ([]cairn.Memory, error) {
	return g.about(ctx, s, "entity_id", entities, limit)
}

// Naming is documented at [cairn.Graph]. A limit over [cairn.MaxWalk] is Invalid.
func (g *Graph) Naming(ctx context.Context, s cairn.Scope, entities []cairn.ID, limit int) ([]cairn.Memory, error) {
	return g.about(ctx, s, "entity_ref", entities, limit)
}

func (g *Graph) about(ctx context.Context, s cairn.Scope, field string, entities []cairn.ID, limit int) ([]cairn.Memory, error) {
	if limit < 0 || limit > cairn.MaxWalk {
		return nil, cairn.Errorf(cairn.Invalid, "limit: is %d, must be 0 to %d", limit, cairn.MaxWalk)
	}
	if err := s.Validate(); err != nil {
		return nil, err
	}
	if limit == 0 {
		limit = cairn.MaxWalk
	}
	found, err := g.list(ctx, s, field, entities, limit)
	if err != nil {
		return nil, err
	}
	return first(found, limit), nil
}

// list returns active facts whose field has one of the values. Those with the lowest ids are among them, limit in number;
// the order is any. Empty values, which no field has, would make the store read the whole tenant.
func (g *Graph) list(ctx context.Context, s cairn.Scope, field string, values []cairn.ID, limit int) ([]cairn.Memory, error) {
	values = slices.DeleteFunc(slices.Clone(values), func(id cairn.ID) bool { return id == "" })
	slices.Sort(values)
	var found []cairn.Memory
	for some := range slices.Chunk(slices.Compact(values), listed) {
		has := cairn.Where(field, cairn.OpIn, some)
		if len(some) == 1 {
			has = cairn.Where(field, cairn.OpEq, some[0])
		}
		l := cairn.Listing{Limit: limit, Filter: cairn.AllOf(has,
			cairn.Where("kind", cairn.OpEq, cairn.KindFact), cairn.Where("state", cairn.OpEq, cairn.StateActive))}
		for m, err := range g.store.List(ctx, s, l) {
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

// first returns the n facts with the lowest ids, by ascending id.
func first(facts []cairn.Memory, n int) []cairn.Memory {
	slices.SortFunc(facts, func(a, b cairn.Memory) int { return cmp.Compare(a.ID, b.ID) })
	return facts[:min(n, len(facts))]
}
