package sqlite

import (
	"bytes"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
)

// tampered opens a file after a statement has changed it behind our back.
func tampered(t *testing.T, path string, statements ...string) *Store {
	t.Helper()
	db, err := sql.Open("sqlite", dsn(path, nil))
	if err != nil {
		t.Fatal(err)
	}
	for _, st := range statements {
		if _, err := db.Exec(st); err != nil {
			t.Fatalf("%s: %v", st, err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	return openAt(t, path)
}

func openAt(t *testing.T, path string) *Store {
	t.Helper()
	s, err := Open(t.Context(), Options{Path: path})
	if err != nil {
		t.Fatalf("Open = %v, want nil", err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

const generation = "g"

// everything writes a row into every table that holds sums.
func everything(t *testing.T, path string) {
	t.Helper()
	s := openAt(t, path)
	lasting := memory(id2, "stays")
	lasting.Speaker, lasting.Tags = "Ana", []string{"a"}
	mustCommit(t, s, role.Batch{
		Memories: []trilith.Memory{fact(id1, id2, "Ana lives in Oslo"), lasting, memory(id3, "goes")},
		Records:  []role.Record{{Kind: role.RecordSource, ID: id1, Body: []byte(`{"id":"x"}`)}},
		Claims:   []role.Claim{{Key: role.Key{Space: role.KeyExternal, Value: "v"}, Owner: id1}},
		Jobs:     []trilith.Job{{ID: id1, Kind: "embed", Payload: []byte(`{"ids":[]}`)}}})
	mustCommit(t, s, role.Batch{
		Records: []role.Record{{Kind: role.RecordSource, ID: id1, Body: []byte(`{"id":"y"}`)}},
		Delete:  []role.Ref{{ID: id3}}})
	if err := s.PutBlobs(t.Context(), "vec:g", inAcme.Tenant,
		func(yield func(string, []byte) bool) { yield(string(id1), []byte("vector")) }); err != nil {
		t.Fatal(err)
	}
	if err := s.CacheEmbeddings(t.Context(), inAcme, generation,
		[]role.CachedEmbedding{{Memory: id1, Hash: "h", Embedding: role.Embedding{Vector: trilith.Vector{1, 0}}}},
		9); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

const id3 = trilith.ID("00000000-0000-7000-8000-000000000003")

func sumsOf(t *testing.T, s *Store) trilith.Sums {
	t.Helper()
	sums, err := s.Sums(t.Context())
	if err != nil {
		t.Fatalf("Sums = %v, want nil", err)
	}
	return sums
}

func isDamaged(err error) bool {
	_, ok := errors.AsType[*trilith.Damaged](err)
	return ok
}

// If any column of a row differs from what was written, the checksum detects it, and the row is not returned.
func TestTamperedRowsAreFound(t *testing.T) {
	t.Parallel()
	get := func(s *Store) error { _, err := s.Get(t.Context(), inAcme, []trilith.ID{id1, id2}); return err }
	records := func(s *Store) error {
		_, err := s.Records(t.Context(), inAcme, role.RecordListing{Kind: role.RecordSource})
		return err
	}
	find := func(s *Store) error {
		_, err := s.Find(t.Context(), inAcme, []role.Key{{Space: role.KeyExternal, Value: "v"}})
		return err
	}
	none := func(*Store) error { return &trilith.Damaged{} }
	for _, c := range []struct {
		change string
		read   func(*Store) error
	}{
		{"UPDATE memories SET text = 'Ana lives in Osmo' WHERE kind = 'fact'", get},
		{"UPDATE memories SET speaker = 'Ann' WHERE speaker = 'Ana'", get},
		{"UPDATE memories SET speaker = '', type = 'Ana' WHERE speaker = 'Ana'", get},
		{"UPDATE memories SET more = replace(more, 'Oslo', 'Osmo') WHERE kind = 'fact'", get},
		{"UPDATE memories SET event_time = event_time + 1 WHERE kind = 'fact'", get},
		{"UPDATE memories SET valid_until = 0 WHERE kind = 'fact'", get},
		{"UPDATE memories SET version = 2 WHERE kind = 'fact'", get},
		{"UPDATE memories SET state = 'retracted' WHERE kind = 'fact'", get},
		{"UPDATE memories SET sum = NULL WHERE kind = 'fact'", get},
		{"UPDATE memories SET entity_id = 'x' WHERE kind = 'fact'", none},
		{"UPDATE memories SET entity_id = 'x' WHERE kind = 'note'", none},
		{"DELETE FROM evidence", none},
		{"UPDATE evidence SET episode = 'x'", none},
		{"DELETE FROM marks", none},
		{"UPDATE marks SET mark = 'tags:b'", none},
		{"UPDATE deletions SET version = 9", none},
		{"UPDATE records SET body = CAST('{\"id\":\"z\"}' AS BLOB)", records},
		{"UPDATE records SET version = 9", records},
		{"UPDATE claims SET owner = 'x'", find},
		{"UPDATE jobs SET payload = CAST('{}' AS BLOB)", none},
		{"UPDATE jobs SET state = 'reads'", none},
		{"UPDATE blobs SET data = CAST('vektor' AS BLOB)", none},
		{"UPDATE embeddings SET vector = zeroblob(8)", none},
		{"UPDATE embeddings SET hash = 'i'", none},
	} {
		path := filepath.Join(t.TempDir(), "trilith.db")
		everything(t, path)
		s := tampered(t, path, c.change)
		if err := c.read(s); !isDamaged(err) || trilith.KindOf(err) != trilith.Internal {
			t.Errorf("after %s reading = %v, want damage", c.change, err)
		}
		sums := sumsOf(t, s)
		if len(sums.Damaged)+sums.Copies+sums.Derived == 0 || len(sums.Named) == 0 {
			t.Errorf("after %s Sums = %+v, want it named", c.change, sums)
		}
		if err := s.Backup(t.Context(), path+".bak", nil); trilith.KindOf(err) != trilith.Internal || err == nil {
			t.Errorf("after %s Backup = %v, want that it is damaged", c.change, err)
		}
		if _, err := os.Stat(path + ".bak"); err == nil {
			t.Errorf("after %s there is a backup", c.change)
		}
	}
}

// A read of several rows gets the others although one is damaged.
func TestOthersAreReadBesideDamage(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "trilith.db")
	everything(t, path)
	s := tampered(t, path, "UPDATE memories SET text = 'x' WHERE kind = 'fact'")
	ms, err := s.Get(t.Context(), inAcme, []trilith.ID{id1, id2})
	if d, ok := errors.AsType[*trilith.Damaged](err); !ok || !slices.Equal(d.IDs, []trilith.ID{id1}) || len(ms) != 1 ||
		ms[0].ID != id2 {
		t.Errorf("Get = %v, %v; want the sound one and the id of the other", textsOfAll(ms), err)
	}
	for _, order := range []role.Order{role.OrderID, role.OrderRecorded, role.OrderEvent, role.OrderSeq} {
		for _, limit := range []int{0, 1} {
			var texts []string
			bad := 0
			for m, err := range s.List(t.Context(), inAcme, role.Listing{Order: order, Limit: limit}) {
				switch {
				case isDamaged(err) && m.ID == id1:
					bad++
				case err != nil:
					t.Fatal(err)
				default:
					texts = append(texts, m.Text)
				}
			}
			if bad != 1 && limit == 0 || bad > 1 || !slices.Equal(texts, []string{"stays"}) {
				t.Errorf("List by %q up to %d = %q and %d damaged, want the sound one and one damaged", order,
					limit, texts, bad)
			}
		}
	}
	if n, err := s.Repair(t.Context()); n != 0 || err != nil {
		t.Errorf("Repair = %d, %v; want that the truth stays", n, err)
	}
}

func TestDamagedVectorsAreDropped(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "trilith.db")
	everything(t, path)
	s := tampered(t, path, "UPDATE blobs SET data = CAST('vektor' AS BLOB)", "UPDATE embeddings SET hash = 'i'")
	err := s.Blobs(t.Context(), "vec:g", inAcme.Tenant, func(_ string, data []byte) error {
		if len(data) > 0 {
			t.Errorf("Blobs yields %q of a damaged row, want nothing", data)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	q := role.EmbeddingQuery{Generation: generation, Memories: []trilith.ID{id1}}
	if held, err := s.CachedEmbeddings(t.Context(), inAcme, q); len(held) != 0 || err != nil {
		t.Errorf("CachedEmbeddings = %v, %v; want none", held, err)
	}
	if n, err := s.Repair(t.Context()); n != 2 || err != nil {
		t.Errorf("Repair = %d, %v; want 2", n, err)
	}
	if sums := sumsOf(t, s); sums.Derived != 0 {
		t.Errorf("afterwards Sums = %+v, want no damage", sums)
	}
}

// A backup from between the commit of an erasure and the rest of it.
func TestBackupHoldsNothingOfTheErased(t *testing.T) {
	t.Parallel()
	for name, job := range map[string][]trilith.Job{
		"while its purge waits":                 {{ID: id1, Kind: role.JobPurge}},
		"after a purge that came too early for": nil,
	} {
		dir := t.TempDir()
		s := openAt(t, filepath.Join(dir, "trilith.db"))
		mustCommit(t, s, role.Batch{Memories: []trilith.Memory{memory(id1, "stays"), memory(id2, "quinceberry")}})
		put := func(space, id, data string) {
			if err := s.PutBlobs(t.Context(), space, inAcme.Tenant,
				func(yield func(string, []byte) bool) { yield(id, []byte(data)) }); err != nil {
				t.Fatal(err)
			}
		}
		put("vec:g", string(id1), "vector")
		put("vec:g", string(id2), "quinceberry")
		put("vec kept:g", "seg:00000000", "quinceberry")
		put("text", "head", "quinceberry")
		if err := s.CacheEmbeddings(t.Context(), inAcme, generation,
			[]role.CachedEmbedding{
				{Memory: id2, Hash: "quinceberry", Embedding: role.Embedding{Vector: trilith.Vector{1, 0}}}},
			9); err != nil {
			t.Fatal(err)
		}
		mustCommit(t, s, role.Batch{Delete: []role.Ref{{ID: id2}}, Jobs: job})
		backup := filepath.Join(dir, "trilith.bak")
		if err := s.Backup(t.Context(), backup, nil); err != nil {
			t.Fatalf("Backup = %v, want nil", err)
		}
		data, err := os.ReadFile(backup)
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(data, []byte("quinceberry")) {
			t.Errorf("a backup made %s the erased holds it", name)
		}
		b := openAt(t, backup)
		if sums := sumsOf(t, b); len(sums.Damaged)+sums.Copies+sums.Derived > 0 {
			t.Errorf("Sums of the backup = %+v, want no damage", sums)
		}
		if held, err := b.BlobIDs(t.Context(), "vec:g", inAcme.Tenant); !slices.Equal(held, []string{string(id1)}) ||
			err != nil {
			t.Errorf("a backup made %s the erased has vectors of %q, %v; want that of what stays", name, held, err)
		}
	}
}
