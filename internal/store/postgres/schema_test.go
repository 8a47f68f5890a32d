package postgres_test

import (
	"context"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/lang/textproc"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/store/postgres"
	"github.com/trilith-memory/trilith/internal/test/pgtest"
)

func exec(tb testing.TB, conn *pgx.Conn, statements ...string) {
	tb.Helper()
	for _, s := range statements {
		if _, err := conn.Exec(tb.Context(), s); err != nil {
			tb.Fatalf("%s: %v", s, err)
		}
	}
}

func wantKind(tb testing.TB, call string, err error, want trilith.ErrorKind) {
	tb.Helper()
	if err == nil || trilith.KindOf(err) != want {
		tb.Errorf("%s = %v, want an error of kind %v", call, err, want)
	}
}

// login makes a role that may log in, which is dropped with the test, and returns the database's URL for it.
func login(tb testing.TB, database, suffix, attributes string) (name, as string) {
	tb.Helper()
	admin := connect(tb, database)
	name = "trilith_test_" + strings.TrimPrefix(admin.Config().Database, "trilith_test_") + "_" + suffix
	exec(tb, admin, "CREATE ROLE "+name+" LOGIN PASSWORD 'secret' "+attributes)
	tb.Cleanup(func() {
		conn, err := pgx.Connect(context.Background(), database)
		if err != nil {
			tb.Errorf("Connect = %v", err)
			return
		}
		defer conn.Close(context.Background())
		for _, s := range []string{"REASSIGN OWNED BY " + name + " TO CURRENT_USER", "DROP OWNED BY " + name,
			"DROP ROLE " + name} {
			if _, err := conn.Exec(context.Background(), s); err != nil {
				tb.Errorf("%s: %v", s, err)
			}
		}
	})
	u, err := url.Parse(database)
	if err != nil {
		tb.Fatal(err)
	}
	u.User = url.UserPassword(name, "secret")
	return name, u.String()
}

// everything leaves rows in every table for the tenant.
func everything(tb testing.TB, s *postgres.Store, tenant string) {
	tb.Helper()
	scope := trilith.Scope{Tenant: tenant}
	m, gone := note(1, "x"), note(2, "x")
	m.Scope, gone.Scope = scope, scope
	m.Kind, m.Fact = trilith.KindFact, &trilith.Fact{EntityID: id(3), Evidence: []trilith.Evidence{{EpisodeID: id(4)}}}
	for _, b := range []role.Batch{
		{Memories: []trilith.Memory{m, gone},
			Records: []role.Record{{Kind: role.RecordSource, ID: id(5), Body: []byte(`{}`)}},
			Claims:  []role.Claim{{Key: role.Key{Space: "k", Value: "v"}, Owner: id(1)}},
			Jobs:    []trilith.Job{{ID: id(6), Kind: "embed"}, {ID: id(7), Kind: role.JobPurge}},
			Audit:   []trilith.AuditEntry{{At: at, Actor: "ci", Action: "remember"}}},
		{Delete: []role.Ref{{ID: gone.ID}}},
	} {
		if _, err := s.Commit(tb.Context(), scope, b); err != nil {
			tb.Fatalf("Commit = %v, want nil", err)
		}
	}
	if _, err := s.Audit(tb.Context(), scope, 0, 1); err != nil { // which seals the entry
		tb.Fatalf("Audit = %v, want nil", err)
	}
	if _, err := s.Commit(tb.Context(), scope,
		role.Batch{Audit: []trilith.AuditEntry{{At: at, Actor: "ci", Action: "look"}}}); err != nil {
		tb.Fatalf("Commit = %v, want nil", err)
	}
	if err := s.Text(textproc.Analyzer{}).Apply(
		tb.Context(), []role.TextPoint{{Facets: role.FacetsOf(&m), Text: m.Text}}); err != nil {
		tb.Fatalf("Apply = %v, want nil", err)
	}
	err := s.CacheEmbeddings(
		tb.Context(), scope, "g",
		[]role.CachedEmbedding{{Memory: id(1), Embedding: role.Embedding{Vector: trilith.Vector{1}}}}, 10)
	if err != nil {
		tb.Fatalf("CacheEmbeddings = %v, want nil", err)
	}
}

