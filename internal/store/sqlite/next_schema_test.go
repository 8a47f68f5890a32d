package sqlite

import (
	"path/filepath"
	"testing"
	"testing/fstest"

	"github.com/pressly/goose/v3"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
)

// TestNextSchema: a later version brings a file of this one up to date, with all that it holds, and this version
// refuses it from then on.
func TestNextSchema(t *testing.T) {
	t.Parallel()
	path, acme := filepath.Join(t.TempDir(), "trilith.db"), trilith.Scope{Tenant: "acme"}
	s, err := Open(t.Context(), Options{Path: path})
	if err != nil {
		t.Fatal(err)
	}
	kept := role.Record{Kind: role.RecordSource, ID: id1, Body: []byte("{}")}
	if _, err := s.Commit(t.Context(), acme, role.Batch{Records: []role.Record{kept}}); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	next := fstest.MapFS{}
	for _, name := range []string{"00001_schema.sql", "00002_turns.sql"} {
		known, err := migrationFiles.ReadFile("migrations/" + name)
		if err != nil {
			t.Fatal(err)
		}
		next[name] = &fstest.MapFile{Data: known}
	}
	db, err := openDB(path, writerSettings, 1)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	next["00003_more.sql"] = &fstest.MapFile{
		Data: []byte("-- +goose Up\nALTER TABLE records ADD COLUMN more TEXT NOT NULL DEFAULT 'x';")}
	p, err := goose.NewProvider(goose.DialectSQLite3, db, next, goose.WithDisableGlobalRegistry(true))
	if err != nil {
		t.Fatal(err)
	}
	applied, err := p.Up(t.Context())
	var more string
	if err == nil {
		err = db.QueryRow("SELECT more FROM records WHERE id = ?", string(kept.ID)).Scan(&more)
	}
	if err != nil || len(applied) != 1 || more != "x" {
		t.Errorf("%d migrations, %q, %v; want the last alone, and the record as it was", len(applied), more, err)
	}
	if _, err := Open(t.Context(), Options{Path: path}); trilith.KindOf(err) != trilith.Unsupported || err == nil {
		t.Errorf("Open of the next schema = %v, want %s", err, trilith.Unsupported)
	}
}
