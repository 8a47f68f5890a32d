package operate

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/truth"
)

// Counts counts memories by their values and by periods.
type Counts struct{ truth *truth.Truth }

// Counts returns what counts memories.
func (o *Operator) Counts() Counts { return Counts{o.truth} }

// Facets returns the values that a field of memories of the scope has.
func (c Counts) Facets(ctx context.Context, s trilith.Scope, q trilith.FacetsQuery) (trilith.FacetList, error) {
	out := trilith.FacetList{Items: []trilith.Facet{}}
	var found []trilith.Facet
	var err error
	if q.Limit, err = truth.CheckLimit(q.Limit, trilith.DefaultFacets, trilith.MaxFacets); err != nil {
		return out, err
	}
	if err := truth.FirstError(truth.CheckScope(s), checkField("field", q.Field),
		checkCounting(q.Counting)); err != nil {
		return out, err
	}
	limit := q.Limit
	q.Limit++ // one more tells whether there are others
	if store, ok := c.truth.Store.(role.FacetCounter); ok && q.Filter.IsZero() {
		found, err = store.Facets(ctx, s, q)
	} else {
		found, err = c.countFacets(ctx, s, q)
	}
	out.Items = append(out.Items, found...)
	if out.More = len(out.Items) > limit; out.More {
		out.Items = out.Items[:limit]
	}
	return out, err
}

// Histogram counts memories of the scope by period.
func (c Counts) Histogram(ctx context.Context, s trilith.Scope, q trilith.HistogramQuery) (trilith.Histogram, error) {
	out := trilith.Histogram{Items: []trilith.HistogramStep{}}
	q.By, q.Time, q.Split = cmp.Or(q.By, trilith.PeriodDay), cmp.Or(q.Time, trilith.TimelineRecorded), cmp.Or(q.Split,
		"kind")
	if err := truth.FirstError(truth.CheckScope(s), checkField("split", q.Split),
		checkCounting(q.Counting)); err != nil {
		return out, err
	}
	switch {
	case !slices.Contains([]trilith.Period{trilith.PeriodDay, trilith.PeriodWeek, trilith.PeriodMonth}, q.By):
		return out, trilith.Errorf(trilith.Invalid, "by: %.32q is not one of day, week, month", string(q.By))
	case q.Time != trilith.TimelineRecorded && q.Time != trilith.TimelineEvent:
		return out, trilith.Errorf(trilith.Invalid, "time: %.32q is not one of recorded and event", string(q.Time))
	}
	var days []trilith.DayCount
	var err error
	if store, ok := c.truth.Store.(role.FacetCounter); ok && q.Filter.IsZero() {
		days, err = store.Days(ctx, s, q)
	} else {
		days, err = c.countDays(ctx, s, q)
	}
	if err != nil {
		return out, err
	}
	slices.SortFunc(days, func(a, b trilith.DayCount) int { return a.Day - b.Day })
	for _, d := range days {
		from := beginning(q.By, d.Day)
		if n := len(out.Items); n == 0 || !out.Items[n-1].From.Equal(from) {
			out.Items = append(out.Items, trilith.HistogramStep{From: from, Counts: map[string]int{}})
		}
		out.Items[len(out.Items)-1].Counts[d.Value] += d.Count
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

// counted yields the memories that are counted.
func (c Counts) counted(ctx context.Context, s trilith.Scope, q trilith.Counting, count func(*trilith.Memory)) error {
	f := trilith.Where("state", trilith.OpEq, trilith.StateActive)
	if len(q.States) > 0 {
		f = trilith.Where("state", trilith.OpIn, q.States)
	}
	if len(q.Kinds) > 0 {
		f = trilith.AllOf(f, trilith.Where("kind", trilith.OpIn, q.Kinds))
	}
	match, err := q.Filter.Compile() // a filter of the greatest depth cannot be nested any deeper
	if err != nil {
		return err
	}
	for m, err := range c.truth.Store.List(ctx, s, role.Listing{Filter: f}) {
		if err != nil {
			return err
		}
		if match != nil {
			if facets := role.FacetsOf(&m); !match(&facets) {
				continue
			}
		}
		count(&m)
	}
	return nil
}

func (c Counts) countFacets(ctx context.Context, s trilith.Scope, q trilith.FacetsQuery) ([]trilith.Facet, error) {
	of := map[string]*trilith.Facet{}
	if err := c.counted(ctx, s, q.Counting, func(m *trilith.Memory) {
		v := trilith.FacetOf(m, q.Field)
		if v == "" || !strings.HasPrefix(v, q.Prefix) {
			return
		}
		if of[v] == nil {
			of[v] = &trilith.Facet{Value: v}
		}
		of[v].Count++
		of[v].Last = truth.Later(of[v].Last, m.RecordedAt)
	}); err != nil {
		return nil, err
	}
	out := make([]trilith.Facet, 0, len(of))
	for _, f := range of {
		out = append(out, *f)
	}
	slices.SortFunc(out, func(a, b trilith.Facet) int {
		return cmp.Or(b.Count-a.Count, strings.Compare(a.Value, b.Value))
	})
	return out[:min(len(out), q.Limit)], nil
}

func (c Counts) countDays(ctx context.Context, s trilith.Scope, q trilith.HistogramQuery) ([]trilith.DayCount, error) {
	type key struct {
		day   int
		value string
	}
	of := map[key]int{}
	if err := c.counted(ctx, s, q.Counting, func(m *trilith.Memory) {
		at := m.RecordedAt
		if q.Time == trilith.TimelineEvent {
			at = m.EventTime
		}
		of[key{trilith.DayOf(at), trilith.FacetOf(m, q.Split)}]++
	}); err != nil {
		return nil, err
	}
	out := make([]trilith.DayCount, 0, len(of))
	for k, n := range of {
		out = append(out, trilith.DayCount{Day: k.day, Value: k.value, Count: n})
	}
	return out, nil
}
