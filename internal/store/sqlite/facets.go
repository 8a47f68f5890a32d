package sqlite

import (
	"context"
	"slices"

	"github.com/trilith-memory/trilith"
)

// counted adds the conditions for counting. It returns an error for a field without facets, because field becomes a
// column.
func (c *conditions) counted(q trilith.Counting, field string) error {
	if !slices.Contains(trilith.FacetFields(), field) {
		return trilith.Errorf(trilith.Invalid, "field: %.32q has no facets", field)
	}
	if len(q.Kinds) > 0 {
		c.add("kind IN (SELECT value FROM json_each(?))", list(q.Kinds))
	}
	states := q.States
	if len(states) == 0 {
		states = []trilith.State{trilith.StateActive}
	}
	c.add("state IN (SELECT value FROM json_each(?))", list(states))
	return nil
}

// Facets is documented at [role.FacetCounter].
func (t *tallies) Facets(ctx context.Context, sc trilith.Scope, q trilith.FacetsQuery) (out []trilith.Facet, err error) {
	ctx, cancel, c, err := tallied(ctx, sc)
	defer cancel()
	if err == nil {
		err = c.counted(q.Counting, q.Field)
	}
	if err != nil {
		return nil, err
	}
	c.add(q.Field + " <> ''")
	if q.Prefix != "" {
		c.add("substr(CAST("+q.Field+" AS BLOB), 1, ?) = CAST(? AS BLOB)", len(q.Prefix), q.Prefix)
	}
	query := "SELECT " + q.Field + ", count(*), max(recorded_at) FROM memories WHERE " + c.all() +
		" GROUP BY 1 ORDER BY 2 DESC, 1" + limited
	args := append(c.args, q.Limit)
	return readRows(ctx, t.file, "sqlite.Facets", query, args, func(row scanner) (f trilith.Facet, err error) {
		var last int64
		err = row.Scan(&f.Value, &f.Count, &last)
		f.Last = timeOf(last)
		return f, err
	})
}

// Days is documented at [role.FacetCounter].
func (t *tallies) Days(ctx context.Context, sc trilith.Scope, q trilith.HistogramQuery) (
	out []trilith.DayCount, err error) {
	ctx, cancel, c, err := tallied(ctx, sc)
	defer cancel()
	if err == nil {
		err = c.counted(q.Counting, q.Split)
	}
	if err != nil {
		return nil, err
	}
	at := "recorded_at"
	if q.Time == trilith.TimelineEvent {
		at = "event_time"
	}
	const day = "86400000000" // microseconds; division rounds towards zero
	query := "SELECT " + at + " / " + day + " - (" + at + " % " + day + " < 0), " + q.Split +
		", count(*) FROM memories WHERE " + c.all() + " GROUP BY 1, 2"
	return readRows(ctx, t.file, "sqlite.Days", query, c.args, func(row scanner) (d trilith.DayCount, err error) {
		err = row.Scan(&d.Day, &d.Value, &d.Count)
		return d, err
	})
}
