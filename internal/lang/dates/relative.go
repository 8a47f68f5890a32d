package dates

// counted reads a point given by an amount: two days ago, three weeks from now, vor zwei Tagen, in three weeks.
func (p *parser) counted(i int) (m moment, end int) {
	if before := p.at(i).lexeme; before.has(anAgoBefore) {
		a, j := p.amountAt(i + 1)
		if j == 0 || p.any(j, anAgo) || p.has(j-1, aTurn) {
			return m, 0
		}
		return p.away(a, int(before.n)), j
	}
	a, j := p.amountAt(i)
	if j == 0 || !p.has(j, anAgo) {
		return m, 0
	}
	return p.away(a, int(p.at(j).lexeme.n)), j + 1
}

// amount is a number of units: three weeks, a couple of days, half a year.
type amount struct {
	n     int
	unit  Granularity
	vague bool
}

// away returns the unit that is the amount before (-1) or after (1) the reference.
func (p *parser) away(a amount, direction int) moment {
	q := unitAt(p.ref, a.unit, direction*a.n)
	if a.vague {
		q.from, q.to = unitAt(p.ref, a.unit, direction*a.n-1).from, unitAt(p.ref, a.unit, direction*a.n+1).to
	}
	return moment{span: q, approximate: a.vague}
}

// relativeDay reads today, übermorgen, tonight, Freitagabend, and the weekend.
func (p *parser) relativeDay(i int) (m moment, end int) {
	t := p.at(i)
	switch l := t.lexeme; {
	case l.has(aRelativeDay | aDayPart): // the noun Morgen is a morning, at the start of a sentence it may be tomorrow
		if t.upper && i > 0 && !p.isSentenceEnd(i-1) && p.at(i-1).shape != mark ||
			p.any(i-1, aNameBefore|anEvery|aLead|aPeriodLead|anArticle) {
			return m, 0
		}
		return moment{span: dayAt(p.today.AddDate(0, 0, int(l.n)))}, i + 1
	case l.has(aRelativeDay):
		return moment{span: dayAt(p.today.AddDate(0, 0, int(l.n)))}, i + 1
	case l.has(aDayCompound) && l.n%8 == thisDay:
		return moment{span: dayAt(p.today), part: l.n / 8}, i + 1
	case l.has(aDayCompound):
		return moment{weekday: int(l.n%8) + 1, part: l.n / 8}, i + 1
	case l.has(aWeekend) && p.any(i-1, aLead|aPeriodLead|anArticle):
		return moment{weekend: true}, i + 1
	}
	return m, 0
}

// weekdayLed reads a point that begins with a weekday: Friday; Monday, 30 June; Mo., 30.06.2025; Friday next week.
func (p *parser) weekdayLed(i int) (m moment, end int) {
	if !p.has(i, aWeekday) {
		return m, 0
	}
	j := i + 1
	if p.any(i, short) {
		j = p.skipMark(j, '.')
	}
	k := p.skip(p.skip(p.skipMark(j, ','), aLead), anArticle)
	take := func(n moment, after int) {
		if after > end && n.day != 0 && p.ends(after) {
			m, end = n, after
		}
	}
	take(p.numericDate(k))
	take(p.dayMonth(k))
	take(p.monthLed(k))
	if end > 0 {
		return m, end
	}
	// Friday the 13th
	if n, marked, e := p.dayNumber(k); marked && p.any(k-1, anArticle) && !p.any(p.skip(e, anOf), aMonth) {
		return moment{weekday: int(p.at(i).lexeme.n) + 1, day: n}, e
	}
	if p.any(i, short) || p.any(i-1, aNameBefore) || p.any(i+1, aNameAfter) && p.at(i+1).upper {
		return m, 0
	}
	k = p.skip(p.skip(j, anOf|aPeriodLead), anArticle)
	if p.has(k, aDirection) && p.isUnit(k+1, Week) {
		return p.weekdayIn(unitAt(p.today, Week, int(p.at(k).lexeme.n)), i), k + 2
	}
	return moment{weekday: int(p.at(i).lexeme.n) + 1}, i + 1
}

