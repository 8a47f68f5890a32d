package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/store/sqlrows"
)

// tallies count memories, add up amounts, and evaluate policies on the server, without sending memories.
type tallies struct{ *database }

// Tally is documented at [role.Tallier].
func (t *tallies) Tally(ctx context.Context, sc trilith.Scope, q trilith.Tally) (out []trilith.TallyRow, err error) {
	if err := q.Validate(); err != nil {
		return nil, err
	}
	var w where
	query := sqlrows.Tally(&q, sqlrows.TallyDialect{From: "trilith.memories", Arg: w.arg, Field: tallyField,
		Day: "floor(extract(epoch FROM %[1]s) / 86400)::int",
		Scope: func() string {
			w.scope(sc)
			if q.Money {
				w.indexes(q.Filter())
			}
			return w.clause()
		},
		In: func(column string, values []string) string {
			return column + " = ANY(" + w.arg(texts(values)) + "::text[])"
		},
		Unshared: "shared_from = ''", Money: "more #>> '{fact,financial,amount}' IS NOT NULL",
		Prefix: func(of, prefix string) string { return "starts_with(" + of + ", " + w.value(prefix) + ")" }})
	err = t.tally(ctx, "postgres.Tally", sc, query, w.args, func() { out = nil }, func(rows pgx.Rows) error {
		var last time.Time
		r, err := sqlrows.ScanTally(&q, rows.Scan, &last)
		for i, value := range r.Values {
			r.Values[i] = plain(value)
		}
		r.Last = last.UTC()
		out = append(out, r)
		return err
	})
	return out, err
}

// tallyField returns the column or the expression of a field.
func tallyField(field string) string {
	switch {
	case factTexts[field] != "":
		return "more #>> '{fact," + factTexts[field] + "}'"
	case field == "financial_amount":
		return "more #>> '{fact,financial,amount}'"
	}
	return columnOf(field)
}

// Comparable returns the selected entities, by ascending id, without sending their facts.
func (t *tallies) Comparable(ctx context.Context, sc trilith.Scope, q trilith.Comparing) (
	out []trilith.EntityFacts, err error) {
	var w where
	w.scope(sc)
	w.add("kind = 'fact' AND shared_from = ''")
	w.add("state = ANY(" + w.arg(texts(q.States)) + "::text[])")
	w.add("(valid_until IS NULL OR valid_until > " + w.arg(q.At) + ")")
	w.add("entity_id > " + w.arg(string(q.After)))
	from := " FROM trilith.memories WHERE " + w.clause()
	query := "SELECT entity_id, count(*)" + from + " GROUP BY entity_id HAVING count(*) > 1"
	if q.Contrary {
		verbs := "SELECT entity_id, count(*) AS n, count(*) > 1 AND (bool_or(more #> '{fact,single_valued}' = 'true') OR min(more #>> '{fact,polarity}') <> max(more #>> '{fact,polarity}')" +
			" OR verb = ANY(" + w.arg(texts(q.Verbs)) + "::text[])) AS contrary" + from + " GROUP BY entity_id, verb"
		query = "SELECT entity_id, sum(n)::bigint FROM (" + verbs +
			") AS v GROUP BY entity_id HAVING bool_or(contrary) OR sum(n) > " + w.arg(q.Most)
	}
	err = t.tally(ctx, "postgres.Comparable", sc, query+" ORDER BY entity_id", w.args, func() { out = nil },
		func(rows pgx.Rows) error {
			var id string
			var n int
			err := rows.Scan(&id, &n)
			out = append(out, trilith.EntityFacts{Entity: trilith.ID(plain(id)), Facts: n})
			return err
		})
	return out, err
}

// Unheard returns the ids of facts of the scope that are active at one time and that nothing has confirmed since
// another, the longest unconfirmed first, ties by id. It skips the first ones and returns up to a limit. last is when
// the last of them was confirmed. It ignores people's decisions, so the true time may be later, never earlier.
func (t *tallies) Unheard(ctx context.Context, sc trilith.Scope, at, before time.Time, skip, most int) (
	ids []trilith.ID, last time.Time, err error) {
	tenant, err := tenantOf(sc)
	if err != nil {
		return nil, last, err
	}
	var w where
	w.scope(sc)
	w.add("kind = 'fact' AND state = 'active' AND shared_from = ''")
	w.add("(valid_until IS NULL OR valid_until > " + w.arg(at) + ")")
	w.add("event_time < " + w.arg(before))
	heard := "SELECT fact, max(heard) AS heard FROM trilith.evidence WHERE tenant = " + w.arg(tenant) +
		" AND says GROUP BY fact"
	query := "SELECT id, heard FROM (SELECT id, coalesce(v.heard, event_time) AS heard FROM trilith.memories LEFT JOIN (" + heard + ") AS v ON fact = id WHERE " + w.clause() + ") AS m" +
		" WHERE heard < " + w.arg(before) + " ORDER BY heard, id LIMIT " + w.arg(most) + " OFFSET " + w.arg(skip)
	err = t.tally(ctx, "postgres.Unheard", sc, query, w.args, func() { ids = nil }, func(rows pgx.Rows) error {
		var id string
		err := rows.Scan(&id, &last)
		ids = append(ids, trilith.ID(plain(id)))
		return err
	})
	return ids, last.UTC(), err
}

// tally reads the rows of a query about the tenant of a scope.
func (t *tallies) tally(ctx context.Context, op string, sc trilith.Scope, query string, args []any, begin func(),
	scan func(pgx.Rows) error) error {
	tenant, err := tenantOf(sc)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, role.ListingTimeout)
	defer cancel()
	return t.read(ctx, op, tenant, func(b *pgx.Batch) {
		begin()
		b.Queue(query, args...).Query(each(scan))
	})
}
