package sessions

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/cairn-memory/cairn"
	"github.com/cairn-memory/cairn/internal/summary"
	"github.com/cairn-memory/cairn/internal/truth"
)

// material is what a summary is made of.
type material struct {
	sources []cairn.Memory // in order
	through int            // of a session: number of the last turn that is covered
	open    int            // of a session: tokens of the turns behind it
	session *counted       // nil but of a session
}

// counted is a session as it was read.
type counted struct {
	truth.Session
	version int64
}

// exactly accepts what was said in a scope and in none that is narrower.
func exactly(s cairn.Scope) cairn.Filter {
	var all []cairn.Filter
	for _, f := range s.Fields() {
		if f.Value == "" {
			all = append(all, cairn.Where(f.Name, cairn.OpEq, nil))
		}
	}
	return cairn.AllOf(all...)
}

// materialOf reads what a summary is made of.
func (ss *Sessions) materialOf(ctx context.Context, j truth.SummarizeJob) (material, error) {
	switch j.Of {
	case cairn.SummaryOfSession:
		return ss.ofSession(ctx, j)
	case cairn.SummaryOfPeriod:
		return ss.ofPeriod(ctx, j)
	case cairn.SummaryOfEntity:
		return ss.ofEntity(ctx, j)
	}
	return material{}, cairn.Errorf(cairn.Unsupported, "summary: its kind %.32q is not known", string(j.Of))
}

// ofSession reads the turns of a session in exactly one scope, but for those of its window if the job names one.
func (ss *Sessions) ofSession(ctx context.Context, j truth.SummarizeJob) (mt material, err error) {
	st, version, err := ss.books.SessionOf(ctx, j.Scope)
	if err != nil || version == 0 {
		return mt, err
	}
	mt.session = &counted{st, version}
	l := cairn.Listing{Order: cairn.OrderSeq, Filter: cairn.AllOf(isTurn(j.Scope.Session), exactly(j.Scope))}
	var all []cairn.Memory
	for m, err := range ss.truth.Store.List(ctx, j.Scope, l) {
		if err != nil {
			return mt, err
		}
		all = append(all, m)
	}
	to := len(all)
	for ; j.Window > 0 && to > 0; to-- {
		n := ss.truth.Tokens(all[to-1].Text)
		if mt.open+n > j.Window {
			break
		}
		mt.open += n
	}
	if all = all[:to]; to > 0 {
		mt.through = all[to-1].Seq
	}
	mt.sources = all[max(0, to-cairn.MaxSummarySources):]
	return mt, nil
}

// ofPeriod reads what was said in the scope on a day, in a month or in a year; of more than a summary can be made of,
// the latest.
func (ss *Sessions) ofPeriod(ctx context.Context, j truth.SummarizeJob) (mt material, err error) {
	from, to, err := periodOf(j.Subject)
	if err != nil {
		return mt, err
	}
	l := cairn.Listing{Order: cairn.OrderEvent, Limit: cairn.MaxSummarySources, Filter: cairn.AllOf(
		cairn.Where("kind", cairn.OpEq, cairn.KindEpisode), cairn.Where("state", cairn.OpEq, cairn.StateActive),
		cairn.Where("event_time", cairn.OpGte, from), cairn.Where("event_time", cairn.OpLt, to), truth.Unshared)}
	for m, err := range ss.truth.Store.List(ctx, j.Scope, l) {
		if err != nil {
			return mt, err
		}
		mt.sources = append(mt.sources, m)
	}
	slices.Reverse(mt.sources)
	return mt, nil
}

// periodOf reads a day, a month or a year.
func periodOf(text string) (from, to time.Time, err error) {
	for _, p := range []struct {
		layout              string
		years, months, days int
	}{{time.DateOnly, 0, 0, 1}, {"2006-01", 0, 1, 0}, {"2006", 1, 0, 0}} {
		if from, err = time.Parse(p.layout, text); err == nil {
			return from, from.AddDate(p.years, p.months, p.days), nil
		}
	}
	return from, to, cairn.Errorf(cairn.Invalid, "period: %.32q is not a day, month or year such as 2025-06-30, 2025-06 or 2025",
		text)
}

// ofEntity reads the facts that hold of an entity, as far as the scope sees them, the earliest first.
func (ss *Sessions) ofEntity(ctx context.Context, j truth.SummarizeJob) (mt material, err error) {
	all, err := ss.truth.SeenFacts(ctx, j.Scope, cairn.ID(j.Subject))
	if err != nil {
		return mt, err
	}
	now := ss.truth.Now()
	for _, m := range all {
		if m.SharedFrom == "" && m.StateAt(now) == cairn.StateActive {
			mt.sources = append(mt.sources, m)
		}
	}
	slices.SortFunc(mt.sources, func(a, b cairn.Memory) int {
		return cmp.Or(a.EventTime.Compare(b.EventTime), cmp.Compare(a.ID, b.ID))
	})
	mt.sources = mt.sources[max(0, len(mt.sources)-cairn.MaxSummarySources):]
	return mt, nil
}

// assistantWeight is what a sentence of an assistant is worth beside one of a person: an assistant's answers are long,
// and made for what was asked then.
const assistantWeight = 0.3

// textsOf are the texts of memories as they are summarised.
func textsOf(ms []cairn.Memory) []summary.Text {
	out := make([]summary.Text, len(ms))
	for i := range ms {
		m := &ms[i]
		t := summary.Text{At: m.EventTime, Text: m.Text, Who: m.Speaker}
		switch {
		case m.Kind == cairn.KindFact:
			t.At = time.Time{} // its sentence says what has to be said of its time
		case m.Kind == cairn.KindSummary:
			t.At, t.Text = time.Time{}, m.Text
		case t.Who == "":
			t.Who = string(m.Role)
		}
		if m.Role == cairn.RoleAssistant {
			t.Weight = assistantWeight
		}
		out[i] = t
	}
	return out
}
