// Package walk has the common part of graphs of facts, wherever their edges lie: it plays [role.Graph] on any lister
// of the facts at the end of an edge.
package walk

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
)

// maxHops is how far the contract lets a walk go.
const maxHops = 2

// Edge leads from an id to all facts that have it in one place.
type Edge string

// The edges, by the fields of facts.
const (
	OfEntity     Edge = "entity_id"  // the facts that an entity asserts
	NamingEntity Edge = "entity_ref" // the facts whose node names an entity
	FromSource   Edge = "source_id"  // the facts of a source
)

// A Lister returns active facts that the scope covers and to which the edge leads from one of the ids. There is at
// least one id; none is empty, and none occurs twice. The limit facts with the lowest ids are among the result; the
// order is any.
type Lister func(ctx context.Context, s trilith.Scope, e Edge, ids []trilith.ID, limit int) ([]trilith.Memory, error)

// Graph plays [role.Graph]. It keeps nothing, and is as safe for concurrent use as its parts.
type Graph struct {
	Store role.Store
	List  Lister
}

var _ role.Graph = Graph{}

// Match is documented at [role.Graph].
func (g Graph) Match(ctx context.Context, s trilith.Scope, owner trilith.Owner, entity trilith.ID, verb, factID string) (
	trilith.Memory, error) {
	if err := s.Validate(); err != nil {
		return trilith.Memory{}, err
	}
	ms, err := g.Store.Get(ctx, s, trilith.FactIDs(owner, entity, verb, factID))
	if err != nil {
		return trilith.Memory{}, trilith.WrapError(trilith.Internal, "walk.Match", err)
	}
	for _, m := range ms {
		if m.Fact != nil && m.Fact.Owner == owner {
			return m, nil
		}
	}
	return trilith.Memory{}, Unmatched()
}

// Unmatched is the error of Match for an assertion that does not exist.
func Unmatched() error { return trilith.Errorf(trilith.NotFound, "fact: no such fact is in the graph") }

// Facts is documented at [role.Graph]. A limit over [trilith.MaxWalk] is Invalid.
func (g Graph) Facts(ctx context.Context, s trilith.Scope, entities []trilith.ID, limit int) ([]trilith.Memory, error) {
	return g.about(ctx, s, OfEntity, entities, limit)
}

// Naming is documented at [role.Graph]. A limit over [trilith.MaxWalk] is Invalid.
func (g Graph) Naming(ctx context.Context, s trilith.Scope, entities []trilith.ID, limit int) ([]trilith.Memory, error) {
	return g.about(ctx, s, NamingEntity, entities, limit)
}

func (g Graph) about(ctx context.Context, s trilith.Scope, e Edge, entities []trilith.ID, limit int) (
	[]trilith.Memory, error) {
	if limit < 0 || limit > trilith.MaxWalk {
		return nil, trilith.Errorf(trilith.Invalid, "limit: is %d, must be 0 to %d", limit, trilith.MaxWalk)
	}
	if err := s.Validate(); err != nil {
		return nil, err
	}
	if limit == 0 {
		limit = trilith.MaxWalk
	}
	found, err := g.list(ctx, s, e, entities, limit)
	if err != nil {
		return nil, err
	}
	return first(found, limit), nil
}

// walk is one Walk under way.
type walk struct {
	graph    Graph
	scope    trilith.Scope
	facts    []trilith.Memory // the result so far
	seen     map[trilith.ID]bool
	followed map[step]bool
}

// step is an edge from one id.
type step struct {
	edge Edge
	from trilith.ID
}

// Walk is documented at [role.Graph]. The given facts are read again: they come as the truth holds them now, in
// whatever state, and those that the scope does not see, or that are no facts, are left out. A repeated one comes once.
func (g Graph) Walk(ctx context.Context, s trilith.Scope, from []trilith.Memory, hops int) ([]trilith.Memory, error) {
	if hops < 0 || hops > maxHops {
		return nil, trilith.Errorf(trilith.Invalid, "hops: is %d, must be 0 to %d", hops, maxHops)
	}
	if err := s.Validate(); err != nil {
		return nil, err
	}
	var ids []trilith.ID
	for _, m := range from {
		if m.Scope.Tenant == s.Tenant { // another tenant may have a fact of the same id
			ids = append(ids, m.ID)
		}
	}
	given, err := g.Store.Get(ctx, s, ids)
	if err != nil {
		return nil, trilith.WrapError(trilith.Internal, "walk.Walk", err)
	}
	w := walk{graph: g, scope: s, seen: make(map[trilith.ID]bool), followed: make(map[step]bool)}
	for _, m := range given {
		if m.Fact != nil {
			w.add(m)
		}
	}
	at := w.facts
	for range hops {
		if at, err = w.hop(ctx, at); err != nil {
			return nil, err
		}
	}
	return w.facts, nil
}

// hop goes one hop on from the facts and returns those that it adds. A node that two entities share is no edge.
func (w *walk) hop(ctx context.Context, from []trilith.Memory) ([]trilith.Memory, error) {
	before := len(w.facts)
	if before == trilith.MaxWalk {
		return nil, nil
	}
	ids := make(map[Edge][]trilith.ID)
	follow := func(s step) {
		if s.from != "" && !w.followed[s] {
			w.followed[s] = true
			ids[s.edge] = append(ids[s.edge], s.from)
		}
	}
	for _, m := range from {
		follow(step{FromSource, m.SourceID})
		follow(step{OfEntity, m.Fact.Node.EntityRef})
	}
	var found []trilith.Memory
	for _, e := range slices.Sorted(maps.Keys(ids)) {
		// Of the lowest MaxWalk ids enough are new to fill the walk.
		ms, err := w.graph.list(ctx, w.scope, e, ids[e], trilith.MaxWalk)
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

// list asks the lister about each id once. Empty ones, which no fact has, would make a store read the whole tenant.
func (g Graph) list(ctx context.Context, s trilith.Scope, e Edge, ids []trilith.ID, limit int) ([]trilith.Memory, error) {
	ids = slices.DeleteFunc(slices.Clone(ids), func(id trilith.ID) bool { return id == "" })
	slices.Sort(ids)
	if ids = slices.Compact(ids); len(ids) == 0 {
		return nil, nil
	}
	return g.List(ctx, s, e, ids, limit)
}

// first returns the n facts with the lowest ids, by ascending id.
func first(facts []trilith.Memory, n int) []trilith.Memory {
	slices.SortFunc(facts, func(a, b trilith.Memory) int { return cmp.Compare(a.ID, b.ID) })
	return facts[:min(n, len(facts))]
}

// add appends a fact, unless it is there already or the walk is full.
func (w *walk) add(m trilith.Memory) {
	if !w.seen[m.ID] && len(w.facts) < trilith.MaxWalk {
		w.seen[m.ID] = true
		w.facts = append(w.facts, m)
	}
}
