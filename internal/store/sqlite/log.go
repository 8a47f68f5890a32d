package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/store/sqlrows"
)

const (
	headQuery = `SELECT max(coalesce((SELECT max(change) FROM memories), 0), coalesce((SELECT max(change) FROM deletions), 0))`

	listChanges = `SELECT change, tenant, id, version, 0 FROM memories WHERE change > ?1
		UNION ALL SELECT change, tenant, id, version, 1 FROM deletions WHERE change > ?1
		ORDER BY 1 LIMIT ?2 + 0`

	lastAudit   = "SELECT body FROM audit WHERE tenant = ? ORDER BY seq DESC LIMIT 1"
	listAudit   = "SELECT body FROM audit WHERE tenant = ? AND seq > ? ORDER BY seq" + limited
	insertAudit = "INSERT INTO audit (tenant, seq, body) VALUES (?, ?, ?)"
)

var listTenants = sqlrows.Tenants("")

// changeLog plays [role.Log].
type changeLog struct{ *file }

// Shards is documented at [role.Log]: the file is one log.
func (cl *changeLog) Shards() int { return 1 }

// Changes is documented at [role.Log].
func (cl *changeLog) Changes(ctx context.Context, sys trilith.System, shard int, after trilith.Cursor, limit int) (
	[]role.Change, trilith.Cursor, error) {
	from, err := sqlrows.ReadLog(sys, shard, after)
	if err != nil {
		return nil, after, err
	}
	var out []role.Change
	err = cl.read(ctx, "sqlite.Changes", func() error {
		out, err = cl.changes(ctx, from, limit)
		return err
	})
	if err != nil || len(out) == 0 {
		return nil, after, err
	}
	return out, out[len(out)-1].Cursor, nil
}

func (cl *changeLog) changes(ctx context.Context, from int64, limit int) (out []role.Change, err error) {
	rows, err := cl.queries.query(ctx, listChanges, from, max(0, limit))
	return scanRows(rows, err, func(row scanner) (c role.Change, err error) {
		var change int64
		err = row.Scan(&change, &c.Tenant, &c.ID, &c.Version, &c.Deleted)
		c.Cursor = sqlrows.Cursor(change)
		return c, err
	})
}

// Head is documented at [role.Log]. Followers of the log call it repeatedly, so memories that another process erased
// leave this process's cache soon, even without any recall.
func (cl *changeLog) Head(ctx context.Context, sys trilith.System, shard int) (trilith.Cursor, error) {
	if _, err := sqlrows.ReadLog(sys, shard, ""); err != nil {
		return "", err
	}
	var change int64
	err := cl.read(ctx, "sqlite.Head", func() error {
		from := cl.cache.now()
		if err := cl.queries.row(ctx, headQuery, nil, &change); err != nil {
			return err
		}
		return cl.follow(ctx, from, change)
	})
	if err != nil || change == 0 {
		return "", err
	}
	return sqlrows.Cursor(change), nil
}

// Tenants is documented at [role.Log].
func (cl *changeLog) Tenants(ctx context.Context, sys trilith.System) ([]string, error) {
	if err := sys.Validate(); err != nil {
		return nil, err
	}
	return cl.readStrings(ctx, "sqlite.Tenants", listTenants)
}

// Audit is documented at [role.Log].
func (cl *changeLog) Audit(ctx context.Context, sc trilith.Scope, after int64, limit int) ([]trilith.AuditEntry, error) {
	tenant, err := tenantOf(sc)
	if err != nil {
		return nil, err
	}
	return readRows(ctx, cl.file, "sqlite.Audit", listAudit, []any{tenant, after, max(0, limit)}, scanEntry)
}

// appendAudit numbers and chains entries after the tenant's last one.
func (t *tx) appendAudit(tenant string, entries []trilith.AuditEntry) error {
	if len(entries) == 0 {
		return nil
	}
	prev, err := scanEntry(t.row(lastAudit, tenant))
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return err
	}
	sealed, bodies, err := sqlrows.Chain(prev, entries)
	if err != nil {
		return err
	}
	for i, body := range bodies {
		if err := t.exec(insertAudit, tenant, sealed[i].Seq, body); err != nil {
			return err
		}
	}
	return nil
}

func scanEntry(row scanner) (e trilith.AuditEntry, err error) {
	var body []byte
	if err := row.Scan(&body); err != nil {
		return e, err
	}
	return e, json.Unmarshal(body, &e)
}
