package extract

import (
	"slices"
	"strings"
	"time"

	"github.com/trilith-memory/trilith/internal/lang/dates"
)

// clock finds the times that the sentence names, at their places in the turn, and cuts it into parts, each with its
// own day: at the conjunctions and marks around the words between two days, and at a conjunction before a day. A time
// of day without a day and a recurring time do not count: they begin and end nothing.
func (r *reader) clock() []dates.Expression {
	if r.dated || r.turn.At.IsZero() {
		return r.times
	}
	r.dated = true
	start, k, several := r.tokens[r.from].start, r.from, false
	for _, e := range dates.Find(r.text[start:r.tokens[r.to-1].end], r.turn.At, dates.Lang(r.l.index+1)) {
		e.Start, e.End = e.Start+start, e.End+start
		if e.Kind == dates.Duration || e.Anchor == dates.TimeOfDay {
			continue
		}
		first, last := 0, 0
		for ; k < r.to && r.tokens[k].start < e.Start; k++ {
			if r.tokens[k].divides() {
				last = k
				if first == 0 {
					first = k
				}
			}
		}
		lead := k - 1
		for lead > r.from && r.in(&r.tokens[lead], "preposition", "article", "definite") {
			lead--
		}
		if first > 0 && (several || last == lead && !r.tokens[last].mark) {
			r.cuts = append(r.cuts, first)
			if last > first+1 {
				r.cuts = append(r.cuts, last)
			}
		}
		for ; k < r.to && r.tokens[k].start < e.End; k++ {
		}
		several = true
		if e.Kind != dates.Recurring {
			r.times = append(r.times, e)
		}
	}
	return r.times
}

// dated reads the clause if it names a day that is to come; the day is no part of its words. The text of a plan
// begins with its verb, unless the verb only says that it is planned.
func dated(r *reader, v view, i int) (value, int) {
	end, begin := r.clauseEnd(v, i, factiveWord|supposing|relative), i
	for r.at(v, i).is(articleWord) {
		i++
	}
	verb := r.plannedVerb(v, i)
	if r.at(v, i).is(adverb) || !r.acts(v, i, end, verb) {
		return value{}, 0
	}
	if verb == "" && r.at(v, i).word == r.l.own {
		i++
	}
	if end-i > 20 || i >= end || r.in(r.at(v, i), "vague") || verb == "" && r.at(v, i).word == "to" ||
		r.at(v, begin-1).word == "to" && (r.at(v, begin).upper || r.at(v, begin).is(definite|articleWord)) { // where one goes
		return value{}, 0
	}
	if slices.ContainsFunc(v[i:min(i+4, end)], func(k int) bool { return r.in(&r.tokens[k], "unclear") }) {
		return value{}, 0 // "fetch it on Sunday"
	}
	if last := r.at(v, end-1); r.l.code == "de" && r.in(r.at(v, 0), "dummy") && !last.upper && !last.digit &&
		(strings.HasSuffix(last.word, "t") || strings.HasSuffix(last.word, "n")) {
		return value{}, 0 // "habe am Montag den Chef getroffen"
	}
	for k := i; k < end; k++ {
		if e, next := r.timeAt(v, k); e != nil {
			for k == i && r.at(v, next).is(articleWord) {
				next++
			}
			last := k // "deadline of", "review scheduled for"
			for last > i && r.in(r.at(v, last-1), "of", "preposition", "light") && !r.at(v, last-1).upper {
				last--
			}
			return r.timed(e, verb, r.said(v, i, last), r.said(v, min(next, end), end), end)
		}
	}
	for _, e := range r.clock() { // "next week I'm flying to Rome"
		if before := r.tokens[max(r.begin, v[0]-3)]; e.Start < r.at(v, 0).start && e.End > before.start {
			return r.timed(&e, verb, r.said(v, i, end), "", end)
		}
	}
	return value{}, 0
}

// plannedVerb returns the verb of a plan whose words begin at v[i], as one plans it: fly, nach Rom fliegen.
func (r *reader) plannedVerb(v view, i int) string {
	if r.l.code == "de" {
		w := r.at(v, 0)
		forms := append(r.l.verbForms(w.word), w.word)
		switch {
		case slices.ContainsFunc(forms, r.l.list("light").has):
			return ""
		case strings.HasSuffix(w.word, "en"):
			return strings.ToLower(r.said(v, 0, 1))
		}
		return forms[0] + "n"
	}
	for i > 0 && r.at(v, i-1).is(adverb) { // "will definitely see"
		i--
	}
	t := r.at(v, i-1)
	if i == 0 || t.is(articleWord|definite) || r.in(t, "light") || t.mark {
		return ""
	}
	if base := r.l.irregular[t.word]; base != "" {
		return base
	}
	return t.word
}

// acts reports whether a plan from v[i] to end is something that one does: who will be glad, or needs a coat, plans nothing.
func (r *reader) acts(v view, i, end int, verb string) bool {
	if last := r.at(v, end-1); r.l.code == "de" {
		return !r.in(last, "attitude") && (last.word != "sein" || r.at(v, end-2).upper)
	}
	if verb == "" && !r.at(v, i).is(articleWord) {
		verb, i = r.at(v, i).word, i+1
	}
	next, becoming := r.at(v, i), r.l.list("becoming").has(verb)
	named := r.at(v, i+1).upper || r.at(v, i+1).is(definite|articleWord)
	doing := strings.HasSuffix(next.word, "ing") && r.entryAt("attitude", v[min(i, len(v)-1)]) == 0
	switch {
	case verb == "be": // "be flying", "be in Rome"
		return doing || r.in(next, "preposition") && named
	case becoming && next.word == "to" && !named:
		return !r.in(r.at(v, i+1), "attitude")
	case becoming:
		return doing || next.upper || next.is(stopWord|articleWord|definite|adverb) || r.in(next, "preposition") ||
			next.word == "married"
	}
	return !r.l.list("attitude").has(verb)
}

