package age

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/trilith-memory/trilith"
)

// member is the role in which transactions of a tenant run, and which therefore owns the graphs.
const member = "trilith_app"

// Prepare makes sure that AGE is installed and that graphs can be made: it creates the extension and grants the rights
// if the owner of the schema may, and otherwise its error gives instructions. The graphs themselves are made with the
// first fact of a tenant.
func (Projection) Prepare(ctx context.Context, tx pgx.Tx) error {
	var installed bool
	if err := tx.QueryRow(ctx, `SELECT EXISTS (SELECT FROM pg_extension WHERE extname = 'age')`).Scan(
		&installed); err != nil {
		return err
	}
	if !installed {
		if err := try(ctx, tx, `CREATE EXTENSION IF NOT EXISTS age`); err != nil {
			return trilith.Errorf(trilith.Unsupported,
				"graph: this database does not have Apache AGE; install it on the server (Debian and Ubuntu: "+
					"postgresql-17-age), let a superuser run CREATE EXTENSION age, or use TRILITH_GRAPH=tables, which needs none: %w", err)
		}
	}
	var database string
	var granted bool
	if err := tx.QueryRow(ctx, `SELECT current_database(), has_schema_privilege($1, 'ag_catalog', 'USAGE')
		AND has_table_privilege($1, 'ag_catalog.ag_graph', 'SELECT') AND has_table_privilege($1, 'ag_catalog.ag_label', 'SELECT')
		AND has_database_privilege($1, current_database(), 'CREATE')`, member).Scan(&database, &granted); err != nil {
		return err
	}
	if granted {
		return nil
	}
	grants := fmt.Sprintf(`GRANT USAGE ON SCHEMA ag_catalog TO %[1]s; GRANT SELECT ON ag_catalog.ag_graph, ag_catalog.ag_label TO %[1]s; `+
		`GRANT CREATE ON DATABASE %[2]s TO %[1]s`, member, pgx.Identifier{database}.Sanitize())
	if err := try(ctx, tx, grants); err != nil {
		return trilith.Errorf(trilith.Unsupported, "graph: %s may not create graphs; let a superuser run: %s: %w",
			member, grants, err)
	}
	return nil
}

// try runs a script, and undoes its work if it fails.
func try(ctx context.Context, tx pgx.Tx, script string) error {
	return pgx.BeginFunc(ctx, tx, func(tx pgx.Tx) error { return run(ctx, tx, script) })
}

// create makes the tenant's graph with its labels and indexes; it does not change existing ones. It is called between
// enter and leave, under the lock.
func create(ctx context.Context, tx pgx.Tx, graph string) error {
	whole, err := sound(ctx, tx, graph)
	if err != nil {
		return err
	}
	var b strings.Builder
	statement := func(format string, args ...any) { fmt.Fprintf(&b, format+";\n", args...) }
	if !whole {
		statement(`SELECT drop_graph(name, true) FROM ag_graph WHERE name = '%s'`, graph)
		statement(`DROP SCHEMA IF EXISTS %s CASCADE`, graph) // left by a restored dump
		statement(`SELECT create_graph('%s')`, graph)
		for _, l := range vertexLabels {
			statement(`SELECT create_vlabel('%s', '%s')`, graph, l)
		}
		for _, l := range edgeLabels {
			statement(`SELECT create_elabel('%s', '%s')`, graph, l.name)
		}
	}
	index := func(unique, name, label, on string) {
		statement(`CREATE %s INDEX IF NOT EXISTS %q ON %s.%q (%s)`, unique, label+name, graph, label, on)
	}
	// Later versions of AGE make some of these themselves, under the same names.
	for _, l := range vertexLabels {
		index("UNIQUE", "_pkey", l, "id")
		index("UNIQUE", "_key", l, property("properties", "id"))
	}
	for _, l := range edgeLabels {
		index("", "_start_id_idx", l.name, "start_id")
		index("", "_end_id_idx", l.name, "end_id")
		index("UNIQUE", "_key", l.name, property("properties", "memory"))
	}
	return run(ctx, tx, b.String())
}

// sound reports whether AGE knows the graph with all its labels and their tables.
func sound(ctx context.Context, tx pgx.Tx, graph string) (bool, error) {
	labels := append([]string{}, vertexLabels...)
	for _, l := range edgeLabels {
		labels = append(labels, l.name)
	}
	var n int
	err := tx.QueryRow(ctx, `SELECT count(*) FROM ag_catalog.ag_graph g JOIN ag_catalog.ag_label l ON l.graph = g.graphid
		JOIN pg_class c ON c.oid = l.relation::oid AND c.relnamespace = g.namespace::oid AND c.relname = l.name
		WHERE g.name = $1 AND l.name::text = ANY($2)`, graph, labels).Scan(&n)
	return n == len(labels), err
}

// run runs statements without parameters in one go.
func run(ctx context.Context, tx pgx.Tx, script string) error {
	_, err := tx.Conn().PgConn().Exec(ctx, script).ReadAll()
	return err
}