// edgeLed reads the parts of a period: early June, mid-2023, the end of next month, Anfang Mai, Jahresende.
func (p *parser) edgeLed(i int) (m moment, end int) {
	l := p.at(i).lexeme
	j, whole := i+1, false // whole: the period may be the present one, without a name
	switch {
	case l.has(anEdgeUnit):
		m, end = moment{span: unitAt(p.today, Granularity(l.n/4), 0)}, j
		if year, e := p.yearAfter(j, false); e > 0 && l.n/4 == int8(Year) {
			m, end = moment{year: year}, e
		}
		m.edge, m.approximate = int(l.n%4), true
		return m, end
	case l.has(anEdge):
		if p.isDash(j) && p.touches(j) {
			j++
		}
		j = p.skip(j, aPeriodLead)
	case l.has(anEdgeOf) && p.any(j, anOf):
		j, whole = j+1, true
	default:
		return m, 0
	}
	if p.any(j, anArticle) {
		j, whole = j+1, true
	}
	take := func(n moment, after int) {
		if after > end && p.ends(after) {
			m, end = n, after
		}
	}
	if p.has(j, aMonth) || p.has(j, aSeason) {
		take(p.monthLed(j))
		take(p.seasonLed(j))
	}
	take(p.yearLed(j))
	take(p.quarterLed(j))
	take(p.directed(j))
	if end == 0 && whole && p.has(j, aUnit) && p.at(j).lexeme.n >= int8(Week) {
		take(moment{span: unitAt(p.today, Granularity(p.at(j).lexeme.n), 0)}, j+1)
		if year, e := p.yearAfter(j+1, false); e > 0 && p.isUnit(j, Year) {
			take(moment{year: year}, e)
		}
	}
	if end == 0 || m.kind != Point || m.day != 0 || m.weekday != 0 || m.part != 0 || m.holiday != 0 ||
		m.span.grain != 0 && m.span.grain < Week {
		return moment{}, 0
	}
	m.edge, m.approximate, m.alone = int(l.n), true, false
	return m, end
}

// several is the number for a plural without one.
const several = 3

// directed reads a point with last, this or next: last week, next Friday, this May, the last three weeks.
func (p *parser) directed(i int) (m moment, end int) {
	if !p.has(i, aDirection) {
		return p.secondNext(i)
	}
	l := p.at(i).lexeme
	i++
	if l.n == 0 && p.has(i, aDirection) { // this past week
		l = p.at(i).lexeme
		i++
	}
	direction := int(l.n)
	a, j := p.amountAt(i)
	if u := p.at(i).lexeme; u.has(aUnit | plural) { // the last weeks
		a, j = amount{n: several, unit: Granularity(u.n), vague: true}, i+1
	}
	if j > 0 && direction*direction == 1 {
		if direction < 0 {
			return p.since(a), j
		}
		return moment{span: p.ahead(a), kind: Interval, approximate: a.vague}, j
	}
	t := p.at(i)
	switch r := t.lexeme; {
	case r.has(aUnit) && r.n >= int8(Week):
		unit := Granularity(r.n)
		if l.has(rolling) {
			return p.since(amount{n: 1, unit: unit}), i + 1
		}
		m, end = moment{span: unitAt(p.today, unit, direction)}, i+1
		if unit == Week {
			if j := p.skip(end, aLead); p.has(j, aWeekday) && !p.any(j, short) { // next week Friday
				return p.weekdayIn(m.span, j), j + 1
			}
		}
		return m, end
	case r.has(aWeekend):
		return moment{span: p.weekendAt(direction)}, i + 1
	case r.has(aDayPart) && direction <= 0 && direction >= -1:
		return moment{span: dayAt(p.today.AddDate(0, 0, direction)), part: p.partAt(i)}, i + 1
	case r.has(aMonth) && !(direction == 0 && r.has(weak) && !t.upper):
		m.month = int(r.n)
	case r.has(aSeason):
		m.season = int(r.n)
	case r.has(aHoliday):
		m.holiday = holiday(r.n)
	case r.has(aDayCompound) && r.n%8 != thisDay:
		m.weekday, m.part = int(r.n%8)+1, r.n/8
	case r.has(aWeekday) && !r.has(short):
		m.weekday = int(r.n) + 1
	default:
		return m, 0
	}
	m.directed, m.direction = true, direction
	return m, i + 1
}

