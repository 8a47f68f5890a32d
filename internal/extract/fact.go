package extract

import (
	"slices"
	"strings"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/dates"
)

// certaintyWeight is the factor by which a certainty reduces a family's weight.
var certaintyWeight = map[trilith.Certainty]float64{trilith.Stated: 1, trilith.Planned: 0.8, trilith.Hedged: 0.55}

// maxQuote is the longest sentence in bytes that is quoted as a whole.
const maxQuote = 600

// emit adds what a match states of a subject.
func (r *reader) emit(m match, v view, w who, s standing) {
	var amended *Amendment
	for _, rule := range m.ends {
		switch {
		case !w.speaks() && (rule.self || rule.slot.self):
		case rule.ends || rule.instead:
			if w.speaks() && s == held {
				amended = r.amend(amended, rule, m, v)
			}
		case s >= denied && (rule.slot.planned || rule.slot.project):
		default:
			r.state(rule, m, v, w, s)
		}
	}
	if amended != nil {
		r.amendments = append(r.amendments, *amended)
	}
}

// quote returns the place of the sentence, or of the matched part of a very long one.
func (r *reader) quote(v view, m match) (start, end int) {
	start, end = r.tokens[r.from].start, r.tokens[min(r.to, len(r.tokens)-1)].end
	if r.to < len(r.tokens) && r.tokens[r.to].word == "\n" || r.to == len(r.tokens) {
		end = r.tokens[r.to-1].end
	}
	if end-start <= maxQuote || m.end == 0 {
		return start, end
	}
	from, to := v[0], v[0]
	for _, k := range v[:m.end] {
		from, to = min(from, k), max(to, k)
	}
	return r.tokens[max(r.from, from-3)].start, r.tokens[to].end
}

// main returns the capture that is the value of a rule's facts: the one that is marked, else the last that is no day or
// amount, else the last.
func (m *match) main(end ending) *capture {
	best := end.pick
	for k := len(m.captures) - 1; k >= 0 && best < 0; k-- {
		if c := &m.captures[k]; c.kind != "day" {
			best = k
		}
	}
	if best < 0 {
		best = len(m.captures) - 1
	}
	if best < 0 {
		return nil
	}
	return &m.captures[best]
}

// values returns the values of a rule's facts.
func (r *reader) values(rule ending, m *match, v view) []string {
	c := m.main(rule)
	switch {
	case rule.value == "*": // the words of the phrase
		return []string{r.said(v, 0, m.end)}
	case rule.value == "" && c != nil:
		return c.texts
	}
	return []string{rule.value}
}

// state adds the facts of a rule.
func (r *reader) state(rule ending, m match, v view, w who, s standing) {
	def := loaded().verbs[rule.slot.verb]
	f := Found{Turn: r.index, Rule: rule.id, Verb: rule.slot.verb, Type: def.Type, Single: def.Single,
		Polarity: trilith.Affirmed, Certainty: trilith.Stated, Priority: trilith.PriorityNormal,
		RequiresAction: def.Type == trilith.FactTask, Node: trilith.Node{Type: def.Node}}
	f.Start, f.End = r.quote(v, m)
	if rule.slot.planned {
		f.Certainty = trilith.Planned
	}
	f.Confidence = def.weight * certaintyWeight[f.Certainty]
	if s >= denied {
		f.Polarity, f.Ends = trilith.Negated, s == over
	}
	if !r.of(&f, rule, m, v, w) {
		return
	}
	if def.Node == "Person" {
		f.Node.Type = "Person"
	}
	r.timing(&f, m, v)
	if rule.recent && (r.dates(v) || f.From != nil && f.From.Before(r.turn.At.AddDate(-1, 0, 0))) {
		return
	}
	if rule.slot.project && !r.inProject(&f, m, v) {
		return
	}
	for _, text := range r.values(rule, &m, v) {
		one := f
		one.Node.Name = text
		for k := range m.captures {
			r.detail(&one, rule, &m.captures[k])
		}
		one.Summary = r.sentenceFor(&one, rule.slot.verb, w)
		r.found = append(r.found, one)
	}
}

