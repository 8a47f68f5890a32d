package dates

import (
	"time"

	"github.com/trilith-memory/trilith/internal/lang/wordfile"
)

// pivot is the first two-digit year in the last century: 70 is 1970, 69 is 2069.
const pivot = 70

// The range of years that count without a day or month; a full date may contain any year of four digits.
const (
	minYear = 1900
	maxYear = 2099
)

// numericDate reads 2025-06-30, 2025/06/30, 2025-06, 30.06.2025, 30.6.25, 30.6., 6/30/2025; the first may have a time.
func (p *parser) numericDate(i int) (m moment, end int) {
	a, sep, b := p.at(i), p.at(i+1), p.at(i+2)
	if a.shape != number || sep.shape != mark || !p.touches(i+1) || b.shape != number || b.digits() > 2 ||
		a.digits() == 3 || a.digits() > 4 {
		return m, 0
	}
	separator := rune(sep.n)
	spaced := separator == '.' && !p.touches(i+2) // 30. 6. 2025
	if separator != '-' && separator != '/' && separator != '.' || !p.touches(i+2) && !spaced {
		return m, 0
	}
	c := p.at(i + 4)
	three := p.isMark(i+3, separator) && p.touches(i+3) && c.digits() > 0 &&
		(p.touches(i+4) || spaced && c.digits() == 4)
	switch {
	case a.digits() == 4 && separator != '.':
		m.year, m.month, end = a.n, b.n, i+3
		if three && c.digits() <= 2 {
			m.day, end = c.n, i+5
		} else if separator == '/' || b.digits() != 2 || a.n < minYear || a.n > maxYear {
			return m, 0
		}
	case separator == '-' || a.digits() > 2:
		return m, 0
	case three && (c.digits() == 4 || c.digits() == 2):
		m.year, end = fullYear(c), i+5
		m.day, m.month = a.n, b.n
		if separator == '/' && a.n <= 12 && (!p.lex.dayFirst || b.n > 12) {
			m.month, m.day = a.n, b.n
		}
	case separator == '.' && p.lex.dotted && p.isMark(i+3, '.') && p.touches(i+3) && !spaced && p.mayBeShort(i, b):
		m.day, m.month, end = a.n, b.n, i+4
	default:
		return m, 0
	}
	if m.day == 0 && (m.month < 1 || m.month > 12) || m.day != 0 && !validDay(m.year, m.month, m.day) ||
		p.any(i-1, aVersion) || m.year == 0 && end == i+5 {
		return moment{}, 0
	}
	if separator == '-' && m.day != 0 {
		return p.isoTime(m, end)
	}
	return m, end
}

func fullYear(t token) int {
	switch {
	case t.digits() == 4:
		return t.n
	case t.n < pivot:
		return 2000 + t.n
	}
	return 1900 + t.n
}

// mayBeShort reports whether 3.5. is a day of a month and not the end of a sentence: a word before it or a leading zero
// decides.
func (p *parser) mayBeShort(i int, month token) bool {
	i--
	if month.digits() == 2 || p.isDash(i) ||
		p.any(i, anArticle|aLead|aPeriodLead|aFrom|aBy|aTo|aSince|aStart|aBefore|anAfter|aBetween|anAnd) {
		return true
	}
	for p.isMark(i, '.') || p.isMark(i, ',') {
		i--
	}
	return p.any(i, aWeekday)
}

// isoTime reads the time after a date of ISO 8601, T17:30:00Z. Without one it returns the moment unchanged.
func (p *parser) isoTime(m moment, i int) (moment, int) {
	t := p.at(i)
	if t.shape != word || !p.touches(i) || p.text[t.start:t.end] != "T" || !p.touches(i+1) {
		return m, i
	}
	c, end := p.clockAt(i+1, false)
	if end == 0 {
		return m, i
	}
	if p.isMark(end, '.') && p.touches(end) && p.at(end+1).shape == number && p.touches(end+1) {
		end += 2 // a fraction of a second
	}
	m.clock = c
	if t := p.at(end); t.shape == word && p.touches(end) && p.text[t.start:t.end] == "Z" {
		return m, end + 1
	}
	if offset, after := p.clockAt(end+1, false); after > 0 && p.touches(end) && p.touches(end+1) &&
		(p.isMark(end, '+') || p.isMark(end, '-')) {
		if p.isMark(end, '+') {
			offset.minutes = -offset.minutes
		}
		at := date(m.year, m.month, m.day).Add(time.Duration(c.minutes+offset.minutes) * time.Minute)
		return moment{span: period{at, at.Add(time.Minute), Minute}}, after
	}
	return m, end
}

