package postgres

import (
	"testing"
	"testing/fstest"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/test/pgtest"
)

// TestNextSchema: a later version brings a database of this one up to date, with all that it holds, and this version
// refuses it from then on.
func TestNextSchema(t *testing.T) {
	t.Parallel()
	url, acme := pgtest.Database(t), trilith.Scope{Tenant: "acme"}
	s, err := Open(t.Context(), Options{URL: url})
	if err != nil {
		t.Fatal(err)
	}
	kept := role.Record{Kind: role.RecordSource, ID: trilith.DeriveID("kept"), Body: []byte("{}")}
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
	cfg, err := pgx.ParseConfig(url)
	if err != nil {
		t.Fatal(err)
	}
	db := stdlib.OpenDB(*cfg)
	defer db.Close()
	next["00003_more.sql"] = &fstest.MapFile{
		Data: []byte("-- +goose Up\nALTER TABLE trilith.records ADD COLUMN more text NOT NULL DEFAULT 'x';")}
	p, err := goose.NewProvider(goose.DialectPostgres, db, next, goose.WithDisableGlobalRegistry(true),
		goose.WithTableName(versionTable))
	if err != nil {
		t.Fatal(err)
	}
	applied, err := p.Up(t.Context())
	var more string
	if err == nil {
		err = db.QueryRow("SELECT more FROM trilith.records WHERE id = $1", string(kept.ID)).Scan(&more)
	}
	if err != nil || len(applied) != 1 || more != "x" {
		t.Errorf("%d migrations, %q, %v; want the last alone, and the record as it was", len(applied), more, err)
	}
	if _, err := Open(t.Context(), Options{URL: url}); trilith.KindOf(err) != trilith.Unsupported || err == nil {
		t.Errorf("Open of the next schema = %v, want %s", err, trilith.Unsupported)
	}
}
