package dates

import "time"

// between reads a range of points: from 3 to 7 June, between May and July, vom 3. bis 7. Juni, 2019-2021, 9-11 am.
func (p *parser) between(i int) (e Expression, end int) {
	if from, to, end := p.hours(p.skip(i, aLead|aPeriodLead)); end > 0 && p.ends(end) {
		day, anchor := p.today, TimeOfDay
		k, _, _ := p.lead(end)
		if d, after := p.day(k); after > 0 && d.isDay() && p.ends(after) { // 2-4 pm on Tuesday
			if q, ok := p.place(d, p.senseOf(i, after)); ok {
				day, anchor, end = dayAt(q.from).from, d.anchor(), after
			}
		}
		return p.clockRange(day, from, to, anchor), end
	}
	j, joint, framed := i, aTo, false
	switch {
	case p.any(i, aFrom):
		j, framed = i+1, true
	case p.any(i, aBetween):
		j, joint, framed = i+1, anAnd, true
	}
	p.joined = true
	a, aBare, k := p.bound(j)
	p.joined = false
	if k == 0 || !p.any(k, joint) && (joint == anAnd || !p.isDash(k)) {
		return e, 0
	}
	b, bBare, end := p.bound(k + 1)
	switch {
	case end == 0, aBare && bBare:
		return e, 0
	case aBare:
		if b.day == 0 || b.month == 0 || !validDay(b.year, b.month, a.day) {
			return e, 0
		}
		a.month, a.year = b.month, b.year
	case bBare:
		if a.day == 0 || a.month == 0 || !p.any(k, joint) && !p.isDash(k) {
			return e, 0
		}
		if year, after := p.yearAfter(end, true); after > 0 {
			a.year, end = year, after
		}
		b.month, b.year = a.month, a.year
		if !validDay(b.year, b.month, b.day) {
			return e, 0
		}
	case !framed && (a.alone || b.alone) && !sameSort(a, b):
		return e, 0
	}
	if a.kind != Point || b.kind != Point {
		return e, 0
	}
	from, to, ok := p.placeBoth(a, b, p.senseOf(i, end))
	if !ok {
		return e, 0
	}
	e = Expression{From: from.from, To: to.to, Granularity: to.grain, Kind: Interval,
		Anchor: bothAnchors(a.anchor(), b.anchor()), Approximate: a.approximate || b.approximate}
	if b.clock.named {
		e.To = to.from
	}
	return e, end
}

// bound reads one end of a range: a point, or the number of a day whose month is in the other end.
func (p *parser) bound(i int) (m moment, bare bool, end int) {
	i, _, _ = p.lead(i)
	if m, end = p.core(i, true); end > 0 {
		return m, false, end
	}
	day, _, end := p.dayNumber(i)
	return moment{day: day}, true, end
}

// sameSort reports whether a and b are both years, months, seasons or quarters.
func sameSort(a, b moment) bool {
	return a.month != 0 == (b.month != 0) && a.season != 0 == (b.season != 0) && a.quarter != 0 == (b.quarter != 0) &&
		a.day == 0 && b.day == 0
}

// placeBoth places the ends of a range. Parts that one end lacks follow from the other: the beginning is the latest one
// that is not after the end.
func (p *parser) placeBoth(a, b moment, s sense) (from, to period, ok bool) {
	if (a.year != 0 || !a.span.to.IsZero()) && b.year == 0 && b.span.to.IsZero() {
		if from, ok = p.place(a, s); !ok {
			return from, to, false
		}
		after := *p
		after.today = dayAt(from.from).from
		to, ok = after.place(b, future)
		return from, to, ok
	}
	if to, ok = p.place(b, s); !ok {
		return from, to, false
	}
	if a.directed {
		from, ok = p.place(a, s)
		return from, to, ok
	}
	before := *p
	before.today = dayAt(to.from).from
	from, ok = before.place(a, past)
	return from, to, ok
}

// bothAnchors returns the anchor of a range: an end that names its year determines that of the other.
func bothAnchors(a, b Anchor) Anchor {
	switch {
	case a == OnCalendar || b == OnCalendar:
		return OnCalendar
	case a == EveryYear && b == EveryYear:
		return EveryYear
	}
	return FromReference
}

// onDay reads a day followed by a part of it: tomorrow from 9 to 11 am, Friday 14:00-16:00.
func (p *parser) onDay(i int) (e Expression, end int) {
	j, _, approximate := p.lead(i)
	d, k := p.day(j)
	if k == 0 || !d.isDay() {
		return e, 0
	}
	from, to, end := p.hours(p.skipMark(k, ','))
	if end == 0 {
		return e, 0
	}
	q, ok := p.place(d, p.senseOf(i, end))
	if !ok {
		return e, 0
	}
	e = p.clockRange(dayAt(q.from).from, from, to, d.anchor())
	e.Approximate = approximate || d.approximate
	return e, end
}

// clockRange is a part of a day.
func (p *parser) clockRange(day time.Time, from, to clock, anchor Anchor) Expression {
	e := Expression{From: day.Add(time.Duration(from.minutes) * time.Minute),
		To:          day.Add(time.Duration(to.minutes) * time.Minute),
		Granularity: Hour, Kind: Interval, Anchor: anchor}
	if from.exact || to.exact {
		e.Granularity = Minute
	}
	return e
}