// dates reports whether the clause of a view only tells since when something else is: "since I turned 30", and not "since I
// just turned 30".
func (r *reader) dates(v view) bool {
	return r.start > r.from && r.tokens[r.start-1].is(factiveWord) &&
		!r.tokens[v[0]-1].is(adverb) && !r.at(v, 0).is(adverb) && !r.at(v, 1).is(adverb)
}

// of fills in of whom a fact is, and reports whether it is of somebody. A fact of a relative without a name is one of the
// speaker, with the relation before the verb: sister_lives_in. A name of a relative or of an animal says that the speaker
// has them.
func (r *reader) of(f *Found, rule ending, m match, v view, w who) bool {
	word := w.kin
	if len(m.captures) > 1 && (m.captures[0].kind == "kin" || m.captures[0].kind == "animal") {
		word = r.at(v, m.captures[0].to-1).word
	}
	relation := r.l.kin[word]
	switch {
	case word != "" && (rule.slot.verb == "has_name" || w.kin == ""):
		f.Verb = relation.verb
		if r.l.list("animal").has(word) {
			f.Verb = "has_pet"
		}
		if f.Verb == "" { // one name for several: "my parents, John and Emily"
			return false
		}
		def := loaded().verbs[f.Verb]
		f.Type, f.Single, f.Node.Type, f.Content = def.Type, def.Single, def.Node, map[string]any{"as": word}
		f.Confidence = def.weight
	case rule.slot.project:
		f.Subject = ProjectSubject
		if w.name != "" {
			f.Content = map[string]any{"by": w.name}
		}
	case w.name != "":
		f.Subject, f.Name = PersonSubject, w.name
	case w.kin != "":
		f.Verb = relation.label + "_" + f.Verb
		f.Single = f.Single && loaded().verbs[relation.verb].Single // there may be two sisters
		return relation.verb != ""
	}
	return true
}

// timing fills in the time of a fact: what is planned has that of its words, what is so since a time may name it.
func (r *reader) timing(f *Found, m match, v view) {
	for _, c := range m.captures {
		if c.time == nil {
			continue
		}
		from, to := r.directed(c.time, true)
		if f.Type == trilith.FactTask || f.Verb == "has_deadline" {
			last := to.Add(-time.Second)
			f.Deadline = &last
			f.Content = with(f.Content, "due", last.Format(time.DateOnly))
		} else if f.Node.Type != "Date" {
			f.From, f.Until = since(from), before(to)
			if c.time.Kind == dates.Deadline {
				f.From, from = nil, time.Time{}
			}
			f.Content = with(f.Content, "when", asDay(from, to))
		}
		return
	}
	if f.Certainty != trilith.Stated || f.Polarity == trilith.Negated && !f.Ends || f.Type == trilith.FactTask {
		return
	}
	at := view(nil)
	for k := max(r.from, v[0]-7); k < v[0]; k++ { // "last year we moved to Graz"
		at = append(at, k)
	}
	for k := range min(m.end+4, len(v)) { // "I live in Graz since 2019"
		if !slices.ContainsFunc(m.captures, func(c capture) bool { return c.from <= k && k < c.to }) {
			at = append(at, v[k])
		}
	}
	for k, token := range at {
		if t := &r.tokens[token]; !t.is(monthName) && (!t.is(timeWord) || r.adjunct(at, k) < 2) {
			continue
		}
		e, _ := r.timeAt(at, k)
		if e == nil {
			continue
		}
		from, _ := r.directed(e, false)
		switch {
		case from.IsZero() || from.After(r.turn.At) && f.Type == trilith.FactRelationship: // whom one has is there
		case from.After(r.turn.At):
			f.Begins = &from
		case f.Ends:
			f.Until = &from
		default:
			f.From = &from
		}
		return
	}
}

func since(from time.Time) *time.Time {
	if from.IsZero() {
		return nil
	}
	return &from
}

