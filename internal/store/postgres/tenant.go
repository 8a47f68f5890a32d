package postgres

import (
	"context"
	"encoding/json"

	"github.com/jackc/pgx/v5"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
)

// InTenant runs f in a separate transaction that sees the rows of one tenant, at READ COMMITTED and as the role
// trilith_app, and commits if f returns nil; without write it is read only. It is for the data of a [Projection]. f may
// be called again after its effects were rolled back.
func (mt *memoryTable) InTenant(ctx context.Context, tenant string, write bool, f func(pgx.Tx) error) error {
	if _, err := tenantOf(trilith.Scope{Tenant: tenant}); err != nil {
		return err
	}
	return mt.in(ctx, "postgres.InTenant", tenant, write, f)
}

const factsAfter = " FROM trilith.memories WHERE tenant = $1 AND kind = '" + string(trilith.KindFact) +
	"' AND id > $2 ORDER BY id LIMIT $3"

// FactsIn returns up to limit facts of the tenant with ids after one, by ascending id, as a transaction of
// [Store.InTenant] sees them.
func (mt *memoryTable) FactsIn(ctx context.Context, tx pgx.Tx, tenant string, after trilith.ID, limit int) (
	[]trilith.Memory, error) {
	rows, err := tx.Query(ctx, selectMemory+factsAfter, tenant, string(after), limit)
	if err != nil {
		return nil, err
	}
	var facts []trilith.Memory
	err = collect(rows, func(rows pgx.Rows) error {
		m, err := scanMemory(rows)
		facts = append(facts, m)
		return err
	})
	return facts, err
}

// EntitiesIn returns the tenant's entities with some ids, in no order, as a transaction of [Store.InTenant] sees them.
// Missing ids are skipped.
func (mt *memoryTable) EntitiesIn(ctx context.Context, tx pgx.Tx, tenant string, ids []trilith.ID) (
	[]trilith.Entity, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	rows, err := tx.Query(ctx,
		"SELECT body FROM trilith.records WHERE tenant = $1 AND kind = $2 AND id = ANY($3::text[])", tenant,
		string(role.RecordEntity), texts(ids))
	if err != nil {
		return nil, err
	}
	var out []trilith.Entity
	err = collect(rows, func(rows pgx.Rows) error {
		var body string
		if err := rows.Scan(&body); err != nil {
			return err
		}
		var e trilith.Entity
		if err := json.Unmarshal([]byte(plain(body)), &e); err != nil {
			return trilith.WrapError(trilith.Internal, "postgres.EntitiesIn", err)
		}
		out = append(out, e)
		return nil
	})
	return out, err
}
