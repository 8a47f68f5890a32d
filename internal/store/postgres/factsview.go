package postgres

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
)

// viewRole owns the views. A view reads with the rights of its owner. The policies created with a view show this role
// the tenants that have a view; it cannot log in.
const viewRole = "trilith_view"

// factsView is the name of the view.
const factsView = "conversation_facts"

// FactsView is a read-only view of the facts of one tenant with the columns of a table conversation_facts, so that SQL
// written for such a table still works. A role that may read it sees this tenant and no other, whatever it sets in its
// session.
type FactsView struct {
	Tenant string
	Schema string // schema of the view; it has to exist
	Reader string // role that may read it; empty: no new right is granted
	// Numbers makes projects and users numbers, and NULL where a name is no number. Without it they are numbers if all
	// are, otherwise texts.
	Numbers bool
	// Generation is the generation of the vectors in the column embedding; with the zero value that is NULL.
	Generation trilith.Generation
}

// shape is the form of the view as far as it depends on the database.
type shape struct {
	embedding       string // expression
	generation      int    // number of the generation; 0: it has no vectors
	extension       string // schema of pgvector, quoted; empty without it
	projects, users bool   // are numbers
}

// MakeFactsView creates the view in a database that a [Store] has been opened on, or replaces it and keeps its rights.
// The column id is the legacy id of a fact: facts that are stored from then on get one in their own transaction; of
// earlier ones without a number it is NULL. If another object has the view's name, MakeFactsView does not touch it and
// returns Conflict.
func MakeFactsView(ctx context.Context, url string, v FactsView) error {
	return v.change(ctx, url, func(tx pgx.Tx) error {
		of, err := v.shape(ctx, tx)
		if err != nil {
			return err
		}
		statements := []string{
			"GRANT USAGE ON SCHEMA trilith TO " + viewRole,
			"GRANT SELECT ON trilith.memories, trilith.claims TO " + viewRole,
			"CREATE POLICY " + v.policy() + " ON trilith.memories FOR SELECT TO " + viewRole + " USING (tenant = " +
				literal(v.Tenant) + ")",
			"CREATE POLICY " + v.policy() + " ON trilith.claims FOR SELECT TO " + viewRole + " USING (tenant = " +
				literal(v.Tenant) + " AND space = 'legacy')",
			"GRANT USAGE, CREATE ON SCHEMA " + v.schema() + " TO " + viewRole,
		}
		if of.generation != 0 {
			statements = append(statements, "GRANT SELECT ON trilith.vectors TO "+viewRole,
				"CREATE POLICY "+v.policy()+" ON trilith.vectors FOR SELECT TO "+viewRole+" USING (tenant = "+
					literal(v.Tenant)+")")
		}
		if v.Reader != "" && of.extension == "trilith" { // where the operators are, and no table of the reader
			statements = append(statements, "GRANT USAGE ON SCHEMA trilith TO "+pgx.Identifier{v.Reader}.Sanitize())
		}
		statements = append(statements, v.numbering()...)
		statements = append(statements, "SET LOCAL ROLE "+viewRole,
			"CREATE OR REPLACE VIEW "+v.name()+" WITH (security_barrier) AS "+v.query(of))
		if v.Reader != "" {
			statements = append(statements, "GRANT SELECT ON "+v.name()+" TO "+pgx.Identifier{v.Reader}.Sanitize())
		}
		statements = append(statements, "RESET ROLE", "REVOKE CREATE ON SCHEMA "+v.schema()+" FROM "+viewRole)
		return runAll(ctx, tx, statements)
	})
}

// DropFactsView drops the view; NotFound if there is none.
func DropFactsView(ctx context.Context, url string, v FactsView) error {
	return v.change(ctx, url, func(tx pgx.Tx) error {
		there, err := v.there(ctx, tx)
		if err == nil && !there {
			err = trilith.Errorf(trilith.NotFound, "view: there is no %s", v.name())
		}
		if err != nil {
			return err
		}
		return runAll(ctx, tx, []string{"SET LOCAL ROLE " + viewRole, "DROP VIEW " + v.name(), "RESET ROLE"})
	})
}