// secondNext reads week before last, year after next.
func (p *parser) secondNext(i int) (m moment, end int) {
	t, side, l := p.at(i).lexeme, p.at(i+1).lexeme, p.at(i+2).lexeme
	if !t.has(aUnit) || t.n < int8(Week) || !l.has(aDirection) ||
		!(side.has(aBefore) && l.n == -1 || side.has(anAfter) && l.n == 1) {
		return m, 0
	}
	return moment{span: unitAt(p.today, Granularity(t.n), 2*int(l.n))}, i + 3
}

// amountAt reads an amount.
func (p *parser) amountAt(i int) (a amount, end int) {
	if p.any(i, anAbout) {
		a.vague = true
		i++
	}
	one := p.has(i, aNumber) && p.at(i).lexeme.n == 1
	half := false
	switch {
	case p.has(i, aHalf):
		half, i = true, i+1
		if p.has(i, aNumber) && p.at(i).lexeme.n == 1 {
			i++
		}
	case one && p.has(i+1, aHalf):
		half, i = true, i+2
	case p.has(i, aVague) || one && p.has(i+1, aVague):
		if one {
			i++
		}
		a.n, a.vague = int(p.at(i).lexeme.n), true
		i = p.skip(i+1, anOf)
	default:
		n, j := p.cardinal(i)
		if j == 0 {
			return a, 0
		}
		a.n, i = n, j
	}
	if !p.has(i, aUnit) {
		return a, 0
	}
	a.unit = Granularity(p.at(i).lexeme.n)
	if half {
		switch a.unit {
		case Hour:
			a.n, a.unit = 30, Minute
		case Year:
			a.n, a.unit = 6, Month
		default:
			return a, 0
		}
	}
	return a, i + 1
}

// maxAmount is the largest number of units that is accepted.
const maxAmount = 999

// cardinal reads a number: 12, twelve, twenty-one.
func (p *parser) cardinal(i int) (n, end int) {
	if t := p.at(i); t.shape == number {
		if t.n < 1 || t.n > maxAmount {
			return 0, 0
		}
		return t.n, i + 1
	}
	if !p.has(i, aNumber) {
		return 0, 0
	}
	n, end = int(p.at(i).lexeme.n), i+1
	if n >= 20 && n%10 == 0 {
		j := end
		if p.isDash(j) {
			j++
		}
		if ones := p.at(j).lexeme; ones.has(aNumber) && ones.n < 10 {
			return n + int(ones.n), j + 1
		}
	}
	return n, end
}

// since returns the interval of that length up to the end of the reference day.
func (p *parser) since(a amount) moment {
	q := period{shift(p.today, a.unit, -a.n), dayAt(p.today).to, a.unit}
	if a.unit < Day {
		q.from, q.to = shift(p.ref, a.unit, -a.n), p.ref
	}
	return moment{span: q, kind: Interval, approximate: a.vague}
}

// ahead returns the interval of that length from the start of the reference day.
func (p *parser) ahead(a amount) period {
	from := p.today
	if a.unit < Day {
		from = p.ref
	}
	return period{from, shift(from, a.unit, a.n), a.unit}
}

// weekdayIn returns the weekday of token i in a week.
func (p *parser) weekdayIn(week period, i int) moment {
	return moment{span: dayAt(week.from.AddDate(0, 0, (int(p.at(i).lexeme.n)+6)%7))}
}

// partAt returns the part of the day that token i names.
func (p *parser) partAt(i int) int8 { return p.at(i).lexeme.n }

// isUnit reports whether token i is a word for the unit.
func (p *parser) isUnit(i int, unit Granularity) bool {
	return p.has(i, aUnit) && p.at(i).lexeme.n == int8(unit)
}
