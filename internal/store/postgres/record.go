package postgres

import (
	"context"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
)

const (
	listRecords = "SELECT id, version, body FROM trilith.records WHERE tenant = $1 AND kind = $2 AND id > $3 ORDER BY id LIMIT $4"
	getRecords  = `SELECT found.*, place FROM unnest($1::text[]) WITH ORDINALITY AS asked (wanted, place)
		CROSS JOIN LATERAL (SELECT id, version, body FROM trilith.records WHERE tenant = $2 AND kind = $3 AND id = wanted LIMIT 1) AS found`
	findKeys = `SELECT place, owner FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS asked (wanted_space, wanted_value, place)
		CROSS JOIN LATERAL (SELECT owner FROM trilith.claims WHERE tenant = $3 AND space = wanted_space AND value = wanted_value LIMIT 1) AS found`
	listClaims = "SELECT space, value, owner FROM trilith.claims WHERE tenant = $1 AND (space, value) > ($2, $3) ORDER BY space, value LIMIT $4"
)

// recordTable reads records and claims.
type recordTable struct{ *database }

// Records is documented at [role.Store].
func (rt *recordTable) Records(ctx context.Context, sc trilith.Scope, l role.RecordListing) ([]role.Record, error) {
	tenant, err := tenantOf(sc)
	if err != nil {
		return nil, err
	}
	var out []role.Record
	scan := func(rows pgx.Rows, after ...any) (role.Record, error) {
		var id, body string
		r := role.Record{Kind: l.Kind}
		err := rows.Scan(append([]any{&id, &r.Version, &body}, after...)...)
		r.ID, r.Body = trilith.ID(plain(id)), []byte(plain(body))
		return r, err
	}
	err = rt.read(ctx, "postgres.Records", tenant, func(b *pgx.Batch) {
		out = make([]role.Record, len(l.IDs))
		if len(l.IDs) == 0 {
			b.Queue(listRecords, tenant, text(string(l.Kind)), text(string(l.After)), limit(l.Limit)).Query(
				listed(&out, func(rows pgx.Rows) (role.Record, error) { return scan(rows) }))
			return
		}
		b.Queue(getRecords, texts(l.IDs), tenant, text(string(l.Kind))).Query(each(func(rows pgx.Rows) error {
			var place int
			r, err := scan(rows, &place)
			if err == nil {
				out[place-1] = r
			}
			return err
		}))
	})
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(out, func(r role.Record) bool { return r.ID == "" }), nil
}

// Find is documented at [role.Store].
func (rt *recordTable) Find(ctx context.Context, sc trilith.Scope, keys []role.Key) (map[role.Key]trilith.ID, error) {
	tenant, err := tenantOf(sc)
	if err != nil {
		return nil, err
	}
	spaces, values := make([]string, len(keys)), make([]string, len(keys))
	for i, k := range keys {
		spaces[i], values[i] = text(k.Space), text(k.Value)
	}
	var found map[role.Key]trilith.ID
	err = rt.read(ctx, "postgres.Find", tenant, func(b *pgx.Batch) {
		found = make(map[role.Key]trilith.ID)
		b.Queue(findKeys, spaces, values, tenant).Query(each(func(rows pgx.Rows) error {
			var place int
			var owner string
			if err := rows.Scan(&place, &owner); err != nil {
				return err
			}
			found[keys[place-1]] = trilith.ID(plain(owner))
			return nil
		}))
	})
	return found, err
}

// Claims is documented at [role.Store].
func (rt *recordTable) Claims(ctx context.Context, sc trilith.Scope, l role.ClaimListing) ([]role.Claim, error) {
	tenant, err := tenantOf(sc)
	if err != nil {
		return nil, err
	}
	args := []any{tenant, text(l.After.Space), text(l.After.Value), limit(l.Limit)}
	scan := func(rows pgx.Rows) (role.Claim, error) {
		var space, value, owner string
		err := rows.Scan(&space, &value, &owner)
		return role.Claim{Key: role.Key{Space: plain(space), Value: plain(value)}, Owner: trilith.ID(plain(owner))}, err
	}
	return readRows(ctx, rt.database, "postgres.Claims", tenant, listClaims, args, scan)
}

// limit converts 0, no limit, to NULL.
func limit(n int) *int {
	if n <= 0 {
		return nil
	}
	return &n
}