func before(to time.Time) *time.Time {
	if to.Year() >= 9999 {
		return nil
	}
	return &to
}

func with(content map[string]any, key, value string) map[string]any {
	out := map[string]any{key: value}
	for k, v := range content {
		out[k] = v
	}
	return out
}

// detail adds to a fact what a capture says beside its value.
func (r *reader) detail(f *Found, rule ending, c *capture) {
	switch {
	case strings.HasSuffix(f.Verb, "_"):
		kind := foldWord(c.texts[0])
		for _, p := range r.l.list(strings.TrimSuffix(c.kind, "!")).prefixes {
			kind = strings.TrimPrefix(kind, p)
		}
		f.Verb += slug(kind)
	case c.kind == "family":
		f.Node.Name = strings.ToLower(f.Node.Name)
	case c.time != nil && f.Node.Type == "Date":
		f.Node.Name = r.dateOf(c.time)
	}
}

// dateOf writes a day as the value of a fact: 1979-05-04, or 05-04 of any year.
func (r *reader) dateOf(e *dates.Expression) string {
	if hasYear(r.text[e.Start:e.End]) {
		return e.From.Format(time.DateOnly)
	}
	return e.From.Format("01-02")
}

// slug writes words as the end of a verb: favourite_ice_cream.
func slug(words string) string {
	return strings.Join(strings.FieldsFunc(foldWord(words), func(c rune) bool {
		return !(c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c > 127)
	}), "_")
}

// amend adds to an amendment what a rule says of an earlier fact.
func (r *reader) amend(a *Amendment, rule ending, m match, v view) *Amendment {
	if a == nil {
		a = &Amendment{Turn: r.index, Rule: rule.id, Over: refusals[r.l.index][1]}
		a.Start, a.End = r.quote(v, m)
		if c := m.main(rule); c != nil {
			a.Value = c.texts[0]
		}
		if rule.instead {
			a.Value, a.Instead = m.captures[0].texts[0], a.Value
		}
		if rule.slot.project {
			a.Subject = ProjectSubject
		}
	}
	a.Verbs = append(a.Verbs, rule.slot.verb)
	return a
}

// sentenceFor returns a natural sentence for a fact. The day of a plan is a part of it.
func (r *reader) sentenceFor(f *Found, verb string, w who) string {
	say := loaded().verbs[verb].say[r.l.index]
	if f.Content["as"] != nil {
		say = loaded().verbs[f.Verb].say[r.l.index]
	}
	pattern := say[0]
	switch {
	case f.Ends:
		pattern = say[2]
	case f.Polarity == trilith.Negated:
		pattern = say[1]
	}
	kind, _ := strings.CutPrefix(f.Verb, verb)
	if f.Content["as"] != nil {
		w = who{known: true}
	}
	var out strings.Builder
	for _, c := range pattern {
		switch c {
		case '#':
			out.WriteString(r.nameOf(w))
		case '*':
			out.WriteString(f.Node.Name)
		case '~':
			out.WriteString(strings.ReplaceAll(kind, "_", " "))
		default:
			out.WriteRune(c)
		}
	}
	s := out.String()
	note := ""
	if due, ok := f.Content["due"].(string); ok {
		note = [2]string{"due ", "bis "}[r.l.index] + due
	} else if when, ok := f.Content["when"].(string); ok {
		note = when
	}
	if note != "" && f.Node.Name != note {
		s = strings.TrimSuffix(s, ".") + " (" + note + ")."
	}
	return s
}

// nameOf returns the name of a subject in a sentence.
func (r *reader) nameOf(w who) string {
	me := r.turn.Speaker
	switch {
	case w.name != "":
		return w.name
	case me == "":
		me = [2]string{"The user", "Der Nutzer"}[r.l.index]
	}
	switch {
	case w.kin == "":
		return me
	case r.l.code == "en":
		return me + "'s " + w.kin
	case me == "Der Nutzer":
		me = "dem Nutzer"
	}
	article := "Der "
	if w.female {
		article = "Die "
	}
	return article + w.said + " von " + me
}
