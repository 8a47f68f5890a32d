package age

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/store/walk"
)

// Store is a store of the truth that writes a [Projection] and lets graphs into its transactions.
type Store interface {
	role.Store
	// InTenant calls f in a new transaction at READ COMMITTED, as the role that owns the tenant's graph, and commits if
	// f returns nil; without write it is read only. It may call f again, after undoing what f did. Its errors are
	// translated.
	InTenant(ctx context.Context, tenant string, write bool, f func(pgx.Tx) error) error
	// FactsIn returns the tenant's facts after an id, by ascending id, at most limit, as the transaction sees them.
	FactsIn(ctx context.Context, tx pgx.Tx, tenant string, after trilith.ID, limit int) ([]trilith.Memory, error)
	// EntitiesIn returns the existing ones of the tenant's entities, in any order, as the transaction sees them. Ids
	// may be repeated.
	EntitiesIn(ctx context.Context, tx pgx.Tx, tenant string, ids []trilith.ID) ([]trilith.Entity, error)
}

// Graph plays [role.Graph] on the graphs that a [Projection] keeps: they find memories, and the store supplies their
// content. It keeps nothing itself, and is safe for concurrent use.
type Graph struct {
	walk.Graph
	store Store
}

var (
	_ role.Graph          = (*Graph)(nil)
	_ role.ProjectedGraph = (*Graph)(nil)
)

// New makes a graph of the facts of a store, whose commits are projected. The store stays the caller's to close.
func New(store Store) *Graph {
	g := &Graph{store: store}
	g.Graph = walk.Graph{Store: store, List: g.list}
	return g
}

// list is a [walk.Lister]: page by page the graph finds facts and the store says which of them the scope covers.
func (g *Graph) list(ctx context.Context, s trilith.Scope, e walk.Edge, ids []trilith.ID, limit int) (
	[]trilith.Memory, error) {
	queries := follow(e, ids)
	var facts []trilith.Memory
	for after := trilith.ID(""); ; {
		found, err := g.find(ctx, s.Tenant, queries, after, limit)
		if err != nil {
			return nil, err
		}
		ms, err := g.store.Get(ctx, s, found)
		if err != nil {
			return nil, trilith.WrapError(trilith.Internal, "age.List", err)
		}
		for _, m := range ms {
			if m.Fact != nil && m.State == trilith.StateActive { // it may have changed meanwhile
				facts = append(facts, m)
			}
		}
		if len(found) < limit || len(facts) >= limit {
			return facts, nil
		}
		after = found[len(found)-1]
	}
}

var following = map[walk.Edge]string{
	walk.OfEntity:     `MATCH (v:Entity)-[x:ASSERTS]->(f:Fact) WHERE %s RETURN x.memory`,
	walk.NamingEntity: `MATCH (f:Fact)-[x:NAMES]->(v:Entity) WHERE %s RETURN x.memory`,
	walk.FromSource:   `MATCH (f:Fact)-[x:FROM]->(v:Source) WHERE %s RETURN x.memory`,
}

// together is how many vertices one query starts from, if it is more than one.
const together = 16

// query is Cypher that returns ids of memories.
type query struct {
	cypher     string
	parameters map[string]string
}

// follow returns the queries for the active facts along an edge from vertices. Each vertex has its own condition, which
// PostgreSQL looks up by index; it reads whole tables for IN, for UNWIND, and for a condition in parentheses in Cypher.
func follow(e walk.Edge, ids []trilith.ID) (queries []query) {
	for lot := range slices.Chunk(ids, together) {
		q := query{parameters: make(map[string]string)}
		var starts []string
		for i := range min(together, 1+(len(lot)-1)*together) { // 1 or all
			name := fmt.Sprint("id", i)
			starts = append(starts, "v.id = $"+name+" AND x.state = 'active'")
			// the last one again and again, so that few texts are planned
			q.parameters[name] = called(string(lot[min(i, len(lot)-1)]))
		}
		q.cypher = fmt.Sprintf(following[e], strings.Join(starts, " OR "))
		queries = append(queries, q)
	}
	return queries
}

// matching finds an assertion, and following finds the facts at the end of edges x from vertices v that a condition is
// about. Fixed directions and labels at both ends keep AGE from reading whole tables.
const matching = `MATCH (e:Entity)-[a:ASSERTS]->(f:Fact)
	WHERE a.memory = $memory AND e.id = $entity AND a.verb = $verb AND f.id = $fact RETURN a.memory`

// Match is documented at [role.Graph].
func (g *Graph) Match(ctx context.Context, s trilith.Scope, owner trilith.Owner, entity trilith.ID, verb, factID string) (
	trilith.Memory, error) {
	if err := s.Validate(); err != nil {
		return trilith.Memory{}, err
	}
	var queries []query
	for _, id := range trilith.FactIDs(owner, entity, verb, factID) {
		queries = append(queries,
			query{matching, map[string]string{"memory": string(id), "entity": called(string(entity)),
				"verb": called(verb), "fact": called(factID)}})
	}
	found, err := g.find(ctx, s.Tenant, queries, "", 1)
	if err != nil {
		return trilith.Memory{}, err
	}
	if len(found) == 0 {
		return trilith.Memory{}, walk.Unmatched()
	}
	return g.Graph.Match(ctx, s, owner, entity, verb, factID)
}

// find returns the ids of memories that queries find after one in the tenant's graph, in ascending order, at most
// limit.
func (g *Graph) find(ctx context.Context, tenant string, queries []query, after trilith.ID, limit int) (
	[]trilith.ID, error) {
	graph := GraphName(tenant)
	var found []trilith.ID
	err := g.store.InTenant(ctx, tenant, false, func(tx pgx.Tx) error {
		found = nil
		_, exists, err := enter(ctx, tx, graph, unlocked)
		if err != nil || !exists {
			return err
		}
		var b pgx.Batch
		for _, q := range queries {
			parameters, err := json.Marshal(q.parameters)
			if err != nil {
				return err
			}
			// Ids are ordered by bytes; Cypher's order and the database's may differ.
			b.Queue(fmt.Sprintf(`SELECT memory FROM cypher('%s', $cy$ %s $cy$, $1) AS (memory text)
				WHERE memory COLLATE "C" > $2 ORDER BY memory COLLATE "C" LIMIT $3`, graph, q.cypher), string(parameters), string(after), limit).
				Query(func(rows pgx.Rows) error {
					some, err := pgx.CollectRows(rows, pgx.RowTo[trilith.ID])
					found = append(found, some...)
					return err
				})
		}
		return tx.SendBatch(ctx, &b).Close()
	})
	if len(queries) > 1 {
		slices.Sort(found)
		found = found[:min(len(found), limit)]
	}
	return found, trilith.WrapError(trilith.Internal, "age.Find", err)
}
