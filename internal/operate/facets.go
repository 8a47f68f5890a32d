package operate

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/truth"
)

// Counts counts memories by their values and by periods.
type Counts struct{ truth *truth.Truth }

// Counts returns the counter of memories.
func (o *Operator) Counts() Counts { return Counts{o.truth} }

// Facets returns the values that a field of memories of the scope has.
func (c Counts) Facets(ctx context.Context, s trilith.Scope, q trilith.FacetsQuery) (trilith.FacetList, error) {
	out := trilith.FacetList{Items: []trilith.Facet{}}
	var err error
	if q.Limit, err = truth.CheckLimit(q.Limit, trilith.DefaultFacets, trilith.MaxFacets); err != nil {
		return out, err
	}
	if err := cmp.Or(truth.CheckScope(s), checkField("field", q.Field),
		checkCounting(q.Counting)); err != nil {
		return out, err
	}
	t := tallyOf(q.Counting, q.Field)
	t.Prefix, t.Top, t.Last = q.Prefix, q.Limit+1, true // one more tells whether there are others
	rows, err := truth.Tally(ctx, c.truth, s, t, q.Filter)
	for _, r := range rows {
		out.Items = append(out.Items, trilith.Facet{Value: r.Values[0], Count: r.Count, Last: r.Last})
	}
	if out.More = len(out.Items) > q.Limit; out.More {
		out.Items = out.Items[:q.Limit]
	}
	return out, err
}

// Histogram counts memories of the scope by period.
func (c Counts) Histogram(ctx context.Context, s trilith.Scope, q trilith.HistogramQuery) (trilith.Histogram, error) {
	out := trilith.Histogram{Items: []trilith.HistogramStep{}}
	q.By, q.Time, q.Split = cmp.Or(q.By, trilith.PeriodDay), cmp.Or(q.Time, trilith.TimelineRecorded), cmp.Or(q.Split,
		"kind")
	if err := cmp.Or(truth.CheckScope(s), checkField("split", q.Split),
		checkCounting(q.Counting)); err != nil {
		return out, err
	}
	switch {
	case !slices.Contains([]trilith.Period{trilith.PeriodDay, trilith.PeriodWeek, trilith.PeriodMonth}, q.By):
		return out, trilith.Errorf(trilith.Invalid, "by: %.32q is not one of day, week, month", string(q.By))
	case q.Time != trilith.TimelineRecorded && q.Time != trilith.TimelineEvent:
		return out, trilith.Errorf(trilith.Invalid, "time: %.32q is not one of recorded and event", string(q.Time))
	}
	t := tallyOf(q.Counting, q.Split)
	t.Day = q.Time
	days, err := truth.Tally(ctx, c.truth, s, t, q.Filter)
	if err != nil {
		return out, err
	}
	slices.SortFunc(days, func(a, b trilith.TallyRow) int { return a.Day - b.Day })
	for _, d := range days {
		from := beginning(q.By, d.Day)
		if n := len(out.Items); n == 0 || !out.Items[n-1].From.Equal(from) {
			out.Items = append(out.Items, trilith.HistogramStep{From: from, Counts: map[string]int{}})
		}
		out.Items[len(out.Items)-1].Counts[d.Values[0]] += d.Count
	}
	return out, nil
}

// beginning returns the first day of the period that contains a day.
func beginning(p trilith.Period, day int) time.Time {
	at := time.Unix(int64(day)*86400, 0).UTC()
	switch p {
	case trilith.PeriodWeek:
		return at.AddDate(0, 0, -(int(at.Weekday())+6)%7)
	case trilith.PeriodMonth:
		return at.AddDate(0, 0, 1-at.Day())
	}
	return at
}

func checkField(name, field string) error {
	if !slices.Contains(trilith.FacetFields(), field) {
		return trilith.Errorf(trilith.Invalid, "%s: %.32q is not one of %s", name, field,
			strings.Join(trilith.FacetFields(), ", "))
	}
	return nil
}

func checkCounting(c trilith.Counting) error {
	for _, k := range c.Kinds {
		if !slices.Contains(trilith.Kinds(), k) {
			return trilith.Errorf(trilith.Invalid, "kinds: %.32q is not known", string(k))
		}
	}
	for _, st := range c.States {
		if !slices.Contains(trilith.States(), st) {
			return trilith.Errorf(trilith.Invalid, "states: %.32q is not known", string(st))
		}
	}
	return c.Filter.Validate()
}

// tallyOf counts by a field.
func tallyOf(c trilith.Counting, field string) trilith.Tally {
	t := trilith.Tally{By: []string{field}, Kinds: c.Kinds, States: c.States}
	if len(t.States) == 0 {
		t.States = []trilith.State{trilith.StateActive}
	}
	return t
}
