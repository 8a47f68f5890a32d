package sqlite

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pressly/goose/v3"

	"github.com/trilith-memory/trilith"
)

var oldHash = strings.Repeat("0123456789abcdef", 4)

// oldClaims are claims as files had them before they were short, in the order of their keys.
var oldClaims = []trilith.Claim{
	{Key: trilith.Key{Space: trilith.KeyExternal, Value: oldHash}, Owner: id1},
	{Key: trilith.Key{Space: trilith.KeyExternal, Value: "x-1"}, Owner: "ABCDEF00-0000-7000-8000-000000000001"},
	{Key: trilith.Key{Space: trilith.KeySaid, Value: oldHash}, Owner: id1},
	{Key: trilith.Key{Space: trilith.KeySaid, Value: "f" + oldHash[1:]}, Owner: id2},
}

// makeSchema makes a file of a version of the schema with the old claims, as the program of that version left it.
func makeSchema(t *testing.T, path string, version int64) {
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
	if _, err := p.UpTo(t.Context(), version); err != nil {
		t.Fatal(err)
	}
	for _, c := range oldClaims {
		query, args := "INSERT INTO claims (tenant, space, value, owner) VALUES ('acme', ?, ?, ?)",
			[]any{c.Key.Space, c.Key.Value, string(c.Owner)}
		if version >= 8 { // it has sums
			query = "INSERT INTO claims (tenant, space, value, owner, sum) VALUES ('acme', ?, ?, ?, ?)"
			args = append(args, sumOfClaim("acme", c.Key.Space, c.Key.Value, string(c.Owner)))
		}
		if _, err := db.ExecContext(t.Context(), query, args...); err != nil {
			t.Fatal(err)
		}
	}
}

// holdsOldClaims opens a file and looks for the old claims.
func holdsOldClaims(t *testing.T, path string) {
	t.Helper()
	s, err := Open(t.Context(), Options{Path: path})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	acme := trilith.Scope{Tenant: "acme"}
	got, err := s.Claims(t.Context(), acme, trilith.ClaimListing{})
	if diff := cmp.Diff(oldClaims, got); err != nil || diff != "" {
		t.Errorf("Claims = %v (-kept +found):\n%s", err, diff)
	}
	for i, c := range oldClaims {
		if owners, err := s.Find(t.Context(), acme, []trilith.Key{c.Key}); err != nil || owners[c.Key] != c.Owner {
			t.Errorf("Find(%v) = %v, %v; want %s", c.Key, owners, err, c.Owner)
		}
		after, err := s.Claims(t.Context(), acme, trilith.ClaimListing{After: c.Key})
		if err != nil || len(after) != len(oldClaims)-i-1 {
			t.Errorf("Claims after %v = %v, %v; want the %d behind it", c.Key, after, err, len(oldClaims)-i-1)
		}
	}
	if err := s.Filled(t.Context()); err != nil {
		t.Fatal(err)
	}
	if sums, err := s.Sums(t.Context()); err != nil || len(sums.Named) > 0 || sums.Rows < len(oldClaims) {
		t.Errorf("Sums = %+v, %v; want all rows as they were written", sums, err)
	}
	// A claim in the old form is found, moved and released like one in the new form.
	others := trilith.Batch{Claims: []trilith.Claim{{Key: oldClaims[2].Key, Owner: id2}}}
	if _, err := s.Commit(t.Context(), acme, others); trilith.KindOf(err) != trilith.Conflict {
		t.Errorf("Commit of a claim that another owns = %v, want %s", err, trilith.Conflict)
	}
	if _, err := s.Commit(t.Context(), acme, trilith.Batch{Release: []trilith.Key{oldClaims[2].Key}}); err != nil {
		t.Fatal(err)
	}
	if got, err := s.Claims(t.Context(), acme, trilith.ClaimListing{}); err != nil || len(got) != len(oldClaims)-1 {
		t.Errorf("Claims after a release = %v, %v; want one fewer", got, err)
	}
}

func TestClaimsOfEveryEarlierSchema(t *testing.T) {
	t.Parallel()
	migrations, err := fs.Glob(migrationFiles, "migrations/*.sql")
	if err != nil || len(migrations) < 2 {
		t.Fatal(migrations, err)
	}
	for _, m := range migrations {
		var version int64
		if _, err := fmt.Sscanf(filepath.Base(m), "%d_", &version); err != nil {
			t.Fatal(err)
		}
		if version >= 20 { // claims are short
			continue
		}
		t.Run(filepath.Base(m), func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "trilith.db")
			makeSchema(t, path, version)
			holdsOldClaims(t, path)
		})
	}
}

