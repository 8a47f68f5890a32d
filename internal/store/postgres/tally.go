package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
)

// tallies count memories, add up amounts, and evaluate policies on the server, without sending memories.
type tallies struct{ *database }

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

// Stats counts the memories of a scope without reading them.
func (t *tallies) Stats(ctx context.Context, sc trilith.Scope) (out trilith.Stats, err error) {
	var w where
	w.scope(sc)
	query := "SELECT kind, state, count(*), max(recorded_at) FROM trilith.memories WHERE " + w.clause() +
		" GROUP BY kind, state"
	begin := func() { out = trilith.NewStats() }
	err = t.tally(ctx, "postgres.Stats", sc, query, w.args, begin, func(rows pgx.Rows) error {
		var kind, state string
		var n int
		var newest time.Time
		err := rows.Scan(&kind, &state, &n, &newest)
		out.Add(trilith.Kind(kind), trilith.State(state), n, newest.UTC())
		return err
	})
	return out, err
}

// FactStats counts the facts of a scope as of a time, without shares and without sending them.
func (t *tallies) FactStats(ctx context.Context, sc trilith.Scope, at time.Time) (out trilith.FactStats, err error) {
	var w where
	w.scope(sc)
	w.add("kind = 'fact' AND shared_from = ''")
	query := "SELECT state, coalesce(valid_until <= " + w.arg(at) +
		", false), superseded_by <> '', coalesce(more #>> '{fact,fact_type}', ''), coalesce(more #>> '{fact,verification,status}', ''), count(*)" +
		" FROM trilith.memories WHERE " + w.clause() + " GROUP BY 1, 2, 3, 4, 5"
	begin := func() { out = trilith.NewFactStats() }
	err = t.tally(ctx, "postgres.FactStats", sc, query, w.args, begin, func(rows pgx.Rows) error {
		var m trilith.Memory
		var over, replaced bool
		var state, kind, status string
		var n int
		err := rows.Scan(&state, &over, &replaced, &kind, &status, &n)
		m.State = trilith.State(state)
		if over {
			m.ValidUntil = &at
		}
		if replaced {
			m.SupersededBy = "another"
		}
		out.Add(trilith.FactType(kind), m.StateAt(at), trilith.VerificationStatus(status), n)
		return err
	})
	return out, err
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

// EntityTallies is documented at [role.EntityCounter].
func (t *tallies) EntityTallies(ctx context.Context, sc trilith.Scope, at time.Time) (
	out []trilith.EntityTally, err error) {
	var w where
	w.scope(sc)
	w.add("kind = 'fact' AND shared_from = '' AND state IN ('active', 'superseded', 'expired')")
	query := "SELECT entity_id, count(*) FILTER (WHERE state = 'active' AND (valid_until IS NULL OR valid_until > " +
		w.arg(at) + ")), count(*), max(recorded_at) FROM trilith.memories WHERE " + w.clause() + " GROUP BY entity_id"
	err = t.tally(ctx, "postgres.EntityTallies", sc, query, w.args, func() { out = nil },
		func(rows pgx.Rows) error {
			var id string
			var x trilith.EntityTally
			var all int
			var heard time.Time
			err := rows.Scan(&id, &x.Facts, &all, &heard)
			x.ID, x.Past, x.Heard = trilith.ID(plain(id)), all-x.Facts, heard.UTC()
			out = append(out, x)
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
