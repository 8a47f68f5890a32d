package sqlite

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/store/sqlrows"
)

// compared is the beginning of queries on the index of facts by entity.
const compared = " FROM memories INDEXED BY facts_compared WHERE "

// Expressions in that index: see the migration.
var (
	factPolarity = factTexts["polarity"]
	factSingle   = inFact("single_valued")
)

// tallies count memories and evaluate policies in the database, without reading memories.
type tallies struct{ *file }

// Tally is documented at [role.Tallier].
func (t *tallies) Tally(ctx context.Context, sc trilith.Scope, q trilith.Tally) ([]trilith.TallyRow, error) {
	if err := q.Validate(); err != nil {
		return nil, err
	}
	var args []any
	arg := func(v any) string {
		if at, ok := v.(time.Time); ok {
			v = at.UnixMicro()
		}
		args = append(args, v)
		return "?"
	}
	ctx, cancel, c, err := tallied(ctx, sc)
	defer cancel()
	if err != nil {
		return nil, err
	}
	const day = "86400000000" // microseconds; division rounds towards zero
	query := sqlrows.Tally(&q, sqlrows.TallyDialect{From: "memories" + talliedIn(&q, sc), Arg: arg, Field: tallyField,
		Day: "%[1]s / " + day + " - (%[1]s %% " + day + " < 0)",
		Scope: func() string {
			args = append(args, c.args...)
			return c.all()
		},
		In: func(column string, values []string) string {
			return column + " IN (SELECT value FROM json_each(" + arg(list(values)) + "))"
		},
		Unshared: sharedFrom + " IS NULL", Money: factAmount + " IS NOT NULL",
		Prefix: func(of, prefix string) string {
			return "substr(CAST(" + of + " AS BLOB), 1, " + arg(len(prefix)) + ") = CAST(" + arg(prefix) + " AS BLOB)"
		}})
	return readRows(ctx, t.file, "sqlite.Tally", query, args, func(row scanner) (trilith.TallyRow, error) {
		var last int64
		r, err := sqlrows.ScanTally(&q, row.Scan, &last)
		if q.Last {
			r.Last = timeOf(last)
		}
		return r, err
	})
}

// talliedIn are the indexes for counting; SQLite would read another one, and the rows.
func talliedIn(q *trilith.Tally, sc trilith.Scope) string {
	switch {
	case q.Money:
		return " INDEXED BY facts_of_money"
	case slices.Contains(q.By, "fact_type"):
		return " INDEXED BY facts_counted"
	case slices.Equal(q.By, []string{"kind", "state"}) && sc == (trilith.Scope{Tenant: sc.Tenant}):
		return " INDEXED BY memories_counted"
	}
	return ""
}

// tallyField returns the column or the indexed expression of a field.
func tallyField(field string) string {
	switch field {
	case "fact_type", "verification_status", "polarity":
		return factTexts[field]
	case "financial_type":
		return inFact("financial.type")
	case "currency":
		return inFact("financial.currency")
	case "financial_amount":
		return inFact("financial.amount")
	}
	return field
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

// tallied returns the conditions for counting in a scope, and a context with the time limit of listings.
func tallied(ctx context.Context, sc trilith.Scope) (context.Context, context.CancelFunc, conditions, error) {
	var c conditions
	tenant, err := tenantOf(sc)
	c.add("tenant = ?", tenant)
	c.scope(sc)
	ctx, cancel := context.WithTimeout(ctx, role.ListingTimeout)
	return ctx, cancel, c, err
}