// The database itself separates tenants, for every statement and with every owner of the tables.
func TestRowLevelSecurity(t *testing.T) {
	t.Parallel()
	database := pgtest.Database(t)
	admin := connect(t, database)
	_, asOwner := login(t, database, "owner", "CREATEROLE")
	exec(t, admin, "GRANT CREATE ON DATABASE "+admin.Config().Database+" TO PUBLIC")
	// Roles belong to the whole server. Other tests make them at any moment, and the login may step only into those that
	// it was granted or has made: so they are there before it opens the database.
	for _, role := range []string{"trilith_app", "trilith_system"} {
		exec(t, admin, "DO $$ BEGIN CREATE ROLE "+role+" NOLOGIN; EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$",
			"GRANT "+role+" TO "+pgx.Identifier{user(t, asOwner)}.Sanitize()+" WITH ADMIN TRUE, INHERIT FALSE")
	}
	s := open(t, postgres.Options{URL: asOwner})
	everything(t, s, "acme")
	everything(t, s, "beta")

	rows, err := admin.Query(
		t.Context(), `SELECT relname, relrowsecurity AND relforcerowsecurity AND EXISTS (SELECT FROM pg_policy WHERE polrelid = c.oid)
		FROM pg_class AS c WHERE relnamespace = 'trilith'::regnamespace AND relkind IN ('r', 'p')
		AND EXISTS (SELECT FROM pg_attribute WHERE attrelid = c.oid AND attname = 'tenant')`)
	if err != nil {
		t.Fatal(err)
	}
	var tables []string
	var name string
	var safe bool
	if _, err := pgx.ForEachRow(rows, []any{&name, &safe}, func() error {
		tables = append(tables, name)
		if !safe {
			t.Errorf("row-level security does not hold in table %s for everybody", name)
		}
		return nil
	}); err != nil || len(tables) < 8 {
		t.Fatalf("tables with a tenant: %v, %v", tables, err)
	}

	plainName, asPlain := login(t, database, "plain", "")
	exec(t, admin, "GRANT trilith_app TO "+plainName)
	_, err = postgres.Open(t.Context(), postgres.Options{URL: asPlain})
	if wantKind(t, "Open by a login that may not step into the role for all tenants", err,
		trilith.Unavailable); err != nil && !strings.Contains(err.Error(), "GRANT trilith_system TO "+plainName) {
		t.Errorf("Open by a login that may not step into the role for all tenants = %v, want what to grant", err)
	}
	exec(t, admin, "GRANT trilith_system TO "+plainName+" WITH INHERIT FALSE")
	for who, as := range map[string]string{"the owner": asOwner, "a plain login": asPlain} {
		conn := connect(t, as)
		for _, table := range tables {
			table = "trilith." + table
			for tenant, want := range map[string]int{"": 0, "acme": 1, "nobody": 0, "*": 0} {
				count := func(condition string) (n int) {
					t.Helper()
					err := pgx.BeginFunc(t.Context(), conn, func(tx pgx.Tx) error {
						if _, err := tx.Exec(t.Context(),
							"SELECT set_config('role', 'trilith_app', true), set_config('trilith.tenant', $1, true)",
							tenant); err != nil {
							return err
						}
						return tx.QueryRow(t.Context(), "SELECT count(*) FROM "+table+" WHERE "+condition).Scan(&n)
					})
					if err != nil {
						t.Fatalf("%s: SELECT of %s: %v", who, table, err)
					}
					return n
				}
				if got := count("true"); got != want && !(tenant == "acme" && got > 0) {
					t.Errorf("%s as tenant %q sees %d rows of %s, want %d", who, tenant, got, table, want)
				}
				if got := count("tenant = 'beta'"); got != 0 {
					t.Errorf("%s as tenant %q sees %d rows of another tenant in %s", who, tenant, got, table)
				}
			}
			for _, statement := range []string{"UPDATE " + table + " SET tenant = tenant WHERE tenant = 'beta'",
				"DELETE FROM " + table + " WHERE tenant = 'beta'"} {
				err := pgx.BeginFunc(t.Context(), conn, func(tx pgx.Tx) error {
					if _, err := tx.Exec(t.Context(),
						"SELECT set_config('role', 'trilith_app', true), set_config('trilith.tenant', 'acme', true)"); err != nil {
						return err
					}
					tag, err := tx.Exec(t.Context(), statement)
					if tag.RowsAffected() != 0 {
						t.Errorf("%s as tenant acme: %s changed %d rows", who, statement, tag.RowsAffected())
					}
					return err
				})
				if err != nil {
					t.Errorf("%s: %s: %v", who, statement, err)
				}
			}
			err := pgx.BeginFunc(t.Context(), conn, func(tx pgx.Tx) error {
				if _, err := tx.Exec(t.Context(),
					"SELECT set_config('role', 'trilith_app', true), set_config('trilith.tenant', 'acme', true)"); err != nil {
					return err
				}
				_, err := tx.Exec(t.Context(), "UPDATE "+table+" SET tenant = 'beta'")
				return err
			})
			if err == nil || !strings.Contains(err.Error(), "42501") {
				t.Errorf("%s as tenant acme gives rows of %s to another tenant: %v, want it refused", who, table, err)
			}
		}
		again := open(t, postgres.Options{URL: as})
		if err := again.Check(t.Context()); err != nil {
			t.Errorf("Check as %s = %v, want nil", who, err)
		}
		everything(t, again, strings.ReplaceAll(who, " ", "-"))
		if names, err := again.Tenants(t.Context(), system); err != nil || len(names) < 3 {
			t.Errorf("Tenants as %s = %v, %v", who, names, err)
		}
	}
	var n int
	if err := connect(t, asOwner).QueryRow(t.Context(), "SELECT count(*) FROM trilith.memories").Scan(&n); err != nil ||
		n != 0 {
		t.Errorf("the owner without a tenant sees %d memories, %v; want none", n, err)
	}
	_, asStranger := login(t, database, "stranger", "")
	_, err = postgres.Open(t.Context(), postgres.Options{URL: asStranger})
	if wantKind(t, "Open by a login that may not step into the role", err, trilith.Unavailable); err != nil &&
		!strings.Contains(err.Error(), "GRANT trilith_app") {
		t.Errorf("Open by a login that may not step into the role = %v, want what to grant", err)
	}
}

