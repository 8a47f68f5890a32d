package dates

import "time"

// moment is the content of an expression before it is placed on the calendar. Zero fields were not named.
type moment struct {
	span period // a time that is already placed; the other fields of the date are then empty
	kind Kind   // Interval for a span that ends or begins with the reference

	year, month, day int
	weekday          int // 1 for Sunday
	weekend          bool
	season, quarter  int // 1 to 4
	week             int // of the year
	holiday          holiday

	directed  bool
	direction int  // -2 to 2: last, this, next
	edge      int  // 1 to 3: early, mid, late
	part      int8 // of the day
	clock     clock

	approximate bool
	alone       bool // needs a preposition or a companion
}

// clock is a time of the day; the zero value is none.
type clock struct {
	named   bool
	exact   bool // to the minute
	minutes int  // from midnight, up to 24 hours
}

// isDay reports whether m names a single day, to which a time of the day can be added.
func (m *moment) isDay() bool {
	switch {
	case m.edge != 0 || m.clock.named || m.kind != Point:
		return false
	case !m.span.to.IsZero():
		return m.span.grain == Day && m.span.from.AddDate(0, 0, 1).Equal(m.span.to)
	case m.holiday != 0:
		return holidays[m.holiday].days == 1
	}
	return m.day != 0 || m.weekday != 0
}

// anchor returns the anchor of m.
func (m *moment) anchor() Anchor {
	switch {
	case m.directed || !m.span.to.IsZero():
		return FromReference
	case m.year != 0:
		return OnCalendar
	case m.cyclic():
		return EveryYear
	case m.clock.named && m.day == 0 && m.weekday == 0 && !m.weekend:
		return TimeOfDay
	}
	return FromReference
}

// in returns the period that m names in a year, if that year has one.
func (m *moment) in(year int) (period, bool) {
	switch {
	case m.holiday != 0:
		return m.holiday.in(year), true
	case m.season != 0:
		return monthsFrom(year, 3*m.season, 3, Season), true
	case m.quarter != 0:
		return monthsFrom(year, 3*m.quarter-2, 3, Quarter), true
	case m.week != 0:
		return isoWeek(year, m.week)
	case m.day != 0:
		return dayAt(date(year, m.month, m.day)), validDay(year, m.month, m.day)
	}
	return monthsFrom(year, m.month, 1, Month), true
}

// sense says whether a sentence is about the past or the future.
type sense int8

// place places m on the calendar.
func (p *parser) place(m moment, s sense) (period, bool) {
	q, ok := p.placeDate(&m, s)
	if !ok {
		return q, false
	}
	if m.edge != 0 {
		q = third(q, m.edge)
	}
	if m.part != 0 {
		part := dayParts[m.part]
		day := q.from
		q = period{day.Add(time.Duration(part.from) * time.Hour), day.Add(time.Duration(part.to) * time.Hour), DayPart}
		m.clock.minutes = inPart(m.clock.minutes, m.part)
	}
	if m.clock.named {
		from := dayAt(q.from).from.Add(time.Duration(m.clock.minutes) * time.Minute)
		q = period{from, from.Add(time.Hour), Hour}
		if m.clock.exact {
			q = period{from, from.Add(time.Minute), Minute}
		}
	}
	return q, true
}

func (p *parser) placeDate(m *moment, s sense) (period, bool) {
	switch {
	case !m.span.to.IsZero():
		return m.span, true
	case m.cyclic() && m.year != 0:
		return m.in(m.year)
	case m.cyclic():
		return p.placeInYear(m, s)
	case m.year != 0:
		return monthsFrom(m.year, 1, 12, Year), true
	case m.day != 0:
		return p.placeInMonth(m, s)
	case m.weekday != 0:
		return p.placeInWeek(m, s), true
	case m.weekend:
		return p.placeWeekend(s), true
	case m.clock.named:
		return dayAt(p.today), true
	}
	return period{}, false
}

