package sqlite

import (
	"context"
	"database/sql"
	"strings"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
)

// compared is the beginning of queries on the index of facts by entity.
const compared = " FROM memories INDEXED BY facts_compared WHERE "

// Expressions in that index: see the migration.
var (
	factPolarity = factTexts["polarity"]
	factSingle   = inFact("single_valued")
)

// tallied returns the conditions for counting in a scope, and a context with the time limit of listings.
func tallied(ctx context.Context, sc trilith.Scope) (context.Context, context.CancelFunc, conditions, error) {
	var c conditions
	tenant, err := tenantOf(sc)
	c.add("tenant = ?", tenant)
	c.scope(sc)
	ctx, cancel := context.WithTimeout(ctx, role.ListingTimeout)
	return ctx, cancel, c, err
}

// tallies count memories and evaluate policies in the database, without reading memories.
type tallies struct{ *file }

// tally reads the rows of a query.
func (t *tallies) tally(ctx context.Context, op, query string, args []any, begin func(),
	scan func(scanner) error) error {
	return t.read(ctx, op, func() error {
		begin()
		rows, err := t.queries.query(ctx, query, args...)
		return scanAll(rows, err, scan)
	})
}

// Stats counts the memories of a scope without reading them.
func (t *tallies) Stats(ctx context.Context, sc trilith.Scope) (out trilith.Stats, err error) {
	ctx, cancel, c, err := tallied(ctx, sc)
	defer cancel()
	if err != nil {
		return out, err
	}
	index := ""
	if len(c.terms) == 1 { // the whole tenant
		index = " INDEXED BY memories_counted"
	}
	query := "SELECT kind, state, count(*), max(recorded_at) FROM memories" + index + " WHERE " + c.all() +
		" GROUP BY kind, state"
	begin := func() { out = trilith.NewStats() }
	err = t.tally(ctx, "sqlite.Stats", query, c.args, begin, func(row scanner) error {
		var kind, state string
		var n int
		var newest int64
		err := row.Scan(&kind, &state, &n, &newest)
		out.Add(trilith.Kind(kind), trilith.State(state), n, timeOf(newest))
		return err
	})
	return out, err
}

// FactStats counts the facts of a scope as of a time, without shares and without reading them.
func (t *tallies) FactStats(ctx context.Context, sc trilith.Scope, at time.Time) (out trilith.FactStats, err error) {
	ctx, cancel, c, err := tallied(ctx, sc)
	defer cancel()
	if err != nil {
		return out, err
	}
	c.kind(trilith.KindFact)
	c.add(sharedFrom + " IS NULL")
	query := "SELECT state, " + factTexts["fact_type"] + ", " + factTexts["verification_status"] +
		", count(*), sum(coalesce(valid_until <= ?, 0)), sum(coalesce(valid_until <= ?, 0) AND superseded_by <> '')" +
		" FROM memories INDEXED BY facts_counted WHERE " + c.all() + " GROUP BY 1, 2, 3"
	begin := func() { out = trilith.NewFactStats() }
	now := at.UnixMicro()
	err = t.tally(ctx, "sqlite.FactStats", query, append([]any{now, now}, c.args...), begin, func(row scanner) error {
		var state string
		var kind, status sql.NullString
		var n, over, replaced int
		err := row.Scan(&state, &kind, &status, &n, &over, &replaced)
		m := trilith.Memory{State: trilith.State(state)}
		add := func(n int) {
			out.Add(trilith.FactType(kind.String), m.StateAt(at), trilith.VerificationStatus(status.String), n)
		}
		add(n - over)
		m.ValidUntil = &at
		add(over - replaced)
		m.SupersededBy = "another"
		add(replaced)
		return err
	})
	return out, err
}

