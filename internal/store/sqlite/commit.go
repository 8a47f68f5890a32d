package sqlite

import (
	"context"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/store/sqlrows"
)

// Commit is documented at [role.Store].
func (mt *memoryTable) Commit(ctx context.Context, sc trilith.Scope, b role.Batch) (role.Commit, error) {
	tenant, err := tenantOf(sc)
	if err != nil {
		return role.Commit{}, err
	}
	if err := b.Validate(tenant); err != nil {
		return role.Commit{}, err
	}
	rows := make([]memoryRow, len(b.Memories)) // encoded by the caller, to save the writer's time
	for i := range b.Memories {
		if rows[i], err = encodeMemory(&b.Memories[i]); err != nil {
			return role.Commit{}, err
		}
	}
	bodies := make([][]byte, len(b.Records))
	for i, r := range b.Records {
		bodies[i] = packBody(r.Body)
	}
	now := trilith.Time(mt.now())
	var c role.Commit
	size := len(b.Memories) + len(b.Records) + len(b.Claims) + len(b.Delete) + len(b.DropJobs) + len(b.Jobs) + 1
	err = mt.write(ctx, "sqlite.Commit", size, func(t *tx) (err error) {
		c, err = t.commit(tenant, &b, rows, bodies, now.UnixMicro())
		return err
	})
	if err != nil {
		return role.Commit{}, err
	}
	return c, nil
}

// rowState is the number of the last change of a stored memory, and its version.
type rowState struct{ change, version int64 }

// commit writes a checked batch: first the expectations, then deletions and releases, then claims and puts. Bodies are
// those of its records as the column holds them.
func (t *tx) commit(tenant string, b *role.Batch, rows []memoryRow, bodies [][]byte, now int64) (
	role.Commit, error) {
	states, err := t.states(tenant, b)
	if err != nil {
		return role.Commit{}, err
	}
	if err := t.expect(tenant, b.Expect, states); err != nil {
		return role.Commit{}, err
	}
	c := role.Commit{Versions: make([]int64, len(rows))}
	for _, r := range b.Delete {
		if err := t.delete(tenant, r, states, &c); err != nil {
			return role.Commit{}, err
		}
	}
	for i := range rows {
		if c.Versions[i], err = t.put(tenant, &rows[i], states, &c); err != nil {
			return role.Commit{}, err
		}
	}
	if err := t.evidence(tenant, b, rows); err != nil {
		return role.Commit{}, err
	}
	for i, r := range b.Records {
		if err := t.putRecord(tenant, r, bodies[i]); err != nil {
			return role.Commit{}, err
		}
	}
	if err := t.claim(tenant, b.Release, b.Claims); err != nil {
		return role.Commit{}, err
	}
	if len(b.DropJobs) > 0 {
		if err := t.exec(dropJobs, tenant, list(b.DropJobs)); err != nil {
			return role.Commit{}, err
		}
	}
	for i := range b.Jobs {
		if err := t.putJob(tenant, b.Jobs[i], now); err != nil {
			return role.Commit{}, err
		}
	}
	return c, t.appendAudit(tenant, b.Audit)
}

// states reads the state of every memory that the batch names.
func (t *tx) states(tenant string, b *role.Batch) (map[trilith.ID]rowState, error) {
	ids := make([]trilith.ID, 0, len(b.Memories)+len(b.Expect)+len(b.Delete))
	for i := range b.Memories {
		ids = append(ids, b.Memories[i].ID)
	}
	for _, e := range b.Expect {
		if e.Kind == "" {
			ids = append(ids, e.ID)
		}
	}
	for _, r := range b.Delete {
		if r.Kind == "" {
			ids = append(ids, r.ID)
		}
	}
	if len(ids) == 0 {
		return nil, nil
	}
	found := make(map[trilith.ID]rowState)
	rows, err := t.query(findRowStates, tenant, list(ids))
	return found, scanAll(rows, err, func(row scanner) error {
		var id trilith.ID
		var p rowState
		err := row.Scan(&id, &p.change, &p.version)
		found[id] = p
		return err
	})
}

func (t *tx) expect(tenant string, expects []role.Expect, states map[trilith.ID]rowState) error {
	for _, e := range expects {
		have := states[e.ID].version
		if e.Kind != "" {
			if err := t.row(recordVersion, tenant, string(e.Kind), string(e.ID)).Scan(&have); err != nil {
				return err
			}
		}
		if have != e.Version {
			return trilith.Errorf(trilith.Conflict, "expect: %s has version %d, not %d", e.ID, have, e.Version)
		}
	}
	return nil
}

