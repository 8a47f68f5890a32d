package postgres_test

import (
	"context"
	"crypto/rand"
	"fmt"
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/store/postgres"
	"github.com/trilith-memory/trilith/internal/test/pgtest"
)

// newLogin makes a role of the server with the given rights, which is gone when the test is over, and everything that
// it owns with it. It has to be made before the database in which it is used.
func newLogin(t *testing.T, rights string) string {
	t.Helper()
	name := "trilith_test_" + strings.ToLower(rand.Text())
	pgtest.Need(t)
	server := os.Getenv("TRILITH_TEST_POSTGRES")
	statement(t, server, "CREATE ROLE "+name+" LOGIN "+rights)
	t.Cleanup(func() { statement(t, server, "DROP ROLE "+name) })
	return name
}

func listen(t *testing.T, url string, notices ...*[]string) *pgx.Conn {
	t.Helper()
	cfg, err := pgx.ParseConfig(url)
	if err != nil {
		t.Fatal(err)
	}
	cfg.OnNotice = func(_ *pgconn.PgConn, n *pgconn.Notice) {
		for _, to := range notices {
			*to = append(*to, n.Message)
		}
	}
	conn, err := pgx.ConnectConfig(context.Background(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close(context.Background()) })
	return conn
}

func statement(t *testing.T, url string, sql ...string) {
	t.Helper()
	conn, err := pgx.Connect(context.Background(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	for _, s := range sql {
		if _, err := conn.Exec(context.Background(), s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
}

func as(t *testing.T, text, user string) string {
	t.Helper()
	u, err := url.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	u.User = url.User(user)
	return u.String()
}

// furnish gives a tenant facts, with numbers and without.
func furnish(t *testing.T, url, tenant string) {
	t.Helper()
	s, err := postgres.Open(t.Context(), postgres.Options{URL: url})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	at := func(day int) time.Time { return time.Date(2025, 3, day, 8, 0, 0, 0, time.UTC) }
	scope := trilith.Scope{Tenant: tenant, Project: "12", User: "7", Session: "call-3"}
	var b role.Batch
	add := func(n int64, text string, edit func(*trilith.Memory)) trilith.ID {
		f := &trilith.Fact{EntityID: trilith.DeriveID("entity", tenant), Verb: "about",
			Node: trilith.Node{Type: "Matter", Name: text}, Type: trilith.FactFinancial,
			Confidence: 0.75, AuthorRole: trilith.RoleUser, Priority: trilith.PriorityHigh,
			Verification: trilith.Verification{Status: trilith.PendingApproval},
			Evidence:     []trilith.Evidence{{EpisodeID: trilith.DeriveID("turn", tenant)}}}
		f.FactID = f.Node.ID()
		f.RelationshipKey = f.Key()
		m := trilith.Memory{ID: trilith.FactMemoryID(f.EntityID, f.Verb, f.FactID), Version: 1, Kind: trilith.KindFact,
			Text: tenant + ": " + text, Scope: scope,
			EventTime: at(1), RecordedAt: at(1), State: trilith.StateActive, Trust: trilith.TrustUserStated, Fact: f}
		edit(&m)
		b.Memories = append(b.Memories, m)
		if n != 0 {
			b.Claims = append(b.Claims,
				role.Claim{Key: role.Key{Space: role.KeyLegacy, Value: fmt.Sprint(n)}, Owner: m.ID})
		}
		return m.ID
	}
	checked, deadline, over := at(4), at(9), at(2)
	b.Memories = append(b.Memories,
		trilith.Memory{ID: trilith.DeriveID("turn", tenant), Version: 1, Kind: trilith.KindEpisode, Role: trilith.RoleUser,
			Text:  "It costs 6,400.50 EUR.",
			Scope: scope, EventTime: at(1), RecordedAt: at(1), State: trilith.StateActive, Trust: trilith.TrustUserStated,
			ExternalID: "msg-17"})
	invoice := add(1, "the roof costs 6,400.50 EUR", func(m *trilith.Memory) {
		m.Fact.Financial = &trilith.Financial{Amount: "6400.50", Currency: "EUR", Category: "roof", Type: "invoice"}
		m.Fact.Content = map[string]any{"supplier": "Roof & Co"}
		m.Fact.RequiresAction, m.Fact.ActionDeadline = true, &deadline
		m.Fact.Verification = trilith.Verification{Status: trilith.Verified, By: "maren", At: &checked}
	})
	add(2, "the roof costs 6,000 EUR", func(m *trilith.Memory) {
		m.Fact.Financial = &trilith.Financial{Amount: "6000", Currency: "EUR"}
		m.State, m.SupersededBy, m.SupersededAt, m.ValidUntil = trilith.StateSuperseded, invoice, &over, &over
	})
	add(3, "the scaffold costs 12,000 EUR",
		func(m *trilith.Memory) { m.Fact.Financial = &trilith.Financial{Amount: "12000"} })
	add(4, "the gutters cost a lot", func(m *trilith.Memory) { m.Fact.Financial = &trilith.Financial{Amount: "a lot"} })
	add(5, "the fair was over",
		func(m *trilith.Memory) { m.ValidUntil, m.Scope.User, m.Scope.Project = &over, "ana", "barn" })
	add(0, "nobody asked for this one", func(m *trilith.Memory) {
		m.Fact.Verb, m.Metadata, m.Fact.Verification.By = trilith.ForeignVerb, map[string]any{"source_message_id": "801"},
			trilith.ByForeign
	})
	if _, err := s.Commit(t.Context(), trilith.Scope{Tenant: tenant}, b); err != nil {
		t.Fatal(err)
	}
}

// table prints the rows of a query.
func table(t *testing.T, conn *pgx.Conn, sql string) string {
	t.Helper()
	rows, err := conn.Query(t.Context(), sql)
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	var out []string
	for rows.Next() {
		values, err := rows.Values()
		if err != nil {
			t.Fatal(err)
		}
		var line []string
		for _, v := range values {
			line = append(line, fmt.Sprint(v))
		}
		out = append(out, strings.Join(line, " | "))
	}
	if err := rows.Err(); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return strings.Join(out, "\n")
}

// TestFactsView: SQL for a table of facts works on a memory, for a role that has no other rights and always sees one
// tenant.
func TestFactsView(t *testing.T) {
	t.Parallel()
	reader := newLogin(t, "")
	server := pgtest.Database(t)
	furnish(t, server, "acme")
	furnish(t, server, "o-brien")
	statement(t, server, "CREATE SCHEMA app", "GRANT USAGE ON SCHEMA app TO "+reader)
	view := postgres.FactsView{Tenant: "acme", Schema: "app", Reader: reader}
	for range 2 { // again is no other thing
		if err := postgres.MakeFactsView(t.Context(), server, view); err != nil {
			t.Fatal(err)
		}
	}
	if err := postgres.MakeFactsView(
		t.Context(), server, postgres.FactsView{Tenant: "o-brien", Schema: "public"}); err != nil {
		t.Fatal(err)
	}
	var notices []string
	conn := listen(t, as(t, server, reader), &notices)
	if _, err := conn.Exec(t.Context(),
		"SET search_path = app; SET trilith.tenant = '*'; SET timezone = 'UTC'"); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ why, sql, want string }{
		{"what the application asks",
			`SELECT fact_summary FROM conversation_facts WHERE user_id='7' AND is_active AND fact_type='financial' ORDER BY financial_amount DESC NULLS LAST, fact_summary`,
			"acme: the scaffold costs 12,000 EUR\nacme: the roof costs 6,400.50 EUR\nacme: nobody asked for this one\nacme: the gutters cost a lot"},
		{"every column", `SELECT id, session_id, project_id, user_id, fact_type, fact_content->>'supplier', embedding, is_active, superseded_by, valid_until, version, author_role,
			confidence_score, verification_status, verified_by, verified_at::text, financial_amount::text, currency, financial_category, financial_type, priority, requires_action,
			action_deadline::text, source_message_id, created_at::text, updated_at::text FROM conversation_facts WHERE id = 1`,
			"1 | call-3 | 12 | 7 | financial | Roof & Co | <nil> | true | <nil> | <nil> | 1 | user | 0.75 | verified | maren | 2025-03-04 08:00:00+00 | 6400.50 | EUR | roof | invoice | high | true | " +
				"2025-03-09 08:00:00+00 | msg-17 | 2025-03-01 08:00:00+00 | 2025-03-04 08:00:00+00"},
		{"what holds no longer",
			`SELECT id, superseded_by, is_active, valid_until::text FROM conversation_facts WHERE NOT is_active ORDER BY id`,
			"2 | 1 | false | 2025-03-02 08:00:00+00\n5 | <nil> | false | 2025-03-02 08:00:00+00"},
		{"what another application told",
			`SELECT source_message_id, verified_by FROM conversation_facts WHERE id IS NULL`, "801 | <nil>"},
		{"sums", `SELECT sum(financial_amount)::text FROM conversation_facts WHERE is_active`, "18400.50"},
		{"one tenant, whatever the session says",
			`SELECT count(*), count(*) FILTER (WHERE fact_summary LIKE 'acme:%') FROM conversation_facts`, "6 | 6"},
	} {
		if diff := cmp.Diff(c.want, table(t, conn, c.sql)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.why, diff)
		}
	}
	for _, sql := range []string{"DELETE FROM conversation_facts", "UPDATE conversation_facts SET priority = 'low'",
		"INSERT INTO conversation_facts (id) VALUES (9)",
		"SELECT count(*) FROM trilith.memories", "SELECT count(*) FROM public.conversation_facts", "SET ROLE trilith_view",
		"SET ROLE trilith_app"} {
		if _, err := conn.Exec(t.Context(), sql); err == nil {
			t.Errorf("the reader may %s", sql)
		}
	}
	if _, err := conn.Exec(t.Context(),
		`CREATE FUNCTION pg_temp.leak(text) RETURNS boolean LANGUAGE plpgsql COST 0.0000001 AS $$BEGIN RAISE NOTICE '%', $1; RETURN true; END$$`); err != nil {
		t.Fatal(err)
	}
	table(t, conn, `SELECT id FROM conversation_facts WHERE pg_temp.leak(fact_summary)`)
	if len(notices) != 6 || slices.ContainsFunc(
		notices, func(s string) bool { return !strings.HasPrefix(s, "acme:") }) {
		t.Errorf("a function of the reader was shown %q", notices)
	}

	if err := postgres.DropFactsView(t.Context(), server, view); err != nil {
		t.Fatal(err)
	}
	if _, err := conn.Exec(t.Context(), "SELECT 1 FROM conversation_facts"); err == nil {
		t.Error("the view is there after it was dropped")
	}
	if got := table(t, listen(t, server), "SELECT count(*) FROM public.conversation_facts"); got != "6" {
		t.Errorf("the other view has %s rows", got)
	}
}

// TestFactsViewOfAPlainLogin: the login that owns the memory is no superuser, as in production.
func TestFactsViewOfAPlainLogin(t *testing.T) {
	t.Parallel()
	owner, reader := newLogin(t, "NOSUPERUSER"), newLogin(t, "")
	server := pgtest.Database(t, "vector")
	u, err := url.Parse(server)
	if err != nil {
		t.Fatal(err)
	}
	for role, how := range map[string]string{"trilith_app": "", "trilith_view": " WITH INHERIT FALSE"} {
		statement(t, server, "DO $$BEGIN CREATE ROLE "+role+
			" NOLOGIN; EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END$$", "GRANT "+role+
			" TO "+owner+how)
	}
	statement(t, server, "ALTER DATABASE "+strings.TrimPrefix(u.Path, "/")+" OWNER TO "+owner)
	plain := as(t, server, owner)
	furnish(t, plain, "acme")
	furnish(t, plain, "globex")
	view := postgres.FactsView{Tenant: "acme", Schema: "public", Reader: reader, Numbers: true}
	if err := postgres.MakeFactsView(t.Context(), plain, view); err != nil {
		t.Fatal(err)
	}
	conn := listen(t, as(t, server, reader))
	want := "7 | 12 | acme: the roof costs 6,400.50 EUR\n<nil> | <nil> | acme: the fair was over"
	if got := table(t, conn,
		`SELECT user_id, project_id, fact_summary FROM conversation_facts WHERE id = 1 AND user_id = 7 OR user_id IS NULL ORDER BY id`); got != want {
		t.Errorf("numbers:\n%s\nwant\n%s", got, want)
	}
	if got := table(t, conn, `SELECT count(*), count(embedding <=> '[1,2]') FROM conversation_facts`); got != "6 | 0" {
		t.Errorf("facts and distances: %s", got)
	}
	if got := table(t, listen(t, plain), "SELECT count(*) FROM trilith.memories"); got != "0" {
		t.Errorf("the owner sees %s memories without a tenant: the view has given it rights", got)
	}
	if err := postgres.DropFactsView(t.Context(), plain, view); err != nil {
		t.Fatal(err)
	}
}

func TestFactsViewRefuses(t *testing.T) {
	t.Parallel()
	empty, server := pgtest.Database(t), pgtest.Database(t)
	furnish(t, server, "acme")
	statement(t, server, "CREATE TABLE public.conversation_facts (id bigint)", "CREATE SCHEMA app")
	good := postgres.FactsView{Tenant: "acme", Schema: "app"}
	with := func(change func(*postgres.FactsView)) postgres.FactsView {
		v := good
		change(&v)
		return v
	}
	for _, c := range []struct {
		why   string
		url   string
		view  postgres.FactsView
		kind  trilith.ErrorKind
		names string
	}{
		{"a table of the application", server, with(func(v *postgres.FactsView) { v.Schema = "public" }),
			trilith.Conflict, "rename it"},
		{"no such schema", server, with(func(v *postgres.FactsView) { v.Schema = "nowhere" }),
			trilith.NotFound, "nowhere"},
		{"no such role", server, with(func(v *postgres.FactsView) { v.Reader = "nobody_at_all" }), trilith.NotFound,
			"nobody_at_all"},
		{"no tenant", server, with(func(v *postgres.FactsView) { v.Tenant = "_system" }), trilith.Invalid, "tenant"},
		{"no memory", empty, good, trilith.NotFound, "no memory"},
	} {
		err := postgres.MakeFactsView(t.Context(), c.url, c.view)
		if err == nil || trilith.KindOf(err) != c.kind || !strings.Contains(trilith.MessageOf(err), c.names) {
			t.Errorf("%s: MakeFactsView = %v, want %v with %q", c.why, err, c.kind, c.names)
		}
	}
	if err := postgres.DropFactsView(t.Context(), server, good); trilith.KindOf(err) != trilith.NotFound || err == nil {
		t.Errorf("DropFactsView of none = %v", err)
	}
	if err := postgres.MakeFactsView(t.Context(), server, good); err != nil {
		t.Fatal(err)
	}
	if err := postgres.MakeFactsView(
		t.Context(), server, with(func(v *postgres.FactsView) { v.Numbers = true })); trilith.KindOf(
		err) != trilith.Conflict || err == nil {
		t.Errorf("a view of other types in place of one = %v, want a conflict", err)
	}
}

// TestFactsViewRunsDocumentedSQL: the documented statements for a table of facts with vectors work on the view, with
// numbers as ids.
func TestFactsViewRunsDocumentedSQL(t *testing.T) {
	t.Parallel()
	reader := newLogin(t, "")
	server := pgtest.Database(t, "vector")
	s, err := postgres.Open(t.Context(), postgres.Options{URL: server})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	vectors, err := s.Vectors(t.Context(), postgres.VectorOptions{})
	if err != nil {
		t.Fatal(err)
	}
	g := trilith.Generation{Provider: "test", Model: "two", Dims: 2, Recipe: 1}
	var b role.Batch
	var points []role.Point
	at := time.Date(2025, 3, 1, 8, 0, 0, 0, time.UTC)
	for i, f := range []struct {
		project, text, amount string
		kind                  trilith.FactType
		v                     trilith.Vector
	}{
		{"1", "the roof costs 6,400 EUR", "6400", trilith.FactFinancial, trilith.Vector{1, 0}},
		{"1", "the roof is 6,400 EUR", "6400", trilith.FactFinancial, trilith.Vector{0.99, 0.1410674}},
		{"1", "paint the fence", "", trilith.FactTask, trilith.Vector{0, 1}},
		{"2", "the barn costs 100 EUR", "100", trilith.FactFinancial, trilith.Vector{-1, 0}},
	} {
		x := &trilith.Fact{EntityID: trilith.DeriveID("entity", f.project), Verb: "about",
			Node: trilith.Node{Type: "Matter", Name: f.text}, Type: f.kind, AuthorRole: trilith.RoleUser,
			Confidence: 0.9, Verification: trilith.Verification{Status: trilith.PendingApproval}}
		if f.amount != "" {
			x.Financial = &trilith.Financial{Amount: f.amount, Currency: "EUR"}
		}
		x.FactID = x.Node.ID()
		x.RelationshipKey = x.Key()
		m := trilith.Memory{ID: trilith.FactMemoryID(x.EntityID, x.Verb, x.FactID), Version: 1, Kind: trilith.KindFact,
			Text: f.text, Scope: trilith.Scope{Tenant: "acme", Project: f.project, User: "7"},
			EventTime: at, RecordedAt: at, State: trilith.StateActive, Trust: trilith.TrustUserStated, Fact: x}
		b.Memories = append(b.Memories, m)
		b.Claims = append(b.Claims,
			role.Claim{Key: role.Key{Space: role.KeyLegacy, Value: fmt.Sprint(i + 1)}, Owner: m.ID})
		points = append(points, role.Point{Facets: role.FacetsOf(&m), Vector: f.v, At: at})
	}
	if _, err := s.Commit(t.Context(), trilith.Scope{Tenant: "acme"}, b); err != nil {
		t.Fatal(err)
	}
	if err := vectors.Apply(t.Context(), g, points); err != nil {
		t.Fatal(err)
	}
	if err := postgres.MakeFactsView(
		t.Context(), server, postgres.FactsView{Tenant: "acme", Schema: "public", Reader: reader,
			Generation: g}); err != nil {
		t.Fatal(err)
	}
	conn := listen(t, as(t, server, reader))
	for _, c := range []struct{ why, sql, want string }{
		{"most similar", `SELECT id, round((1 - (embedding <=> '[1,0]'))::numeric, 2)::text FROM conversation_facts WHERE project_id = 1 AND is_active ORDER BY embedding <=> '[1,0]' LIMIT 2`, "1 | 1.00\n2 | 0.99"},
		{"duplicates", `SELECT a.id, b.id FROM conversation_facts a JOIN conversation_facts b ON a.id < b.id AND a.project_id = b.project_id WHERE 1 - (a.embedding <=> b.embedding) > 0.95`, "1 | 2"},
		{"distribution", `SELECT fact_type, count(*) FROM conversation_facts WHERE project_id = 1 GROUP BY fact_type ORDER BY fact_type`, "financial | 2\ntask | 1"},
		{"exposure", `SELECT project_id, sum(financial_amount)::text FROM conversation_facts WHERE is_active GROUP BY project_id ORDER BY project_id`, "1 | 12800\n2 | 100"},
		{"the type", `SELECT DISTINCT vector_dims(embedding), pg_typeof(user_id)::text, pg_typeof(embedding)::text FROM conversation_facts`, "2 | bigint | vector"},
	} {
		if got := table(t, conn, c.sql); got != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", c.why, got, c.want)
		}
	}
	if err := postgres.DropFactsView(
		t.Context(), server, postgres.FactsView{Tenant: "acme", Schema: "public"}); err != nil {
		t.Fatal(err)
	}
}
