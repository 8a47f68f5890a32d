package transfer_test

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/engine"
	"github.com/trilith-memory/trilith/internal/store/postgres"
	"github.com/trilith-memory/trilith/internal/store/walk"
	"github.com/trilith-memory/trilith/internal/test/indextest"
	"github.com/trilith-memory/trilith/internal/test/pgtest"
	"github.com/trilith-memory/trilith/internal/transfer"
)

// onPostgres is an engine with its memory in a database.
func onPostgres(t testing.TB, url string) *engine.Engine {
	t.Helper()
	store, err := postgres.Open(t.Context(), postgres.Options{URL: url})
	if err != nil {
		t.Fatal(err)
	}
	e, err := engine.Open(t.Context(), engine.Config{Store: store, Log: store, Queue: store, Text: indextest.NewText(),
		Graph: walk.OverStore(store),
		Now:   func() time.Time { return changed.AddDate(1, 0, 0) }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	return e
}

// TestFactsComeBack: the view shows what the table held, but for what has another form here.
func TestFactsComeBack(t *testing.T) {
	t.Parallel()
	url := pgtest.Database(t, "vector")
	onDatabase(t, url, factsSQL(t, "numbers.sql"), "CREATE SCHEMA app")
	e := onPostgres(t, url)
	first := importFacts(t, e, transfer.FactTableOptions{URL: url})
	if again := importFacts(t, e, transfer.FactTableOptions{URL: url}); again.Duplicates != first.Stored ||
		again.Stored+again.Updated != 0 {
		t.Errorf("imported twice into PostgreSQL: %s", summary(again))
	}
	if err := postgres.MakeFactsView(
		t.Context(), url, postgres.FactsView{Tenant: acme.Tenant, Schema: "app", Numbers: true}); err != nil {
		t.Fatal(err)
	}
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	rows, err := conn.Query(t.Context(), `SELECT t.id || ' ' || d.key || ': ' || d.was || ' → ' || v.shown
		FROM public.conversation_facts AS t JOIN app.conversation_facts AS f USING (id),
		LATERAL jsonb_each(to_jsonb(t)) AS d (key, was), LATERAL jsonb_each(to_jsonb(f)) AS v (key, shown)
		WHERE d.key = v.key AND d.was IS DISTINCT FROM v.shown AND d.key NOT IN ('embedding', 'updated_at') AND t.id < 40 ORDER BY t.id, d.key`)
	if err != nil {
		t.Fatal(err)
	}
	got, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(filepath.Join("testdata", "facts", "view.golden"), []byte(strings.Join(got, "\n")+"\n"),
			0o644); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(strings.TrimSpace(factsSQL(t, "view.golden")), strings.Join(got, "\n")); diff != "" {
		t.Errorf("what the view shows otherwise than the table (-want +got):\n%s", diff)
	}
	missing := 0
	if err := conn.QueryRow(
		t.Context(), `SELECT count(*) FROM public.conversation_facts AS t WHERE id > 0 AND id <> 43 AND NOT EXISTS (SELECT FROM app.conversation_facts AS f WHERE f.id = t.id)`).Scan(&missing); err != nil || missing != 0 {
		t.Errorf("%d rows are not in the view, %v", missing, err)
	}
}

// BenchmarkImportFacts reads a table of 5000 facts of 50 people, a tenth of them replaced by another, into a memory.
func BenchmarkImportFacts(b *testing.B) {
	const rows = 5000
	url := pgtest.Database(b)
	onDatabase(b, url, `CREATE TABLE conversation_facts AS SELECT i AS id, 's' || i % 200 AS session_id, i % 20 AS project_id, i % 50 AS user_id, 'material' AS fact_type,
			jsonb_build_object('pieces', i) AS fact_content, 'The mill number ' || i || ' has ' || i % 7 || ' stones and a wheel of oak.' AS fact_summary, i % 10 <> 0 AS is_active,
			CASE WHEN i % 10 = 0 THEN i + 1 END AS superseded_by, 0.8 AS confidence_score, 'verified' AS verification_status, now() - i * interval '1 minute' AS created_at
		FROM generate_series(1, `+strconv.Itoa(rows)+`) AS i`)
	for _, c := range []struct {
		name string
		open func() *engine.Engine
	}{
		{"in memory", func() *engine.Engine { return memory(b) }},
		{"in PostgreSQL", func() *engine.Engine { return onPostgres(b, pgtest.Database(b)) }},
	} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				b.StopTimer()
				e := c.open()
				b.StartTimer()
				if r := importFacts(b, e, transfer.FactTableOptions{URL: url}); r.Stored != rows {
					b.Fatal(summary(r))
				}
			}
			b.ReportMetric(rows*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
		})
	}
}

