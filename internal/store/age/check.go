package age

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"reflect"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
)

// report collects differences.
type report struct{ trilith.GraphReport }

// Check compares a tenant's graph with the facts of the store, edge by edge and in both directions; vertices have to
// have edges, and to agree with the store. Writers of facts of the tenant wait until it ends.
func (g *Graph) Check(ctx context.Context, tenant string) (trilith.GraphReport, error) {
	var r report
	graph := GraphName(tenant)
	err := g.store.InTenant(ctx, tenant, false, func(tx pgx.Tx) error {
		r = report{trilith.GraphReport{Tenant: tenant, Vertices: make(map[string]int), Edges: make(map[string]int)}}
		_, exists, err := enter(ctx, tx, graph, checking)
		if err != nil {
			return err
		}
		truth, stop := iter.Pull2(g.rows(ctx, tx, tenant, &r.Facts))
		defer stop()
		next, err, more := truth()
		if exists {
			for have, e := range edges(ctx, tx, graph) {
				if e != nil {
					return e
				}
				r.Edges[edgeLabels[have.label].name]++
				for more && err == nil && next.compare(have) < 0 {
					r.add(edgeLabels[next.label].name, next.memory, "missing")
					next, err, more = truth()
				}
				switch {
				case err != nil:
					return err
				case !more || next.compare(have) != 0:
					r.add(edgeLabels[have.label].name, have.memory, "extra")
					continue
				case next != have:
					r.add(edgeLabels[have.label].name, have.memory, "different")
				}
				next, err, more = truth()
			}
		}
		for ; more && err == nil; next, err, more = truth() {
			r.add(edgeLabels[next.label].name, next.memory, "missing")
		}
		if err != nil || !exists {
			return err
		}
		return g.vertices(ctx, tx, tenant, graph, &r)
	})
	return r.GraphReport, trilith.WrapError(trilith.Internal, "age.Check", err)
}

// row is an edge with the place of its label in edgeLabels. Rows are in the order of memory, then label.
type row struct {
	label int
	edge
}

// rows yields the edges that the graph should have, and counts the facts.
func (g *Graph) rows(ctx context.Context, tx pgx.Tx, tenant string, facts *int) iter.Seq2[row, error] {
	return func(yield func(row, error) bool) {
		for some, err := range g.facts(ctx, tx, tenant) {
			if err != nil {
				yield(row{}, err)
				return
			}
			*facts += len(some)
			for _, m := range some {
				for i, e := range edgesOf(m) {
					if e != nil && !yield(row{i, *e}, nil) {
						return
					}
				}
			}
		}
	}
}

// portion is how many rows are read at a time where many are.
const portion = role.MaxBatch

// facts yields the facts of a tenant by ascending id, some at a time.
func (g *Graph) facts(ctx context.Context, tx pgx.Tx, tenant string) iter.Seq2[[]trilith.Memory, error] {
	return func(yield func([]trilith.Memory, error) bool) {
		for after := trilith.ID(""); ; {
			some, err := g.store.FactsIn(ctx, tx, tenant, after, portion)
			if len(some) > 0 || err != nil {
				if !yield(some, err) {
					return
				}
			}
			if len(some) < portion || err != nil {
				return
			}
			after = some[portion-1].ID
		}
	}
}

// found is a vertex of the graph.
type found struct {
	vertex
	alone bool // without edges
}

