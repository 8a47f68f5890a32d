package sqlrows

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/trilith-memory/trilith"
)

// TallyDialect holds the parts of a statement that each database writes in its own way. Its functions are called in the
// order of the text.
type TallyDialect struct {
	From     string // the table, and the index if one is named
	Arg      func(v any) string
	Field    func(field string) string
	Day      string // the day of a column, which takes the place of each %[1]s
	Scope    func() string
	In       func(column string, values []string) string
	Unshared string // the condition of the indexes of facts
	Money    string // the condition of the index of facts with an amount
	Prefix   func(expression, prefix string) string
}

// Tally is the query for a valid tally.
func Tally(q *trilith.Tally, d TallyDialect) string {
	var columns, groups []string
	for _, field := range q.By {
		columns = append(columns, d.Field(field))
	}
	if q.Day != "" {
		columns = append(columns, fmt.Sprintf(d.Day, map[trilith.Timeline]string{trilith.TimelineRecorded: "recorded_at",
			trilith.TimelineEvent: "event_time"}[q.Day]))
	}
	for i := range columns {
		groups = append(groups, strconv.Itoa(i+1))
	}
	columns = append(columns, "count(*)")
	if q.Last {
		columns = append(columns, "max(recorded_at)")
	}
	if !q.At.IsZero() {
		columns = append(columns,
			"count(*) FILTER (WHERE state = 'active' AND (valid_until IS NULL OR valid_until > "+d.Arg(q.At)+"))",
			"count(*) FILTER (WHERE valid_until <= "+d.Arg(q.At)+")",
			"count(*) FILTER (WHERE valid_until <= "+d.Arg(q.At)+" AND superseded_by <> '')")
	}
	where := []string{d.Scope()}
	switch {
	case len(q.Kinds) == 1 && q.Kinds[0] == trilith.KindFact: // as in the conditions of indexes
		where = append(where, "kind = 'fact'")
	case len(q.Kinds) > 0:
		where = append(where, d.In("kind", texts(q.Kinds)))
	}
	if len(q.States) > 0 {
		where = append(where, d.In("state", texts(q.States)))
	}
	if q.Unshared {
		where = append(where, d.Unshared)
	}
	if q.Money {
		where = append(where, d.Money)
	}
	if q.Top > 0 {
		where = append(where, d.Field(q.By[0])+" <> ''")
	}
	if q.Prefix != "" {
		where = append(where, d.Prefix(d.Field(q.By[0]), q.Prefix))
	}
	query := "SELECT " + strings.Join(columns, ", ") + " FROM " + d.From + " WHERE " + strings.Join(where, " AND ")
	if len(groups) > 0 {
		query += " GROUP BY " + strings.Join(groups, ", ")
	}
	if q.Top > 0 {
		query += " ORDER BY 2 DESC, 1 LIMIT " + d.Arg(q.Top)
	}
	return query
}

// ScanTally reads a row of Tally. last is where the driver reads a time.
func ScanTally(q *trilith.Tally, scan func(to ...any) error, last any) (trilith.TallyRow, error) {
	row, values := trilith.TallyRow{Values: make([]string, len(q.By))}, make([]*string, len(q.By))
	var to []any
	for i := range values {
		to = append(to, &values[i])
	}
	if q.Day != "" {
		to = append(to, &row.Day)
	}
	to = append(to, &row.Count)
	if q.Last {
		to = append(to, last)
	}
	if !q.At.IsZero() {
		to = append(to, &row.Active, &row.Ended, &row.Replaced)
	}
	err := scan(to...)
	for i, value := range values {
		if value != nil {
			row.Values[i] = *value
		}
	}
	return row, err
}

func texts[T ~string](values []T) []string {
	out := make([]string, len(values))
	for i, v := range values {
		out[i] = string(v)
	}
	return out
}