func user(tb testing.TB, s string) string {
	tb.Helper()
	u, err := url.Parse(s)
	if err != nil {
		tb.Fatal(err)
	}
	return u.User.Username()
}

func TestOpenRefused(t *testing.T) {
	t.Parallel()
	for _, url := range []string{"", "postgres://ana:hunter2@[::1/x",
		"postgres://ana:hunter2@localhost:5432/x?sslmode=maybe", "host=localhost password=hunter2 port=many"} {
		_, err := postgres.Open(t.Context(), postgres.Options{URL: url})
		wantKind(t, "Open", err, trilith.Invalid)
		if err != nil && strings.Contains(err.Error(), "hunter2") {
			t.Errorf("Open shows the password: %v", err)
		}
	}
	_, err := postgres.Open(t.Context(), postgres.Options{URL: "postgres://ana:hunter2@127.0.0.1:1/x?sslmode=disable"})
	wantKind(t, "Open of a server that is not there", err, trilith.Unavailable)
	if err != nil && strings.Contains(err.Error(), "hunter2") {
		t.Errorf("Open shows the password: %v", err)
	}

	url := pgtest.Database(t)
	conn := connect(t, url)
	exec(t, conn, "CREATE SCHEMA trilith", "CREATE TABLE trilith.of_others (n int)")
	_, err = postgres.Open(t.Context(), postgres.Options{URL: url})
	wantKind(t, "Open of a database where another program has a schema of that name", err, trilith.Invalid)
	exec(t, conn, "DROP SCHEMA trilith CASCADE", "CREATE SCHEMA cairn", "CREATE TABLE cairn.schema_version (version_id int)")
	_, err = postgres.Open(t.Context(), postgres.Options{URL: url})
	wantKind(t, "Open of a database of the program's first name", err, trilith.Unsupported)
	if err != nil && !strings.Contains(err.Error(), "cairn export FILE") {
		t.Errorf("Open of a database of the program's first name = %v, want the way out", err)
	}
	exec(t, conn, "ALTER SCHEMA cairn RENAME TO before")

	open(t, postgres.Options{URL: url})
	exec(t, conn, "INSERT INTO trilith.schema_version (version_id, is_applied) VALUES (999, true)")
	_, err = postgres.Open(t.Context(), postgres.Options{URL: url})
	wantKind(t, "Open of a schema of a newer trilith", err, trilith.Unsupported)
	if err != nil && !strings.Contains(
		err.Error(), "the database was written by a newer trilith (schema 999, this one knows ") {
		t.Errorf("Open of a schema of a newer trilith = %v, want both numbers and the reason", err)
	}
}

