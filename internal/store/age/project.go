package age

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
)

// Projection keeps the graphs in step with the truth. The store of the truth writes it; see Projection of
// internal/store/postgres, whose methods these are. The zero value is ready, and safe for concurrent use.
type Projection struct{}

// Project applies one commit to the tenant's graph, so that it agrees with the present memories and entities. Commits
// of one tenant that touch facts or entities wait for each other from here to their end. It creates the tenant's graph
// if there is none.
//
// The errors of the database are returned unchanged: the owner of the transaction handles them.
func (Projection) Project(ctx context.Context, tx pgx.Tx, tenant string, done role.Batch,
	read func([]trilith.ID) ([]trilith.Entity, error)) error {
	facts, gone, changed := touched(done)
	if len(facts) == 0 && len(gone) == 0 && len(changed) == 0 {
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
		known, err := read(append(entitiesOf(facts), changed...)) // under the lock, so that nothing outdated is written
		if err != nil {
			return err
		}
		loose, err := replace(ctx, tx, graph, facts, gone, known)
		if err != nil {
			return err
		}
		remove(&last, graph, loose)
		if err := describe(&last, graph, changed, known); err != nil {
			return err
		}
	}
	leave(&last, before)
	return tx.SendBatch(ctx, &last).Close()
}

// touched returns the effects of a commit on a graph: facts in their present state, memories that are none any more,
// and entities whose records were written.
func touched(done role.Batch) (facts []trilith.Memory, gone, entities []trilith.ID) {
	for _, m := range done.Memories {
		switch {
		case edgesOf(m)[0] != nil:
			facts = append(facts, m)
		case m.Version > 1: // it may have been a fact before
			gone = append(gone, m.ID)
		}
	}
	for _, r := range done.Records {
		if r.Kind == role.RecordEntity {
			entities = append(entities, r.ID)
		}
	}
	for _, r := range done.Delete {
		switch r.Kind {
		case "":
			gone = append(gone, r.ID)
		case role.RecordEntity:
			entities = append(entities, r.ID)
		}
	}
	return facts, gone, entities
}

// replace takes the edges of all these memories out of the graph and puts those in that the facts have now. It returns
// the vertices that have lost an edge.
func replace(ctx context.Context, tx pgx.Tx, graph string, facts []trilith.Memory, gone []trilith.ID,
	known []trilith.Entity) (loose []string, err error) {
	touched := make([]string, 0, len(facts)+len(gone))
	for _, id := range gone {
		touched = append(touched, string(id))
	}
	for _, m := range facts {
		touched = append(touched, string(m.ID))
	}
	ends := make(map[string]bool)
	var b pgx.Batch
	for _, l := range edgeLabels {
		b.Queue(fmt.Sprintf(`DELETE FROM %s.%q WHERE ctid = ANY (ARRAY(SELECT t.ctid FROM unnest($1::text[]) AS x(memory), %s)) RETURNING start_id::text, end_id::text`,
			graph, l.name, lookUp(graph, l.name, "t", property("properties", "memory"), agtype("x.memory"))),
			touched).Query(func(rows pgx.Rows) error {
			var start, end string
			_, err := pgx.ForEachRow(rows, []any{&start, &end}, func() error {
				ends[start], ends[end] = true, true
				return nil
			})
			return err
		})
	}
	if err := insert(&b, graph, facts, known); err != nil {
		return nil, err
	}
	err = tx.SendBatch(ctx, &b).Close()
	return slices.Collect(maps.Keys(ends)), err
}

