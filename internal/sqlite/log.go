package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"github.com/cairn-memory/cairn"
)

const (
	headQuery = `SELECT max(coalesce((SELECT max(change) FROM memories), 0), coalesce((SELECT max(change) FROM deletions), 0))`

	listChanges = `SELECT change, tenant, id, version, 0 FROM memories WHERE change > ?1
		UNION ALL SELECT change, tenant, id, version, 1 FROM deletions WHERE change > ?1
		ORDER BY 1 LIMIT ?2 + 0`

	// A walk from each tenant to the next by the index, however many rows lie between.
	listTenants = `WITH RECURSIVE
		m (tenant) AS (SELECT min(tenant) FROM memories
			UNION ALL SELECT (SELECT min(tenant) FROM memories WHERE tenant > m.tenant) FROM m WHERE m.tenant IS NOT NULL),
		r (tenant) AS (SELECT min(tenant) FROM records
			UNION ALL SELECT (SELECT min(tenant) FROM records WHERE tenant > r.tenant) FROM r WHERE r.tenant IS NOT NULL)
		SELECT tenant FROM (SELECT tenant FROM m UNION SELECT tenant FROM r)
		WHERE tenant IS NOT NULL AND tenant <> '` + cairn.SystemTenant + `' ORDER BY tenant`

	lastAudit   = "SELECT body FROM audit WHERE tenant = ? ORDER BY seq DESC LIMIT 1"
	listAudit   = "SELECT body FROM audit WHERE tenant = ? AND seq > ? ORDER BY seq" + limited
	insertAudit = "INSERT INTO audit (tenant, seq, body) VALUES (?, ?, ?)"
)

// cursorDigits hold every int64, so cursors of equal length compare as their numbers do.
const cursorDigits = 20

func cursor(change int64) cairn.Cursor {
	return cairn.Cursor(fmt.Sprintf("%0*d", cursorDigits, change))
}

func parseCursor(c cairn.Cursor) (int64, error) {
	if c == "" {
		return 0, nil
	}
	n, err := strconv.ParseInt(string(c), 10, 64)
	if err != nil || n < 0 || len(c) != cursorDigits {
		return 0, cairn.Errorf(cairn.Invalid, "cursor: %.40q is not of this store", string(c))
	}
	return n, nil
}

// changeLog plays [cairn.Log].
type changeLog struct{ *file }

// Shards is documented at [cairn.Log]: the file is one log.
func (cl *changeLog) Shards() int { return 1 }

func checkShard(sys cairn.System, shard int) error {
	if err := sys.Validate(); err != nil {
		return err
	}
	if shard != 0 {
		return cairn.Errorf(cairn.Invalid, "shard: %d does not exist, the log has one", shard)
	}
	return nil
}

// Changes is documented at [cairn.Log].
func (cl *changeLog) Changes(ctx context.Context, sys cairn.System, shard int, after cairn.Cursor, limit int) (
	[]cairn.Change, cairn.Cursor, error) {
	if err := checkShard(sys, shard); err != nil {
		return nil, after, err
	}
	from, err := parseCursor(after)
	if err != nil {
		return nil, after, err
	}
	var out []cairn.Change
	err = cl.read(ctx, "sqlite.Changes", func() error {
		out, err = cl.changes(ctx, from, limit)
		return err
	})
	if err != nil || len(out) == 0 {
		return nil, after, err
	}
	return out, out[len(out)-1].Cursor, nil
}

func (cl *changeLog) changes(ctx context.Context, from int64, limit int) (out []cairn.Change, err error) {
	rows, err := cl.queries.query(ctx, listChanges, from, max(0, limit))
	err = scanAll(rows, err, func(row scanner) error {
		var c cairn.Change
		var change int64
		err := row.Scan(&change, &c.Tenant, &c.ID, &c.Version, &c.Deleted)
		c.Cursor = cursor(change)
		out = append(out, c)
		return err
	})
	return out, err
}

// Head is documented at [cairn.Log]. Who follows the log asks again and again, so what another process erased leaves
// the cache of this one soon, whether or not anything is recalled here.
func (cl *changeLog) Head(ctx context.Context, sys cairn.System, shard int) (cairn.Cursor, error) {
	if err := checkShard(sys, shard); err != nil {
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
	return cursor(change), nil
}

// Tenants is documented at [cairn.Log].
func (cl *changeLog) Tenants(ctx context.Context, sys cairn.System) ([]string, error) {
	if err := sys.Validate(); err != nil {
		return nil, err
	}
	return cl.readStrings(ctx, "sqlite.Tenants", listTenants)
}

// Audit is documented at [cairn.Log].
func (cl *changeLog) Audit(ctx context.Context, sc cairn.Scope, after int64, limit int) ([]cairn.AuditEntry, error) {
	tenant, err := tenantOf(sc)
	if err != nil {
		return nil, err
	}
	var out []cairn.AuditEntry
	err = cl.read(ctx, "sqlite.Audit", func() error {
		out = nil
		rows, err := cl.queries.query(ctx, listAudit, tenant, after, max(0, limit))
		return scanAll(rows, err, func(row scanner) error {
			e, err := scanEntry(row)
			out = append(out, e)
			return err
		})
	})
	return out, err
}

func scanEntry(row scanner) (e cairn.AuditEntry, err error) {
	var body []byte
	if err := row.Scan(&body); err != nil {
		return e, err
	}
	return e, json.Unmarshal(body, &e)
}

// appendAudit numbers and chains entries behind the tenant's last one.
func (t *tx) appendAudit(tenant string, entries []cairn.AuditEntry) error {
	if len(entries) == 0 {
		return nil
	}
	prev, err := scanEntry(t.row(lastAudit, tenant))
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return err
	}
	for _, e := range entries {
		e = e.Seal(prev)
		body, err := json.Marshal(e)
		if err != nil {
			return err
		}
		if err := t.exec(insertAudit, tenant, e.Seq, body); err != nil {
			return err
		}
		prev = e
	}
	return nil
}
