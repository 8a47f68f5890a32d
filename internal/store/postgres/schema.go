package postgres

import (
	"context"
	"embed"
	"io/fs"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"

	"github.com/trilith-memory/trilith"
)

//go:embed migrations/*.sql
var migrationFiles embed.FS

// versionTable is where goose records the applied migrations.
const versionTable = "trilith.schema_version"

// migrationLock is the advisory lock of a process that creates or changes the schema: "trilith" in ASCII.
const migrationLock = 0x7472696c697468

// prepare brings the schema up to date, one process at a time. The lock belongs to a transaction, so that it also works
// behind a pooler.
//
// It reports whether the login may assume systemRole, and if not the statements that a superuser has to run.
func prepare(ctx context.Context, cfg *pgx.ConnConfig, projections []Projection) (
	system bool, advice string, err error) {
	conn, err := pgx.ConnectConfig(ctx, cfg)
	if err != nil {
		return false, "", err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	if _, err := conn.Exec(ctx, "BEGIN ISOLATION LEVEL READ COMMITTED; "+patient); err != nil {
		return false, "", err
	}
	if _, err := conn.Exec(ctx, "SELECT pg_advisory_xact_lock($1)", int64(migrationLock)); err != nil {
		return false, "", err
	}
	worker, err := pgx.ConnectConfig(ctx, cfg)
	if err != nil {
		return false, "", err
	}
	defer worker.Close(context.WithoutCancel(ctx))
	for _, step := range []func() error{
		func() error { return makeRole(ctx, worker, appRole) },
		func() error { return stepInto(ctx, worker) },
		func() error { return inspect(ctx, worker) },
		func() error { return migrate(ctx, cfg) },
		func() error { return makeGuard(ctx, worker) },
		func() (err error) { system, advice, err = makeSystemRole(ctx, worker); return err },
		func() error { return protectAtOnce(ctx, worker, system) },
	} {
		if err := step(); err != nil {
			return false, "", err
		}
	}
	if !system {
		if err := mayWorkForAll(ctx, worker, advice); err != nil {
			return false, "", err
		}
	}
	for _, p := range projections {
		if err := pgx.BeginFunc(ctx, worker, func(tx pgx.Tx) error { return p.Prepare(ctx, tx) }); err != nil {
			return false, "", err
		}
	}
	return system, advice, nil
}

// inspect checks the schema before anything is written to it.
func inspect(ctx context.Context, conn *pgx.Conn) error {
	version, err := schemaOf(ctx, conn)
	if err != nil {
		return err
	}
	if known := knownSchema(); version > known {
		return trilith.Errorf(trilith.Unsupported,
			"store: the database was written by a newer trilith (schema %d, this one knows %d); use that version or a later one",
			version, known)
	}
	if version > 0 {
		return nil
	}
	var former bool
	if err := conn.QueryRow(ctx, "SELECT to_regclass('cairn.schema_version') IS NOT NULL").Scan(&former); err != nil {
		return err
	}
	if former {
		return trilith.MadeByCairn("the database", "ADDRESS", "another database, or into this one after ALTER SCHEMA cairn RENAME TO …")
	}
	var strange int
	err = conn.QueryRow(ctx, `SELECT count(*) FROM pg_class WHERE relnamespace = to_regnamespace('trilith')
		AND relkind IN ('r', 'p', 'v', 'm') AND relname <> 'schema_version'`).Scan(&strange)
	if err == nil && strange > 0 {
		return trilith.Errorf(trilith.Invalid,
			"store: the database has a schema named trilith that another program made; use another database")
	}
	return err
}

// schemaOf returns the newest applied migration, 0 if there is no schema.
func schemaOf(ctx context.Context, conn *pgx.Conn) (version int64, err error) {
	var has bool
	err = conn.QueryRow(ctx,
		"SELECT EXISTS (SELECT 1 FROM pg_tables WHERE schemaname = 'trilith' AND tablename = 'schema_version')").Scan(
		&has)
	if err != nil || !has {
		return 0, err
	}
	err = conn.QueryRow(ctx, "SELECT max(version_id) FROM "+versionTable).Scan(&version)
	return version, err
}

// knownSchema is the newest migration that this program knows.
func knownSchema() int64 {
	files, err := fs.Glob(migrationFiles, "migrations/*.sql")
	if err != nil {
		panic("postgres: the pattern of the migrations is malformed: " + err.Error())
	}
	return int64(len(files))
}

// migrate applies the missing migrations.
func migrate(ctx context.Context, cfg *pgx.ConnConfig) error {
	files, err := fs.Sub(migrationFiles, "migrations")
	if err != nil {
		return err
	}
	db := stdlib.OpenDB(*cfg)
	defer db.Close()
	db.SetMaxOpenConns(1)
	var has bool
	if err := db.QueryRowContext(ctx, "SELECT to_regnamespace('trilith') IS NOT NULL").Scan(&has); err != nil {
		return err
	}
	if !has {
		if _, err := db.ExecContext(ctx, "CREATE SCHEMA trilith"); err != nil {
			return err
		}
	}
	p, err := goose.NewProvider(goose.DialectPostgres, db, files, goose.WithDisableGlobalRegistry(true),
		goose.WithTableName(versionTable))
	if err != nil {
		return err
	}
	_, err = p.Up(ctx)
	return err
}

// makeGuard creates the function that every transaction which writes calls with the schema that its program knows: a
// program that runs while a later version migrates the database stops writing. It is the same in all versions.
func makeGuard(ctx context.Context, conn *pgx.Conn) error {
	var has bool
	err := conn.QueryRow(ctx, "SELECT to_regprocedure('trilith.at_schema(bigint)') IS NOT NULL").Scan(&has)
	if err != nil || has {
		return err
	}
	_, err = conn.Exec(ctx, `CREATE FUNCTION trilith.at_schema(known bigint) RETURNS void LANGUAGE plpgsql STABLE AS $$
		BEGIN
			IF known <> (SELECT max(version_id) FROM trilith.schema_version) THEN
				RAISE EXCEPTION 'another version of trilith has changed the schema' USING ERRCODE = '`+movedSchema+`';
			END IF;
		END $$`)
	return err
}

// protectAtOnce protects all tables in one transaction: a concurrent process that works for all tenants sees the rows
// of all tables, or of none. It starts again after a deadlock with such a process.
func protectAtOnce(ctx context.Context, conn *pgx.Conn, system bool) error {
	for try := 1; ; try++ {
		err := pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error { return protect(ctx, tx, system) })
		if !repeatable(err) || try == tries {
			return err
		}
	}
}

