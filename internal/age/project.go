package age

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/cairn-memory/cairn"
)

// Projection keeps the graphs in step with the truth. The store of the truth writes it; see Projection of internal/postgres, whose
// methods these are. The zero value is ready, and safe for concurrent use.
type Projection struct{}

// Project follows one commit: afterwards the tenant's graph says of the memories what they say now. Commits of one tenant that
// touch facts wait for each other from here to their end. It makes the tenant's graph if there is none.
//
// The errors of the database are returned as they are: whoever owns the transaction judges them.
func (Projection) Project(ctx context.Context, tx pgx.Tx, tenant string, put []cairn.Memory, deleted []cairn.ID) error {
	gone := slices.Clone(deleted)
	var facts []cairn.Memory
	for _, m := range put {
		switch {
		case edgesOf(m)[0] != nil:
			facts = append(facts, m)
		case m.Version > 1: // it may have been a fact before
			gone = append(gone, m.ID)
		}
	}
	if len(facts) == 0 && len(gone) == 0 {
		return nil
	}
	graph := GraphName(tenant)
	before, exists, err := enter(ctx, tx, graph, writing)
	if err != nil {
		return err
	}
	var last pgx.Batch
	if !exists && len(facts) > 0 {
		if err := create(ctx, tx, graph); err != nil {
			return err
		}
	}
	if exists || len(facts) > 0 {
		loose, err := replace(ctx, tx, graph, facts, gone)
		if err != nil {
			return err
		}
		remove(&last, graph, loose)
	}
	leave(&last, before)
	return tx.SendBatch(ctx, &last).Close()
}

// replace takes the edges of all these memories out of the graph and puts those in that the facts have now. It returns the
// vertices that have lost an edge.
func replace(ctx context.Context, tx pgx.Tx, graph string, facts []cairn.Memory, gone []cairn.ID) (loose []string, err error) {
	touched := make([]string, 0, len(facts)+len(gone))
	for _, id := range gone {
		touched = append(touched, string(id))
	}
	for _, m := range facts {
		touched = append(touched, string(m.ID))
	}
	vertices := make(map[string]bool)
	var b pgx.Batch
	for _, l := range edgeLabels {
		b.Queue(fmt.Sprintf(`DELETE FROM %s.%q AS t USING unnest($1::text[]) AS x(memory) WHERE %s = %s RETURNING start_id::text, end_id::text`,
			graph, l.name, property("t.properties", "memory"), agtype("x.memory")), touched).Query(func(rows pgx.Rows) error {
			var start, end string
			_, err := pgx.ForEachRow(rows, []any{&start, &end}, func() error {
				vertices[start], vertices[end] = true, true
				return nil
			})
			return err
		})
	}
	insert(&b, graph, facts)
	err = tx.SendBatch(ctx, &b).Close()
	return slices.Collect(maps.Keys(vertices)), err
}

// remove queues the removal of those vertices that have no edges.
func remove(b *pgx.Batch, graph string, vertices []string) {
	if len(vertices) == 0 {
		return
	}
	for _, l := range vertexLabels {
		b.Queue(fmt.Sprintf(`DELETE FROM %s.%q AS v USING unnest($1::text[]) AS x(id) WHERE v.id = x.id::graphid AND %s`, graph, l, alone(graph, l, "v")), vertices)
	}
}

// alone is the SQL condition that a vertex of the label has no edges.
func alone(graph, label, vertex string) string {
	var none []string
	for _, l := range edgeLabels {
		for column, at := range map[string]string{"start_id": l.start, "end_id": l.end} {
			if at == label {
				none = append(none, fmt.Sprintf(`NOT EXISTS (SELECT FROM %s.%q AS e WHERE e.%s = %s.id)`, graph, l.name, column, vertex))
			}
		}
	}
	slices.Sort(none) // one text for one statement, so that it is prepared once
	return strings.Join(none, " AND ")
}

// insert queues the statements that put the edges of facts into a graph that has none of them.
func insert(b *pgx.Batch, graph string, facts []cairn.Memory) {
	var columns [3]struct {
		memory, start, end, verb, state []string
		version                         []int64
	}
	vertices := make(map[string]map[string]bool) // by label
	for _, l := range vertexLabels {
		vertices[l] = make(map[string]bool)
	}
	for _, m := range facts {
		for i, e := range edgesOf(m) {
			if e == nil {
				continue
			}
			c := &columns[i]
			c.memory, c.start, c.end = append(c.memory, e.memory), append(c.start, e.start), append(c.end, e.end)
			c.verb, c.state, c.version = append(c.verb, e.verb), append(c.state, e.state), append(c.version, e.version)
			vertices[edgeLabels[i].start][e.start], vertices[edgeLabels[i].end][e.end] = true, true
		}
	}
	for _, l := range vertexLabels {
		if len(vertices[l]) > 0 {
			b.Queue(fmt.Sprintf(`INSERT INTO %s.%q AS v (properties) SELECT agtype_build_map('id', x.id) FROM unnest($1::text[]) AS x(id)
				ON CONFLICT (%s) DO NOTHING`, graph, l, property("properties", "id")), slices.Collect(maps.Keys(vertices[l])))
		}
	}
	for i, l := range edgeLabels {
		if c := &columns[i]; len(c.memory) > 0 {
			b.Queue(fmt.Sprintf(`INSERT INTO %s.%q (start_id, end_id, properties)
				SELECT s.id, e.id, agtype_build_map('memory', x.memory, 'verb', x.verb, 'state', x.state, 'version', x.version)
				FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::bigint[]) AS x(memory, start_id, end_id, verb, state, version)
				JOIN %s.%q AS s ON %s = %s JOIN %s.%q AS e ON %s = %s`, graph, l.name,
				graph, l.start, property("s.properties", "id"), agtype("x.start_id"), graph, l.end, property("e.properties", "id"), agtype("x.end_id")),
				c.memory, c.start, c.end, c.verb, c.state, c.version)
		}
	}
}
