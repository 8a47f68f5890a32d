package distil

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/lang/dates"
	"github.com/trilith-memory/trilith/internal/lang/money"
	"github.com/trilith-memory/trilith/internal/lang/textproc"
)

// times determines when the fact holds, or when a task is due.
func (h *hearing) times() string {
	e, ok := h.when(h.claim.TimeWords)
	if !ok || e.Kind == dates.Duration {
		return ""
	}
	h.put("when", strings.TrimSpace(h.turn.Text[e.Start:e.End]))
	from, until := e.From, e.To
	h.day(from, until)
	switch kind := h.factType().Time; {
	case kind == trilith.TimeDue:
		h.due(e)
	case e.Kind == dates.Deadline && !until.After(h.turn.At): // until March
		h.found.Until = &until
	case kind == trilith.TimeSpan:
		if !from.IsZero() {
			h.found.From = &from
		}
		if until.Before(dates.Forever()) {
			h.found.Until = &until
		}
	case e.Kind == dates.Deadline || e.Granularity < dates.Day || from.IsZero():
	case from.After(h.turn.At):
		h.found.Begins = &from
	case h.isOver():
		h.found.Until = &from
	default:
		h.found.From = &from
		if e.Kind == dates.Interval && h.ended(until) {
			h.found.Until = &until
		}
	}
	return ""
}

// due sets the deadline to the last second of a point in time or of what ends.
func (h *hearing) due(e dates.Expression) {
	if e.Kind != dates.Point && e.Kind != dates.Deadline {
		return
	}
	last := e.To.Add(-time.Second)
	h.found.Deadline = &last
	h.put("due", last.Format(time.DateOnly))
	h.day(e.From, e.To)
}

var (
	germanMonths = [...]string{"Januar", "Februar", "März", "April", "Mai", "Juni", "Juli", "August", "September",
		"Oktober", "November", "Dezember"}
	germanDays = [...]string{"Sonntag", "Montag", "Dienstag", "Mittwoch", "Donnerstag", "Freitag", "Samstag"}
)

// day makes a claim mention the days that its expression of time means.
func (h *hearing) day(ts ...time.Time) {
	for _, t := range ts {
		for _, t := range []time.Time{t, t.Add(-time.Second)} {
			for _, n := range []int{t.Year(), int(t.Month()), t.Day(), t.Hour(), t.Minute()} {
				h.more[strconv.Itoa(n)] = true
			}
			h.more[strings.ToLower(t.Month().String())], h.more[strings.ToLower(t.Weekday().String())] = true, true
			h.more[fold(germanMonths[t.Month()-1])], h.more[fold(germanDays[t.Weekday()])] = true, true
		}
	}
}

// ended reports whether an interval ends of itself: one without an end lasts until the day of the turn.
func (h *hearing) ended(until time.Time) bool {
	at := h.turn.At
	today := time.Date(at.Year(), at.Month(), at.Day(), 0, 0, 0, 0, at.Location())
	return until.Before(dates.Forever()) && (!until.After(today) || until.After(today.AddDate(0, 0, 1)))
}

// amount checks a sum. It has to be said, or to be the product of a quantity and a rate that were.
func (h *hearing) amount() string {
	if h.sum == "" {
		return ""
	}
	texts, item := h.texts(), itemOf(string(h.claim.Value))
	amount, said, has := pick(h.claim.Amount, h.said)
	f := trilith.Financial{Type: h.sum}
	if f.Type == "other" {
		f.Type = ""
	}
	for _, c := range money.Calculate(moneyLang(h.lang), "", texts...) {
		total := c.Product
		if c.Check != money.Unchecked {
			total = c.Total.Value
		}
		if has && total != amount || !has && f.Rate != "" {
			continue
		}
		amount, said = total, true
		f.Quantity, f.Rate, f.Unit = c.Quantity.Value.String(), c.Rate.Value.String(), string(c.Rate.Per)
		if c.Check != money.Unchecked {
			f.Check = c.Check.String()
		}
	}
	if quoted := money.Find(h.turn.Text[h.found.Quote.Start:h.found.Quote.End], moneyLang(h.lang), ""); !has && !said &&
		len(quoted) == 1 {
		amount, said = quoted[0].Value, true
	}
	switch {
	case !has && !said:
		return ReasonAmount
	case !said:
		return ReasonNumber
	}
	f.Amount, f.Currency = amount.String(), currency(texts, moneyLang(h.lang), amount, f.Rate)
	h.more[canonical(f.Amount)] = true
	h.more[strings.ToLower(f.Currency)] = true
	m := h.matter(amount)
	h.found.Node.Name, f.Category = m.Named(strings.TrimSpace(f.Amount+" "+f.Currency), item)
	if f.Category != "" {
		h.put("item", f.Category)
	}
	for key, value := range m.Details() {
		h.put(key, value)
	}
	if f.Rate != "" {
		h.product(&f, item)
	}
	h.found.Financial = &f
	return ""
}

// pick reads a number that the model gives, in the reading that was said if one was.
func pick(s scalar, said evidence) (d money.Decimal, isSaid, ok bool) {
	ns := numbers(string(s))
	if len(ns) == 0 {
		return d, false, false
	}
	for _, reading := range ns[0].readings {
		v, err := money.ParseDecimal(reading)
		if err != nil {
			continue
		}
		if said[reading] {
			return v, true, true
		}
		if !ok {
			d, ok = v, true
		}
	}
	return d, false, ok
}

