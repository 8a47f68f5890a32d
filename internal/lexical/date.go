package lexical

import (
	"regexp"
	"strconv"
	"strings"
	"time"
)

// date is a day, a month or a year that a question names; 0: not said.
type date struct{ year, month, day int }

var months = map[string]int{"january": 1, "february": 2, "march": 3, "april": 4, "may": 5, "june": 6, "july": 7, "august": 8, "september": 9,
	"october": 10, "november": 11, "december": 12, "jan": 1, "feb": 2, "mar": 3, "apr": 4, "jun": 6, "jul": 7, "aug": 8, "sep": 9, "sept": 9, "oct": 10, "nov": 11, "dec": 12}

var (
	monthDate = regexp.MustCompile(`\b(?:(\d{1,2})(?:st|nd|rd|th)?(?: of)? )?(january|february|march|april|may|june|july|august|september|october|november|december|jan|feb|mar|apr|jun|jul|aug|sept|sep|oct|nov|dec)\b\.?(?: (\d{1,2})(?:st|nd|rd|th)?\b)?(?:,? ?(\d{4}))?`)
	yearDate  = regexp.MustCompile(`\b(?:in|of|during|since|year|by|before|after) (20\d\d)\b`)
	beforeMay = regexp.MustCompile(`\b(?:in|of|on|by|since|until|during|last|this|before|after) (?:may|march)\b`)
)

// datesIn returns the dates that a question names.
func datesIn(text string) []date {
	text = strings.ToLower(text)
	var out []date
	number := func(s string) int { n, _ := strconv.Atoi(s); return n }
	for _, m := range monthDate.FindAllStringSubmatch(text, -1) {
		d := date{month: months[m[2]], day: max(number(m[1]), number(m[3])), year: number(m[4])}
		if (m[2] == "may" || m[2] == "march") && d.day == 0 && d.year == 0 && !beforeMay.MatchString(text) {
			continue // a verb
		}
		out = append(out, d)
	}
	if len(out) > 0 {
		return out
	}
	for _, m := range yearDate.FindAllStringSubmatch(text, -1) {
		out = append(out, date{year: number(m[1])})
	}
	return out
}

// match says how well a day fits the best of some dates, 0 to 1: what happened is told on the day or soon after.
func match(dates []date, day int32) (best float64) {
	t := time.Unix(int64(day)*86400, 0).UTC()
	for _, d := range dates {
		best = max(best, d.match(t))
	}
	return best
}

func (d date) match(t time.Time) float64 {
	if d.month == 0 {
		if t.Year() == d.year {
			return .5
		}
		return 0
	}
	year := d.year
	if year == 0 {
		year = t.Year()
	}
	if d.year != 0 && t.Year() != d.year {
		middle := d.day
		if middle == 0 {
			middle = 15
		}
		if off := daysBetween(time.Date(year, time.Month(d.month), min(middle, 28), 0, 0, 0, 0, time.UTC), t); off <= -40 || off >= 40 {
			return 0
		}
	}
	if d.day == 0 {
		switch int(t.Month()) {
		case d.month:
			return 1
		case d.month%12 + 1:
			return .4
		}
		return 0
	}
	switch after := daysBetween(time.Date(year, time.Month(d.month), d.day, 0, 0, 0, 0, time.UTC), t); {
	case after >= -1 && after < 2:
		return 1
	case after >= 0 && after <= 8:
		return .7
	case after >= -3 && after <= 31:
		return .4
	}
	return 0
}

func daysBetween(from, to time.Time) int { return int(to.Sub(from).Hours() / 24) }
