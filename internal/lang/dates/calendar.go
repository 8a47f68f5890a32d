package dates

import "time"

// period is an interval with the granularity of its name.
type period struct {
	from, to time.Time
	grain    Granularity
}

func (q period) holds(t time.Time) bool { return !t.Before(q.from) && t.Before(q.to) }

// unitAt returns the calendar unit that is n units after that of t.
func unitAt(t time.Time, unit Granularity, n int) period {
	year, month := t.Year(), int(t.Month())
	switch unit {
	case Minute:
		from := t.Truncate(time.Minute).Add(time.Duration(n) * time.Minute)
		return period{from, from.Add(time.Minute), Minute}
	case Hour:
		from := t.Truncate(time.Hour).Add(time.Duration(n) * time.Hour)
		return period{from, from.Add(time.Hour), Hour}
	case Week:
		from := mondayOf(t).AddDate(0, 0, 7*n)
		return period{from, from.AddDate(0, 0, 7), Week}
	case Month:
		return monthsFrom(year, month+n, 1, Month)
	case Quarter:
		return monthsFrom(year, (month-1)/3*3+1+3*n, 3, Quarter)
	case Year:
		return monthsFrom(year+n, 1, 12, Year)
	}
	return dayAt(t.AddDate(0, 0, n))
}

// monthsFrom returns n months from the first day of a month, possibly across the end of the year.
func monthsFrom(year, month, n int, grain Granularity) period {
	from := date(year, month, 1)
	return period{from, from.AddDate(0, n, 0), grain}
}

// shift moves t by n units. If the resulting month is too short, it returns the month's last day.
func shift(t time.Time, unit Granularity, n int) time.Time {
	switch unit {
	case Minute:
		return t.Add(time.Duration(n) * time.Minute)
	case Hour:
		return t.Add(time.Duration(n) * time.Hour)
	case Week:
		return t.AddDate(0, 0, 7*n)
	case Month, Quarter, Year:
		months := n * monthsOf(unit)
		last := date(t.Year(), int(t.Month())+months+1, 0).Day()
		return t.AddDate(0, months, min(t.Day(), last)-t.Day())
	}
	return t.AddDate(0, 0, n)
}

func monthsOf(unit Granularity) int {
	switch unit {
	case Quarter:
		return 3
	case Year:
		return 12
	}
	return 1
}

// third returns the first, second or last third of q, in whole months if possible, otherwise in whole days.
func third(q period, n int) period {
	months := 12*(q.to.Year()-q.from.Year()) + int(q.to.Month()-q.from.Month())
	days := int(q.to.Sub(q.from).Hours() / 24)
	cut := func(i int) time.Time {
		switch {
		case i == 3:
			return q.to
		case q.grain > Month:
			return q.from.AddDate(0, i*(months/3), 0)
		}
		return q.from.AddDate(0, 0, i*(days/3))
	}
	return period{cut(n - 1), cut(n), q.grain}
}

// validDay reports whether the month has the day; year 0 means any year.
func validDay(year, month, day int) bool {
	if year == 0 {
		year = 2000 // a leap year
	}
	return 1 <= month && month <= 12 && 1 <= day && day <= date(year, month+1, 0).Day()
}

// isoWeek returns week n of a year by ISO 8601.
func isoWeek(year, n int) (period, bool) {
	from := mondayOf(date(year, 1, 4)).AddDate(0, 0, 7*(n-1)) // 4 January is always in week 1
	got, week := from.ISOWeek()
	return period{from, from.AddDate(0, 0, 7), Week}, got == year && week == n
}

// mondayOf returns the first day of the week of t.
func mondayOf(t time.Time) time.Time {
	return dayAt(t).from.AddDate(0, 0, -(int(t.Weekday())+6)%7)
}

func dayAt(t time.Time) period {
	from := date(t.Year(), int(t.Month()), t.Day())
	return period{from, from.AddDate(0, 0, 1), Day}
}

type holiday int8

const (
	christmas holiday = iota + 1
	christmasEve
	weihnachten
	newYear
	newYearsEve
	easter
	easterMonday
	goodFriday
	ostern
)

// holidays are days of a month, or days from Easter Sunday if there is no month.
var holidays = [...]struct{ month, day, days int }{
	christmas:    {12, 25, 1},
	christmasEve: {12, 24, 1},
	weihnachten:  {12, 24, 3},
	newYear:      {1, 1, 1},
	newYearsEve:  {12, 31, 1},
	easter:       {0, 0, 1},
	easterMonday: {0, 1, 1},
	goodFriday:   {0, -2, 1},
	ostern:       {0, 0, 2},
}

func (h holiday) in(year int) period {
	x := holidays[h]
	from := date(year, x.month, x.day)
	if x.month == 0 {
		from = easterSunday(year).AddDate(0, 0, x.day)
	}
	return period{from, from.AddDate(0, 0, x.days), Day}
}

// easterSunday returns the Sunday after the first full moon of spring by the Gregorian computus, in the form given by
// J. Meeus, "Astronomical Algorithms", chapter 8.
func easterSunday(year int) time.Time {
	a, b, c := year%19, year/100, year%100
	d, e := b/4, b%4
	f := (b + 8) / 25
	g := (b - f + 1) / 3
	h := (19*a + b - d - g + 15) % 30
	i, k := c/4, c%4
	l := (32 + 2*e + 2*i - h - k) % 7
	m := (a + 11*h + 22*l) / 451
	n := h + l - 7*m + 114
	return date(year, n/31, n%31+1)
}

func date(year, month, day int) time.Time {
	return time.Date(year, time.Month(month), day, 0, 0, 0, 0, time.UTC)
}

// The parts of a day.
const (
	morning int8 = iota + 1
	noonTime
	afternoon
	evening
	night
)

// dayParts are hours of the day; those past 24 belong to the next morning.
var dayParts = [...]struct{ from, to int }{
	morning:   {6, 12},
	noonTime:  {11, 14},
	afternoon: {12, 18},
	evening:   {18, 24},
	night:     {18, 30},
}

// thisDay means the reference day where a weekday is expected.
const thisDay = 7