// change runs f in a transaction of the login, without the view's policies, provided that no other object has its name.
func (v FactsView) change(ctx context.Context, url string, f func(pgx.Tx) error) error {
	const op = "postgres.FactsView"
	if err := trilith.ValidateTenant(v.Tenant); err != nil {
		return err
	}
	cfg, err := configOf(url)
	if err != nil {
		return err
	}
	conn, err := pgx.ConnectConfig(ctx, cfg.ConnConfig)
	if err != nil {
		return fail(ctx, op, err)
	}
	defer conn.Close(context.WithoutCancel(ctx))
	version, err := schemaOf(ctx, conn)
	if err == nil && version == 0 {
		err = trilith.Errorf(trilith.NotFound, "store: the database holds no memory yet; store something first")
	}
	if err != nil {
		return fail(ctx, op, err)
	}
	return fail(ctx, op, explained(pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
		// a session that waits for these locks blocks all later ones
		if _, err := tx.Exec(ctx, "SET LOCAL lock_timeout = '10s'"); err != nil {
			return err
		}
		if err := makeRole(ctx, tx, viewRole); err != nil {
			return err
		}
		if err := mayStepInto(ctx, tx, viewRole); err != nil {
			return err
		}
		if _, err := v.there(ctx, tx); err != nil {
			return err
		}
		for _, table := range []string{"memories", "claims", "vectors"} {
			if err := runAll(ctx, tx,
				[]string{"DROP POLICY IF EXISTS " + v.policy() + " ON trilith." + table}); err != nil {
				return err
			}
		}
		if err := runAll(ctx, tx, []string{"DROP FUNCTION IF EXISTS trilith." + v.policy() + "() CASCADE"}); err != nil {
			return err
		}
		return f(tx)
	})))
}

// explained adds advice for a person to an error of the server.
func explained(err error) error {
	switch code(err) {
	case insufficientPrivilege:
		return trilith.Errorf(trilith.Forbidden,
			"view: the login must own the schema trilith and that of the view, and be allowed to become %[1]s; as a superuser run: GRANT %[1]s TO the login WITH INHERIT FALSE: %[2]w", viewRole, cause(err))
	case "42704", "3F000": // no such role, no such schema
		return trilith.Errorf(trilith.NotFound, "view: %w", cause(err))
	case "42P16", "2BP01": // a view's columns cannot be changed; or something depends on it
		return trilith.Errorf(trilith.Conflict,
			"view: it exists in another form, or something depends on it; remove it with --drop first: %w",
			cause(err))
	}
	return err
}

// there reports whether the view exists; Conflict if another object has its name.
func (v FactsView) there(ctx context.Context, tx pgx.Tx) (bool, error) {
	var ours bool
	rows, err := tx.Query(ctx,
		`SELECT relkind = 'v' AND pg_get_userbyid(relowner) = $1 FROM pg_class WHERE oid = to_regclass($2)`,
		viewRole, v.name())
	if err != nil {
		return false, err
	}
	n := 0
	err = collect(rows, func(rows pgx.Rows) error { n++; return rows.Scan(&ours) })
	if err == nil && n > 0 && !ours {
		err = trilith.Errorf(trilith.Conflict,
			"view: there is a table or view %s already that is not trilith's; rename it, or choose another schema",
			v.name())
	}
	return n > 0, err
}

