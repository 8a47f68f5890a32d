package alerts

import (
	"fmt"
	"time"

	"github.com/trilith-memory/trilith"
)

// known is the state of a memory when a search last checked it.
type known struct {
	Since     int64  `json:"since"`   // when the search was saved: another search with its name does not use this state
	Version   int64  `json:"version"` // of the memory
	Matched   bool   `json:"matched,omitempty"`
	Value     string `json:"value,omitempty"`
	Over      bool   `json:"over,omitempty"`
	Contested bool   `json:"contested,omitempty"`
	Due       int64  `json:"due,omitempty"`     // the deadline that an alert has reported
	Unheard   bool   `json:"unheard,omitempty"` // it never matched
}

// around holds the successor of a memory, if it exists, and the search's notes about others.
type around struct {
	after []*subject
	noted func(id trilith.ID) *known // nil: nothing
	old   bool                       // the memory was stored before the search took its present form
}

// earlier reports whether a memory was recorded before the search took its present form, according to the clocks. If
// the recording clocks are far behind the one that stamped the search, memories of the last minutes count as news.
func (q *query) earlier(at, now time.Time) bool {
	return !at.After(q.UpdatedAt) && (!trilith.Ahead(q.UpdatedAt, now) || now.Sub(at).Abs() > trilith.ClockSkew)
}

// compare compares a memory with its last state for a search, and returns the alerts that it raises and the new state.
// It is a pure function of its arguments.
func (q *query) compare(x *subject, was *known, a around, now time.Time) (raised []trilith.Alert, is *known) {
	if was != nil && was.Since != q.CreatedAt.UnixMicro() {
		was = nil
	}
	if was != nil && was.Version >= x.Version {
		return q.compareDue(x, was, now)
	}
	about := q.about(x)
	holds := about && q.accepts(x, x.state)
	// A memory stored before the search is not new. One that ends before an alert was raised about it raises none.
	old := was == nil && a.old
	matched := was != nil && was.Matched || old && holds
	over, contested := holds && q.over(x), about && x.contested()
	misdated := about && !a.old && !x.RecordedAt.After(q.UpdatedAt) // at its next change, its time would mislead
	if was == nil && !holds && !matched && !contested && !misdated {
		return nil, nil
	}
	is = &known{Since: q.CreatedAt.UnixMicro(), Version: x.Version, Matched: holds, Value: x.value, Over: over,
		Contested: contested, Unheard: !holds && !matched && (was == nil || was.Unheard)}
	raise := func(kind trilith.AlertKind, before trilith.ID) {
		if q.Raises(kind) {
			raised = append(raised, q.alert(x, kind, now, fmt.Sprint(x.Version)))
			raised[len(raised)-1].Before = before
		}
	}
	switch changed := was != nil && was.Value != "" && was.Value != x.value; {
	case holds && !matched:
		if before := q.replaced(x, a, now, reach); before != "" {
			raise(trilith.AlertChanged, before)
		} else {
			raise(trilith.AlertMatch, "")
		}
	case holds && matched && changed:
		raise(trilith.AlertChanged, "")
	case !holds && matched && !q.carriedOn(a):
		raise(trilith.AlertChanged, "")
	}
	if over && !old && (was == nil || !was.Over || was.Value != x.value) {
		raise(trilith.AlertAmount, "")
	}
	if contested && (was == nil || !was.Contested) && !(old && x.decidedBefore(q.UpdatedAt)) {
		raise(trilith.AlertConflict, "")
	}
	if was != nil {
		is.Due = was.Due
	}
	due, last := q.compareDue(x, is, now)
	return append(raised, due...), last
}

// compareDue raises an alert if a matching memory is due soon, and no alert has said so. A memory that was due before
// the search took its present form raises none.
func (q *query) compareDue(x *subject, was *known, now time.Time) ([]trilith.Alert, *known) {
	due := x.Due()
	if !q.Raises(trilith.AlertDeadline) || due == nil || !was.Matched || was.Due == due.UnixMicro() ||
		due.Before(q.UpdatedAt) && due.Before(now) || due.After(now.AddDate(0, 0, q.Days)) {
		return nil, was
	}
	is := *was
	is.Due = due.UnixMicro()
	al := q.alert(x, trilith.AlertDeadline, now, fmt.Sprint(is.Due))
	al.Due = due
	return []trilith.Alert{al}, &is
}

// alert returns an alert about a memory. what distinguishes it from others of its kind about the same memory.
func (q *query) alert(x *subject, kind trilith.AlertKind, now time.Time, what string) trilith.Alert {
	return trilith.Alert{ID: alertID(&q.SavedSearch, kind, string(x.ID), what), Search: q.ID, Scope: q.Scope, Kind: kind,
		At: now, MemoryID: x.ID, Version: x.Version, State: x.state}
}

// reach is how many memories that followed each other before the search looked at any of them are followed back.
const reach = 50

// replaced returns one of the predecessors of a memory that the search has announced, or that counts as known because
// it was stored before the search. Behind an unannounced one it looks at the predecessors of that, at most steps far.
func (q *query) replaced(x *subject, a around, now time.Time, steps int) trilith.ID {
	for _, y := range x.before {
		if steps == 0 || !q.about(y) || !q.accepts(y, trilith.StateActive) {
			continue
		}
		k := a.noted(y.ID)
		if q.earlier(y.RecordedAt, now) || k != nil && !k.Unheard {
			return y.ID
		}
		if id := q.replaced(y, a, now, steps-1); id != "" {
			return id
		}
	}
	return ""
}

// carriedOn reports whether the successor of a memory represents it for the search: it matches, or it is the same
// memory with another wording, which the search knows.
func (q *query) carriedOn(a around) bool {
	for _, x := range a.after {
		if q.matches(x) || a.noted(x.ID) != nil {
			return true
		}
	}
	return false
}

// decidedBefore reports whether a fact was contested before a time.
func (x *subject) decidedBefore(t time.Time) bool {
	at := x.Fact.Verification.At
	return at != nil && at.Before(t)
}
