package dates

import "time"

// find returns the expressions of one language.
func find(text string, ref time.Time, lex *lexicon) []Expression {
	var room [64]token
	p := parser{text: text, tokens: scan(room[:0], text, lex), lex: lex, ref: ref, today: dayAt(ref).from}
	var found []Expression
	for i := 0; i < len(p.tokens); {
		if !p.promises(i) || !p.begins(i) {
			i++
			continue
		}
		e, end := p.expression(i)
		if end == 0 {
			i++
			continue
		}
		e.Start, e.End = p.tokens[i].start, p.tokens[end-1].end
		found = append(found, e)
		i = end
	}
	return found
}

// expression returns the longest expression that begins at token i, and end 0 if there is none.
func (p *parser) expression(i int) (best Expression, end int) {
	take := func(e Expression, after int) {
		if after > end && p.ends(after) && (e.From.Before(e.To) || e.Kind == Recurring) {
			best, end = e, after
		}
	}
	take(p.recurring(i))
	take(p.duration(i))
	take(p.deadline(i))
	take(p.opening(i))
	take(p.between(i))
	take(p.onDay(i))
	take(p.point(i))
	return best, end
}

// recurring reads every Tuesday, alle zwei Wochen, on Mondays, montags, every other day at 5 pm.
func (p *parser) recurring(i int) (e Expression, end int) {
	e.Kind = Recurring
	j := p.skip(i, aLead)
	if p.any(j, aRecurringDay) && !p.any(j-1, aNumber|aVague) && p.at(j-1).shape != number {
		e.Granularity, end = Day, j+1
	} else if p.any(i, anEvery) {
		j = p.skip(i+1, anOther|anOrdinal)
		if _, k := p.cardinal(j); k > 0 {
			j = k
		}
		t := p.at(j)
		switch l := t.lexeme; {
		case l.has(aUnit):
			e.Granularity = Granularity(l.n)
		case l.has(aDayPart):
			e.Granularity = DayPart
		case l.has(aMonth) && (!l.has(weak) || t.upper):
			e.Granularity = Month
		case l.has(aSeason):
			e.Granularity = Season
		case l.has(aWeekend), l.has(aHoliday), l.has(aWeekday) && !l.has(short), l.has(aDayCompound):
			e.Granularity = Day
		default:
			return e, 0
		}
		end = j + 1
	} else {
		return e, 0
	}
	if e.Granularity == Day {
		if _, k := p.withTime(moment{}, end); k > 0 && p.ends(k) {
			end = k
		}
	}
	return e, end
}

// duration reads for six weeks, sechs Wochen lang.
func (p *parser) duration(i int) (e Expression, end int) {
	j := p.skip(i, aFor)
	a, end := p.amountAt(j)
	if end == 0 {
		if k := p.skip(j, anArticle); j > i {
			if m, after := p.directed(k); m.kind == Interval { // for the last three weeks
				return Expression{From: m.span.from, To: m.span.to, Granularity: m.span.grain, Kind: Interval,
					Approximate: m.approximate}, after
			}
		}
		return e, 0
	}
	if p.any(end, aLong) {
		end++
	} else if j == i || p.any(end, anAgo) {
		return e, 0
	}
	q := p.ahead(a)
	return Expression{From: q.from, To: q.to, Granularity: q.grain, Kind: Duration, Approximate: a.vague}, end
}

// deadline reads by Friday, until 5 pm, before Christmas, within two weeks.
func (p *parser) deadline(i int) (e Expression, end int) {
	if p.any(i, aWithin) {
		return p.within(i)
	}
	if !p.any(i, aBy|aBefore) {
		return e, 0
	}
	before := p.any(i, aBefore)
	j, _, approximate := p.lead(p.skip(i+1, aBy))
	m, end := p.core(j, true)
	if end == 0 {
		return e, 0
	}
	s := p.senseOf(i, end)
	if s == neutral {
		s = future
	}
	q, ok := p.place(m, s)
	if !ok {
		return e, 0
	}
	e = Expression{From: p.today, To: q.to, Granularity: q.grain, Kind: Deadline, Anchor: m.anchor(),
		Approximate: approximate || m.approximate}
	if before || m.clock.named {
		e.To = q.from
	}
	if !e.From.Before(e.To) {
		e.From = time.Time{}
	}
	return e, end
}

// within reads within two weeks, innerhalb von zwei Wochen, within the next few days.
func (p *parser) within(i int) (e Expression, end int) {
	j := p.skip(p.skip(i+1, anOf), anArticle)
	q, vague := period{}, false
	if a, k := p.amountAt(j); k > 0 {
		q, vague, end = p.ahead(a), a.vague, k
	} else if m, k := p.directed(j); k > 0 && m.kind == Interval && m.span.to.After(p.ref) {
		q, vague, end = m.span, m.approximate, k
	} else {
		return e, 0
	}
	return Expression{From: q.from, To: q.to, Granularity: q.grain, Kind: Deadline, Approximate: vague}, end
}

