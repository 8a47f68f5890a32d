package sqlite

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/pressly/goose/v3"

	"github.com/trilith-memory/trilith"
)

// Not in the suite: migrations are the product's. A file of the first schema opens, keeps all that it holds, and takes
// facts.
func TestUpgradeFromFirstSchema(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "trilith.db")
	makeFirstSchema(t, path,
		`INSERT INTO memories (change, tenant, id, version, kind, state, trust, project, domain, user, agent, session, channel, role,
			speaker, type, seq, source_id, external_id, event_time, recorded_at, valid_until, superseded_by, superseded_at, more, text) VALUES
			(3, 'acme', '00000000-0000-7000-8000-000000000001', 4, 'note', 'active', 'user_stated', '', '', 'ana', '', '', '', '',
			'', 'manual', 0, '', 'x-1', 1000001, 2000002, NULL, '', NULL, '{"tags":["red"],"metadata":{"n":1}}', 'old and kept'),
			(5, 'acme', '00000000-0000-7000-8000-000000000002', 1, 'episode', 'superseded', 'imported', '', '', 'ana', '', 's', '', 'user',
			'Ana', '', 7, '00000000-0000-7000-8000-000000000009', '', 3, 4, 5, '00000000-0000-7000-8000-000000000001', 6, '', 'I live in Oslo')`,
		`INSERT INTO deletions VALUES (4, 'acme', '00000000-0000-7000-8000-000000000003', 2)`,
		`INSERT INTO records VALUES ('acme', 'source', '00000000-0000-7000-8000-000000000009', 2, CAST('{"a":1}' AS BLOB))`,
		`INSERT INTO claims VALUES ('acme', 'external', 'x-1', '00000000-0000-7000-8000-000000000001')`,
		`INSERT INTO blobs VALUES ('text', 'acme', 'one', x'0102')`)
	at := func(micros int64) time.Time { return time.UnixMicro(micros).UTC() }
	until, since := at(5), at(6)
	acme := trilith.Scope{Tenant: "acme"}
	want := []trilith.Memory{
		{ID: id1, Version: 4, Kind: trilith.KindNote, Text: "old and kept",
			Scope: trilith.Scope{Tenant: "acme", User: "ana"}, Type: "manual",
			EventTime: at(1000001), RecordedAt: at(2000002), State: trilith.StateActive, Trust: trilith.TrustUserStated,
			Tags: []string{"red"}, Metadata: map[string]any{"n": 1.0}, ExternalID: "x-1"},
		{ID: id2, Version: 1, Kind: trilith.KindEpisode, Text: "I live in Oslo",
			Scope: trilith.Scope{Tenant: "acme", User: "ana", Session: "s"},
			Role:  trilith.RoleUser, Speaker: "Ana", Seq: 7, SourceID: "00000000-0000-7000-8000-000000000009",
			EventTime: at(3), RecordedAt: at(4),
			ValidUntil: &until, SupersededBy: id1, SupersededAt: &since, State: trilith.StateSuperseded,
			Trust: trilith.TrustImported},
	}
	fact := want[0]
	fact.ID, fact.Version, fact.Kind, fact.ExternalID = trilith.FactMemoryID(id1, "lives_in", "Location:Oslo"), 1,
		trilith.KindFact, ""
	fact.Fact = &trilith.Fact{EntityID: id1, Verb: "lives_in", FactID: "Location:Oslo",
		Node: trilith.Node{Type: "Location", Name: "Oslo"}}

	for _, visit := range []string{"the first opening", "the second opening"} { // the second finds the work done
		s, err := Open(t.Context(), Options{Path: path})
		if err != nil {
			t.Fatalf("%s: Open of a file of the first schema = %v, want nil", visit, err)
		}
		if diff := cmp.Diff(want, listed(t, s, trilith.Filter{})); diff != "" {
			t.Errorf("%s: List (-kept +found):\n%s", visit, diff)
		}
		// by marks
		for _, f := range []trilith.Filter{trilith.Where("tags", trilith.OpContains, "red"),
			trilith.Where("metadata.n", trilith.OpEq, 1)} {
			if ms := listed(t, s, f); len(ms) == 0 || ms[0].ID != id1 {
				t.Errorf("%s: List with %+v = %+v, want %s", visit, f, ms, id1)
			}
		}
		// by user
		for m, err := range s.List(t.Context(), trilith.Scope{Tenant: "acme", User: "ana"},
			trilith.Listing{Order: trilith.OrderRecorded, Limit: 1}) {
			if err != nil || m.ID != want[len(want)-1].ID && m.ID != id1 {
				t.Errorf("%s: the newest of a user = %s, %v, want one of the last", visit, m.ID, err)
			}
		}
		if st, err := s.Stats(t.Context(), acme); err != nil || st.Total != len(want) ||
			st.States[trilith.StateSuperseded] != 1 || !st.Newest.Equal(at(2000002)) {
			t.Errorf("%s: Stats = %+v, %v; want what is there counted", visit, st, err)
		}
		key := trilith.Key{Space: trilith.KeyExternal, Value: "x-1"}
		if owners, err := s.Find(t.Context(), acme, []trilith.Key{key}); err != nil || owners[key] != id1 {
			t.Errorf("%s: Find = %v, %v; want the owner %s", visit, owners, err, id1)
		}
		rs, err := s.Records(t.Context(), acme, trilith.RecordListing{Kind: trilith.RecordSource})
		if err != nil || len(rs) != 1 || string(rs[0].Body) != `{"a":1}` || rs[0].Version != 2 {
			t.Errorf("%s: Records = %+v, %v; want the source as it was", visit, rs, err)
		}
		var blobs []string
		err = s.Blobs(t.Context(), "text", "acme", func(id string, data []byte) error {
			blobs = append(blobs, fmt.Sprintf("%s %x", id, data))
			return nil
		})
		if diff := cmp.Diff([]string{"one 0102"}, blobs); err != nil || diff != "" {
			t.Errorf("%s: Blobs = %v (-kept +found):\n%s", visit, err, diff)
		}
		changes, _, err := s.Changes(t.Context(), trilith.AsSystem("test"), 0, "", 3)
		if err != nil || len(changes) != 3 || changes[0].ID != id1 || !changes[1].Deleted || changes[2].ID != id2 {
			t.Errorf("%s: Changes = %+v, %v; want those of the file in their order", visit, changes, err)
		}
		if visit == "the first opening" {
			if _, err := s.Commit(t.Context(), acme, trilith.Batch{Memories: []trilith.Memory{fact}}); err != nil {
				t.Fatalf("Commit of a fact after the upgrade = %v, want nil", err)
			}
			want = append(want, fact)
		}
		if diff := cmp.Diff([]trilith.Memory{fact}, listed(t, s, trilith.Where("entity_id", trilith.OpEq, id1))); diff != "" {
			t.Errorf("%s: List of the facts of an entity (-stored +found):\n%s", visit, diff)
		}
		if err := s.Check(t.Context()); err != nil {
			t.Errorf("%s: Check = %v, want nil", visit, err)
		}
		if err := s.Close(); err != nil {
			t.Fatalf("%s: Close = %v, want nil", visit, err)
		}
	}
}

