package lexical

import (
	"slices"
	"sort"
	"strconv"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/lang/dates"
	"github.com/trilith-memory/trilith/internal/lang/textproc"
)

// named is a time that a question names: a day or days, a month or months, or a year.
type named struct {
	grain dates.Granularity // Day, Month or Year
	spans []span32          // each time that it comes, in order: one, or one a year
}

// span32 is a stretch of days, counted from 1970, the last excluded.
type span32 struct{ from, to int32 }

// The range of years for dates without a year.
const (
	firstYear = 1950
	lastYear  = 2100
)

// maxDated is how many bytes of a question are searched for dates: a question names them early.
const maxDated = 1 << 10

// datesIn returns the times that a question names. Those that only the time of asking places ("yesterday") need now.
func datesIn(text string, w *words, in textproc.Lang, among []*language, now time.Time) []named {
	text = cut(text, maxDated)
	grammar := dates.Both // short questions often do not tell their language
	if in == textproc.German {
		grammar = dates.German
	}
	ref := now
	if ref.IsZero() {
		ref = time.Unix(0, 0)
	}
	found := slices.DeleteFunc(dates.Find(text, ref, grammar), func(e dates.Expression) bool {
		return e.Kind == dates.Recurring || e.Kind == dates.Duration || e.Anchor == dates.TimeOfDay
	})
	// "The Monday before 24 July" is not the last one before now.
	dated := slices.ContainsFunc(found, func(e dates.Expression) bool { return e.Anchor != dates.FromReference })
	var out []named
	for _, e := range found {
		if e.Anchor != dates.FromReference || !dated && !now.IsZero() {
			out = append(out, namedBy(e, ref))
		}
	}
	for _, l := range among {
		if len(out) == 0 {
			out = l.monthsIn(w)
		}
	}
	return out
}

// namedBy returns the time that an expression names. Of what only ends or only begins there ("until May", "since 2019")
// that is the unit at the end that is named, of days two: "before Friday", "by Friday".
func namedBy(e dates.Expression, ref time.Time) named {
	n := named{grain: dates.Day}
	switch {
	case e.Granularity == dates.Year:
		n.grain = dates.Year
	case e.Granularity > dates.Week:
		n.grain = dates.Month
	}
	unit := func(t time.Time, by int) time.Time {
		switch {
		case n.grain == dates.Year:
			return t.AddDate(by, 0, 0)
		case e.Granularity > dates.Month:
			return t.AddDate(0, 3*by, 0)
		case n.grain == dates.Month:
			return t.AddDate(0, by, 0)
		case e.Granularity == dates.Week:
			return t.AddDate(0, 0, 7*by)
		}
		return t.AddDate(0, 0, by)
	}
	from, to := e.From, e.To
	if e.Kind == dates.Deadline {
		from = unit(to, -1)
		if n.grain == dates.Day {
			to = to.AddDate(0, 0, 1)
		}
	} else if open := e.To.Equal(dates.Forever()) || e.To.Equal(midnight(ref).AddDate(0, 0, 1)); open &&
		e.Kind == dates.Interval && e.Anchor != dates.FromReference {
		to = unit(from, 1)
		if n.grain == dates.Day {
			from = from.AddDate(0, 0, -1)
		}
	}
	if e.Anchor != dates.EveryYear {
		n.add(from, to)
		return n
	}
	for year := firstYear; year <= lastYear; year++ {
		by := year - from.Year()
		n.add(from.AddDate(by, 0, 0), to.AddDate(by, 0, 0))
	}
	return n
}

// add adds a time at which it comes, at least a day.
func (n *named) add(from, to time.Time) {
	s := span32{DayOf(from), DayOf(to)}
	if !to.Equal(midnight(to)) {
		s.to++
	}
	n.spans = append(n.spans, span32{s.from, max(s.to, s.from+1)})
}

// midnight is the beginning of the day of t.
func midnight(t time.Time) time.Time {
	return time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, t.Location())
}

// DayOf returns the days from 1970 to the day that the clock of a time shows.
func DayOf(t time.Time) int32 {
	return int32(min(max(trilith.CalendarDay(t).Unix()/86400, -1<<24), 1<<24))
}

// monthsIn returns the months whose names are among the words, with the day or the year next to them.
func (l *language) monthsIn(w *words) (out []named) {
	if len(l.months) == 0 {
		return nil
	}
	number := func(i, least, most int) int {
		if i < 0 || i >= len(w.spans) {
			return 0
		}
		word := w.at(i)
		digits := slices.IndexFunc(word, func(c byte) bool { return !isDigit(c) })
		if digits < 0 {
			digits = len(word)
		}
		if n, err := strconv.Atoi(string(word[:digits])); err == nil && n >= least && n <= most {
			return n
		}
		return 0
	}
	for i := range w.spans {
		month := l.months[string(w.at(i))]
		if month == 0 {
			continue
		}
		day := max(number(i-1, 1, 31), number(i+1, 1, 31))
		year := max(number(i+1, firstYear, lastYear), number(i+2, firstYear, lastYear))
		n, first, last := named{grain: dates.Month}, year, year
		if day != 0 {
			n.grain = dates.Day
		}
		if year == 0 {
			first, last = firstYear, lastYear
		}
		for y := first; y <= last; y++ {
			from := time.Date(y, time.Month(month), max(day, 1), 0, 0, 0, 0, time.UTC)
			to := from.AddDate(0, 0, 1)
			if day == 0 {
				to = from.AddDate(0, 1, 0)
			}
			n.add(from, to)
		}
		out = append(out, n)
	}
	return out
}

// match says how well a day fits the best of some times, 0 to 1.
func match(times []named, day int32) (best float64) {
	for i := range times {
		best = max(best, times[i].match(day))
	}
	return best
}

// match returns how well a day matches: events are mentioned on their day or soon after.
func (n *named) match(day int32) float64 {
	i := sort.Search(len(n.spans), func(i int) bool { return n.spans[i].from-early > day })
	if i == 0 {
		return 0
	}
	s := n.spans[i-1]
	switch n.grain {
	case dates.Year:
		if day >= s.from && day < s.to {
			return .5
		}
	case dates.Month:
		switch {
		case day >= s.from && day < s.to:
			return 1
		case day >= s.to && day < s.to+31:
			return .4
		case i > 1 && day < n.spans[i-2].to+31: // early for the next
			return .4
		}
	default:
		switch {
		case day >= s.from-1 && day < s.to+1:
			return 1
		case day >= s.from && day < s.to+8:
			return .7
		case day < s.to+31:
			return .4
		}
	}
	return 0
}

// early is how many days before its day an event may be mentioned.
const early = 3
