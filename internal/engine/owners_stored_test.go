package engine_test

import (
	"bufio"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/embedded"
	"github.com/trilith-memory/trilith/internal/engine"
	"github.com/trilith-memory/trilith/internal/pgtest"
	"github.com/trilith-memory/trilith/internal/sqlite"
	"github.com/trilith-memory/trilith/internal/tables"
)

var stored = trilith.Scope{Tenant: "default", Actor: "tester"}

// unpacked is what a file of testdata/owners holds. A program wrote all of them before there were owners, of one
// memory. Two users' tools call every speaker User, and both know a Max; one user has two projects, and speaks of
// themselves in both; an address is known to the tenant and to a user; one fact was rejected, one erased, one is
// shared.
func unpacked(t *testing.T, name string) []byte {
	t.Helper()
	packed, err := os.Open(filepath.Join("testdata/owners", name+".gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer packed.Close()
	r, err := gzip.NewReader(packed)
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// written makes a new file of what a file of testdata/owners holds.
func written(t *testing.T, name string) (path string) {
	t.Helper()
	path = newPath(t)
	if err := os.WriteFile(path, unpacked(t, name), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// oldStores are the stores of that program, each by what opens it.
var oldStores = map[string]func(t *testing.T) (open func(...func(*engine.Config)) rig){
	"a file": func(t *testing.T) func(...func(*engine.Config)) rig {
		path := written(t, "sqlite.db")
		return func(change ...func(*engine.Config)) rig { return onFile(t, path, change...) }
	},
	"a backup that is restored": func(t *testing.T) func(...func(*engine.Config)) rig {
		path := newPath(t)
		if err := sqlite.Restore(t.Context(), written(t, "backup.db"), path); err != nil {
			t.Fatal(err)
		}
		return func(change ...func(*engine.Config)) rig { return onFile(t, path, change...) }
	},
	"PostgreSQL": func(t *testing.T) func(...func(*engine.Config)) rig {
		url := pgtest.Database(t)
		loadDump(t, url, string(unpacked(t, "postgres.sql")))
		return func(change ...func(*engine.Config)) rig { return onPostgres(t, url, change...) }
	},
}

// loadDump runs what pg_dump wrote of the schema. The dump names the roles, which belong to the server.
func loadDump(t *testing.T, url, dump string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	for _, script := range []string{
		`DO $$ BEGIN CREATE ROLE trilith_app NOLOGIN; EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$;
		DO $$ BEGIN CREATE ROLE trilith_system NOLOGIN; EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$;`, dump} {
		if _, err := conn.PgConn().Exec(t.Context(), script).ReadAll(); err != nil {
			t.Fatal(err)
		}
	}
}

// oldItems are what the same program exported of it.
func oldItems(t *testing.T) (items []trilith.ExportItem) {
	t.Helper()
	file, err := os.Open("testdata/owners/export.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var it trilith.ExportItem
		if err := json.Unmarshal(lines.Bytes(), &it); err != nil {
			t.Fatal(err)
		}
		items = append(items, it)
	}
	return items
}

// ownedFacts says of each fact whose it is, in which state, and what it says.
func ownedFacts(t *testing.T, e rig) []string {
	t.Helper()
	var out []string
	for m, err := range e.parts.Store.List(
		t.Context(), stored, trilith.Listing{Filter: trilith.Where("kind", trilith.OpEq, trilith.KindFact)}) {
		if err != nil {
			t.Fatal(err)
		}
		if m.SharedFrom == "" {
			out = append(out, fmt.Sprintf("%s %s %s (%d)", m.Fact.Owner, m.State, m.Text, len(m.Fact.Evidence)))
		}
	}
	slices.Sort(out)
	return out
}

var ownedBefore = []string{
	" active kim@example.com lives in Oslo. (1)",
	"project:barn active Budget: 9000 EUR for roof. (1)",
	"project:roof active Budget: 20000 EUR for roof. (1)",
	"project:roof active Decided: use slate. (1)",
	"session:solo active Ida lives in Visby. (1)",
	"user:u1 active Max lives in Kiel. (1)",
	"user:u1 active User lives in Aarhus. (1)",
	"user:u1 active User likes chess. (1)",
	"user:u1 active kim@example.com lives in Bergen. (1)",
	"user:u1 retracted kim@example.com likes skiing. (1)",
	"user:u2 active Max lives in Graz. (1)",
	"user:u2 active User likes chess. (1)",
	"user:u2 active User lives in Turku. (1)",
	"user:u3 active u3 lives in Lund. (1)",
	"user:u3 superseded u3 lives in Malmö. (1)",
}

func TestStoredFactsGetTheirOwners(t *testing.T) {
	t.Parallel()
	for name, store := range oldStores {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			testStoredOwners(t, store(t))
		})
	}
}

// ending is a store whose process ends after so many commits.
type ending struct {
	*sqlite.Store
	left atomic.Int64
}

func (s *ending) Commit(ctx context.Context, scope trilith.Scope, b trilith.Batch) (trilith.Commit, error) {
	if s.left.Add(-1) < 0 {
		return trilith.Commit{}, trilith.Errorf(trilith.Unavailable, "the process has ended")
	}
	return s.Store.Commit(ctx, scope, b)
}

// If a process ends between any two commits while facts get their owners, the next process continues, and the result
// is the same.
func TestStoredFactsGetTheirOwnersWheneverInterrupted(t *testing.T) {
	t.Parallel()
	want := slices.Sorted(slices.Values(ownedBefore))
	items := oldItems(t)
	interrupted := true
	for n := int64(0); interrupted; n++ {
		path := written(t, "sqlite.db")
		store, err := sqlite.Open(t.Context(), sqlite.Options{Path: path})
		if err != nil {
			t.Fatal(err)
		}
		short := &ending{Store: store}
		short.left.Store(n)
		e, err := engine.Open(t.Context(),
			engine.Config{Store: short, Log: store, Queue: store, Text: embedded.NewText(nil),
				Graph: tables.New(store)})
		if interrupted = err != nil; interrupted {
			if trilith.KindOf(err) != trilith.Unavailable {
				t.Fatalf("Open after %d commits = %v, want what the store answers", n, err)
			}
			err = store.Close()
		} else {
			short.left.Store(math.MaxInt64)
			err = e.Close()
			if n < 5 {
				t.Errorf("%d commits did it all, want more that something can come between", n)
			}
		}
		if err != nil {
			t.Fatal(err)
		}
		next := onFile(t, path)
		if diff := cmp.Diff(want, ownedFacts(t, next)); diff != "" {
			t.Errorf("ended after %d commits and opened again (-want +got):\n%s", n, diff)
		}
		for _, it := range items {
			if m := it.Memory; m != nil && m.SharedFrom == "" {
				if now, err := next.Get(t.Context(), stored, m.ID); err != nil || now.Text != m.Text {
					t.Errorf("ended after %d commits and opened again, the former id of %q leads to %q, %v", n, m.Text,
						now.Text, err)
				}
			}
		}
		if err := next.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// A person with more facts than one commit carries is still given to their owners.
func TestManyStoredFactsGetTheirOwners(t *testing.T) {
	t.Parallel()
	path := written(t, "sqlite.db")
	store, err := sqlite.Open(t.Context(), sqlite.Options{Path: path})
	if err != nil {
		t.Fatal(err)
	}
	const many = trilith.MaxBatch/2 + 50 // of each of two users
	var b trilith.Batch
	flush := func() {
		t.Helper()
		if _, err := store.Commit(t.Context(), stored, b); err != nil {
			t.Fatal(err)
		}
		b = trilith.Batch{}
	}
	for m, err := range store.List(
		t.Context(), stored, trilith.Listing{Filter: trilith.Where("kind", trilith.OpEq, trilith.KindFact)}) {
		if err != nil {
			t.Fatal(err)
		}
		if m.Text != "User likes chess." || m.SharedFrom != "" {
			continue
		}
		for i := range 2 * many {
			fact := *m.Fact
			fact.Node.Name = fmt.Sprint("game ", i)
			fact.FactID = fact.Node.ID()
			fact.RelationshipKey = fact.Key()
			fact.Evidence = []trilith.Evidence{m.Fact.Evidence[i%len(m.Fact.Evidence)]}
			c := m
			c.Fact, c.Text, c.Version = &fact, "User likes "+fact.Node.Name+".", 1
			c.ID = fact.MemoryID()
			b.Memories = append(b.Memories, c)
			if len(b.Memories) == trilith.MaxBatch {
				flush()
			}
		}
		flush()
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	e := onFile(t, path)
	counts := map[string]int{}
	for _, f := range ownedFacts(t, e) {
		if owner, rest, _ := strings.Cut(f, " "); rest == "active User likes chess. (1)" {
			counts[owner]++
		}
	}
	if want := (map[string]int{"user:u1": many + 1, "user:u2": many + 1}); !maps.Equal(counts, want) {
		t.Errorf("facts by owner: %v, want %v", counts, want)
	}
}

// testStoredOwners opens an old store: first to count, then twice as always.
func testStoredOwners(t *testing.T, open func(...func(*engine.Config)) rig) {
	want := slices.Sorted(slices.Values(ownedBefore))
	counting := open(func(c *engine.Config) { c.KeepUnowned = true })
	before := ownedFacts(t, counting)
	report, err := counting.CountOwners(t.Context())
	if err != nil || report.Facts == 0 || report.Made == 0 || report.Moved == 0 {
		t.Errorf("CountOwners = %+v, %v, want what is to be done", report, err)
	}
	if diff := cmp.Diff(before, ownedFacts(t, counting)); diff != "" {
		t.Errorf("counting changed facts (-before +after):\n%s", diff)
	}
	if err := counting.Close(); err != nil {
		t.Fatal(err)
	}
	for _, visit := range []string{"the first opening", "the second opening"} {
		e := open()
		if diff := cmp.Diff(want, ownedFacts(t, e)); diff != "" {
			t.Errorf("%s: (-want +got):\n%s", visit, diff)
		}
		in := func(user, project string) trilith.Scope {
			return trilith.Scope{Tenant: "default", User: user, Project: project}
		}
		for _, c := range []struct {
			from       trilith.Scope
			typ, value string
			want       string
		}{
			{in("u1", ""), "name", "User", "User likes chess. | User lives in Aarhus."},
			{in("u2", "x"), "name", "User", "User likes chess. | User lives in Turku."},
			{in("u1", ""), "name", "Max", "Max lives in Kiel."},
			{in("u2", ""), "name", "Max", "Max lives in Graz."},
			{in("u4", "roof"), "project", "roof", "Budget: 20000 EUR for roof. | Decided: use slate."},
			{in("u3", "barn"), "user_id", "u3", "u3 lives in Lund."},
		} {
			if got := sentences(t, e, c.from, c.typ, c.value); got != c.want {
				t.Errorf("%s: lookup %s:%s from %+v = %q, want %q", visit, c.typ, c.value, c.from, got, c.want)
			}
		}
		for _, it := range oldItems(t) { // every former id leads somewhere, to the same words
			if m := it.Memory; m != nil && m.SharedFrom == "" {
				if now, err := e.Get(t.Context(), stored, m.ID); err != nil || now.Text != m.Text {
					t.Errorf("%s: the former id of %q leads to %q, %v", visit, m.Text, now.Text, err)
				}
			}
		}
		found, err := e.Recall(t.Context(), in("u9", ""), trilith.RecallRequest{Query: "chess"})
		if err != nil || len(found.Hits) != 1 {
			t.Errorf("%s: what was shared with u9 = %+v, %v, want the share", visit, found.Hits, err)
		}
		res, err := e.Remember(t.Context(), trilith.Scope{Tenant: "default", User: "u1", Session: "c", Actor: "tester"},
			trilith.RememberRequest{Text: "I like fudge.",
				Speaker: "User", Role: trilith.RoleUser, Timestamp: "2025-02-01", Extract: trilith.ExtractRules,
				Wait: trilith.WaitExtracted})
		if err != nil || strings.Contains(sentences(t, e, in("u1", ""), "name", "User"), "fudge") {
			t.Errorf("%s: what was erased is back: %+v, %v", visit, res, err)
		}
		if err := e.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestImportsOfOlderExportsGetTheirOwners(t *testing.T) {
	t.Parallel()
	items := oldItems(t)
	for _, step := range []int{len(items), 7, 1} {
		e := inMemory(t)
		for chunk := range slices.Chunk(items, step) {
			if _, _, err := e.Restore(t.Context(), stored, chunk); err != nil {
				t.Fatal(err)
			}
		}
		got := ownedFacts(t, e)
		if diff := cmp.Diff(slices.Sorted(slices.Values(ownedBefore)), got); diff != "" {
			t.Errorf("imported in steps of %d (-want +got):\n%s", step, diff)
		}
		if _, _, err := e.Restore(t.Context(), stored, items); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(got, ownedFacts(t, e)); diff != "" {
			t.Errorf("imported again in steps of %d (-before +after):\n%s", step, diff)
		}
	}
}
