package transfer_test

import (
	"context"
	"fmt"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/engine"
	"github.com/trilith-memory/trilith/internal/test/pgtest"
	"github.com/trilith-memory/trilith/internal/transfer"
)

// onDatabase runs statements on a database.
func onDatabase(t testing.TB, url string, statements ...string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	for _, s := range statements {
		if _, err := conn.Exec(t.Context(), s); err != nil {
			t.Fatalf("%.200s: %v", s, err)
		}
	}
}

// factsSQL is a file of statements that make and fill a table conversation_facts.
func factsSQL(t testing.TB, name string) string {
	t.Helper()
	body, err := os.ReadFile(filepath.Join("testdata", "facts", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

// factItems reads the table of a database.
func factItems(t testing.TB, o transfer.FactTableOptions) *transfer.FactTable {
	t.Helper()
	o.Now = func() time.Time { return changed.AddDate(1, 0, 0) }
	table, err := transfer.OpenFactTable(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := table.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return table
}

func importFacts(t testing.TB, e *engine.Engine, o transfer.FactTableOptions) transfer.Report {
	t.Helper()
	report, err := transfer.Run(t.Context(), e, factItems(t, o).Items(t.Context()),
		transfer.Options{Scope: acme, Now: clock()})
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// told is what became of facts, in the words of the table they come from.
func told(t testing.TB, e *engine.Engine) string {
	t.Helper()
	names, lines := map[trilith.ID]string{}, []string{}
	var ms []trilith.Memory
	for it, err := range e.Export(t.Context(), acme) {
		if err != nil {
			t.Fatal(err)
		}
		if it.Entity != nil {
			names[it.Entity.ID] = it.Entity.Identifiers[0].Type + ":" + it.Entity.Identifiers[0].Value
		}
		if it.Memory != nil {
			names[it.Memory.ID] = strings.TrimPrefix(it.Memory.Fact.Node.Name, "conversation_facts/")
			ms = append(ms, *it.Memory)
		}
	}
	for _, m := range ms {
		f := m.Fact
		var b strings.Builder
		line := func(name string, v any) {
			if text := fmt.Sprint(v); text != "" && text != "0" && text != "false" && text != "map[]" && text != "[]" {
				fmt.Fprintf(&b, "  %s: %s\n", name, text)
			}
		}
		at := func(t *time.Time) string {
			if t == nil {
				return ""
			}
			return t.Format(time.RFC3339Nano)
		}
		fmt.Fprintf(&b, "%s %s v%d %s %q\n", names[m.ID], m.State, m.Version, m.Trust, m.Text)
		line("number", f.LegacyID)
		line("external id", m.ExternalID)
		line("about", names[f.EntityID])
		for _, v := range m.Scope.Fields() {
			line(v.Name, v.Value)
		}
		line("type", f.Type)
		line("author", f.AuthorRole)
		line("content", f.Content)
		line("confidence", f.Confidence)
		line("verification", strings.TrimSpace(
			fmt.Sprint(f.Verification.Status, " ", f.Verification.By, " ", at(f.Verification.At))))
		if f.Financial != nil {
			line("financial", fmt.Sprintf("%+v", *f.Financial))
		}
		line("priority", f.Priority)
		line("requires action", f.RequiresAction)
		line("deadline", at(f.ActionDeadline))
		line("since", m.EventTime.Format(time.RFC3339Nano))
		line("recorded", m.RecordedAt.Format(time.RFC3339Nano))
		line("until", at(m.ValidUntil))
		line("closed", at(m.SupersededAt))
		line("superseded by", names[m.SupersededBy])
		for _, id := range m.Supersedes {
			line("supersedes", names[id])
		}
		delete(m.Metadata, "adopted_as")
		for _, k := range slices.Sorted(maps.Keys(m.Metadata)) {
			line("metadata "+k, m.Metadata[k])
		}
		lines = append(lines, b.String())
	}
	slices.Sort(lines)
	return strings.Join(lines, "")
}

// summary is a report as text.
func summary(r transfer.Report) string {
	var b strings.Builder
	fmt.Fprintf(&b, "stored %d, updated %d, there %d, vectors %d, rejected %v, omitted %v\n", r.Stored, r.Updated,
		r.Duplicates, r.Vectors, r.Rejected, r.Omitted)
	for _, bad := range r.BadLines {
		fmt.Fprintf(&b, "row %d: %s\n", bad.Line, trilith.MessageOf(bad.Err))
	}
	return b.String()
}

// TestFacts imports tables as they are found: with numbers or UUIDs, with every type that a column may have, and with
// all that can be wrong in a row.
func TestFacts(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"numbers", "uuids", "few"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			extensions := []string{}
			if name == "numbers" {
				extensions = append(extensions, "vector")
			}
			url := pgtest.Database(t, extensions...)
			onDatabase(t, url, factsSQL(t, name+".sql"))
			e := memory(t)
			report := importFacts(t, e, transfer.FactTableOptions{URL: url})
			got := summary(report) + "\n" + told(t, e)
			path := filepath.Join("testdata", "facts", name+".golden")
			if *update {
				if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Errorf("the facts of %s.sql (-want +got):\n%s", name, diff)
			}
			before := exported(t, e)
			again := importFacts(t, e, transfer.FactTableOptions{URL: url})
			if again.Stored+again.Updated != 0 || again.Duplicates != report.Stored {
				t.Errorf("the second import: %s", summary(again))
			}
			if diff := cmp.Diff(before, exported(t, e)); diff != "" {
				t.Errorf("imported twice, the export differs (-once +twice):\n%s", diff)
			}
			restored := memory(t)
			var items []trilith.ExportItem
			for it, err := range e.Export(t.Context(), acme) {
				if err != nil {
					t.Fatal(err)
				}
				items = append(items, it)
			}
			if _, _, err := restored.Restore(t.Context(), acme, items); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(before, exported(t, restored)); diff != "" {
				t.Errorf("an export of imported facts does not restore (-want +got):\n%s", diff)
			}
		})
	}
}

// TestFactsFollowTheTable: a change in the table changes the fact here, unless somebody has decided about it here.
func TestFactsFollowTheTable(t *testing.T) {
	t.Parallel()
	url := pgtest.Database(t, "vector")
	onDatabase(t, url, factsSQL(t, "numbers.sql"))
	e := memory(t)
	first := importFacts(t, e, transfer.FactTableOptions{URL: url})
	byNumber := func(n int64) trilith.Memory {
		t.Helper()
		id, err := e.LegacyFact(t.Context(), acme, n)
		if err != nil {
			t.Fatal(err)
		}
		m, err := e.Get(t.Context(), acme, id)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	if _, err := e.VerifyFact(t.Context(), acme, byNumber(1).ID,
		trilith.VerifyRequest{Decision: trilith.DecideVerify}); err != nil {
		t.Fatal(err)
	}
	if _, err := e.Forget(t.Context(), acme, trilith.ForgetRequest{IDs: []trilith.ID{byNumber(2).ID}}); err != nil {
		t.Fatal(err)
	}
	erased := byNumber(5).ID
	if _, err := e.Erase(t.Context(), acme, trilith.EraseRequest{IDs: []trilith.ID{erased}}); err != nil {
		t.Fatal(err)
	}
	onDatabase(t, url, `UPDATE conversation_facts SET priority = 'low' WHERE id IN (1, 2, 3, 5)`,
		`UPDATE conversation_facts SET is_active = false, superseded_by = 900, updated_at = '2025-06-30T10:00Z' WHERE id = 3`,
		`INSERT INTO conversation_facts (id, user_id, fact_summary, is_active, created_at) VALUES (900, 7, 'The scaffold costs 4,100 EUR.', true, '2025-06-30T10:00Z')`)
	second := importFacts(t, e, transfer.FactTableOptions{URL: url})
	want := fmt.Sprintf("stored 1, updated 1, there %d, vectors 0, rejected map[changed_here:2 erased:1], omitted map[]", first.Stored-4)
	if got, _, _ := strings.Cut(summary(second), "\n"); got != want {
		t.Errorf("the import of the changed table:\n got %s\nwant %s", got, want)
	}
	if m := byNumber(1); m.Fact.Priority == trilith.PriorityLow || m.Fact.Verification.By != "tester" ||
		m.State != trilith.StateActive {
		t.Errorf("what a person verified is %s, %s, %+v", m.State, m.Fact.Priority, m.Fact.Verification)
	}
	if m := byNumber(2); m.State != trilith.StateRetracted {
		t.Errorf("what was forgotten is %s", m.State)
	}
	old, successor := byNumber(3), byNumber(900)
	if old.State != trilith.StateSuperseded || old.SupersededBy != successor.ID ||
		!slices.Contains(successor.Supersedes, old.ID) ||
		old.Fact.Priority != trilith.PriorityLow {
		t.Errorf("what was replaced is %s by %s, want by %s, which holds instead of %v", old.State, old.SupersededBy,
			successor.ID, successor.Supersedes)
	}
	if _, err := e.Get(t.Context(), acme, erased); err == nil {
		t.Error("what was erased is back")
	}
	// A decision replays a fact: the imported parts stay as they were.
	before := byNumber(3)
	if _, err := e.VerifyFact(t.Context(), acme, before.ID,
		trilith.VerifyRequest{Decision: trilith.DecideReview}); err != nil {
		t.Fatal(err)
	}
	after := byNumber(3)
	after.Version, after.Fact.Verification = before.Version, before.Fact.Verification
	if diff := cmp.Diff(before, after); diff != "" {
		t.Errorf("a fact that was looked at is another (-before +after):\n%s", diff)
	}
}

func TestFactTableRefuses(t *testing.T) {
	t.Parallel()
	server := pgtest.Database(t)
	onDatabase(t, server, `CREATE TABLE conversation_facts (id bigint, fact_type text)`, `CREATE SCHEMA app`,
		`CREATE TABLE app."Facts" (id bigint, fact_summary text, created_at timestamptz)`)
	u, err := url.Parse(server)
	if err != nil {
		t.Fatal(err)
	}
	with := func(change func(*url.URL)) string {
		v := *u
		change(&v)
		return v.String()
	}
	for _, c := range []struct {
		why   string
		o     transfer.FactTableOptions
		kind  trilith.ErrorKind
		names string
	}{
		{"columns that have to be there", transfer.FactTableOptions{URL: server}, trilith.Invalid,
			"created_at, fact_summary or fact_content"},
		{"another name", transfer.FactTableOptions{URL: server, Table: "app.facts"}, trilith.NotFound,
			"no table app.facts"},
		{"a name that is none", transfer.FactTableOptions{URL: server, Table: "a.b.c"}, trilith.Invalid, "SCHEMA.NAME"},
		{"a name that is a statement",
			transfer.FactTableOptions{URL: server, Table: `x"; DROP TABLE conversation_facts; --`},
			trilith.NotFound, "no table"},
		{"no URL of a database", transfer.FactTableOptions{URL: "mysql://u:hunter2@h/d"}, trilith.Invalid, "url"},
		{"a URL that cannot be read", transfer.FactTableOptions{URL: "postgres://u:hunter2 %@h/d"},
			trilith.Invalid, "url"},
		{"no such database", transfer.FactTableOptions{
			URL: with(func(u *url.URL) { u.Path, u.User = "/nowhere", url.UserPassword("postgres", "hunter2") })},
			trilith.Invalid, "nowhere"},
		{"nobody there", transfer.FactTableOptions{URL: "postgres://u:hunter2@127.0.0.1:1/d?password=hunter2"},
			trilith.Unavailable, "127.0.0.1:1"},
	} {
		table, err := transfer.OpenFactTable(t.Context(), c.o)
		if err == nil {
			_ = table.Close(context.Background())
		}
		if err == nil || trilith.KindOf(err) != c.kind || !strings.Contains(err.Error(), c.names) ||
			strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: OpenFactTable = %v, want %v with %q", c.why, err, c.kind, c.names)
		}
	}
	if table := factItems(t, transfer.FactTableOptions{URL: server, Table: "app.Facts"}); table.Size() != 0 {
		t.Errorf("app.Facts has %d rows", table.Size())
	}
	both := with(func(u *url.URL) { u.RawQuery += "&table=app.Facts" })
	if table := factItems(t, transfer.FactTableOptions{URL: both}); strings.Contains(table.Name(), "table") {
		t.Errorf("the table is named %s", table.Name())
	}
}