// TestFactsAreNumberedWhenStored: a fact that is stored while there is a view has its number in the same moment, also
// where several callers store at once, where the number comes with the fact, and after the view was made again.
func TestFactsAreNumberedWhenStored(t *testing.T) {
	t.Parallel()
	url := pgtest.Database(t)
	e := onPostgres(t, url)
	tell := func(s trilith.Scope, name, amount string) {
		t.Helper()
		if _, err := e.TellFact(t.Context(), s, trilith.TellRequest{
			Subject: &trilith.Identifier{Type: "name", Value: name}, Verb: "costs", Value: amount}); err != nil {
			t.Fatal(err)
		}
	}
	s := trilith.Scope{Tenant: "acme", Project: "1", User: "7"}
	tell(s, "the barn", "100 EUR")
	view := postgres.FactsView{Tenant: "acme", Schema: "public"}
	for range 2 {
		if err := postgres.MakeFactsView(t.Context(), url, view); err != nil {
			t.Fatal(err)
		}
	}
	if n, err := e.NumberFacts(t.Context(), trilith.Scope{Tenant: "acme"}); err != nil || n != 1 {
		t.Fatalf("NumberFacts = %d, %v", n, err)
	}
	var all sync.WaitGroup
	for i := range 6 {
		all.Go(func() { tell(s, "roof "+strconv.Itoa(i), strconv.Itoa(1000+i)+" EUR") })
	}
	all.Wait()
	tell(trilith.Scope{Tenant: "globex"}, "the boat", "5 EUR")
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	for _, c := range []struct{ why, sql, want string }{
		{"numbers", "SELECT string_agg(id::text, ' ' ORDER BY id) FROM conversation_facts", "1 2 3 4 5 6 7"},
		{"none without", "SELECT count(*)::text FROM conversation_facts WHERE id IS NULL", "0"},
		{"pairs", `SELECT count(*)::text FROM conversation_facts cf1 JOIN conversation_facts cf2 ON cf1.id < cf2.id AND cf1.project_id = cf2.project_id`, "21"},
		{"who verified is typed as who said it", `SELECT pg_typeof(verified_by) || ' ' || pg_typeof(user_id) FROM conversation_facts LIMIT 1`, "bigint bigint"},
	} {
		var got string
		if err := conn.QueryRow(t.Context(), c.sql).Scan(&got); err != nil || got != c.want {
			t.Errorf("%s: %q, %v; want %q", c.why, got, err, c.want)
		}
	}
	if n, err := e.NumberFacts(t.Context(), trilith.Scope{Tenant: "acme"}); err != nil || n != 7 {
		t.Errorf("NumberFacts afterwards = %d, %v", n, err)
	}
	if err := postgres.DropFactsView(t.Context(), url, view); err != nil {
		t.Fatal(err)
	}
	tell(s, "the well", "9 EUR")
	var numbers int
	if err := conn.QueryRow(t.Context(), `SELECT count(*) FROM pg_trigger WHERE tgname LIKE 'conversation_facts%'`).Scan(&numbers); err != nil ||
		numbers != 0 {
		t.Errorf("%d triggers are left after the view was dropped, %v", numbers, err)
	}
}
