package dates

// hours reads from one time of the day to another: from 9 to 11 am, 9:00-17:00, von 9 bis 17 Uhr. The second may be on
// the next day.
func (p *parser) hours(i int) (from, to clock, end int) {
	j, joint, framed := i, aTo, false
	switch {
	case p.any(i, aFrom):
		j, framed = i+1, true
	case p.any(i, aBetween):
		j, joint, framed = i+1, anAnd, true
	}
	from, k := p.clockAt(j, true)
	plain := !from.exact
	if _, sure := p.clockAt(j, false); sure > 0 {
		plain = false
	}
	if k == 0 || !p.any(k, joint) && (joint == anAnd || !p.isDash(k)) {
		return from, to, 0
	}
	to, end = p.clockAt(k+1, false)
	if end == 0 && framed && from.exact {
		to, end = p.clockAt(k+1, true)
	}
	if plain && p.lex.meridiem && to.minutes > 12*60 && from.minutes+12*60 < to.minutes {
		from.minutes += 12 * 60 // from 3 to 5 pm
	}
	if end > 0 && to.minutes <= from.minutes {
		to.minutes += 24 * 60
	}
	return from, to, end
}

// clockAt reads a time of the day: 17:30, 5 pm, 5.30 p.m., five o'clock, 17 Uhr 30, half past five, halb sechs, noon.
// If bare is set, an hour is expected: then the plain number 5 counts, and 5:30 may have one digit.
func (p *parser) clockAt(i int, bare bool) (c clock, end int) {
	if t := p.at(i).lexeme; t.has(aNoon) {
		return clock{named: true, minutes: int(t.n) * 60}, i + 1
	}
	if p.has(i, aTurn) {
		return p.clockTurn(i)
	}
	hour, j := p.hour(i)
	if j == 0 {
		return clock{}, 0
	}
	minutes, sure := 0, false
	if k := p.minutesAfter(j, ':'); k > 0 {
		minutes, sure = p.at(k-1).n, bare || p.at(i).digits() == 2
		c.exact, j = true, k
		if k := p.minutesAfter(j, ':'); k > 0 {
			j = k
		}
	} else if k := p.minutesAfter(j, '.'); k > 0 {
		if _, after := p.meridiem(k); after > 0 || p.has(k, anHourMark) {
			minutes, c.exact, j = p.at(k-1).n, true, k
		}
	}
	if half, k := p.meridiem(j); k > 0 {
		if hour < 1 || hour > 12 {
			return clock{}, 0
		}
		hour, j, sure = hour%12+half, k, true
	} else if p.has(j, anHourMark) {
		sure, j = true, j+1
		if t := p.at(j); !c.exact && t.digits() == 2 && t.n < 60 && p.ends(j+1) { // 17 Uhr 30
			minutes, c.exact, j = t.n, true, j+1
		}
	}
	if !sure && (!bare || c.exact) || hour > 24 || hour == 24 && minutes > 0 {
		return clock{}, 0
	}
	c.named, c.minutes = true, hour*60+minutes
	return c, j
}

// clockTurn reads half past five, quarter to six, halb sechs, Viertel nach fünf.
func (p *parser) clockTurn(i int) (c clock, end int) {
	minutes, j := 15, i+1
	half := p.has(i, aHalf)
	if half {
		minutes = 30
	}
	switch {
	case p.any(j, aPast):
		j++
	case p.any(j, anUntil) && !half:
		minutes = -minutes
		j++
	case half && p.lex.halfBefore:
		minutes = -minutes
	default:
		return clock{}, 0
	}
	hour, k := p.hour(j)
	if k == 0 || hour < 1 || hour > 12 {
		return clock{}, 0
	}
	if add, after := p.meridiem(k); after > 0 {
		hour, k = hour%12+add, after
	}
	k = p.skip(k, anHourMark)
	return clock{named: true, exact: true, minutes: (hour*60 + minutes + 24*60) % (24 * 60)}, k
}

// hour reads an hour in digits or as a word.
func (p *parser) hour(i int) (n, end int) {
	if t := p.at(i); t.shape == number {
		if t.digits() > 2 || t.n > 24 {
			return 0, 0
		}
		return t.n, i + 1
	}
	if l := p.at(i).lexeme; l.has(aNumber) && l.n <= 24 {
		return int(l.n), i + 1
	}
	return 0, 0
}

// meridiem reads am, pm, a.m., p.m. and returns the hours to add.
func (p *parser) meridiem(i int) (hours, end int) {
	if t := p.at(i).lexeme; t.has(aMeridiem) {
		return int(t.n), i + 1
	}
	letter := func(i int) byte {
		if t := p.at(i); t.shape == word && t.end-t.start == 1 {
			return p.text[t.start] | ' '
		}
		return 0
	}
	if !p.lex.meridiem || !p.isMark(i+1, '.') || !p.touches(i+1) || letter(i+2) != 'm' || !p.touches(i+2) {
		return 0, 0
	}
	end = i + 3
	if p.isMark(end, '.') && p.touches(end) {
		end++
	}
	switch letter(i) {
	case 'a':
		return 0, end
	case 'p':
		return 12, end
	}
	return 0, 0
}

// minutesAfter returns the index after a separator and two digits of minutes without space between, and 0 otherwise.
func (p *parser) minutesAfter(i int, separator rune) int {
	if t := p.at(i + 1); p.isMark(i, separator) && p.touches(i) && p.touches(i+1) && t.shape == number &&
		t.digits() == 2 && t.n < 60 {
		return i + 2
	}
	return 0
}
