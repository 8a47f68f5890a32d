package postgres_test

import (
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/cairn-memory/cairn"
	"github.com/cairn-memory/cairn/internal/pgtest"
	"github.com/cairn-memory/cairn/internal/postgres"
)

// When the server's disk is full, the error says so, reads continue, and writes continue when there is room. A trigger
// raises the error here, because a disk that is really full would stop every test.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	url := pgtest.Database(t)
	s := open(t, postgres.Options{URL: url})
	acme := cairn.Scope{Tenant: "acme"}
	put := func(id string) error {
		now := time.Now()
		_, err := s.Commit(t.Context(), acme,
			cairn.Batch{Memories: []cairn.Memory{
				{ID: cairn.DeriveID(id), Version: 1, Kind: cairn.KindNote, Text: "The roof is red.",
					Scope: acme, EventTime: now, RecordedAt: now, State: cairn.StateActive,
					Trust: cairn.TrustUserStated}}})
		return err
	}
	if err := put("a"); err != nil {
		t.Fatal(err)
	}
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	run := func(statement string) {
		t.Helper()
		if _, err := conn.Exec(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	run(`CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'could not extend file' USING ERRCODE = 'disk_full'; END $$`)
	run(`CREATE TRIGGER full_disk BEFORE INSERT ON cairn.memories FOR EACH STATEMENT EXECUTE FUNCTION full_disk()`)
	err = put("b")
	if cairn.KindOf(err) != cairn.Exhausted || !cairn.OutOfSpace(err) ||
		!strings.Contains(cairn.MessageOf(err), "disk of PostgreSQL is full") {
		t.Errorf("Commit on a full disk: %v of kind %s, want exhausted, and that PostgreSQL's disk is full", err,
			cairn.KindOf(err))
	}
	if ms, err := s.Get(t.Context(), acme, []cairn.ID{cairn.DeriveID("a")}); err != nil || len(ms) != 1 {
		t.Errorf("Get on a full disk = %d memories, %v", len(ms), err)
	}
	run(`DROP TRIGGER full_disk ON cairn.memories`)
	if err := put("b"); err != nil {
		t.Errorf("Commit when there is room again: %v", err)
	}
}