// insert queues the statements that put the edges of facts into a graph that has none of them, with the known
// properties of their ends.
func insert(b *pgx.Batch, graph string, facts []trilith.Memory, known []trilith.Entity) error {
	var columns [3]struct {
		memory, start, end, verb, state []string
		version                         []int64
	}
	for _, m := range facts {
		for i, e := range edgesOf(m) {
			if e == nil {
				continue
			}
			c := &columns[i]
			c.memory, c.start, c.end = append(c.memory, e.memory), append(c.start, e.start), append(c.end, e.end)
			c.verb, c.state, c.version = append(c.verb, e.verb), append(c.state, e.state), append(c.version, e.version)
		}
	}
	for l, vs := range verticesOf(facts, known) {
		properties, err := texts(vs)
		if err != nil {
			return err
		}
		if len(properties) > 0 {
			b.Queue(upsert(graph, l, ""), properties)
		}
	}
	for i, l := range edgeLabels {
		if c := &columns[i]; len(c.memory) > 0 {
			b.Queue(fmt.Sprintf(`INSERT INTO %s.%q (start_id, end_id, properties)
				SELECT s.id, e.id, agtype_build_map('memory', x.memory, 'verb', x.verb, 'state', x.state, 'version', x.version)
				FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::bigint[]) AS x(memory, start_id, end_id, verb, state, version)
				CROSS JOIN %s CROSS JOIN %s`, graph, l.name, lookUp(graph, l.start, "s", property("properties", "id"), agtype("x.start_id")),
				lookUp(graph, l.end, "e", property("properties", "id"), agtype("x.end_id"))),
				c.memory, c.start, c.end, c.verb, c.state, c.version)
		}
	}
	return nil
}

// remove queues the removal of those vertices that have no edges.
func remove(b *pgx.Batch, graph string, vertices []string) {
	if len(vertices) == 0 {
		return
	}
	for _, l := range vertexLabels {
		b.Queue(fmt.Sprintf(`DELETE FROM %s.%q WHERE ctid = ANY (ARRAY(SELECT v.ctid FROM unnest($1::text[]) AS x(id), %s WHERE %s))`,
			graph, l, lookUp(graph, l, "v", "id", "x.id::graphid"), alone(graph, l, "v")), vertices)
	}
}

// alone is the SQL condition that a vertex of the label has no edges.
func alone(graph, label, vertex string) string {
	var none []string
	for _, l := range edgeLabels {
		for column, at := range map[string]string{"start_id": l.start, "end_id": l.end} {
			if at == label {
				none = append(none, fmt.Sprintf(`NOT EXISTS (SELECT FROM %s.%q AS e WHERE e.%s = %s.id)`, graph, l.name,
					column, vertex))
			}
		}
	}
	slices.Sort(none) // one text for one statement, so that it is prepared once
	return strings.Join(none, " AND ")
}

// describe queues updates of the given entities in the graph to their present records.
func describe(b *pgx.Batch, graph string, entities []trilith.ID, known []trilith.Entity) error {
	if len(entities) == 0 {
		return nil
	}
	now := make(map[string]vertex)
	for _, id := range entities {
		now[called(string(id))] = vertex{ID: called(string(id))}
	}
	for _, e := range known {
		v := entityVertex(e)
		now[v.ID] = v
	}
	properties, err := texts(now)
	there := "CROSS JOIN " +
		lookUp(graph, "Entity", "there", property("properties", "id"), property("x.properties::agtype", "id"))
	b.Queue(upsert(graph, "Entity", there), properties)
	return err
}

// texts returns the properties of vertices.
func texts(vs map[string]vertex) ([]string, error) {
	var out []string
	for _, v := range vs {
		text, err := v.properties()
		if err != nil {
			return nil, err
		}
		out = append(out, text)
	}
	return out, nil
}

// lookUp is the SQL that finds the rows of a label by an expression with an index, once for each row before it. OFFSET
// keeps PostgreSQL from joining in another way, which it would choose by old statistics of a table that was small.
func lookUp(graph, label, as, expression, value string) string {
	return fmt.Sprintf(`LATERAL (SELECT ctid, id FROM %s.%q WHERE %s = %s OFFSET 0) AS %s`, graph, label,
		expression, value, as)
}

// upsert is the SQL that puts the vertices $1 into a label, given as their properties; from narrows them. Existing ones
// get these properties.
func upsert(graph, label, from string) string {
	return fmt.Sprintf(`INSERT INTO %s.%q AS v (properties) SELECT x.properties::agtype FROM unnest($1::text[]) AS x(properties) %s
		ON CONFLICT (%s) DO UPDATE SET properties = excluded.properties WHERE v.properties <> excluded.properties`,
		graph, label, from, property("properties", "id"))
}