// Comparable returns the selected entities, by ascending id, without reading their facts.
func (t *tallies) Comparable(ctx context.Context, sc trilith.Scope, q trilith.Comparing) (
	out []trilith.EntityFacts, err error) {
	ctx, cancel, c, err := tallied(ctx, sc)
	defer cancel()
	if err != nil {
		return nil, err
	}
	c.kind(trilith.KindFact)
	c.add("state IN (SELECT value FROM json_each(?))", list(q.States))
	c.add("(valid_until IS NULL OR valid_until > ?)", q.At.UnixMicro())
	c.add(sharedFrom + " IS NULL")
	c.add("entity_id > ?", string(q.After))
	query, args := "SELECT entity_id, count(*)"+compared+c.all()+" GROUP BY entity_id HAVING count(*) > 1", c.args
	if q.Contrary {
		verbs := "SELECT entity_id, count(*) AS n, count(*) > 1 AND (max(coalesce(" + factSingle + ", 0)) OR min(" +
			factPolarity + ") <> max(" + factPolarity + ")" +
			" OR verb IN (SELECT value FROM json_each(?))) AS contrary" + compared + c.all() +
			" GROUP BY entity_id, verb"
		query = "SELECT entity_id, sum(n) FROM (" + verbs + ") GROUP BY entity_id HAVING max(contrary) OR sum(n) > ?"
		args = append(append([]any{list(q.Verbs)}, c.args...), q.Most)
	}
	query = strings.TrimSpace(query) + " ORDER BY entity_id"
	return readRows(ctx, t.file, "sqlite.Comparable", query, args, func(row scanner) (x trilith.EntityFacts, err error) {
		err = row.Scan((*string)(&x.Entity), &x.Facts)
		return x, err
	})
}

// EntityTallies is documented at [role.EntityCounter].
func (t *tallies) EntityTallies(ctx context.Context, sc trilith.Scope, at time.Time) (
	out []trilith.EntityTally, err error) {
	ctx, cancel, c, err := tallied(ctx, sc)
	defer cancel()
	if err != nil {
		return nil, err
	}
	c.kind(trilith.KindFact)
	c.add(sharedFrom + " IS NULL")
	c.add("state IN ('active', 'superseded', 'expired')")
	const holds = "sum(state = 'active' AND (valid_until IS NULL OR valid_until > ?))"
	query := "SELECT entity_id, " + holds + ", count(*), max(recorded_at) FROM memories WHERE " + c.all() +
		" GROUP BY entity_id"
	args := append([]any{at.UnixMicro()}, c.args...)
	return readRows(ctx, t.file, "sqlite.EntityTallies", query, args, func(row scanner) (x trilith.EntityTally, err error) {
		var all int
		var heard int64
		err = row.Scan((*string)(&x.ID), &x.Facts, &all, &heard)
		x.Past, x.Heard = all-x.Facts, timeOf(heard)
		return x, err
	})
}

// Unheard returns the ids of facts of the scope that are active at one time and that nothing has confirmed since
// another, the longest unconfirmed first, ties by id. It skips the first ones and returns up to a limit. last is when
// the last of them was confirmed. It ignores people's decisions, so the true time may be later, never earlier. Shares
// are among the results.
func (t *tallies) Unheard(ctx context.Context, sc trilith.Scope, at, before time.Time, skip, most int) (
	ids []trilith.ID, last time.Time, err error) {
	ctx, cancel, c, err := tallied(ctx, sc)
	defer cancel()
	if err != nil {
		return nil, last, err
	}
	c.kind(trilith.KindFact)
	c.add("state = 'active'")
	c.add("(valid_until IS NULL OR valid_until > ?)", at.UnixMicro())
	c.add("event_time < ?", before.UnixMicro())
	query := "SELECT id, heard FROM (SELECT id, coalesce((SELECT max(heard) FROM evidence WHERE tenant = memories.tenant AND fact = memories.id AND says), event_time) AS heard" +
		" FROM memories INDEXED BY facts_by_id WHERE " + c.all() + ") WHERE heard < ? ORDER BY heard, id" +
		limited + " OFFSET ?"
	args := append(c.args, before.UnixMicro(), most, skip)
	ids, err = readRows(ctx, t.file, "sqlite.Unheard", query, args, func(row scanner) (id trilith.ID, err error) {
		var heard int64
		err = row.Scan((*string)(&id), &heard)
		last = timeOf(heard)
		return id, err
	})
	return ids, last, err
}