// TestShortClaimsAreMadeInOneStep: a process that is killed while it makes claims short leaves them as they were, and
// the next one makes them.
func TestShortClaimsAreMadeInOneStep(t *testing.T) {
	t.Parallel()
	making, left := filepath.Join(t.TempDir(), "trilith.db"), filepath.Join(t.TempDir(), "trilith.db")
	makeSchema(t, making, 19)
	db, err := openDB(making, settings("immediate", "journal_mode(WAL)", "cache_size(1)"), 1) // so small that it writes
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	tx, err := db.Begin()
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback()
	data, err := migrationFiles.ReadFile("migrations/00020_short_claims.sql")
	if err != nil {
		t.Fatal(err)
	}
	_, up, _ := strings.Cut(string(data), "-- +goose Up")
	if _, err := tx.Exec(up + "; CREATE TABLE filling (x); INSERT INTO filling VALUES (randomblob(100000))"); err != nil {
		t.Fatal(err)
	}
	for _, beside := range []string{"", "-wal"} {
		data, err := os.ReadFile(making + beside)
		if err == nil && len(data) == 0 {
			err = fmt.Errorf("%s is empty", beside)
		}
		if err == nil {
			err = os.WriteFile(left+beside, data, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	holdsOldClaims(t, left)
}

func TestLongBodiesArePackedAndRead(t *testing.T) {
	t.Parallel()
	s, err := Open(t.Context(), Options{Path: filepath.Join(t.TempDir(), "trilith.db")})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	acme := trilith.Scope{Tenant: "acme"}
	var ids []string
	for i := range 40 {
		ids = append(ids, fmt.Sprintf("01a215a2-b7ab-7aa9-93c1-8f48620000%02d", i))
	}
	long, err := json.Marshal(ids)
	if err != nil {
		t.Fatal(err)
	}
	want := []trilith.Record{{Kind: trilith.RecordSource, ID: id1, Version: 1, Body: long},
		{Kind: trilith.RecordSource, ID: id2, Version: 1, Body: []byte(`{"a":1}`)}}
	if _, err := s.Commit(t.Context(), acme, trilith.Batch{Records: want}); err != nil {
		t.Fatal(err)
	}
	for _, l := range []trilith.RecordListing{{Kind: trilith.RecordSource},
		{Kind: trilith.RecordSource, IDs: []trilith.ID{id1, id2}}} {
		got, err := s.Records(t.Context(), acme, l)
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("Records(%+v) = %v (-put +got):\n%s", l, err, diff)
		}
	}
	var stored []byte
	read := func() error {
		return s.readers.QueryRow("SELECT body FROM records WHERE id = ?", string(id1)).Scan(&stored)
	}
	if err := read(); err != nil || len(stored) > len(long)/2 {
		t.Errorf("a body of %d bytes is stored in %d, %v; want half at most", len(long), len(stored), err)
	}
	if sums, err := s.Sums(t.Context()); err != nil || len(sums.Named) > 0 {
		t.Errorf("Sums = %+v, %v; want nothing damaged", sums, err)
	}
	for _, at := range []int{0, 1, len(stored) / 2, len(stored) - 1} {
		damaged := bytes.Clone(stored)
		damaged[at] ^= 0x10
		if err := s.write(t.Context(), "test", 1, func(tx *tx) error {
			return tx.exec("UPDATE records SET body = ? WHERE id = ?", damaged, string(id1))
		}); err != nil {
			t.Fatal(err)
		}
		l := trilith.RecordListing{Kind: trilith.RecordSource, IDs: []trilith.ID{id1}}
		if got, err := s.Records(t.Context(), acme, l); err == nil {
			t.Errorf("Records of a body whose byte %d is damaged = %s", at, got[0].Body)
		}
	}
}

func TestShortColumnsAreReadAsTheirTexts(t *testing.T) {
	t.Parallel()
	for _, id := range []string{"", "x", string(id1), strings.ToUpper("abcdef00-0000-7000-8000-000000000001"),
		"00000000_0000-7000-8000-000000000001", oldHash} {
		if got := longText(shortID(id)); got != id {
			t.Errorf("longText(shortID(%q)) = %q", id, got)
		}
		if got := longText(shortValue(trilith.KeySaid, id)); got != id {
			t.Errorf("longText(shortValue(%q)) = %q", id, got)
		}
	}
	if b, ok := shortID(string(id1)).([]byte); !ok || len(b) != 16 {
		t.Errorf("shortID of an id = %v, want 16 bytes", b)
	}
	if b, ok := shortValue(trilith.KeySaid, oldHash).([]byte); !ok || len(b) != 32 {
		t.Errorf("shortValue of a hash = %v, want 32 bytes", b)
	}
	for _, damaged := range []any{nil, int64(3), []byte("short")} {
		if got := longText(damaged); got != "" {
			t.Errorf("longText(%v) = %q, want nothing", damaged, got)
		}
	}
}

func TestKeysAreFoundByTheirIndex(t *testing.T) {
	t.Parallel()
	s, err := Open(t.Context(), Options{Path: filepath.Join(t.TempDir(), "trilith.db")})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	rows, err := s.readers.Query("EXPLAIN QUERY PLAN "+findKeys, pairs([]trilith.Key{oldClaims[2].Key}), "acme")
	if plan := strings.Join(stepsOf(t, rows, err), "\n"); !strings.Contains(plan, "tenant=? AND space=? AND value=?") {
		t.Errorf("keys are looked for with the plan\n%s", plan)
	}
}
