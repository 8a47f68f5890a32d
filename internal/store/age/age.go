// Package age stores the facts of a memory as a graph in Apache AGE, an extension of PostgreSQL, in the transactions
// that write them, and implements [role.Graph] on it with Cypher. The tables stay the truth: the facts that the graph
// finds are read from the store, and the graph can be rebuilt. Its vertices have names and types for queries in Cypher.
//
// Each tenant has its own graph:
//
//	(Entity)-[ASSERTS]->(Fact)   one edge for each memory of a fact, in any state
//	(Fact)-[FROM]->(Source)      if the memory has a source
//	(Fact)-[NAMES]->(Entity)     if its node names an entity
//
// Every vertex has the property id. An Entity has type, name and identifiers too, such as "email:ana@example.com", from
// its present record; a Fact, which is the node of facts, has fact_id, such as Location:Oslo, type and name. Every edge
// has the properties memory, verb, state and version of its memory. The entity that a node names, and its source,
// belong to each assertion separately, so these edges are not shared either. A vertex without edges is removed.
//
// It is written as plain SQL on the tables of the labels, because MERGE is not atomic and loses values set after it in
// AGE 1.5. It is read by directed patterns with labels at both ends, because AGE reads whole tables for all others, at
// least in 1.5 to 1.8.
package age

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"

	"github.com/trilith-memory/trilith"
)

// edgeLabel is a label of edges, with the labels of the vertices that they join.
type edgeLabel struct{ name, start, end string }

// vertexLabels and edgeLabels are all labels of a graph.
var (
	vertexLabels = []string{"Entity", "Fact", "Source"}
	edgeLabels   = []edgeLabel{{"ASSERTS", "Entity", "Fact"}, {"FROM", "Fact", "Source"}, {"NAMES", "Fact", "Entity"}}
)

// edge is a row of the table of an edge label. Start and end are ids of vertices.
type edge struct {
	memory, start, end, verb, state string
	version                         int64
}

// edgesOf returns the edges of a memory, one for each of edgeLabels, nil where it has none.
func edgesOf(m trilith.Memory) [3]*edge {
	if m.Kind != trilith.KindFact || m.Fact == nil {
		return [3]*edge{}
	}
	join := func(start, end string) *edge {
		return &edge{string(m.ID), start, end, called(m.Fact.Verb), string(m.State), m.Version}
	}
	entity, node := called(string(m.Fact.EntityID)), called(m.Fact.FactID)
	edges := [3]*edge{join(entity, node)}
	if m.SourceID != "" {
		edges[1] = join(node, called(string(m.SourceID)))
	}
	if ref := m.Fact.Node.EntityRef; ref != "" {
		edges[2] = join(node, called(string(ref)))
	}
	return edges
}

// maxCalled keeps ids within the limit of PostgreSQL's B-trees: 2704 bytes, including the bytes that AGE puts around
// them.
const maxCalled = 1024

// called returns the id of something in the graph: its own id or, if AGE cannot store that, a derived one.
func called(s string) string {
	if len(s) > maxCalled || strings.IndexByte(s, 0) >= 0 || !utf8.ValidString(s) {
		return string(trilith.DeriveID("age vertex", s))
	}
	return s
}

// maxSlug is how much of a tenant's name the name of its graph shows.
const maxSlug = 16

// GraphName is the name of a tenant's graph, and of its schema: the beginning of the tenant's name for people, and a
// hash that makes it unique. It consists of a-z, 0-9 and _, so it needs no quoting.
func GraphName(tenant string) string {
	slug := strings.Map(func(r rune) rune {
		switch {
		case 'A' <= r && r <= 'Z':
			return r + 'a' - 'A'
		case 'a' <= r && r <= 'z', '0' <= r && r <= '9':
			return r
		}
		return '_'
	}, tenant)
	hash := strings.ReplaceAll(string(trilith.DeriveID("age graph", tenant)), "-", "")
	return "trilith_" + slug[:min(len(slug), maxSlug)] + "_" + hash
}

// settings are what statements about a graph need: the operators of AGE by their names, and plans by index whatever the
// statistics say, because a plan that was made for an empty table is used again when the table has grown.
var settings = map[string]string{"search_path": "pg_catalog, ag_catalog", "enable_seqscan": "off",
	"enable_hashjoin": "off", "enable_mergejoin": "off"}

// Locks of a tenant's graph, held until the transaction ends. Only one transaction at a time writes the tenant's facts,
// so that a vertex without edges can be removed: no other is about to use it.
const (
	unlocked = ""
	writing  = "SELECT pg_advisory_xact_lock(hashtextextended($1, 0))"
	checking = "SELECT pg_advisory_xact_lock_shared(hashtextextended($1, 0))"
)

// enter prepares the transaction for statements about the graph: it loads AGE into the session, changes settings, and
// takes a lock. It returns the former settings, and whether the graph exists.
func enter(ctx context.Context, tx pgx.Tx, graph, lock string) (before map[string]string, exists bool, err error) {
	before = make(map[string]string)
	var b pgx.Batch
	names, values := split(settings)
	b.Queue(`SELECT name, current_setting(name), set_config(name, value, true), '0'::ag_catalog.agtype::text
		FROM unnest($1::text[], $2::text[]) AS x(name, value)`, names, values).Query(func(rows pgx.Rows) error {
		var name, value string
		_, err := pgx.ForEachRow(rows, []any{&name, &value, nil, nil}, func() error {
			before[name] = value
			return nil
		})
		return err
	})
	if lock != unlocked {
		b.Queue(lock, graph)
	}
	b.Queue(`SELECT EXISTS (SELECT FROM ag_catalog.ag_graph WHERE name = $1)`, graph).QueryRow(func(row pgx.Row) error {
		return row.Scan(&exists)
	})
	err = tx.SendBatch(ctx, &b).Close()
	return before, exists, err
}

// leave queues statements that restore the settings for the statements after ours.
func leave(b *pgx.Batch, before map[string]string) {
	names, values := split(before)
	b.Queue(`SELECT set_config(name, value, true) FROM unnest($1::text[], $2::text[]) AS x(name, value)`, names, values)
}

func split(m map[string]string) (keys, values []string) {
	for k, v := range m {
		keys, values = append(keys, k), append(values, v)
	}
	return keys, values
}

// agtype is the SQL that makes a value of AGE of a text.
func agtype(text string) string { return "to_json(" + text + ")::text::agtype" }

// property is the SQL that reads a property from a column of them, as the indexes and Cypher have it.
func property(column, name string) string {
	return fmt.Sprintf(`agtype_access_operator(%s, '"%s"'::agtype)`, column, name)
}
