package sqlite_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/store/sqlite"
)

// TestReadOnlyBySetting: a read-only process leaves the memory as it is, and sees what others write.
func TestReadOnlyBySetting(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "c.db")
	_, err := sqlite.Open(t.Context(), sqlite.Options{Path: path, ReadOnly: "as asked"})
	wantKind(t, "Open of what is not there for reading", err, trilith.NotFound)
	w := open(t, path, nil)
	commit(t, w, puts(note(1, "early")))
	r, err := sqlite.Open(t.Context(), sqlite.Options{Path: path, ReadOnly: "as asked"})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	commit(t, w, puts(note(2, "late")))
	if ms, err := r.Get(t.Context(), acme, []trilith.ID{id(1), id(2)}); err != nil || len(ms) != 2 {
		t.Errorf("Get beside a writer = %d memories, %v, want both", len(ms), err)
	}
	_, err = r.Commit(t.Context(), acme, puts(note(3, "never")))
	wantKind(t, "Commit", err, trilith.Unsupported)
	if err == nil || !strings.Contains(trilith.MessageOf(err), "as asked") {
		t.Errorf("Commit says %v, want why", err)
	}
	old := filepath.Join(t.TempDir(), "old.db")
	if err := open(t, old, nil).Close(); err != nil {
		t.Fatal(err)
	}
	alter(t, old, "DELETE FROM goose_db_version WHERE version_id = (SELECT max(version_id) FROM goose_db_version)")
	_, err = sqlite.Open(t.Context(), sqlite.Options{Path: old, ReadOnly: "as asked"})
	wantKind(t, "Open of an older schema for reading", err, trilith.Unsupported)
}

// TestReadOnlyStays: a store that was opened for reading because of damage is not written after a check found none.
func TestReadOnlyStays(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "c.db")
	if err := open(t, path, nil).Close(); err != nil {
		t.Fatal(err)
	}
	r, err := sqlite.Open(t.Context(), sqlite.Options{Path: path, ReadOnly: "the file is damaged"})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if err := r.Check(t.Context()); err != nil {
		t.Errorf("Check = %v", err)
	}
	_, err = r.Commit(t.Context(), acme, puts(note(1, "never")))
	wantKind(t, "Commit", err, trilith.Unsupported)
}

// TestDamagedIsWrittenNoMore: a process that finds damage in the file does not write into it.
func TestDamagedIsWrittenNoMore(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "c.db")
	s := open(t, path, nil)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	empty, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	s = open(t, path, nil)
	for n := range 300 {
		commit(t, s, puts(note(n+1, strings.Repeat("word ", 100))))
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	// what opening reads is in the pages of an empty store
	for page := int(empty.Size()/4096) + 1; page < len(data)/4096; page += 2 {
		copy(data[page*4096:(page+1)*4096], bytes.Repeat([]byte{0xa5}, 4096))
	}
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	s, err = sqlite.Open(t.Context(), sqlite.Options{Path: path})
	if err != nil {
		t.Fatalf("Open = %v", err)
	}
	defer s.Close()
	if why := s.ReadOnly(); why != "" {
		t.Fatalf("before anybody reads the store is closed already: %s", why)
	}
	var failed error
	for _, err := range s.List(t.Context(), acme, role.Listing{}) {
		failed = err
	}
	if !sqlite.Damaged(failed) {
		t.Fatalf("List of a damaged file = %v, want damage", failed)
	}
	_, err = s.Commit(t.Context(), acme, puts(note(999, "never")))
	wantKind(t, "Commit to a damaged file", err, trilith.Unsupported)
	if err == nil || !strings.Contains(trilith.MessageOf(err), "the file is damaged") {
		t.Errorf("Commit says %v, want that the file is damaged", err)
	}
}
