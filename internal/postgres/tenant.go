package postgres

import (
	"context"
	"encoding/json"

	"github.com/jackc/pgx/v5"

	"github.com/cairn-memory/cairn"
)

// InTenant runs f in a separate transaction that sees the rows of one tenant, at READ COMMITTED and as the role
// cairn_app, and commits if f returns nil; without write it is read only. It is for the data of a [Projection]. f may
// be called again after its effects were rolled back.
func (mt *memoryTable) InTenant(ctx context.Context, tenant string, write bool, f func(pgx.Tx) error) error {
	if _, err := tenantOf(cairn.Scope{Tenant: tenant}); err != nil {
		return err
	}
	return mt.in(ctx, "postgres.InTenant", tenant, write, f)
}

const factsAfter = " FROM cairn.memories WHERE tenant = $1 AND kind = '" + string(cairn.KindFact) +
	"' AND id > $2 ORDER BY id LIMIT $3"

// FactsIn returns up to limit facts of the tenant with ids after one, by ascending id, as a transaction of
// [Store.InTenant] sees them.
func (mt *memoryTable) FactsIn(ctx context.Context, tx pgx.Tx, tenant string, after cairn.ID, limit int) (
	[]cairn.Memory, error) {
	rows, err := tx.Query(ctx, selectMemory+factsAfter, tenant, string(after), limit)
	if err != nil {
		return nil, err
	}
	var facts []cairn.Memory
	err = collect(rows, func(rows pgx.Rows) error {
		m, err := scanMemory(rows)
		facts = append(facts, m)
		return err
	})
	return facts, err
}

// EntitiesIn returns the tenant's entities with some ids, in no order, as a transaction of [Store.InTenant] sees them.
// Missing ids are skipped.
func (mt *memoryTable) EntitiesIn(ctx context.Context, tx pgx.Tx, tenant string, ids []cairn.ID) (
	[]cairn.Entity, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	rows, err := tx.Query(ctx,
		"SELECT body FROM cairn.records WHERE tenant = $1 AND kind = $2 AND id = ANY($3::text[])", tenant,
		string(cairn.RecordEntity), texts(ids))
	if err != nil {
		return nil, err
	}
	var out []cairn.Entity
	err = collect(rows, func(rows pgx.Rows) error {
		var body string
		if err := rows.Scan(&body); err != nil {
			return err
		}
		var e cairn.Entity
		if err := json.Unmarshal([]byte(plain(body)), &e); err != nil {
			return cairn.WrapError(cairn.Internal, "postgres.EntitiesIn", err)
		}
		out = append(out, e)
		return nil
	})
	return out, err
}
