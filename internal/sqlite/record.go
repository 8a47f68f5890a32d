package sqlite

import (
	"context"
	"slices"

	"github.com/cairn-memory/cairn"
)

const (
	listRecords = "SELECT id, version, body FROM records WHERE tenant = ? AND kind = ? AND id > ? ORDER BY id" + limited
	getRecords  = "SELECT id, version, body, place FROM " + asked + " CROSS JOIN records ON tenant = ? AND kind = ? AND id = wanted"
	getRecord   = "SELECT id, version, body, 0 FROM records WHERE tenant = ? AND kind = ? AND id = ?" // every recall reads one
	listClaims  = "SELECT space, value, owner FROM claims WHERE tenant = ? AND (space, value) > (?, ?) ORDER BY space, value" + limited
	findKeys    = "SELECT place, owner FROM " + asked + " CROSS JOIN claims ON tenant = ? AND space = wanted ->> 0 AND value = wanted ->> 1"
)

// Records is documented at [cairn.Store].
func (s *Store) Records(ctx context.Context, sc cairn.Scope, l cairn.RecordListing) ([]cairn.Record, error) {
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
	var out []cairn.Record
	err = s.read(ctx, "sqlite.Records", func() error {
		out = make([]cairn.Record, len(l.IDs))
		rows, err := s.queries.query(ctx, query, args...)
		return scanAll(rows, err, func(row scanner) error {
			r := cairn.Record{Kind: l.Kind}
			if len(l.IDs) == 0 {
				err := row.Scan(&r.ID, &r.Version, (*[]byte)(&r.Body))
				out = append(out, r)
				return err
			}
			var at int
			if err := row.Scan(&r.ID, &r.Version, (*[]byte)(&r.Body), &at); err != nil {
				return err
			}
			out[at] = r
			return nil
		})
	})
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(out, func(r cairn.Record) bool { return r.ID == "" }), nil
}

// limit turns "0: no limit" into SQLite's way of saying it.
func limit(n int) int {
	if n <= 0 {
		return -1
	}
	return n
}

// Find is documented at [cairn.Store].
func (s *Store) Find(ctx context.Context, sc cairn.Scope, keys []cairn.Key) (map[cairn.Key]cairn.ID, error) {
	tenant, err := tenantOf(sc)
	if err != nil {
		return nil, err
	}
	var found map[cairn.Key]cairn.ID
	err = s.read(ctx, "sqlite.Find", func() error {
		found = make(map[cairn.Key]cairn.ID)
		rows, err := s.queries.query(ctx, findKeys, pairs(keys), tenant)
		return scanAll(rows, err, func(row scanner) error {
			var at int
			var owner cairn.ID
			if err := row.Scan(&at, &owner); err != nil {
				return err
			}
			found[keys[at]] = owner
			return nil
		})
	})
	return found, err
}

// pairs makes the argument of json_each for keys: [[space, value], …].
func pairs(keys []cairn.Key) string {
	vs := make([][2]string, len(keys))
	for i, k := range keys {
		vs[i] = [2]string{k.Space, k.Value}
	}
	return encode(vs)
}

// Claims is documented at [cairn.Store].
func (s *Store) Claims(ctx context.Context, sc cairn.Scope, l cairn.ClaimListing) ([]cairn.Claim, error) {
	tenant, err := tenantOf(sc)
	if err != nil {
		return nil, err
	}
	var out []cairn.Claim
	err = s.read(ctx, "sqlite.Claims", func() error {
		out = nil
		rows, err := s.queries.query(ctx, listClaims, tenant, l.After.Space, l.After.Value, limit(l.Limit))
		return scanAll(rows, err, func(row scanner) error {
			var c cairn.Claim
			err := row.Scan(&c.Key.Space, &c.Key.Value, &c.Owner)
			out = append(out, c)
			return err
		})
	})
	return out, err
}