// currency returns the currency that the texts give for an amount or a rate.
func currency(texts []string, l money.Lang, amount money.Decimal, rate string) string {
	for _, text := range texts {
		for _, a := range money.Find(text, l, "") {
			if a.Currency != "" && (a.Value == amount || a.Value.String() == rate) {
				return a.Currency
			}
		}
	}
	return ""
}

// itemOf returns the item of a sum: a model may repeat the sum although it should give only the item.
func itemOf(object string) string {
	for _, sep := range []string{" for ", " für "} {
		if _, item, ok := strings.Cut(object, sep); ok {
			object = item
		}
	}
	if strings.ContainsAny(object, "0123456789") {
		return ""
	}
	return tidy(object)
}

// matter returns the document, party and part of the work that the sentence of the amount names.
func (h *hearing) matter(amount money.Decimal) money.Matter {
	text := h.turn.Text
	amounts := money.Find(text, moneyLang(h.lang), "")
	for i, a := range amounts {
		if a.Value != amount || a.Start < h.found.Quote.Start || a.End > h.found.Quote.End {
			continue
		}
		next := h.found.Quote.End
		if i+1 < len(amounts) {
			next = min(next, amounts[i+1].Start)
		}
		return money.About(text[h.found.Quote.Start:a.Start], text[a.End:next])
	}
	return money.Matter{}
}

// product writes out how a sum comes about, as callers read it; the exact decimals are in the financial part.
func (h *hearing) product(f *trilith.Financial, item string) {
	if item != "" {
		h.put("material", item)
	}
	for key, value := range map[string]string{"quantity": f.Quantity, "rate": f.Rate, "total": f.Amount} {
		if n, err := strconv.ParseFloat(value, 64); err == nil {
			h.put(key, n)
		}
	}
	if f.Unit != "" {
		h.put("unit", f.Unit)
	}
}

// details copies the fields of the type that the turns support, and drops the others.
func (h *hearing) details() string {
	t := h.factType()
	for _, given := range h.claim.Fields {
		i := slices.IndexFunc(t.Fields, func(f trilith.ProfileField) bool { return f.Name == given.Name })
		if i < 0 || given.Value == "" {
			continue
		}
		if v, ok := h.detail(&t.Fields[i], strings.TrimSpace(string(given.Value))); ok {
			h.put(given.Name, v)
		}
	}
	for _, f := range t.Fields {
		if _, has := h.found.Content[f.Name]; f.Required && !has {
			h.doubt(DoubtField)
		}
	}
	return ""
}

// detail checks the value of a field.
func (h *hearing) detail(f *trilith.ProfileField, value string) (any, bool) {
	switch f.Type {
	case trilith.FieldNumber:
		ns := numbers(value)
		return value, len(ns) == 1 && h.rests(ns[0].readings...)
	case trilith.FieldDate:
		e, ok := h.when(value)
		if !ok || e.From.IsZero() {
			return nil, false
		}
		return e.From.Format(time.DateOnly), true
	case trilith.FieldFlag:
		switch strings.ToLower(value) {
		case "yes", "true":
			return true, true
		case "no", "false":
			return false, true
		}
		return nil, false
	case trilith.FieldChoice:
		i := slices.IndexFunc(f.Choices, func(c string) bool { return strings.EqualFold(c, value) })
		if i < 0 {
			return nil, false
		}
		return f.Choices[i], true
	case trilith.FieldCategory:
		for _, c := range h.r.Profile.Categories {
			if strings.EqualFold(value, c.Name) || value == c.Code && c.Code != "" ||
				strings.EqualFold(value, c.Title()) {
				if h.found.Financial != nil {
					h.found.Financial.Category = c.Title()
				}
				return c.Title(), true
			}
		}
		return nil, false
	}
	if len(value) > maxText {
		return nil, false
	}
	for _, n := range numbers(value) {
		if !h.rests(n.readings...) {
			return nil, false
		}
	}
	unknown := slices.ContainsFunc(names(value, !isTitle(value)),
		func(c capital) bool { return !c.first && !h.isName(c.word) })
	return value, h.lang == textproc.German || !unknown
}

// when places a phrase of the turn on the calendar. The model only says which words tell the time.
func (h *hearing) when(phrase string) (dates.Expression, bool) {
	if phrase == "" || h.turn.At.IsZero() {
		return dates.Expression{}, false
	}
	start, end, _, ok := locate(h.turn.Text, phrase)
	if !ok {
		return dates.Expression{}, false
	}
	l := dates.Both
	switch h.lang {
	case textproc.English:
		l = dates.English
	case textproc.German:
		l = dates.German
	}
	for _, e := range dates.Find(h.turn.Text, h.turn.At, l) {
		if e.Start < end && start < e.End && e.Kind != dates.Recurring {
			return e, true
		}
	}
	return dates.Expression{}, false
}

// texts returns the texts that the claim rests on, the turns in order.
func (h *hearing) texts() (texts []string) {
	for _, i := range append(slices.Clone(h.near), h.found.Quote.Turn) {
		texts = append(texts, h.r.Turns[i].Text)
	}
	return texts
}