func (t *tx) delete(tenant string, r role.Ref, states map[trilith.ID]rowState, c *role.Commit) error {
	if r.Kind != "" {
		n, err := t.execN(deleteRecord, tenant, string(r.Kind), string(r.ID))
		if err != nil || n == 0 {
			return err
		}
		return t.exec(releaseOwner, tenant, shortID(string(r.ID)))
	}
	p, ok := states[r.ID]
	if !ok {
		return nil
	}
	change, err := t.nextChange()
	if err != nil {
		return err
	}
	c.Cursor = sqlrows.Cursor(change)
	t.replaced = append(t.replaced, memoryKey{tenant, r.ID})
	if err := t.exec(deleteMemory, p.change); err != nil {
		return err
	}
	if err := t.exec(putDeletion, change, tenant, string(r.ID), p.version,
		sumOfDeletion(tenant, string(r.ID), p.version, change)); err != nil {
		return err
	}
	return t.exec(releaseOwner, tenant, shortID(string(r.ID)))
}

func (t *tx) put(tenant string, row *memoryRow, states map[trilith.ID]rowState, c *role.Commit) (
	version int64, err error) {
	change, err := t.nextChange()
	if err != nil {
		return 0, err
	}
	version = max(1, row.version)
	if p, ok := states[row.id]; ok {
		version = p.version + 1
		t.replaced = append(t.replaced, memoryKey{tenant, row.id})
		if err := t.exec(deleteMemory, p.change); err != nil {
			return 0, err
		}
	}
	c.Cursor = sqlrows.Cursor(change)
	row.set(change, version)
	return version, t.exec(insertMemory, row.args[:]...)
}

func (t *tx) putRecord(tenant string, r role.Record, body []byte) error {
	var version int64
	if err := t.row(recordVersion, tenant, string(r.Kind), string(r.ID)).Scan(&version); err != nil {
		return err
	}
	if version++; version == 1 {
		version = max(1, r.Version)
	}
	return t.exec(putRecord, tenant, string(r.Kind), string(r.ID), version, body,
		sumOfRecord(tenant, string(r.Kind), string(r.ID), version, r.Body))
}

func (t *tx) claim(tenant string, release []role.Key, claims []role.Claim) error {
	for _, k := range release {
		if err := t.exec(releaseKey, tenant, k.Space, shortValue(k.Space, k.Value)); err != nil {
			return err
		}
	}
	for _, cl := range claims {
		n, err := t.execN(claimKey, tenant, cl.Key.Space, shortValue(cl.Key.Space, cl.Key.Value),
			shortID(string(cl.Owner)), sumOfClaim(tenant, cl.Key.Space, cl.Key.Value, string(cl.Owner)), cl.Move)
		if err != nil {
			return err
		}
		if n == 0 {
			return trilith.Errorf(trilith.Conflict, "claims: a key of space %s is owned by another id", cl.Key.Space)
		}
	}
	return nil
}

const (
	findRowStates = "SELECT id, change, version FROM memories WHERE tenant = ? AND id IN (SELECT value FROM json_each(?))"
	deleteMemory  = "DELETE FROM memories WHERE change = ?"
	putDeletion   = `INSERT INTO deletions (change, tenant, id, version, sum) VALUES (?, ?, ?, ?, ?)
		ON CONFLICT (tenant, id) DO UPDATE SET change = excluded.change, version = excluded.version, sum = excluded.sum`

	recordVersion = "SELECT coalesce((SELECT version FROM records WHERE tenant = ? AND kind = ? AND id = ?), 0)"
	deleteRecord  = "DELETE FROM records WHERE tenant = ? AND kind = ? AND id = ?"
	putRecord     = `INSERT INTO records (tenant, kind, id, version, body, sum) VALUES (?, ?, ?, ?, ?, ?)
		ON CONFLICT DO UPDATE SET version = excluded.version, body = excluded.body, sum = excluded.sum`

	releaseOwner = "DELETE FROM claims WHERE tenant = ? AND owner = ? AND space <> '" + role.KeyErased + "'"
	releaseKey   = "DELETE FROM claims WHERE tenant = ? AND space = ? AND value = ? AND space <> '" +
		role.KeyErased + "'"
	claimKey = `INSERT INTO claims (tenant, space, value, owner, sum) VALUES (?, ?, ?, ?, ?)
		ON CONFLICT DO UPDATE SET owner = excluded.owner, sum = excluded.sum WHERE owner = excluded.owner OR ?`
)
