package postgres_test

import (
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/store/postgres"
	"github.com/trilith-memory/trilith/internal/test/pgtest"
)

// When the server's disk is full, the error says so, reads continue, and writes continue when there is room. A trigger
// raises the error here, because a disk that is really full would stop every test.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	url := pgtest.Database(t)
	s := open(t, postgres.Options{URL: url})
	acme := trilith.Scope{Tenant: "acme"}
	put := func(id string) error {
		now := time.Now()
		_, err := s.Commit(t.Context(), acme,
			role.Batch{Memories: []trilith.Memory{
				{ID: trilith.DeriveID(id), Version: 1, Kind: trilith.KindNote, Text: "The roof is red.",
					Scope: acme, EventTime: now, RecordedAt: now, State: trilith.StateActive,
					Trust: trilith.TrustUserStated}}})
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
	run(`CREATE TRIGGER full_disk BEFORE INSERT ON trilith.memories FOR EACH STATEMENT EXECUTE FUNCTION full_disk()`)
	err = put("b")
	if trilith.KindOf(err) != trilith.Exhausted || !trilith.OutOfSpace(err) ||
		!strings.Contains(trilith.MessageOf(err), "disk of PostgreSQL is full") {
		t.Errorf("Commit on a full disk: %v of kind %s, want exhausted, and that PostgreSQL's disk is full", err,
			trilith.KindOf(err))
	}
	if ms, err := s.Get(t.Context(), acme, []trilith.ID{trilith.DeriveID("a")}); err != nil || len(ms) != 1 {
		t.Errorf("Get on a full disk = %d memories, %v", len(ms), err)
	}
	run(`DROP TRIGGER full_disk ON trilith.memories`)
	if err := put("b"); err != nil {
		t.Errorf("Commit when there is room again: %v", err)
	}
}