// dayMonth reads 30 June, 30th of June 2025, 3. Mai.
func (p *parser) dayMonth(i int) (m moment, end int) {
	day, _, j := p.dayNumber(i)
	if j == 0 {
		return m, 0
	}
	k := p.skip(j, anOf)
	t := p.at(k)
	if !t.lexeme.has(aMonth) {
		return m, 0
	}
	m.day, m.month, end = day, int(t.lexeme.n), p.afterMonth(k)
	if year, e := p.yearAfter(end, true); e > 0 {
		m.year, end = year, e
	}
	if t.lexeme.has(weak) && !t.upper && k == j && m.year == 0 || !validDay(m.year, m.month, m.day) {
		return m, 0
	}
	return m, end
}

// monthLed reads a date that begins with a month: June 30th, 2025; June 2025; June.
func (p *parser) monthLed(i int) (m moment, end int) {
	t := p.at(i)
	if !t.lexeme.has(aMonth) {
		return m, 0
	}
	small := t.lexeme.has(weak) && !t.upper
	m.month = int(t.lexeme.n)
	j := p.afterMonth(i)
	k := j
	if _, marked, e := p.dayNumber(j + 1); e > 0 && marked {
		k = p.skip(j, anArticle) // May the 3rd
	}
	if day, marked, e := p.dayNumber(k); e > 0 && !p.lex.dotted && p.ends(e) {
		year, after := p.yearAfter(e, true)
		if after == 0 {
			after = e
		}
		if !small || year != 0 || marked && p.at(k).shape == number {
			m.day, m.year = day, year
			if !validDay(year, m.month, day) {
				return m, 0
			}
			return m, after
		}
	}
	if year, e := p.yearAfter(j, false); e > 0 && p.ends(e) {
		if p.followsDay(i) { // 31 June 2025
			return moment{}, 0
		}
		m.year = year
		return m, e
	}
	m.alone = true
	if small && !p.any(i-1, aPeriodLead|aSince|anEdge|anOf|aFrom|aBetween|aTo|aDirection) {
		return m, 0
	}
	return m, j
}

// afterMonth returns the index after month i and the dot of its abbreviation.
func (p *parser) afterMonth(i int) int {
	if p.has(i, short) && p.isMark(i+1, '.') && p.touches(i+1) && p.at(i+2).shape == number {
		return i + 2
	}
	return i + 1
}

// followsDay reports whether the number of a day comes before month i.
func (p *parser) followsDay(i int) bool {
	i--
	if p.any(i, anOf) {
		i--
	}
	if p.any(i, anOrdinal) {
		return true
	}
	if p.any(i, aSuffix) || p.isMark(i, '.') && p.touches(i) {
		i--
	}
	t := p.at(i)
	return t.shape == number && t.digits() <= 2
}

// yearLed reads a year: 2023, the year 2023.
func (p *parser) yearLed(i int) (m moment, end int) {
	j := i
	if p.isUnit(i, Year) {
		j++
	}
	t := p.at(j)
	if t.shape != number || t.digits() != 4 || t.n < minYear || t.n > maxYear || p.any(j+1, aUnit) {
		return m, 0
	}
	return moment{year: t.n, alone: j == i}, j + 1
}

// quarterLed reads Q3 2025, Q3/2025, third quarter of 2025.
func (p *parser) quarterLed(i int) (m moment, end int) {
	if t := p.at(i + 1); p.has(i, aQ) && p.touches(i+1) && t.digits() == 1 && t.n >= 1 && t.n <= 4 {
		m.quarter, end = t.n, i+2
		if p.isMark(end, '/') && p.touches(end) && p.at(end+1).digits() == 4 {
			end++
		}
	} else if n, marked, j := p.dayNumber(i); marked && n <= 4 && p.isUnit(j, Quarter) {
		m.quarter, end, m.alone = n, j+1, true
	} else {
		return m, 0
	}
	if year, e := p.yearAfter(end, false); e > 0 {
		m.year, end, m.alone = year, e, false
	}
	return m, end
}