// protect grants the roles access to the schema, and enables row-level security, also for the owner, for every table
// with a tenant. Code that creates a table later has to call it again. system says whether systemRole exists.
func protect(ctx context.Context, tx pgx.Tx, system bool) error {
	type relation struct {
		name                  string
		isSequence, hasTenant bool
	}
	var relations []relation
	rows, err := tx.Query(ctx, lacking(system))
	if err != nil {
		return err
	}
	err = collect(rows, func(rows pgx.Rows) error {
		var r relation
		err := rows.Scan(&r.name, &r.isSequence, &r.hasTenant)
		relations = append(relations, r)
		return err
	})
	if err != nil || len(relations) == 0 {
		return err
	}
	roles, own := appRole, "tenant = current_setting('trilith.tenant', true)"
	if system {
		roles += ", " + systemRole
	} else {
		own += " OR current_setting('trilith.tenant', true) = '" + allTenants + "'"
	}
	statements := []string{"GRANT USAGE ON SCHEMA trilith TO " + roles}
	for _, r := range relations {
		name := pgx.Identifier{"trilith", r.name}.Sanitize()
		switch {
		case r.isSequence:
			statements = append(statements, "GRANT USAGE, SELECT ON SEQUENCE "+name+" TO "+roles)
		case !r.hasTenant:
			statements = append(statements, "GRANT SELECT ON "+name+" TO "+roles)
		default:
			statements = append(statements, "DROP POLICY IF EXISTS tenant ON "+name, "CREATE POLICY tenant ON "+name+
				" USING ("+own+")")
			if system {
				statements = append(statements, "DROP POLICY IF EXISTS "+everyTenant+" ON "+name, "CREATE POLICY "+
					everyTenant+" ON "+name+" TO "+systemRole+" USING (true)")
			}
			statements = append(statements, "ALTER TABLE "+name+" ENABLE ROW LEVEL SECURITY", "ALTER TABLE "+name+
				" FORCE ROW LEVEL SECURITY",
				"GRANT SELECT, INSERT, UPDATE, DELETE ON "+name+" TO "+roles)
		}
	}
	return runAll(ctx, tx, statements)
}

// guard is a further column of the first SELECT of a transaction that writes: it checks the number of the schema.
var guard = ", trilith.at_schema(" + strconv.FormatInt(knownSchema(), 10) + ")"

// lacking returns a query for the tables and sequences that a role may not use yet, or that do not separate tenants.
// system says whether systemRole exists.
func lacking(system bool) string {
	roles, policy := []string{appRole}, "tenant"
	if system {
		roles, policy = append(roles, systemRole), everyTenant
	}
	var sequence, table []string
	for _, r := range roles {
		sequence = append(sequence, "has_sequence_privilege('"+r+"', c.oid, 'USAGE') AND has_sequence_privilege('"+r+
			"', c.oid, 'SELECT')")
		table = append(table, "has_table_privilege('"+r+"', c.oid, 'SELECT')")
	}
	return `SELECT relname, relkind = 'S', has_tenant FROM (SELECT c.*, EXISTS (SELECT 1 FROM pg_attribute AS a WHERE a.attrelid = c.oid AND a.attname = 'tenant' AND NOT a.attisdropped) AS has_tenant,
			CASE WHEN c.relkind = 'S' THEN ` + strings.Join(sequence, " AND ") + ` ELSE ` + strings.Join(table, " AND ") + ` END AS usable,
			c.relrowsecurity AND c.relforcerowsecurity AND EXISTS (SELECT 1 FROM pg_policy AS p WHERE p.polrelid = c.oid AND p.polname = '` + policy + `') AS safe
		FROM pg_class AS c WHERE c.relnamespace = to_regnamespace('trilith') AND c.relkind IN ('r', 'p', 'S')) AS c
		WHERE NOT usable OR has_tenant AND NOT safe ORDER BY relname`
}