// opening reads an interval that is given by its beginning: since 2019, seit drei Wochen, after May, ab Montag, from
// Monday on.
func (p *parser) opening(i int) (e Expression, end int) {
	if !p.any(i, aSince|anAfter|aStart|aFrom) {
		return e, 0
	}
	j, _, approximate := p.lead(i + 1)
	s := neutral
	if p.any(i, aSince) {
		s = past
		if a, k := p.amountAt(i + 1); k > 0 && !p.any(k, anAgo) {
			m := p.since(a)
			return Expression{From: m.span.from, To: m.span.to, Granularity: a.unit, Kind: Interval,
				Approximate: a.vague}, k
		}
	}
	m, end := p.core(j, true)
	if end == 0 {
		return e, 0
	}
	if s == neutral {
		s = p.senseOf(i, end)
	}
	if s == neutral && !p.any(i, anAfter) {
		s = future
	}
	q, ok := p.place(m, s)
	if !ok {
		return e, 0
	}
	if p.any(i, aFrom) {
		if !p.any(end, anOnward) {
			return e, 0
		}
		end++
	}
	e = Expression{From: q.from, To: dayAt(p.today).to, Granularity: q.grain, Kind: Interval, Anchor: m.anchor(),
		Approximate: approximate || m.approximate}
	if p.any(i, anAfter) && !m.clock.named {
		e.From = q.to
	}
	if !e.From.Before(e.To) {
		e.To = Forever()
	}
	return e, end
}

// point reads a point with its prepositions.
func (p *parser) point(i int) (e Expression, end int) {
	j, licensed, approximate := p.lead(i)
	m, end := p.core(j, licensed)
	if j > i {
		if n, after := p.core(i, false); after > 0 && after >= end { // in three weeks, about a week ago
			m, end = n, after
		}
	}
	if end == 0 {
		return e, 0
	}
	q, ok := p.place(m, p.senseOf(i, end))
	if !ok {
		return e, 0
	}
	return Expression{From: q.from, To: q.to, Granularity: q.grain, Kind: m.kind, Anchor: m.anchor(),
		Approximate: approximate || m.approximate}, end
}

// core reads a point without its prepositions.
func (p *parser) core(i int, licensed bool) (m moment, end int) {
	take := func(n moment, after int) {
		if after > end && p.ends(after) {
			m, end = n, after
		}
	}
	take(p.day(i))
	if end > 0 && m.isDay() {
		take(p.withTime(m, end))
	}
	take(p.monthLed(i))
	take(p.yearLed(i))
	take(p.seasonLed(i))
	take(p.quarterLed(i))
	take(p.weekLed(i))
	take(p.edgeLed(i))
	take(p.clockLed(i))
	if m.alone && !licensed {
		return moment{}, 0
	}
	return m, end
}

// withTime reads the time of the day after a day: tomorrow morning, Friday at 5 pm, morgen Abend um 7.
func (p *parser) withTime(m moment, i int) (moment, int) {
	end := 0
	k := p.skip(p.skip(i, aPeriodLead|aLead), anArticle)
	if p.isDash(i) && p.touches(i) {
		k = i + 1
	}
	if m.part == 0 && p.has(k, aDayPart) {
		m.part, i, end = p.partAt(k), k+1, k+1
	}
	k, comma := p.skipMark(i, ','), p.isMark(i, ',')
	bare := false
	for range 2 {
		switch {
		case p.any(k, anAt):
			bare = !comma
			k++
		case p.any(k, anAbout):
			m.approximate = true
			k++
		}
	}
	if c, j := p.clockAt(k, bare); j > 0 && p.ends(j) {
		m.clock = c
		return m, j
	}
	return m, end
}

// clockLed reads a time of the day and the day after it: 17:30, 5 pm tomorrow.
func (p *parser) clockLed(i int) (m moment, end int) {
	bare := p.any(i-1, anAt)
	c, j := p.clockAt(i, bare)
	if j == 0 {
		return m, 0
	}
	k, _, _ := p.lead(j)
	if d, after := p.day(k); after > 0 && d.isDay() {
		d.clock = c
		return d, after
	}
	if p.any(k, aDayPart) && k > j { // at 5 in the afternoon
		c.minutes = inPart(c.minutes, p.partAt(k))
		return moment{clock: c}, k + 1
	}
	if c, j = p.clockAt(i, bare && c.exact); j == 0 {
		return m, 0
	}
	return moment{clock: c}, j
}

// lead reads the prepositions and the article before a point. Some of them license a month without a day, or a year
// without a month.
func (p *parser) lead(i int) (end int, licensed, approximate bool) {
	for range 4 {
		switch {
		case p.any(i, anAbout):
			approximate = true
		case p.any(i, aPeriodLead):
			licensed = true
		case !p.any(i, aLead|anArticle):
			return i, licensed, approximate
		}
		i++
	}
	return i, licensed, approximate
}

// day reads the name of a day, or a point relative to the reference.
func (p *parser) day(i int) (m moment, end int) {
	take := func(n moment, after int) {
		if after > end && p.ends(after) {
			m, end = n, after
		}
	}
	take(p.numericDate(i))
	take(p.dayMonth(i))
	if n, after := p.monthLed(i); n.day != 0 {
		take(n, after)
	}
	take(p.weekdayLed(i))
	take(p.relativeDay(i))
	take(p.directed(i))
	take(p.counted(i))
	take(p.holidayLed(i))
	take(p.dayOfMonth(i))
	return m, end
}
