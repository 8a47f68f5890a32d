package tables

import (
	"context"
	"maps"
	"slices"

	"github.com/cairn-memory/cairn"
)

// Walk is documented at [cairn.Graph]. The given facts are read again: they come as the truth holds them now, in whatever
// state, and those that the scope does not see, or that are no facts, are left out. A repeated one comes once.
func (g *Graph) Walk(ctx context.Context, s cairn.Scope, from []cairn.Memory, hops int) ([]cairn.Memory, error) {
	if hops < 0 || hops > maxHops {
		return nil, cairn.Errorf(cairn.Invalid, "hops: is %d, must be 0 to %d", hops, maxHops)
	}
	if err := s.Validate(); err != nil {
		return nil, err
	}
	var ids []cairn.ID
	for _, m := range from {
		if m.Scope.Tenant == s.Tenant { // another tenant may have a fact of the same id
			ids = append(ids, m.ID)
		}
	}
	given, err := g.store.Get(ctx, s, ids)
	if err != nil {
		return nil, cairn.WrapError(cairn.Internal, "tables.Walk", err)
	}
	w := walk{graph: g, scope: s, seen: make(map[cairn.ID]bool), followed: make(map[edge]bool)}
	for _, m := range given {
		if m.Fact != nil {
			w.add(m)
		}
	}
	at := w.facts
	for range hops {
		if at, err = w.step(ctx, at); err != nil {
			return nil, err
		}
	}
	return w.facts, nil
}

// walk is one Walk under way.
type walk struct {
	graph    *Graph
	scope    cairn.Scope
	facts    []cairn.Memory // the result so far
	seen     map[cairn.ID]bool
	followed map[edge]bool
}

// edge leads to all facts that have the value in the field.
type edge struct {
	field string
	value cairn.ID
}

// add appends a fact, unless it is there already or the walk is full.
func (w *walk) add(m cairn.Memory) {
	if !w.seen[m.ID] && len(w.facts) < cairn.MaxWalk {
		w.seen[m.ID] = true
		w.facts = append(w.facts, m)
	}
}

// step goes one hop on from the facts and returns those that it adds. A node that two entities share is no edge.
func (w *walk) step(ctx context.Context, from []cairn.Memory) ([]cairn.Memory, error) {
	before := len(w.facts)
	if before == cairn.MaxWalk {
		return nil, nil
	}
	values := make(map[string][]cairn.ID)
	follow := func(e edge) {
		if e.value != "" && !w.followed[e] {
			w.followed[e] = true
			values[e.field] = append(values[e.field], e.value)
		}
	}
	for _, m := range from {
		follow(edge{"source_id", m.SourceID})
		follow(edge{"entity_id", m.Fact.Node.EntityRef})
	}
	var found []cairn.Memory
	for _, field := range slices.Sorted(maps.Keys(values)) {
		// Of the lowest MaxWalk ids enough are new to fill the walk.
		ms, err := w.graph.list(ctx, w.scope, field, values[field], cairn.MaxWalk)
		if err != nil {
			return nil, err
		}
		found = append(found, ms...)
	}
	for _, m := range first(found, len(found)) {
		w.add(m)
	}
	return w.facts[before:], nil
}