// shape finds out the form: pgvector, vectors of the generation, and whether projects and users are numbers. Without
// pgvector the column embedding is a list of numbers that is NULL.
func (v FactsView) shape(ctx context.Context, tx pgx.Tx) (shape, error) {
	of := shape{embedding: "NULL::real[]", projects: v.Numbers, users: v.Numbers}
	one := func(sql string, into any, args ...any) error {
		rows, err := tx.Query(ctx, sql, args...)
		if err != nil {
			return err
		}
		return collect(rows, func(rows pgx.Rows) error { return rows.Scan(into) })
	}
	if !v.Numbers {
		for column, numbers := range map[string]*bool{"project": &of.projects, "user_id": &of.users} {
			const all = "SELECT NOT EXISTS (SELECT 1 FROM trilith.memories WHERE tenant = $1 AND kind = 'fact' AND entity_id <> '' AND %s <> '' AND %[1]s !~ '%s')"
			if err := v.asTenant(ctx, tx,
				func() error { return one(fmt.Sprintf(all, column, scopeNumber), numbers, v.Tenant) }); err != nil {
				return of, err
			}
		}
	}
	err := one("SELECT quote_ident(nspname) FROM pg_extension JOIN pg_namespace AS n ON n.oid = extnamespace WHERE extname = 'vector'", &of.extension)
	if err != nil || of.extension == "" {
		return of, err
	}
	kind := of.extension + ".vector"
	if v.Generation.Dims > 0 {
		kind = fmt.Sprintf("%s(%d)", kind, v.Generation.Dims)
	}
	of.embedding = "NULL::" + kind
	there := false
	if err := one("SELECT to_regclass('trilith.generations') IS NOT NULL", &there); err != nil || !there {
		return of, err
	}
	find := func() error {
		return one("SELECT id FROM trilith.generations WHERE key = $1", &of.generation, text(v.Generation.Key()))
	}
	if err := v.asTenant(ctx, tx, find); err != nil || of.generation == 0 {
		return of, err
	}
	of.embedding = "e.v::" + kind
	return of, nil
}

// asTenant runs f with the rights of a service that works for the tenant, because the owner of the tables sees no rows.
func (v FactsView) asTenant(ctx context.Context, tx pgx.Tx, f func() error) error {
	if _, err := tx.Exec(ctx, stepIn, v.Tenant); err != nil {
		return err
	}
	if err := f(); err != nil {
		return err
	}
	return runAll(ctx, tx, []string{"RESET ROLE", "RESET trilith.tenant"})
}

// scopeNumber matches the projects and users that can be numbers.
const scopeNumber = "^[1-9][0-9]{0,17}$"

func (v FactsView) schema() string { return pgx.Identifier{v.Schema}.Sanitize() }
func (v FactsView) name() string   { return pgx.Identifier{v.Schema, factsView}.Sanitize() }

// policy returns the name of the view's policies. A tenant's name may be as long as the name of a policy.
func (v FactsView) policy() string {
	sum := sha256.Sum256([]byte(v.Tenant + "\x00" + v.Schema))
	return factsView + "_" + hex.EncodeToString(sum[:8])
}

// numbering returns the statements for a trigger that numbers the facts of the tenant at the end of the transaction that
// stores them, after the numbers that it brings itself. Like the engine it writes a record and a claim for each, and
// raises the counter.
func (v FactsView) numbering() []string {
	number := fmt.Sprintf(`CREATE FUNCTION trilith.%s() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE n bigint;
BEGIN
    IF EXISTS (SELECT FROM trilith.claims WHERE tenant = NEW.tenant AND owner = NEW.id AND space = '%[2]s')
        OR NOT EXISTS (SELECT FROM trilith.memories WHERE tenant = NEW.tenant AND id = NEW.id) THEN
        RETURN NULL;
    END IF;
    INSERT INTO trilith.records AS r (tenant, kind, id, version, body) VALUES (NEW.tenant, '%[3]s', '%[4]s', 1, '{"n":1}')
        ON CONFLICT (tenant, kind, id) DO UPDATE SET version = r.version + 1,
            body = '{"n":' || (r.body::jsonb ->> 'n')::bigint + 1 || '}'
        RETURNING body::jsonb ->> 'n' INTO n;
    INSERT INTO trilith.records (tenant, kind, id, version, body) VALUES (NEW.tenant, '%[3]s', NEW.id, 1, '{"n":' || n || '}');
    INSERT INTO trilith.claims (tenant, space, value, owner) VALUES (NEW.tenant, '%[2]s', n::text, NEW.id);
    RETURN NULL;
END $$`, v.policy(), role.KeyLegacy, role.RecordLegacy, trilith.DeriveID("legacy", "counter"))
	return []string{number, "CREATE CONSTRAINT TRIGGER " + v.policy() +
		" AFTER INSERT ON trilith.memories DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (NEW.tenant = " + literal(v.Tenant) +
		" AND NEW.kind = 'fact' AND NEW.entity_id <> '' AND NEW.shared_from = '') EXECUTE FUNCTION trilith." + v.policy() + "()"}
}

