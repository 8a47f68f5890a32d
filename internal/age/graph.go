package age

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/cairn-memory/cairn"
	"github.com/cairn-memory/cairn/internal/walk"
)

// Store is a store of the truth that writes a [Projection] and lets graphs into its transactions.
type Store interface {
	cairn.Store
	// InTenant calls f in a transaction of its own at READ COMMITTED, as the role that owns the tenant's graph, and commits if f
	// returns nil; without write it is read only. It may call f again, after undoing what f did. Its errors are translated.
	InTenant(ctx context.Context, tenant string, write bool, f func(pgx.Tx) error) error
	// FactsIn returns the tenant's facts after an id, by ascending id, at most limit, as the transaction sees them.
	FactsIn(ctx context.Context, tx pgx.Tx, tenant string, after cairn.ID, limit int) ([]cairn.Memory, error)
}

// Graph plays [cairn.Graph] on the graphs that a [Projection] keeps: they find memories, and the store says what these are. It
// keeps nothing itself, and is safe for concurrent use.
type Graph struct {
	walk.Graph
	store Store
}

var _ cairn.Graph = (*Graph)(nil)

// New makes a graph of the facts of a store, whose commits are projected. The store stays the caller's to close.
func New(store Store) *Graph {
	g := &Graph{store: store}
	g.Graph = walk.Graph{Store: store, List: g.list}
	return g
}

// matching finds an assertion, and following finds the active facts at the end of edges. Fixed directions and labels at both ends
// keep AGE from reading whole tables, and each id of a list is looked up by index, which IN would not do.
const matching = `MATCH (e:Entity)-[a:ASSERTS]->(f:Fact)
	WHERE a.memory = $memory AND e.id = $entity AND a.verb = $verb AND f.id = $fact RETURN a.memory`

var following = map[walk.Edge]string{
	walk.OfEntity: `UNWIND $ids AS given MATCH (e:Entity)-[a:ASSERTS]->(f:Fact)
		WHERE e.id = given AND a.state = 'active' RETURN a.memory`,
	walk.NamingEntity: `UNWIND $ids AS given MATCH (f:Fact)-[n:NAMES]->(e:Entity)
		WHERE e.id = given AND n.state = 'active' RETURN n.memory`,
	walk.FromSource: `UNWIND $ids AS given MATCH (f:Fact)-[r:FROM]->(s:Source)
		WHERE s.id = given AND r.state = 'active' RETURN r.memory`,
}

// Match is documented at [cairn.Graph].
func (g *Graph) Match(ctx context.Context, s cairn.Scope, entity cairn.ID, verb, factID string) (cairn.Memory, error) {
	if err := s.Validate(); err != nil {
		return cairn.Memory{}, err
	}
	found, err := g.find(ctx, s.Tenant, matching, map[string]any{"memory": cairn.FactMemoryID(entity, verb, factID),
		"entity": called(string(entity)), "verb": called(verb), "fact": called(factID)}, "", 1)
	if err != nil {
		return cairn.Memory{}, err
	}
	if len(found) == 0 {
		return cairn.Memory{}, walk.Unmatched()
	}
	return g.Graph.Match(ctx, s, entity, verb, factID)
}

// list is a [walk.Lister]: page by page the graph finds facts and the store says which of them the scope covers.
func (g *Graph) list(ctx context.Context, s cairn.Scope, e walk.Edge, ids []cairn.ID, limit int) ([]cairn.Memory, error) {
	vertices := make([]string, len(ids))
	for i, id := range ids {
		vertices[i] = called(string(id))
	}
	var facts []cairn.Memory
	for after := cairn.ID(""); ; {
		found, err := g.find(ctx, s.Tenant, following[e], map[string]any{"ids": vertices}, after, limit)
		if err != nil {
			return nil, err
		}
		ms, err := g.store.Get(ctx, s, found)
		if err != nil {
			return nil, cairn.WrapError(cairn.Internal, "age.List", err)
		}
		for _, m := range ms {
			if m.Fact != nil && m.State == cairn.StateActive { // it may have changed meanwhile
				facts = append(facts, m)
			}
		}
		if len(found) < limit || len(facts) >= limit {
			return facts, nil
		}
		after = found[len(found)-1]
	}
}

// find returns the ids of memories that a query of Cypher finds after one in the tenant's graph, in ascending order, at most limit.
func (g *Graph) find(ctx context.Context, tenant, query string, parameters map[string]any, after cairn.ID, limit int) ([]cairn.ID, error) {
	p, err := json.Marshal(parameters)
	if err != nil {
		return nil, cairn.WrapError(cairn.Internal, "age.Find", err)
	}
	graph := GraphName(tenant)
	var found []cairn.ID
	err = g.store.InTenant(ctx, tenant, false, func(tx pgx.Tx) error {
		_, exists, err := enter(ctx, tx, graph, unlocked)
		if err != nil || !exists {
			return err
		}
		// The order of ids is that of their bytes, which neither Cypher's nor the database's has to be.
		rows, err := tx.Query(ctx, fmt.Sprintf(`SELECT memory FROM cypher('%s', $cy$ %s $cy$, $1) AS (memory text)
			WHERE memory COLLATE "C" > $2 ORDER BY memory COLLATE "C" LIMIT $3`, graph, query), string(p), string(after), limit)
		if err != nil {
			return err
		}
		found, err = pgx.CollectRows(rows, pgx.RowTo[cairn.ID])
		return err
	})
	return found, cairn.WrapError(cairn.Internal, "age.Find", err)
}
