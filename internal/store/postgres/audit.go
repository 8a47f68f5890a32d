package postgres

import (
	"context"
	"encoding/json"

	"github.com/jackc/pgx/v5"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/store/sqlrows"
)

// auditLog is the audit of [role.Log], and plays [role.Sealer].
type auditLog struct{ *database }

var _ role.Sealer = (*Store)(nil)

// A commit writes its entries open: they have a number from a sequence, drawn after the commit has locked the rows that
// it changes, and no position in the chain yet. A commit that begins after another was acknowledged has a higher
// number, and a reader that sees it also sees the other; so sealing the visible entries in the order of their numbers
// is right. Two commits that overlap and change nothing in common may be in either order.
const (
	openAudit    = "INSERT INTO trilith.audit_open (tenant, body) VALUES ($1, $2)"
	anyOpen      = "SELECT EXISTS (SELECT FROM trilith.audit_open WHERE tenant = $1)"
	countOpen    = "SELECT count(*) FROM trilith.audit_open"
	listOpen     = "SELECT n, body FROM trilith.audit_open WHERE tenant = $1 ORDER BY n LIMIT $2"
	closeOpen    = "DELETE FROM trilith.audit_open WHERE tenant = $1 AND n = ANY($2::bigint[])"
	lastAudit    = "SELECT body FROM trilith.audit WHERE tenant = $1 ORDER BY seq DESC LIMIT 1"
	listAudit    = "SELECT body FROM trilith.audit WHERE tenant = $1 AND seq > $2 ORDER BY seq LIMIT $3"
	insertAudit  = "INSERT INTO trilith.audit (tenant, seq, body) SELECT $1, * FROM unnest($2::bigint[], $3::text[])"
	endOfAudit   = "SELECT true FROM pg_advisory_xact_lock($1, $2)"
	endIfNobody  = "SELECT pg_try_advisory_xact_lock($1, $2)"
	sealedAtOnce = 1000 // entries: bounds a transaction
)

var openTenants = sqlrows.Distinct("tenant", "trilith.audit_open")

// putAudit writes the entries of a batch as open, to be sealed later.
func (w *write) putAudit(b *pgx.Batch) error {
	for _, e := range w.batch.Audit {
		e.At = trilith.Time(e.At)
		body, err := json.Marshal(e)
		if err != nil {
			return err
		}
		b.Queue(openAudit, w.tenant, text(string(body)))
	}
	return nil
}

// Seal is documented at [role.Sealer]. It skips a tenant whose entries another process is sealing.
func (al *auditLog) Seal(ctx context.Context, sys trilith.System) error {
	if err := sys.Validate(); err != nil {
		return err
	}
	tenants, err := al.readStrings(ctx, "postgres.Seal", allTenants, openTenants)
	for _, tenant := range tenants {
		if err == nil {
			err = al.seal(ctx, tenant, endIfNobody)
		}
	}
	return err
}

// Unsealed is documented at [role.Sealer].
func (al *auditLog) Unsealed(ctx context.Context, sys trilith.System) (n int, err error) {
	if err := sys.Validate(); err != nil {
		return 0, err
	}
	return n, al.read(ctx, "postgres.Unsealed", allTenants, func(b *pgx.Batch) {
		b.Queue(countOpen).QueryRow(func(row pgx.Row) error { return row.Scan(&n) })
	})
}

// seal numbers and chains the open entries of a tenant after its last sealed one, in separate transactions. lock is the
// statement that locks the end of the tenant's log; if it returns false, another process has the lock and seals.
func (al *auditLog) seal(ctx context.Context, tenant, lock string) error {
	for more := true; more; {
		err := al.in(ctx, "postgres.Seal", tenant, true, func(tx pgx.Tx) error {
			if err := tx.QueryRow(ctx, lock, lockAudit, hashed(tenant)).Scan(&more); err != nil || !more {
				return err
			}
			n, err := sealSome(ctx, tx, tenant)
			more = n == sealedAtOnce
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// sealSome seals up to sealedAtOnce entries. The caller has locked the end of the tenant's log.
func sealSome(ctx context.Context, tx pgx.Tx, tenant string) (int, error) {
	var prev trilith.AuditEntry
	var open []trilith.AuditEntry
	var ns []int64
	b := new(pgx.Batch)
	b.Queue(lastAudit, tenant).Query(each(func(rows pgx.Rows) (err error) {
		prev, err = scanEntry(rows)
		return err
	}))
	b.Queue(listOpen, tenant, sealedAtOnce).Query(each(func(rows pgx.Rows) error {
		var n int64
		e, err := scanEntry(rows, &n)
		ns, open = append(ns, n), append(open, e)
		return err
	}))
	if err := tx.SendBatch(ctx, b).Close(); err != nil || len(open) == 0 {
		return 0, err
	}
	sealed, bodies, err := sqlrows.Chain(prev, open)
	if err != nil {
		return 0, err
	}
	seqs, bodyTexts := make([]int64, len(sealed)), make([]string, len(sealed))
	for i, e := range sealed {
		seqs[i], bodyTexts[i] = e.Seq, text(string(bodies[i]))
	}
	b = new(pgx.Batch)
	b.Queue(insertAudit, tenant, seqs, bodyTexts)
	b.Queue(closeOpen, tenant, ns)
	return len(open), tx.SendBatch(ctx, b).Close()
}

// Audit is documented at [role.Log]. Open entries are sealed first.
func (al *auditLog) Audit(ctx context.Context, sc trilith.Scope, after int64, limit int) ([]trilith.AuditEntry, error) {
	tenant, err := tenantOf(sc)
	if err != nil {
		return nil, err
	}
	var out []trilith.AuditEntry
	for sealed := false; ; sealed = true {
		var open bool
		err := al.read(ctx, "postgres.Audit", tenant, func(b *pgx.Batch) {
			out, open = nil, false
			b.Queue(anyOpen, tenant).QueryRow(func(row pgx.Row) error { return row.Scan(&open) })
			b.Queue(listAudit, tenant, after, max(0, limit)).Query(
				listed(&out, func(rows pgx.Rows) (trilith.AuditEntry, error) { return scanEntry(rows) }))
		})
		if err != nil || !open || sealed { // later open entries were committed after the call
			return out, err
		}
		if err := al.seal(ctx, tenant, endOfAudit); err != nil {
			return nil, err
		}
	}
}

// scanEntry scans an entry from the last column of a row, after the columns before.
func scanEntry(rows pgx.Rows, before ...any) (e trilith.AuditEntry, err error) {
	var body string
	if err := rows.Scan(append(before, &body)...); err != nil {
		return e, err
	}
	return e, json.Unmarshal([]byte(plain(body)), &e)
}
