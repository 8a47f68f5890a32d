package sessions

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/recall/summary"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/truth"
)

// material holds the sources of a summary.
type material struct {
	sources []trilith.Memory // in order
	through int              // for a session or a window: number of the last turn that is covered
	open    int              // for a session: tokens of the turns after it
	session *counted         // nil for other subjects
}

// counted is a session as it was read.
type counted struct {
	truth.Session
	version int64
}

// materialOf reads the sources of a summary.
func (ss *Sessions) materialOf(ctx context.Context, j truth.SummarizeJob) (material, error) {
	switch j.Of {
	case trilith.SummaryOfSession:
		return ss.ofSession(ctx, j)
	case trilith.SummaryOfPeriod:
		return ss.ofPeriod(ctx, j)
	case trilith.SummaryOfEntity:
		return ss.ofEntity(ctx, j)
	case trilith.SummaryOfWindow:
		return ss.ofWindow(ctx, j)
	}
	return material{}, trilith.Errorf(trilith.Unsupported, "summary: its kind %.32q is not known", string(j.Of))
}

// ofSession reads the turns of a session in exactly one scope, without those in its window if the job sets one.
func (ss *Sessions) ofSession(ctx context.Context, j truth.SummarizeJob) (mt material, err error) {
	st, version, err := ss.books.SessionOf(ctx, j.Scope)
	if err != nil || version == 0 {
		return mt, err
	}
	mt.session = &counted{st, version}
	l := role.Listing{Order: role.OrderSeq, Filter: trilith.AllOf(isTurn(j.Scope.Session), exactly(j.Scope))}
	var all []trilith.Memory
	for m, err := range ss.truth.List(ctx, j.Scope, l) {
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
	all = all[:to]
	if to > 0 {
		mt.through = all[to-1].Seq
	}
	mt.sources = all[max(0, to-trilith.MaxSummarySources):]
	return mt, nil
}

// ofPeriod reads the memories of a day, a month or a year in the scope; if there are too many for a summary, the
// latest.
func (ss *Sessions) ofPeriod(ctx context.Context, j truth.SummarizeJob) (mt material, err error) {
	from, to, err := periodOf(j.Subject)
	if err != nil {
		return mt, err
	}
	l := role.Listing{Order: role.OrderEvent, Limit: trilith.MaxSummarySources, Filter: trilith.AllOf(
		trilith.Where("kind", trilith.OpEq, trilith.KindEpisode), trilith.Where("state", trilith.OpEq, trilith.StateActive),
		trilith.Where("role", trilith.OpNe, trilith.RoleSystem),
		trilith.Where("event_time", trilith.OpGte, from), trilith.Where("event_time", trilith.OpLt, to), truth.Unshared)}
	for m, err := range ss.truth.List(ctx, j.Scope, l) {
		if err != nil {
			return mt, err
		}
		mt.sources = append(mt.sources, m)
	}
	slices.Reverse(mt.sources)
	return mt, nil
}

// periodOf parses a day, a month or a year.
func periodOf(text string) (from, to time.Time, err error) {
	for _, p := range []struct {
		layout              string
		years, months, days int
	}{{time.DateOnly, 0, 0, 1}, {"2006-01", 0, 1, 0}, {"2006", 1, 0, 0}} {
		if from, err = time.Parse(p.layout, text); err == nil {
			return from, from.AddDate(p.years, p.months, p.days), nil
		}
	}
	return from, to, trilith.Errorf(trilith.Invalid, "period: %.32q is not a day, month or year such as 2025-06-30, 2025-06 or 2025",
		text)
}

// ofEntity reads the active facts of an entity that the scope sees, the earliest first.
func (ss *Sessions) ofEntity(ctx context.Context, j truth.SummarizeJob) (mt material, err error) {
	all, err := ss.truth.SeenFacts(ctx, j.Scope, []trilith.ID{trilith.ID(j.Subject)})
	if err != nil {
		return mt, err
	}
	now := ss.truth.Now()
	for _, m := range all {
		if m.SharedFrom == "" && m.StateAt(now) == trilith.StateActive {
			mt.sources = append(mt.sources, m)
		}
	}
	slices.SortFunc(mt.sources, func(a, b trilith.Memory) int {
		return cmp.Or(a.EventTime.Compare(b.EventTime), cmp.Compare(a.ID, b.ID))
	})
	mt.sources = mt.sources[max(0, len(mt.sources)-trilith.MaxSummarySources):]
	return mt, nil
}

// ofWindow reads the turns of an episodic window.
func (ss *Sessions) ofWindow(ctx context.Context, j truth.SummarizeJob) (mt material, err error) {
	first, last, err := truth.WindowTurns(j.Subject)
	if err != nil {
		return mt, err
	}
	mt.through = last
	l := role.Listing{Order: role.OrderSeq, Filter: trilith.AllOf(isTurn(j.Scope.Session), exactly(j.Scope),
		trilith.Where("seq", trilith.OpGte, float64(first)), trilith.Where("seq", trilith.OpLte, float64(last)))}
	for m, err := range ss.truth.List(ctx, j.Scope, l) {
		if err != nil {
			return mt, err
		}
		mt.sources = append(mt.sources, m)
	}
	return mt, nil
}

// exactly accepts memories of one scope, without narrower ones.
func exactly(s trilith.Scope) trilith.Filter {
	var all []trilith.Filter
	for _, f := range s.Fields() {
		if f.Value == "" {
			all = append(all, trilith.Where(f.Name, trilith.OpEq, nil))
		}
	}
	return trilith.AllOf(all...)
}

// assistantWeight is the weight of an assistant's sentence relative to a person's: an assistant's answers are long,
// and written for one question.
const assistantWeight = 0.3

// textsOf returns the texts of memories in the form that is summarised, of a summary those of its lines.
func textsOf(ms []trilith.Memory) []summary.Text {
	out := make([]summary.Text, 0, len(ms))
	for i := range ms {
		m := &ms[i]
		if m.Kind == trilith.KindSummary {
			out = append(out, summary.Read(m.Text)...)
			continue
		}
		t := summary.Text{At: m.EventTime, Text: m.Text, Who: m.Speaker}
		switch {
		case m.Kind == trilith.KindFact:
			t.At = time.Time{} // the sentence contains its time
		case t.Who == "":
			t.Who = string(m.Role)
		}
		if m.Role == trilith.RoleAssistant {
			t.Weight = assistantWeight
		}
		out = append(out, t)
	}
	return out
}