// Several processes that find an empty database make the schema once.
func TestOpenAtOnce(t *testing.T) {
	t.Parallel()
	url := pgtest.Database(t)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			s, err := postgres.Open(t.Context(), postgres.Options{URL: url})
			if err != nil {
				t.Errorf("Open = %v, want nil", err)
				return
			}
			if err := s.Close(); err != nil {
				t.Errorf("Close = %v, want nil", err)
			}
		})
	}
	wg.Wait()
}

// TestOlderStopsWriting: a program that runs while a later version migrates the database writes nothing more, takes no
// jobs, and says why. It goes on reading.
func TestOlderStopsWriting(t *testing.T) {
	t.Parallel()
	url := pgtest.Database(t)
	s := open(t, postgres.Options{URL: url})
	put := func(name string) error {
		_, err := s.Commit(t.Context(), trilith.Scope{Tenant: "acme"}, role.Batch{
			Records: []role.Record{{Kind: role.RecordSource, ID: trilith.DeriveID(name), Body: []byte("{}")}},
			Jobs:    []trilith.Job{{ID: trilith.DeriveID("job", name), Kind: "none", State: trilith.JobReady}}})
		return err
	}
	if err := put("before"); err != nil {
		t.Fatalf("Commit = %v, want nil", err)
	}
	conn := connect(t, url)
	exec(t, conn, "INSERT INTO trilith.schema_version (version_id, is_applied) VALUES (9999, true)")
	_, leased := s.Lease(t.Context(), trilith.AsSystem("test"),
		trilith.LeaseRequest{Kinds: []string{"none"}, Worker: "w", For: time.Minute})
	for call, err := range map[string]error{"Commit": put("after"), "Lease": leased,
		"Retry": s.ChangeJob(t.Context(),
			trilith.RetryJob(trilith.Scope{Tenant: "acme"}, trilith.DeriveID("job", "before")))} {
		wantKind(t, call, err, trilith.Unavailable)
		if !strings.Contains(trilith.MessageOf(err), "this trilith is older than the database") {
			t.Errorf("%s after a later version has migrated the database says %v, want why", call, err)
		}
	}
	rs, err := s.Records(t.Context(), trilith.Scope{Tenant: "acme"}, role.RecordListing{Kind: role.RecordSource})
	if err != nil || len(rs) != 1 {
		t.Errorf("Records = %d, %v, want the one of before", len(rs), err)
	}
	exec(t, conn, "DELETE FROM trilith.schema_version WHERE version_id = 9999")
	if err := put("again"); err != nil {
		t.Errorf("Commit after the schema is as before = %v, want nil", err)
	}
}

// rowsAs counts the rows of every table that tenants have rows in, as a role with a tenant sees them.
func rowsAs(tb testing.TB, conn *pgx.Conn, role, tenant string) map[string]int {
	tb.Helper()
	rows := map[string]int{}
	err := pgx.BeginFunc(tb.Context(), conn, func(tx pgx.Tx) error {
		found, err := tx.Query(tb.Context(),
			"SELECT table_name FROM information_schema.columns WHERE table_schema = 'trilith' AND column_name = 'tenant'")
		if err != nil {
			return err
		}
		tables, err := pgx.CollectRows(found, pgx.RowTo[string])
		if err != nil {
			return err
		}
		if _, err := tx.Exec(tb.Context(), "SELECT set_config('role', $1, true), set_config('trilith.tenant', $2, true)",
			role, tenant); err != nil {
			return err
		}
		for _, table := range tables {
			var n int
			if err := tx.QueryRow(tb.Context(), "SELECT count(*) FROM trilith."+table).Scan(&n); err != nil {
				return err
			}
			rows[table] = n
		}
		return nil
	})
	if err != nil || len(rows) < 8 {
		tb.Fatalf("the rows that %s sees as tenant %q: %v, %v", role, tenant, rows, err)
	}
	return rows
}

func wantAll(tb testing.TB, conn *pgx.Conn, role, tenant string, seen bool) {
	tb.Helper()
	for table, n := range rowsAs(tb, conn, role, tenant) {
		if n > 0 != seen {
			tb.Errorf("%s with trilith.tenant = %q sees %d rows of %s; want to see any = %t", role, tenant,
				n, table, seen)
		}
	}
}

