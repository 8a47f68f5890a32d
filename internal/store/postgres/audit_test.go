package postgres_test

import (
	"testing"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/store/postgres"
	"github.com/trilith-memory/trilith/internal/test/pgtest"
)

// Not in the suite: where a process may die between a commit and the seal of its entries, and in the middle of the
// seal. Nothing is lost and nothing is there twice; the next process that opens the database seals what is left.
func TestSealIsCutOff(t *testing.T) {
	t.Parallel()
	url := pgtest.Database(t)
	s, scope, conn := open(t, postgres.Options{URL: url}), trilith.Scope{Tenant: "acme"}, connect(t, url)
	leave := func(n int) {
		t.Helper()
		for range n {
			if _, err := s.Commit(t.Context(), scope,
				role.Batch{Audit: []trilith.AuditEntry{{At: at, Actor: "ci", Action: "look"}}}); err != nil {
				t.Fatalf("Commit = %v", err)
			}
		}
	}
	want := func(when string, chained, left int) {
		t.Helper()
		var have, open int
		if err := conn.QueryRow(
			t.Context(), "SELECT (SELECT count(*) FROM trilith.audit), (SELECT count(*) FROM trilith.audit_open)").Scan(
			&have, &open); err != nil {
			t.Fatal(err)
		}
		if n, err := s.Unsealed(t.Context(), system); have != chained || open != left || n != left || err != nil {
			t.Errorf("%s %d entries are in the chain, %d open, Unsealed = %d, %v; want %d and %d", when, have, open, n,
				err, chained, left)
		}
	}
	leave(3)
	want("after the commits", 0, 3)
	if err := s.Seal(t.Context(), system); err != nil {
		t.Fatalf("Seal = %v", err)
	}
	leave(2)
	exec(t, conn, "CREATE FUNCTION cut_off() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'cut off'; END $$",
		"CREATE TRIGGER cut_off BEFORE DELETE ON trilith.audit_open EXECUTE FUNCTION cut_off()")
	if err := s.Seal(t.Context(), system); err == nil {
		t.Error("Seal that is cut off = nil, want an error")
	}
	want("after a seal that was cut off", 3, 2)
	exec(t, conn, "DROP TRIGGER cut_off ON trilith.audit_open")

	next := open(t, postgres.Options{URL: url})
	if err := next.Seal(t.Context(), system); err != nil {
		t.Fatalf("Seal by the next process = %v", err)
	}
	want("after the next process has sealed", 5, 0)
	if es, err := next.Audit(t.Context(), scope, 0, 10); err != nil || len(es) != 5 ||
		trilith.VerifyAudit(trilith.AuditEntry{}, es) != nil {
		t.Errorf("Audit = %d entries, %v, with the chain %v; want 5, whole", len(es), err,
			trilith.VerifyAudit(trilith.AuditEntry{}, es))
	}
	if err := next.Seal(t.Context(), trilith.System{}); trilith.KindOf(err) != trilith.KindOf(trilith.System{}.Validate()) {
		t.Errorf("Seal without a System = %v", err)
	}
}
