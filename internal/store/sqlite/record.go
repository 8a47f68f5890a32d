package sqlite

import (
	"context"
	"slices"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
)

const (
	listRecords = "SELECT id, version, body, sum FROM records WHERE tenant = ? AND kind = ? AND id > ? ORDER BY id" +
		limited
	getRecords = "SELECT id, version, body, sum, place FROM " + asked +
		" CROSS JOIN records ON tenant = ? AND kind = ? AND id = wanted"
	// every recall runs this once
	getRecord  = "SELECT id, version, body, sum, 0 FROM records WHERE tenant = ? AND kind = ? AND id = ?"
	listClaims = "SELECT space, value, owner, sum FROM claims WHERE tenant = ? AND (space, value) > (?, ?) ORDER BY space, value" + limited
	findKeys   = "SELECT place, owner, sum FROM " + asked +
		" CROSS JOIN claims ON tenant = ? AND space = wanted ->> 0 AND value = iif(wanted ->> 2, unhex(wanted ->> 1), wanted ->> 1)"
)

// recordTable reads records and claims.
type recordTable struct{ *file }

// noBody replaces the body of a damaged record of a derived kind.
const noBody = "{}"

// Records is documented at [role.Store].
func (rt *recordTable) Records(ctx context.Context, sc trilith.Scope, l role.RecordListing) ([]role.Record, error) {
	tenant, err := tenantOf(sc)
	if err != nil {
		return nil, err
	}
	query, args := listRecords, []any{tenant, string(l.Kind), string(l.After), limit(l.Limit)}
	switch len(l.IDs) {
	case 0:
	case 1:
		query, args = getRecord, []any{tenant, string(l.Kind), string(l.IDs[0])}
	default:
		query, args = getRecords, []any{list(l.IDs), tenant, string(l.Kind)}
	}
	var out []role.Record
	var bad []trilith.ID
	err = rt.read(ctx, "sqlite.Records", func() error {
		bad = nil
		out = make([]role.Record, len(l.IDs))
		rows, err := rt.queries.query(ctx, query, args...)
		return scanAll(rows, err, func(row scanner) error {
			r := role.Record{Kind: l.Kind}
			var sum any
			var at int
			dest := []any{&r.ID, &r.Version, (*[]byte)(&r.Body), &sum, &at}
			if len(l.IDs) == 0 {
				dest, at = dest[:4], len(out)
				out = append(out, role.Record{})
			}
			if err := row.Scan(dest...); err != nil {
				return err
			}
			r.Body = unpackBody(r.Body)
			switch {
			case holds(sum, sumOfRecord(tenant, string(l.Kind), string(r.ID), r.Version, r.Body)):
				out[at] = r
			case l.Kind.Derived():
				rt.warn("store: a damaged row is made again", "kind", l.Kind, "id", r.ID)
				r.Body = []byte(noBody)
				out[at] = r
			default:
				bad = append(bad, r.ID)
			}
			return nil
		})
	})
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(out, func(r role.Record) bool { return r.ID == "" }),
		damage(string(l.Kind)+" record", bad)
}

// Find is documented at [role.Store].
func (rt *recordTable) Find(ctx context.Context, sc trilith.Scope, keys []role.Key) (map[role.Key]trilith.ID, error) {
	tenant, err := tenantOf(sc)
	if err != nil {
		return nil, err
	}
	var found map[role.Key]trilith.ID
	err = rt.read(ctx, "sqlite.Find", func() error {
		found = make(map[role.Key]trilith.ID)
		rows, err := rt.queries.query(ctx, findKeys, pairs(keys), tenant)
		return scanAll(rows, err, func(row scanner) error {
			var at int
			var stored, sum any
			if err := row.Scan(&at, &stored, &sum); err != nil {
				return err
			}
			owner := trilith.ID(longText(stored))
			if !holds(sum, sumOfClaim(tenant, keys[at].Space, keys[at].Value, string(owner))) {
				return damage("claim in space "+keys[at].Space+" of owner", []trilith.ID{owner})
			}
			found[keys[at]] = owner
			return nil
		})
	})
	return found, err
}

// pairs makes the argument of json_each for keys: [[space, value, whether the column holds its bytes], …].
func pairs(keys []role.Key) string {
	vs := make([][3]any, len(keys))
	for i, k := range keys {
		vs[i] = [3]any{k.Space, k.Value, isHash(k.Space, k.Value)}
	}
	return encode(vs)
}

// Claims is documented at [role.Store].
func (rt *recordTable) Claims(ctx context.Context, sc trilith.Scope, l role.ClaimListing) ([]role.Claim, error) {
	tenant, err := tenantOf(sc)
	if err != nil {
		return nil, err
	}
	args := []any{tenant, l.After.Space, shortValue(l.After.Space, l.After.Value), limit(l.Limit)}
	return readRows(ctx, rt.file, "sqlite.Claims", listClaims, args, func(row scanner) (c role.Claim, err error) {
		var value, owner, sum any
		err = row.Scan(&c.Key.Space, &value, &owner, &sum)
		c.Key.Value, c.Owner = longText(value), trilith.ID(longText(owner))
		if err == nil && !holds(sum, sumOfClaim(tenant, c.Key.Space, c.Key.Value, string(c.Owner))) {
			err = damage("claim of owner", []trilith.ID{c.Owner})
		}
		return c, err
	})
}

// limit converts 0, no limit, to SQLite's form.
func limit(n int) int {
	if n <= 0 {
		return -1
	}
	return n
}