// cyclic reports whether every year has the date that m names.
func (m *moment) cyclic() bool {
	return m.month != 0 || m.season != 0 || m.quarter != 0 || m.week != 0 || m.holiday != 0
}

func (p *parser) placeInYear(m *moment, s sense) (period, bool) {
	year := p.today.Year()
	if m.directed && m.direction == 0 {
		return m.in(year)
	}
	return p.choose(m, s, func(i int) (period, bool) { return m.in(year + i) })
}

// placeInMonth places the number of a day, with its weekday if that was named too.
func (p *parser) placeInMonth(m *moment, s sense) (period, bool) {
	return p.choose(&moment{}, s, func(i int) (period, bool) {
		first := date(p.today.Year(), int(p.today.Month())+i, 1)
		day := first.AddDate(0, 0, m.day-1)
		ok := day.Month() == first.Month() && (m.weekday == 0 || int(day.Weekday()) == m.weekday-1)
		return dayAt(day), ok
	})
}

const (
	neutral sense = iota
	past
	future
)

// reach is how many years or months away an occurrence can be: a 29 February is at most 8 years away, and a month with
// a Friday the 13th rarely more than 8 months.
const reach = 8

// choose returns one of the occurrences of m, which are numbered around the reference.
func (p *parser) choose(m *moment, s sense, occurrence func(i int) (period, bool)) (best period, found bool) {
	var before period // the occurrence before best
	ahead := 0        // occurrences after the reference so far
	for i := -reach; i <= reach; i++ {
		q, ok := occurrence(i)
		if !ok {
			continue
		}
		take := false
		switch {
		case m.directed && m.direction < 0:
			take = !q.to.After(p.today)
		case m.directed:
			if q.from.After(p.today) {
				ahead++
				take = ahead == m.direction
			}
		case s == past:
			take = !q.from.After(p.today)
		case s == future:
			take = !found && q.to.After(p.today)
		default:
			take = !found || p.distance(q) < p.distance(best)
		}
		if take {
			before, best, found = best, q, true
		}
	}
	if m.directed && m.direction < -1 {
		best = before
	}
	return best, found
}

// distance returns how far q is from the reference day.
func (p *parser) distance(q period) time.Duration {
	switch {
	case q.holds(p.today):
		return 0
	case q.from.After(p.today):
		return q.from.Sub(p.today)
	}
	return p.today.Sub(q.to) + 24*time.Hour // counted to the last day
}

func (p *parser) placeInWeek(m *moment, s sense) period {
	day := mondayOf(p.today).AddDate(0, 0, (m.weekday+5)%7) // in the reference week
	weeks := 0
	switch {
	case m.directed && m.direction == 0:
	case m.directed && m.direction < 0, !m.directed && s == past:
		if !day.Before(p.today) {
			weeks = -1
		}
		weeks += min(m.direction+1, 0)
	default:
		if !day.After(p.today) {
			weeks = 1
		}
		weeks += max(m.direction-1, 0)
	}
	return dayAt(day.AddDate(0, 0, 7*weeks))
}

func (p *parser) placeWeekend(s sense) period {
	q := p.weekendAt(0)
	if s == past && q.from.After(p.today) {
		return p.weekendAt(-1)
	}
	return q
}

// weekendAt returns the weekend of the week that is n weeks after the reference week.
func (p *parser) weekendAt(n int) period {
	from := mondayOf(p.today).AddDate(0, 0, 7*n+5)
	return period{from, from.AddDate(0, 0, 2), Day}
}

// inPart converts the minutes of a twelve-hour clock in a part of the day: five in the afternoon, two at night.
func inPart(minutes int, part int8) int {
	switch {
	case part == night && minutes < 6*60:
		return minutes + 24*60
	case part == night && minutes <= 12*60, part >= afternoon && minutes < 12*60:
		return minutes + 12*60
	}
	return minutes
}
