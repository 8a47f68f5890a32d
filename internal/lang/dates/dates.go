package dates

import "time"

// Lang is a language of expressions.
type Lang uint8

// The languages. Both reads a text with each of the two grammars and keeps the longer of two overlapping expressions,
// the English one if they are equally long.
const (
	Both Lang = iota
	English
	German
)

// Granularity is the size of the unit that an expression names, from fine to coarse. Its interval may be shorter
// ("early June" is a Month) or longer ("this weekend" is a Day).
type Granularity uint8

// The granularities.
const (
	Minute Granularity = iota
	Hour
	DayPart // a morning, an evening
	Day
	Week
	Month
	Quarter
	Season
	Year
)

var granularityNames = [...]string{"minute", "hour", "day part", "day", "week", "month", "quarter", "season", "year"}

// String returns the name of g in lower case.
func (g Granularity) String() string {
	if int(g) < len(granularityNames) {
		return granularityNames[g]
	}
	return "unknown granularity"
}

// Expression is an expression of time in a text. Its span includes its preposition and article.
//
// If a text names one end only and the reference does not determine the other, the interval is open: a deadline before
// the reference ("until 2019") has the zero From, a beginning after it ("from Monday on") has the year 9999 as To; see
// [Forever].
type Expression struct {
	Start, End  int       // bytes of the text, End excluded
	From, To    time.Time // in the zone of the reference, To excluded; From is before To, or both are zero for [Recurring]
	Granularity Granularity
	Kind        Kind
	Anchor      Anchor // that of the whole, if there are several
	Approximate bool   // "around", "a few", "early": the bounds are approximate
}

// Find returns the expressions of time in text, from left to right. They do not overlap; of those that begin at the
// same word the longest counts. The reference ref should be in the years 1 to 9000. A text without expressions gives
// nil.
func Find(text string, ref time.Time, lang Lang) []Expression {
	wall, zone := onClock(ref, time.UTC), ref.Location()
	var found []Expression
	switch lang {
	case English:
		found = find(text, wall, &english)
	case German:
		found = find(text, wall, &german)
	default:
		found = merge(find(text, wall, &english), find(text, wall, &german))
	}
	for i := range found {
		e := &found[i]
		length := e.To.Sub(e.From)
		if e.From, e.To = onClock(e.From, zone), onClock(e.To, zone); length > 0 && !e.From.Before(e.To) {
			e.To = e.From.Add(length) // an hour that clocks skip in spring
		}
	}
	return found
}

// onClock returns the time at which a clock in a zone shows the same as t. Times without a place on a calendar
// stay.
func onClock(t time.Time, zone *time.Location) time.Time {
	if t.IsZero() || t.Location() == zone || t.Equal(Forever()) {
		return t
	}
	return time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), t.Nanosecond(), zone)
}

// Kind says how an expression relates to its interval.
type Kind uint8

// The kinds.
const (
	Point Kind = iota // the interval is the time itself: "yesterday", "in May"
	// from one time to another: "from 3 to 7 June", "since 2019" (until the end of the reference day)
	Interval
	// a length, "for six weeks". The interval starts or ends at the reference, so that To - From is the length
	Duration
	Deadline  // something ends: "by Friday", "until May"; To is the end, From the reference day
	Recurring // "every Tuesday": From and To are zero
)

// Anchor is the reference that determines the position of an expression on the calendar.
type Anchor uint8

// The anchors.
const (
	FromReference Anchor = iota // the reference: "yesterday", "last March", "on Friday"
	OnCalendar                  // its own words: "5 March 2023", "in 2019"
	// its words, in any year; the reference determines the year: "in March", "on 5 March", "at Christmas"
	EveryYear
	TimeOfDay // the reference day, at a named time: "at 5 pm"
)

// Forever returns the To of an interval without an end: the last day of the year 9999, which every format of time can
// represent.
func Forever() time.Time { return time.Date(9999, time.December, 31, 0, 0, 0, 0, time.UTC) }

// merge joins two ordered lists; of overlapping expressions it keeps the longer.
func merge(a, b []Expression) []Expression {
	if len(a) == 0 {
		return b
	}
	if len(b) == 0 {
		return a
	}
	var all []Expression
	for len(a) > 0 && len(b) > 0 {
		switch x, y := a[0], b[0]; {
		case x.End <= y.Start:
			all, a = append(all, x), a[1:]
		case y.End <= x.Start:
			all, b = append(all, y), b[1:]
		case x.End-x.Start >= y.End-y.Start:
			b = b[1:]
		default:
			a = a[1:]
		}
	}
	return append(append(all, a...), b...)
}