// timed makes the value of a clause before and behind its time, if that is to come.
func (r *reader) timed(e *dates.Expression, verb, before, behind string, end int) (value, int) {
	_, to := r.directed(e, true)
	text := strings.TrimSpace(strings.TrimSpace(before) + " " + behind)
	if text == "" || !to.After(r.turn.At) {
		return value{}, 0
	}
	if r.l.code == "de" {
		text = strings.TrimSpace(text + " " + verb)
	} else {
		text = strings.TrimSpace(verb + " " + text)
	}
	return value{texts: []string{text}, time: e}, end
}

// directed returns the bounds of a time in the direction of its sentence: future or past.
func (r *reader) directed(e *dates.Expression, ahead bool) (from, to time.Time) {
	from, to = e.From, e.To
	said := r.text[e.Start:e.End]
	late := ahead && !to.After(r.turn.At)
	early := !ahead && from.After(r.turn.At)
	if !late && !early || strings.ContainsAny(said, "-/") {
		return from, to
	}
	step := 1
	if early {
		step = -1
	}
	years, days := 0, 0
	switch {
	case e.Anchor == dates.EveryYear && !hasYear(said):
		years = step
	case e.Anchor == dates.FromReference && e.Granularity == dates.Day && weekday(said) &&
		r.turn.At.Sub(to).Abs() < 7*24*time.Hour:
		days = 7 * step
	default:
		return from, to
	}
	if !from.IsZero() {
		from = from.AddDate(years, 0, days)
	}
	return from, to.AddDate(years, 0, days)
}

// hasYear reports whether words hold the number of a year.
func hasYear(said string) bool {
	numbers := strings.FieldsFunc(said, func(c rune) bool { return c < '0' || c > '9' })
	return slices.ContainsFunc(numbers, func(n string) bool { return len(n) == 4 })
}

// weekday reports whether words name a day of the week by itself.
func weekday(said string) bool {
	w := foldWord(said)
	w = w[strings.LastIndexByte(w, ' ')+1:]
	return strings.HasSuffix(w, "day") && w != "today" && w != "yesterday" || strings.HasSuffix(w, "tag") ||
		w == "mittwoch" || w == "sonnabend"
}

// divides reports whether a part of a sentence may begin at a token.
func (t *token) divides() bool {
	return t.is(andWord|joining|turning|factiveWord) || t.mark && strings.Contains(",;:(", t.word)
}

// part bounds the reading at token i, of a sentence that ends at to, to one part.
func (r *reader) part(i, to int) {
	r.begin, r.to = r.from, to
	for _, cut := range r.cuts {
		if cut <= i {
			r.begin = cut
		} else if cut < r.to {
			r.to = cut
		}
	}
}

func day(r *reader, v view, i int) (value, int) {
	e, end := r.timeAt(v, i)
	if e == nil {
		return value{}, 0
	}
	return value{texts: []string{r.text[e.Start:e.End]}, time: e}, end
}

// task reads a task and its day, which is no part of its words.
func task(r *reader, v view, i int) (value, int) {
	all, end := rest(r, v, i)
	if text, e := r.undated(v, i, end); text != "" {
		return value{texts: []string{text}, time: e}, end
	}
	return all, end
}

// undated returns the words of a clause without its day, which may be the one before them, if it has one.
func (r *reader) undated(v view, i, end int) (string, *dates.Expression) {
	for k := max(i-1, 0); k < end; k++ {
		if e, next := r.timeAt(v, k); e != nil {
			return strings.TrimSpace(r.said(v, i, k) + " " + r.said(v, min(next, end), end)), e
		}
	}
	return "", nil
}

// timeAt returns the time whose words v[i] belongs to, and the position behind them.
func (r *reader) timeAt(v view, i int) (*dates.Expression, int) {
	times := r.clock()
	for k := range times {
		if e := &times[k]; e.Start <= r.at(v, i).start && r.at(v, i).start < e.End {
			end := i
			for end < len(v) && r.at(v, end).start < e.End && r.at(v, end).start >= e.Start {
				end++
			}
			return e, end
		}
	}
	return nil, 0
}

// asDay writes a time as its day or days.
func asDay(from, to time.Time) string {
	last := to.Add(-time.Second)
	first := from.Format(time.DateOnly)
	switch {
	case from.IsZero(), !to.Before(dates.Forever()) && from.IsZero():
		return last.Format(time.DateOnly)
	case !to.Before(dates.Forever()), first == last.Format(time.DateOnly):
		return first
	case from.Day() == 1 && to.Equal(from.AddDate(0, 1, 0)):
		return from.Format("2006-01")
	case from.YearDay() == 1 && to.Equal(from.AddDate(1, 0, 0)):
		return from.Format("2006")
	}
	return first + " to " + last.Format(time.DateOnly)
}