func literal(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }

func runAll(ctx context.Context, tx pgx.Tx, statements []string) error {
	for _, statement := range statements {
		if _, err := tx.Exec(ctx, statement); err != nil {
			return err
		}
	}
	return nil
}

// query returns the SELECT of the view. It tests the tenant, before any other row is visible, in addition to the
// policies. The condition on entity_id lets the server use the index of facts.
func (v FactsView) query(of shape) string {
	tenant := literal(v.Tenant)
	fact := func(path string) string { return "m.more #>> '{fact," + path + "}'" }
	or := func(expression, otherwise string) string { return "coalesce(" + expression + ", " + otherwise + ")" }
	scope := func(column string, numbers bool) string {
		if numbers {
			return "CASE WHEN " + column + " ~ '" + scopeNumber + "' THEN " + column + "::bigint END"
		}
		return "nullif(" + column + ", '')"
	}
	number := func(alias string) string { return alias + ".value::bigint" }
	columns := []struct{ name, as string }{
		{"id", number("n")},
		{"session_id", "nullif(m.session, '')"},
		{"project_id", scope("m.project", of.projects)},
		{"user_id", scope("m.user_id", of.users)},
		{"fact_type", fact("fact_type")},
		{"fact_content", "m.more #> '{fact,content}'"},
		{"fact_summary", "m.text"},
		{"embedding", of.embedding},
		{"is_active", "m.state = 'active' AND (m.valid_until IS NULL OR m.valid_until > now())"},
		{"superseded_by", number("h")},
		{"valid_until", "m.valid_until"},
		{"version", "m.version"},
		{"author_role", "nullif(" + fact("author_role") + ", '')"},
		{"confidence_score", "(" + fact("confidence") + ")::double precision"},
		{"verification_status", fact("verification,status")},
		{"verified_by", scope("nullif("+fact("verification,by")+", '"+trilith.ByForeign+"')", of.users)},
		{"verified_at", "(" + fact("verification,at") + ")::timestamptz"},
		{"financial_amount", "CASE WHEN " + fact("financial,amount") + " ~ '" + decimal + "' THEN (" +
			fact("financial,amount") + ")::numeric END"},
		{"currency", fact("financial,currency")},
		{"financial_category", fact("financial,category")},
		{"financial_type", fact("financial,type")},
		{"priority", or("nullif("+fact("priority")+", '')", "'"+string(trilith.PriorityNormal)+"'")},
		{"requires_action", or("("+fact("requires_action")+")::boolean", "false")},
		{"action_deadline", "(" + fact("action_deadline") + ")::timestamptz"},
		{"source_message_id", "CASE m.verb WHEN '" + trilith.ForeignVerb +
			"' THEN m.more #>> '{metadata,source_message_id}' ELSE coalesce(" +
			"(SELECT nullif(e.external_id, '') FROM trilith.memories AS e WHERE e.tenant = " + tenant +
			" AND e.id = m.evidence[1]), m.evidence[1]) END"},
		{"created_at", "m.recorded_at"},
		{"updated_at", "greatest(m.recorded_at, m.superseded_at, (" + fact("verification,at") + ")::timestamptz)"},
	}
	var list []string
	for _, c := range columns {
		list = append(list, c.as+" AS "+c.name)
	}
	join := func(alias, owner string) string {
		return " LEFT JOIN trilith.claims AS " + alias + " ON " + alias + ".tenant = " + tenant + " AND " + alias +
			".space = 'legacy' AND " + alias + ".owner = " + owner
	}
	vectors := ""
	if of.generation != 0 {
		vectors = fmt.Sprintf(" LEFT JOIN trilith.vectors AS e ON e.tenant = %s AND e.id = m.id AND e.generation = %d",
			tenant, of.generation)
	}
	return "SELECT " + strings.Join(list, ", ") + " FROM trilith.memories AS m" + join("n", "m.id") +
		join("h", "nullif(m.superseded_by, '')") + vectors +
		" WHERE m.tenant = " + tenant + " AND m.kind = 'fact' AND m.entity_id <> '' AND m.shared_from = ''"
}
