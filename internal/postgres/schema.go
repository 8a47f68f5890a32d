package postgres

import (
	"context"
	"embed"
	"io/fs"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"

	"github.com/cairn-memory/cairn"
)

//go:embed migrations/*.sql
var migrationFiles embed.FS

// versionTable is where goose notes which migrations the schema has seen.
const versionTable = "cairn.schema_version"

// migrationLock is the advisory lock of whoever makes or changes the schema: "cairn" in ASCII.
const migrationLock = 0x636169726e

// prepare brings the schema up to date, one process at a time. The lock belongs to a transaction, so that it also holds, and
// ends, behind a pooler.
func prepare(ctx context.Context, cfg *pgx.ConnConfig, projections []Projection) error {
	conn, err := pgx.ConnectConfig(ctx, cfg)
	if err != nil {
		return err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	if _, err := conn.Exec(ctx, "BEGIN ISOLATION LEVEL READ COMMITTED; "+patient); err != nil {
		return err
	}
	if _, err := conn.Exec(ctx, "SELECT pg_advisory_xact_lock($1)", int64(migrationLock)); err != nil {
		return err
	}
	worker, err := pgx.ConnectConfig(ctx, cfg)
	if err != nil {
		return err
	}
	defer worker.Close(context.WithoutCancel(ctx))
	for _, step := range []func() error{
		func() error { return makeRole(ctx, worker) },
		func() error { return stepInto(ctx, worker) },
		func() error { return inspect(ctx, worker) },
		func() error { return migrate(ctx, cfg) },
		func() error { return pgx.BeginFunc(ctx, worker, func(tx pgx.Tx) error { return protect(ctx, tx) }) },
	} {
		if err := step(); err != nil {
			return err
		}
	}
	for _, p := range projections {
		if err := pgx.BeginFunc(ctx, worker, func(tx pgx.Tx) error { return p.Prepare(ctx, tx) }); err != nil {
			return err
		}
	}
	return nil
}

// schemaOf returns the newest migration that the schema has seen, 0 if there is no schema.
func schemaOf(ctx context.Context, conn *pgx.Conn) (version int64, err error) {
	var has bool
	err = conn.QueryRow(ctx, "SELECT EXISTS (SELECT 1 FROM pg_tables WHERE schemaname = 'cairn' AND tablename = 'schema_version')").Scan(&has)
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

// inspect looks at the schema before anything writes to it.
func inspect(ctx context.Context, conn *pgx.Conn) error {
	version, err := schemaOf(ctx, conn)
	if err != nil {
		return err
	}
	if known := knownSchema(); version > known {
		return cairn.Errorf(cairn.Unsupported, "store: the database was written by a newer cairn (schema %d, this one knows %d); use that version or a later one",
			version, known)
	}
	if version > 0 {
		return nil
	}
	var strange int
	err = conn.QueryRow(ctx, `SELECT count(*) FROM pg_class WHERE relnamespace = to_regnamespace('cairn')
		AND relkind IN ('r', 'p', 'v', 'm') AND relname <> 'schema_version'`).Scan(&strange)
	if err == nil && strange > 0 {
		return cairn.Errorf(cairn.Invalid, "store: the database has a schema named cairn that another program made; use another database")
	}
	return err
}

// migrate applies the migrations that the schema lacks.
func migrate(ctx context.Context, cfg *pgx.ConnConfig) error {
	files, err := fs.Sub(migrationFiles, "migrations")
	if err != nil {
		return err
	}
	db := stdlib.OpenDB(*cfg)
	defer db.Close()
	db.SetMaxOpenConns(1)
	var has bool
	if err := db.QueryRowContext(ctx, "SELECT to_regnamespace('cairn') IS NOT NULL").Scan(&has); err != nil {
		return err
	}
	if !has {
		if _, err := db.ExecContext(ctx, "CREATE SCHEMA cairn"); err != nil {
			return err
		}
	}
	p, err := goose.NewProvider(goose.DialectPostgres, db, files, goose.WithDisableGlobalRegistry(true), goose.WithTableName(versionTable))
	if err != nil {
		return err
	}
	_, err = p.Up(ctx)
	return err
}

// lacking are the tables and sequences of the schema that the role may not use yet, or that tenants are not told apart in.
const lacking = `SELECT c.relname, c.relkind = 'S', EXISTS (SELECT 1 FROM pg_attribute AS a WHERE a.attrelid = c.oid AND a.attname = 'tenant' AND NOT a.attisdropped) AS has_tenant,
		EXISTS (SELECT 1 FROM pg_policy AS p WHERE p.polrelid = c.oid AND p.polname = 'tenant')
	FROM pg_class AS c WHERE c.relnamespace = to_regnamespace('cairn') AND c.relkind IN ('r', 'p', 'S') AND (
		CASE WHEN c.relkind = 'S' THEN NOT has_sequence_privilege('` + appRole + `', c.oid, 'USAGE') OR NOT has_sequence_privilege('` + appRole + `', c.oid, 'SELECT')
		ELSE NOT has_table_privilege('` + appRole + `', c.oid, 'SELECT') END
		OR EXISTS (SELECT 1 FROM pg_attribute AS a WHERE a.attrelid = c.oid AND a.attname = 'tenant' AND NOT a.attisdropped)
			AND NOT (c.relrowsecurity AND c.relforcerowsecurity AND EXISTS (SELECT 1 FROM pg_policy AS p WHERE p.polrelid = c.oid AND p.polname = 'tenant')))
	ORDER BY c.relname`

// protect lets the role use what lies in the schema, and puts every table that has a tenant under row-level security
// that holds for its owner too. Whoever makes a table later calls it again.
func protect(ctx context.Context, tx pgx.Tx) error {
	type relation struct {
		name                            string
		isSequence, hasTenant, isPolicy bool
	}
	var relations []relation
	rows, err := tx.Query(ctx, lacking)
	if err != nil {
		return err
	}
	err = collect(rows, func(rows pgx.Rows) error {
		var r relation
		err := rows.Scan(&r.name, &r.isSequence, &r.hasTenant, &r.isPolicy)
		relations = append(relations, r)
		return err
	})
	if err != nil || len(relations) == 0 {
		return err
	}
	statements := []string{"GRANT USAGE ON SCHEMA cairn TO " + appRole}
	for _, r := range relations {
		name := pgx.Identifier{"cairn", r.name}.Sanitize()
		switch {
		case r.isSequence:
			statements = append(statements, "GRANT USAGE, SELECT ON SEQUENCE "+name+" TO "+appRole)
		case !r.hasTenant:
			statements = append(statements, "GRANT SELECT ON "+name+" TO "+appRole)
		default:
			if !r.isPolicy {
				statements = append(statements, "CREATE POLICY tenant ON "+name+
					" USING (tenant = current_setting('cairn.tenant', true) OR current_setting('cairn.tenant', true) = '"+allTenants+"')")
			}
			statements = append(statements, "ALTER TABLE "+name+" ENABLE ROW LEVEL SECURITY", "ALTER TABLE "+name+" FORCE ROW LEVEL SECURITY",
				"GRANT SELECT, INSERT, UPDATE, DELETE ON "+name+" TO "+appRole)
		}
	}
	for _, statement := range statements {
		if _, err := tx.Exec(ctx, statement); err != nil {
			return err
		}
	}
	return nil
}

// makeRole makes the role that every transaction steps into. It is one for all databases of the server, so another may have
// made it, or be making it.
func makeRole(ctx context.Context, conn *pgx.Conn) error {
	var has bool
	if err := conn.QueryRow(ctx, "SELECT EXISTS (SELECT 1 FROM pg_roles WHERE rolname = $1)", appRole).Scan(&has); err != nil || has {
		return err
	}
	_, err := conn.Exec(ctx, "CREATE ROLE "+appRole+" NOLOGIN")
	switch code(err) {
	case duplicateObject, uniqueViolation:
		return nil
	case insufficientPrivilege:
		return cairn.Errorf(cairn.Unavailable, "store: the login may not make the role %[1]s; as a superuser run: CREATE ROLE %[1]s NOLOGIN; GRANT %[1]s TO the login", appRole)
	}
	return err
}

// stepInto makes sure that the login may step into the role. Who made it may give itself the right.
func stepInto(ctx context.Context, conn *pgx.Conn) error {
	_, err := conn.Exec(ctx, stepIn, allTenants)
	if code(err) != insufficientPrivilege {
		return err
	}
	if _, err := conn.Exec(ctx, "GRANT "+appRole+" TO CURRENT_USER"); err == nil {
		_, err = conn.Exec(ctx, stepIn, allTenants)
		return err
	}
	return cairn.Errorf(cairn.Unavailable, "store: the login may not step into the role %[1]s; as a superuser run: GRANT %[1]s TO the login", appRole)
}