// makeFirstSchema makes the file that the first release left, and fills it.
func makeFirstSchema(t *testing.T, path string, statements ...string) {
	t.Helper()
	files, err := fs.Sub(migrationFiles, "migrations")
	if err != nil {
		t.Fatal(err)
	}
	db, err := openDB(path, writerSettings, 1)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	p, err := goose.NewProvider(goose.DialectSQLite3, db, files, goose.WithDisableGlobalRegistry(true))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.UpTo(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	for _, q := range statements {
		if _, err := db.ExecContext(t.Context(), q); err != nil {
			t.Fatalf("%s: %v", q, err)
		}
	}
}

func listed(t *testing.T, s *Store, f trilith.Filter) (ms []trilith.Memory) {
	t.Helper()
	for m, err := range s.List(t.Context(), trilith.Scope{Tenant: "acme"}, trilith.Listing{Filter: f}) {
		if err != nil {
			t.Fatalf("List = %v, want nil", err)
		}
		ms = append(ms, m)
	}
	return ms
}

// TestHalfMadeFile: a process that is killed while it makes the file leaves a journal of what it has not finished. The
// next one takes that back by itself.
func TestHalfMadeFile(t *testing.T) {
	t.Parallel()
	making, left := filepath.Join(t.TempDir(), "trilith.db"), filepath.Join(t.TempDir(), "trilith.db")
	db, err := openDB(making, settings("immediate", "cache_size(1)"), 1) // so small that it writes before it commits
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec("CREATE TABLE goose_db_version (x)"); err != nil {
		t.Fatal(err)
	}
	tx, err := db.Begin()
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback()
	for range 200 {
		if _, err := tx.Exec("INSERT INTO goose_db_version VALUES (randomblob(4000))"); err != nil {
			t.Fatal(err)
		}
	}
	for _, beside := range []string{"", "-journal"} {
		data, err := os.ReadFile(making + beside)
		if err == nil {
			err = os.WriteFile(left+beside, data, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := inspect(t.Context(), left); err != nil {
		t.Errorf("inspect(a file that was being made) = %v, want nil", err)
	}
}