// edges yields the edges of the graph. An end that is not there is empty. A cursor reads them, so that the connection
// is free for others in between.
func edges(ctx context.Context, tx pgx.Tx, graph string) iter.Seq2[row, error] {
	var parts []string
	for i, l := range edgeLabels {
		parts = append(parts, fmt.Sprintf(
			`SELECT %d AS label, %s::text AS memory, coalesce(%s::text, ''), coalesce(%s::text, ''), %s::text, %s::text, %s::bigint
			FROM %s.%q AS t LEFT JOIN %s.%q AS s ON s.id = t.start_id LEFT JOIN %s.%q AS e ON e.id = t.end_id`, i, property("t.properties", "memory"), property("s.properties", "id"),
			property("e.properties", "id"), property("t.properties", "verb"), property("t.properties", "state"),
			property("t.properties", "version"), graph, l.name, graph, l.start, graph, l.end))
	}
	declare := `DECLARE trilith_edges NO SCROLL CURSOR FOR SELECT * FROM (` + strings.Join(parts, " UNION ALL ") +
		`) AS x ORDER BY memory COLLATE "C", label`
	return func(yield func(row, error) bool) {
		if _, err := tx.Exec(ctx, declare); err != nil {
			yield(row{}, err)
			return
		}
		for {
			found, err := tx.Query(ctx, fmt.Sprintf(`FETCH %d FROM trilith_edges`, portion))
			if err != nil {
				yield(row{}, err)
				return
			}
			some, err := pgx.CollectRows(found, func(r pgx.CollectableRow) (v row, err error) {
				err = r.Scan(&v.label, &v.memory, &v.start, &v.end, &v.verb, &v.state, &v.version)
				return v, err
			})
			if err != nil {
				yield(row{}, err)
				return
			}
			for _, r := range some {
				if !yield(r, nil) {
					return
				}
			}
			if len(some) < portion {
				return
			}
		}
	}
}

func (r row) compare(o row) int {
	return cmp.Or(strings.Compare(r.memory, o.memory), cmp.Compare(r.label, o.label))
}

// vertices counts the vertices of the graph, and adds those that have no edges or say something else than the store.
// Ones that are missing show as edges that differ.
func (g *Graph) vertices(ctx context.Context, tx pgx.Tx, tenant, graph string, r *report) error {
	for _, l := range vertexLabels {
		for after, more := "", true; more; {
			found, err := some(ctx, tx, graph, l, after)
			if err != nil {
				return err
			}
			want, err := g.described(ctx, tx, tenant, l, found)
			if err != nil {
				return err
			}
			r.Vertices[l] += len(found)
			for i, v := range found {
				if v.alone {
					r.add(l, v.ID, "extra")
				} else if !reflect.DeepEqual(v.vertex, want[i]) {
					r.add(l, v.ID, "different")
				}
				after = v.ID
			}
			more = len(found) == portion && after != ""
		}
	}
	return nil
}

// some returns the vertices of a label that follow one, in the order of the index, a portion at most.
func some(ctx context.Context, tx pgx.Tx, graph, label, after string) ([]found, error) {
	id := property("v.properties", "id")
	rows, err := tx.Query(ctx,
		fmt.Sprintf(`SELECT coalesce(%s::text, ''), format('%%s', v.properties), %s FROM %s.%q AS v WHERE $1 = '' OR %s > %s ORDER BY %s LIMIT %d`,
			id, alone(graph, label, "v"), graph, label, id, agtype("$1::text"), id, portion), after)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(r pgx.CollectableRow) (v found, err error) {
		var id string
		var properties []byte
		if err := r.Scan(&id, &properties, &v.alone); err != nil {
			return v, err
		}
		if json.Unmarshal(properties, &v.vertex) != nil {
			v.vertex = vertex{} // not ours: it will differ from the store
		}
		v.ID = id
		return v, nil
	})
}

// described returns the vertices of a label as the store has them.
func (g *Graph) described(ctx context.Context, tx pgx.Tx, tenant, label string, vs []found) ([]vertex, error) {
	out := make([]vertex, len(vs))
	ids := make([]trilith.ID, len(vs))
	for i, v := range vs {
		out[i], ids[i] = vertex{ID: v.ID}, trilith.ID(v.ID)
		if label == "Fact" {
			out[i] = factVertex(cmp.Or(v.FactID, v.ID))
			if trilith.ID(v.ID).Validate() == nil { // derived from a text that AGE cannot hold
				out[i].ID = v.ID
			}
		}
	}
	if label != "Entity" {
		return out, nil
	}
	known, err := g.store.EntitiesIn(ctx, tx, tenant, ids)
	byID := make(map[trilith.ID]trilith.Entity)
	for _, e := range known {
		byID[e.ID] = e
	}
	for i, id := range ids {
		if e, ok := byID[id]; ok {
			out[i] = entityVertex(e)
		}
	}
	return out, err
}

func (r *report) add(label, id, problem string) {
	r.Differences++
	if len(r.Examples) < trilith.MaxGraphExamples {
		r.Examples = append(r.Examples, trilith.GraphDifference{Label: label, ID: id, Problem: problem})
	}
}
