package sqlite

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
)

func listed(t *testing.T, s *Store, f trilith.Filter) (ms []trilith.Memory) {
	t.Helper()
	for m, err := range s.List(t.Context(), trilith.Scope{Tenant: "acme"}, role.Listing{Filter: f}) {
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