// seasonLed reads summer 2025, winter 2024/25, summer.
func (p *parser) seasonLed(i int) (m moment, end int) {
	if !p.has(i, aSeason) {
		return m, 0
	}
	m.season, m.alone, end = int(p.at(i).lexeme.n), true, i+1
	if year, e := p.yearAfter(end, false); e > 0 {
		m.year, m.alone, end = year, false, e
		if t := p.at(end + 1); p.isMark(end, '/') && p.touches(end) && t.digits() == 2 && t.n == (year+1)%100 {
			end += 2
		}
	}
	return m, end
}

// weekLed reads KW 27, KW 27/2025, calendar week 27 of 2025.
func (p *parser) weekLed(i int) (m moment, end int) {
	t := p.at(i + 1)
	if !p.has(i, aWeek) || t.shape != number || t.n < 1 || t.n > 53 {
		return m, 0
	}
	m.week, end = t.n, i+2
	if p.isMark(end, '/') && p.touches(end) {
		end++
	}
	if year, e := p.yearAfter(end, false); e > 0 {
		m.year = year
		return m, e
	}
	return m, i + 2
}

// holidayLed reads Christmas, New Year's Eve 2024, Ostern 2025.
func (p *parser) holidayLed(i int) (m moment, end int) {
	if !p.has(i, aHoliday) {
		return m, 0
	}
	m.holiday, end = holiday(p.at(i).lexeme.n), i+1
	if year, e := p.yearAfter(end, false); e > 0 {
		m.year, end = year, e
	}
	return m, end
}

// yearAfter reads the year that completes a date: 2025; , 2025; of 2025; last year; des letzten Jahres.
func (p *parser) yearAfter(i int, comma bool) (year, end int) {
	if comma {
		if j := p.skipMark(i, ','); j > i && p.at(j).digits() == 4 {
			i = j
		}
	}
	j := p.skip(i, anOf|aPeriodLead)
	j = p.skip(j, anArticle)
	if p.has(j, aDirection) && p.isUnit(j+1, Year) {
		return p.today.Year() + int(p.at(j).lexeme.n), j + 2
	}
	if p.isUnit(j, Year) && j > i {
		j++
	}
	if t := p.at(j); t.digits() == 4 && t.n >= 1000 && t.n < 3000 {
		return t.n, j + 1
	}
	return 0, 0
}

// dayOfMonth reads the 15th after on the, by the, am: a number that no noun follows, on the 15th at noon.
func (p *parser) dayOfMonth(i int) (m moment, end int) {
	day, marked, end := p.dayNumber(i)
	if !marked || p.at(i).shape != number || end < len(p.tokens) && p.at(end).shape != mark && !p.joins(end) {
		return m, 0
	}
	before := i - 1
	if p.any(before, anArticle) {
		before--
	}
	if !p.any(before, aLead|aBy|aSince|aStart) || p.any(before, anAt) {
		return m, 0
	}
	return moment{day: day}, end
}

// dayNumber reads the number of a day: 3, 3rd, 3., third, dritten. It is marked unless it is a plain number.
func (p *parser) dayNumber(i int) (n int, marked bool, end int) {
	t := p.at(i)
	if t.lexeme.has(anOrdinal) {
		return int(t.lexeme.n), true, i + 1
	}
	if t.shape != number || t.digits() > 2 || t.n < 1 || t.n > 31 {
		return 0, false, 0
	}
	if p.touches(i+1) && (p.has(i+1, aSuffix) || p.lex.dotted && p.isMark(i+1, '.')) {
		return t.n, true, i + 2
	}
	return t.n, false, i + 1
}

// joins reports whether token i may follow a complete number, and is not the noun that it counts.
func (p *parser) joins(i int) bool {
	t := p.at(i)
	return t.shape == word && joining[p.text[t.start:t.end]]
}

// joining are words of both languages that may follow the number of a day without a noun.
var joining = wordfile.Set(
	"at in for with and or to from between around um mit und oder gegen ab zum zur nach von vormittags " +
		"nachmittags abends morgens kommt kommen ist sind hat habe haben fahre fahren fliege fliegen gehe gehen " +
		"geht beginnt endet findet muss wird")