// works does what is done for all tenants: it takes a job, reads the log, asks for the tenants and examines the
// database.
func works(tb testing.TB, s *postgres.Store, tenants int) {
	tb.Helper()
	if found, err := s.Tenants(tb.Context(), system); err != nil || len(found) != tenants {
		tb.Errorf("Tenants = %v, %v; want %d", found, err, tenants)
	}
	if changes, _, err := s.Changes(tb.Context(), system, 0, "", 100); err != nil || len(changes) != 2*tenants {
		tb.Errorf("Changes = %d, %v; want %d", len(changes), err, 2*tenants)
	}
	jobs, err := s.Lease(tb.Context(), system, trilith.LeaseRequest{Worker: "w", For: time.Minute, Max: 1})
	if err != nil || len(jobs) != 1 {
		tb.Errorf("Lease = %d jobs, %v; want one", len(jobs), err)
	}
	if err := s.Check(tb.Context()); err != nil {
		tb.Errorf("Check = %v, want nil", err)
	}
}

// A database whose policies have a wildcard gets a role for all tenants when it is opened.
func TestOpenWithWildcard(t *testing.T) {
	t.Parallel()
	url := pgtest.Database(t)
	s := open(t, postgres.Options{URL: url})
	everything(t, s, "acme")
	everything(t, s, "beta")
	conn := connect(t, url)
	exec(t, conn, `DO $$ DECLARE t text; BEGIN
		FOR t IN SELECT tablename FROM pg_policies WHERE schemaname = 'trilith' AND policyname = 'tenant' LOOP
			EXECUTE format('DROP POLICY every_tenant ON trilith.%I', t);
			EXECUTE format('DROP POLICY tenant ON trilith.%I', t);
			EXECUTE format('CREATE POLICY tenant ON trilith.%I USING (tenant = current_setting(''trilith.tenant'', true) OR current_setting(''trilith.tenant'', true) = ''*'')', t);
			EXECUTE format('REVOKE ALL ON trilith.%I FROM trilith_system', t);
		END LOOP; END $$`, "REVOKE ALL ON SCHEMA trilith FROM trilith_system")
	wantAll(t, conn, "trilith_app", "*", true)
	if err := s.Check(t.Context()); err == nil {
		t.Error("Check finds nothing in a database whose tenants are not told apart")
	}
	s = open(t, postgres.Options{URL: url})
	for _, tenant := range []string{"acme", "beta"} {
		if _, err := s.Commit(t.Context(), trilith.Scope{Tenant: tenant},
			role.Batch{Jobs: []trilith.Job{{ID: id(8), Kind: role.JobPurge}},
				Audit: []trilith.AuditEntry{{At: at, Actor: "ci", Action: "look"}}}); err != nil {
			t.Fatalf("Commit = %v, want nil", err)
		}
	}
	wantAll(t, conn, "trilith_app", "*", false)
	wantAll(t, conn, "trilith_app", "", false)
	wantAll(t, conn, "trilith_app", "acme", true)
	wantAll(t, conn, "trilith_system", "", true)
	works(t, s, 2)
	if lack, run := s.Advice(); lack+run != "" {
		t.Errorf("Advice = %q, %q; want none", lack, run)
	}
}

// A login that may not step into the role for all tenants works as before there was one, and says what to run. Once
// that was run and another process has opened the database, it goes on without a restart.
func TestOpenWithoutSystemRole(t *testing.T) {
	t.Parallel()
	database := pgtest.Database(t)
	open(t, postgres.Options{URL: pgtest.Database(t)}) // both roles are there
	admin := connect(t, database)
	name, as := login(t, database, "modest", "")
	exec(t, admin, "GRANT CREATE ON DATABASE "+admin.Config().Database+" TO "+name, "GRANT trilith_app TO "+name)
	s := open(t, postgres.Options{URL: as})
	everything(t, s, "acme")
	everything(t, s, "beta")
	works(t, s, 2)
	lack, run := s.Advice()
	if !strings.Contains(lack, "trilith_system") || run != "GRANT trilith_system TO "+name+" WITH INHERIT FALSE;" {
		t.Fatalf("Advice = %q, %q; want the GRANT", lack, run)
	}
	wantAll(t, admin, "trilith_app", "*", true)

	exec(t, admin, run)
	other := open(t, postgres.Options{URL: as})
	wantAll(t, admin, "trilith_app", "*", false)
	everything(t, s, "gamma")
	for _, s := range []*postgres.Store{s, other} {
		if found, err := s.Tenants(t.Context(), system); err != nil || len(found) != 3 {
			t.Errorf("Tenants after the grant = %v, %v; want 3", found, err)
		}
	}
	works(t, other, 3)
	if lack, run := other.Advice(); lack+run != "" {
		t.Errorf("Advice after the grant = %q, %q; want none", lack, run)
	}
}
