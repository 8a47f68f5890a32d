package postgres

import (
	"context"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/trilith-memory/trilith"
)

// facetColumn returns the column of a field that has facet counts.
func facetColumn(field string) (string, error) {
	switch {
	case !slices.Contains(trilith.FacetFields(), field):
		return "", trilith.Errorf(trilith.Invalid, "field: %.32q has no facets", field)
	case field == "user":
		return "user_id", nil
	}
	return field, nil
}

// counted adds the conditions for counting.
func (w *where) counted(sc trilith.Scope, q trilith.Counting) {
	w.scope(sc)
	if len(q.Kinds) > 0 {
		w.add("kind = ANY(" + w.arg(texts(q.Kinds)) + "::text[])")
	}
	states := q.States
	if len(states) == 0 {
		states = []trilith.State{trilith.StateActive}
	}
	w.add("state = ANY(" + w.arg(texts(states)) + "::text[])")
}

// Facets is documented at [role.FacetCounter].
func (t *tallies) Facets(ctx context.Context, sc trilith.Scope, q trilith.FacetsQuery) (out []trilith.Facet, err error) {
	column, err := facetColumn(q.Field)
	if err != nil {
		return nil, err
	}
	var w where
	w.counted(sc, q.Counting)
	w.add(column + " <> ''")
	if q.Prefix != "" {
		w.add("starts_with(" + column + ", " + w.value(q.Prefix) + ")")
	}
	query := "SELECT " + column + ", count(*), max(recorded_at) FROM trilith.memories WHERE " + w.clause() +
		" GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT " + w.arg(q.Limit)
	err = t.tally(ctx, "postgres.Facets", sc, query, w.args, func() { out = nil }, func(rows pgx.Rows) error {
		var f trilith.Facet
		var last time.Time
		err := rows.Scan(&f.Value, &f.Count, &last)
		f.Value, f.Last = plain(f.Value), last.UTC()
		out = append(out, f)
		return err
	})
	return out, err
}

// Days is documented at [role.FacetCounter].
func (t *tallies) Days(ctx context.Context, sc trilith.Scope, q trilith.HistogramQuery) (
	out []trilith.DayCount, err error) {
	column, err := facetColumn(q.Split)
	if err != nil {
		return nil, err
	}
	at := "recorded_at"
	if q.Time == trilith.TimelineEvent {
		at = "event_time"
	}
	var w where
	w.counted(sc, q.Counting)
	query := "SELECT floor(extract(epoch FROM " + at + ") / 86400)::int, " + column +
		", count(*) FROM trilith.memories WHERE " + w.clause() + " GROUP BY 1, 2"
	err = t.tally(ctx, "postgres.Days", sc, query, w.args, func() { out = nil }, func(rows pgx.Rows) error {
		var d trilith.DayCount
		err := rows.Scan(&d.Day, &d.Value, &d.Count)
		d.Value = plain(d.Value)
		out = append(out, d)
		return err
	})
	return out, err
}
