package projects

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/lang/dates"
)

// buildTimeline makes the timeline of a project at a moment from all facts of its owner, in whatever state, and from
// the relations that hold at that moment. It has the days of items, their dependencies, and the chain of these that
// spans the most days. The same facts make the same timeline, and nothing is guessed: items without a day get none.
func buildTimeline(project string, at time.Time, facts []trilith.Memory,
	relations []trilith.Relation) trilith.ProjectTimeline {
	t := trilith.ProjectTimeline{Project: project, AsOf: at, Items: []trilith.TimelineItem{},
		Undated: []trilith.TimelineItem{}, Critical: []trilith.ID{}, LeftOut: map[string]int{}}
	var all []trilith.TimelineItem
	for i := range facts {
		m := &facts[i]
		kind, ok := kindOf(m)
		if !ok || m.EventTime.After(at) && m.RecordedAt.After(at) {
			continue
		}
		if reason := absent(m, at); reason != "" {
			if reason != gone {
				t.LeftOut[reason]++
			}
			continue
		}
		all = append(all, timelineItem(m, kind, at))
	}
	slices.SortFunc(all, compareItems)
	if n := len(all); n > trilith.MaxTimeline {
		all = all[:trilith.MaxTimeline]
		t.LeftOut[trilith.TimelineTooMany] = n - trilith.MaxTimeline
	}
	p := newPlan(all)
	for i := range relations {
		if !p.relate(&relations[i]) {
			t.LeftOut[trilith.TimelineUnrelated]++
		}
	}
	t.Critical, t.CriticalDays = p.critical()
	for i := range all {
		it := &all[i]
		p.finish(it)
		it.Critical = slices.Contains(t.Critical, it.ID)
		if it.End == nil {
			t.Undated = append(t.Undated, *it)
		} else {
			t.Items = append(t.Items, *it)
		}
	}
	if len(t.LeftOut) == 0 {
		t.LeftOut = nil
	}
	return t
}

// kindOf returns the kind of a fact on a timeline, if it belongs there.
func kindOf(m *trilith.Memory) (trilith.TimelineKind, bool) {
	if m.Fact == nil || m.SharedFrom != "" {
		return "", false
	}
	switch {
	case m.Fact.Verb == "has_deadline":
		return trilith.TimelineDeadline, true
	case m.Fact.Type == trilith.FactTask:
		return trilith.TimelineTask, true
	case m.Fact.Type == trilith.FactMilestone:
		return trilith.TimelineMilestone, true
	case m.Fact.Type == trilith.FactSchedule:
		return trilith.TimelineSchedule, true
	}
	return "", false
}

// gone is the reason of facts that were taken back or held back. They are not counted among the omissions.
const gone = "gone"

// absent says why a fact is not on the timeline at a moment; empty if it is. An item stays on it after its day has
// passed.
func absent(m *trilith.Memory, at time.Time) string {
	switch {
	case m.State == trilith.StateRetracted || m.State == trilith.StateQuarantined || m.EventTime.After(at) && !planned(m):
		return gone
	case m.State == trilith.StateCandidate:
		return trilith.TimelineCandidate
	case m.Fact.Polarity == trilith.Negated:
		return trilith.TimelineDenied
	case m.SupersededBy != "" && m.ValidUntil != nil && !m.ValidUntil.After(at):
		return trilith.TimelineReplaced
	}
	return ""
}

// planned reports whether a fact was known before it begins to hold.
func planned(m *trilith.Memory) bool { return m.RecordedAt.Before(m.EventTime) }

func timelineItem(m *trilith.Memory, kind trilith.TimelineKind, at time.Time) trilith.TimelineItem {
	it := trilith.TimelineItem{ID: m.ID, Kind: kind, Name: m.Called(), After: []trilith.ID{},
		Quotes: []trilith.TimelineQuote{}}
	it.Start, it.End = daysOf(m)
	for i := range m.Fact.Evidence {
		e := &m.Fact.Evidence[i]
		if e.Withdrawn || e.At.After(at) {
			continue
		}
		it.Ended = it.Ended || e.Ends && e.Successor == ""
		if e.Quote != "" {
			it.Quotes = append(it.Quotes, trilith.TimelineQuote{EpisodeID: e.EpisodeID, Quote: e.Quote})
		}
	}
	return it
}

// daysOf returns the first and the last day of a fact, as far as they are said: by its words for the time, else by its
// deadline, else by the end that it gives.
func daysOf(m *trilith.Memory) (first, last *time.Time) {
	when, _ := m.Fact.Content["when"].(string)
	said := m.EventTime
	if len(m.Fact.Evidence) > 0 && !m.Fact.Evidence[0].At.IsZero() {
		said = m.Fact.Evidence[0].At
	}
	for _, lang := range []dates.Lang{dates.English, dates.German} {
		for _, e := range dates.Find(when, said, lang) {
			if e.Granularity < dates.Day || e.From.IsZero() || e.To.IsZero() || !e.To.After(e.From) ||
				e.To.Equal(dates.Forever()) || e.Kind == dates.Recurring || e.Kind == dates.Duration {
				continue
			}
			end := trilith.CalendarDay(e.To.Add(-time.Second))
			if begin := trilith.CalendarDay(e.From); e.Kind != dates.Deadline && begin.Before(end) {
				return &begin, &end
			}
			return nil, &end
		}
	}
	for _, t := range []*time.Time{m.Fact.ActionDeadline, until(m)} {
		if t != nil {
			end := trilith.CalendarDay(t.Add(-time.Second))
			return nil, &end
		}
	}
	return nil, nil
}

// until is the end that the words of a fact give it, not the one that later words or a person did.
func until(m *trilith.Memory) *time.Time {
	for i := range m.Fact.Evidence {
		if e := &m.Fact.Evidence[i]; !e.Withdrawn && !e.Ends && e.Until != nil {
			return e.Until
		}
	}
	return nil
}

// compareItems orders items: those with a day by their first, then the others by kind and name.
func compareItems(a, b trilith.TimelineItem) int {
	switch {
	case (a.End == nil) != (b.End == nil):
		if a.End == nil {
			return 1
		}
		return -1
	case a.End != nil:
		return cmp.Or(a.Begins().Compare(b.Begins()), a.End.Compare(*b.End), cmp.Compare(a.ID, b.ID))
	}
	return cmp.Or(cmp.Compare(slices.Index(trilith.TimelineKinds(), a.Kind), slices.Index(trilith.TimelineKinds(), b.Kind)),
		strings.Compare(a.Name, b.Name), cmp.Compare(a.ID, b.ID))
}
