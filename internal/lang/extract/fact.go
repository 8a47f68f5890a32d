package extract

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/lang/dates"
)

// certaintyWeight is the factor by which a certainty reduces a family's weight.
var certaintyWeight = map[trilith.Certainty]float64{trilith.Stated: 1, trilith.Planned: 0.8, trilith.Hedged: 0.55}

// maxQuote is the longest sentence in bytes that is quoted as a whole.
const maxQuote = 600

// emit adds the facts that a match states of a subject.
func (r *reader) emit(m match, v view, w who, s standing) {
	if !r.loose && s == held {
		r.lead = m
	}
	var amended *Amendment
	for _, rule := range m.ends {
		switch {
		case !w.speaks() && rule.slot.self:
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
	last := r.after - 1
	if r.tokens[last].word == "\n" {
		last--
	}
	start, end = r.tokens[r.from].start, r.tokens[last].end
	if end-start <= maxQuote || m.end == 0 {
		return start, end
	}
	from, to := v[0], v[0]
	for _, k := range v[:m.end] {
		from, to = min(from, k), max(to, k)
	}
	return r.tokens[max(r.from, from-3)].start, r.tokens[to].end
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
	r.timing(&f, m, v)
	if rule.recent && (r.dates(v) || f.From != nil && f.From.Before(r.turn.At.AddDate(-1, 0, 0))) ||
		rule.slot.project && !r.inProject(&f, m, v) {
		return
	}
	values := []string{rule.value}
	switch rule.value {
	case "*": // the words of the phrase
		values[0] = r.said(v, 0, m.end)
	case "":
		values = m.captures[rule.pick].texts
	}
	for _, text := range values {
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
		f.Content = with(nil, "by", w.name)
	case w.name != "":
		f.Subject, f.Name = PersonSubject, w.name
	case w.kin != "":
		f.Verb = relation.label + "_" + f.Verb
		f.Single = f.Single && loaded().verbs[relation.verb].Single // there may be two sisters
		return relation.verb != ""
	}
	return true
}

// timing fills in the time of a fact. A plan takes the time that its words name; a lasting fact may name its
// beginning.
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
			if c.time.Kind == dates.Deadline {
				from = time.Time{}
			}
			if !from.IsZero() {
				f.From = &from
			}
			if to.Before(dates.Forever()) {
				f.Until = &to
			}
			f.Content = with(f.Content, "when", asDay(from, to))
		}
		return
	}
	if r.loose || f.Certainty != trilith.Stated || f.Polarity == trilith.Negated && !f.Ends || f.Type == trilith.FactTask {
		return
	}
	begin, end := r.tokens[max(r.begin, v[0]-7)].start, r.at(v, min(m.end+3, len(v)-1)).end
	for _, e := range r.clock() { // "last year we moved to Graz", "I live in Graz since 2019"
		from, _ := r.directed(&e, false)
		held := func(c capture) bool { return r.at(v, c.from).start <= e.Start && e.Start < r.at(v, c.to-1).end }
		if e.Start < begin || e.Start >= end || from.IsZero() || slices.ContainsFunc(m.captures, held) {
			continue
		}
		switch {
		case from.After(r.turn.At) && f.Type == trilith.FactRelationship: // whom one has is there
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

func with(content map[string]any, key, value string) map[string]any {
	if value == "" {
		return content
	}
	out := map[string]any{key: value}
	maps.Copy(out, content)
	return out
}

// detail adds to a fact the details that a capture gives with its value.
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

// amend adds to an amendment a rule's statement about an earlier fact.
func (r *reader) amend(a *Amendment, rule ending, m match, v view) *Amendment {
	if a == nil {
		a = &Amendment{Turn: r.index, Rule: rule.id, Over: notHeld[r.l.index][2]}
		a.Start, a.End = r.quote(v, m)
		if rule.pick >= 0 {
			a.Value = m.captures[rule.pick].texts[0]
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

// notHeld begins the sentence of a denied or ended fact if its verb has no wording of its own.
var notHeld = [2][3]string{{"", "Not: ", "No longer: "}, {"", "Nicht: ", "Nicht mehr: "}}

// denial is how a sentence of the tables is denied (1) or ended (2): "# lives in *." is "# no longer lives in *."
func (l *language) denial(say string, how int) string {
	words := strings.Fields(say)
	be := slices.IndexFunc(words, func(w string) bool { return w == "is" || w == "was" || w == "ist" })
	at, not := max(1, be), [2][3]string{{"", " not", " no longer"}, {"", " nicht", " nicht mehr"}}[l.index][how]
	switch {
	case len(words) < 2 || be < 0 && words[0] != "#":
		return notHeld[l.index][how] + say
	case be > 0 || l.code == "de":
		words[at] += not
	case how == 1:
		words[at] = "does not " + append(l.verbForms(words[at]), words[at])[0]
	default:
		words[at] = "no longer " + words[at]
	}
	return strings.Join(words, " ")
}

// sentenceFor returns a natural sentence for a fact. The day of a plan is a part of it.
func (r *reader) sentenceFor(f *Found, verb string, w who) string {
	if f.Content["as"] != nil {
		verb, w = f.Verb, who{known: true}
	}
	say, k := loaded().verbs[verb].say[r.l.index], 0
	switch {
	case f.Ends:
		k = 2
	case f.Polarity == trilith.Negated:
		k = 1
	}
	pattern := cmp.Or(say[k], r.l.denial(say[0], k))
	kind := strings.ReplaceAll(strings.TrimPrefix(f.Verb, verb), "_", " ")
	s := strings.NewReplacer("#", r.nameOf(w), "*", f.Node.Name, "~", kind).Replace(pattern)
	note, _ := f.Content["when"].(string)
	if due, ok := f.Content["due"].(string); ok {
		note = [2]string{"due ", "bis "}[r.l.index] + due
	}
	if note != "" && f.Node.Name != note {
		s = strings.TrimSuffix(s, ".") + " (" + note + ")."
	}
	return s
}

// nameOf returns the name of a subject in a sentence.
func (r *reader) nameOf(w who) string {
	me := cmp.Or(r.turn.Speaker, [2]string{"the user", "dem Nutzer"}[r.l.index])
	switch {
	case w.name != "":
		return w.name
	case w.kin == "":
		return cmp.Or(r.turn.Speaker, [2]string{"The user", "Der Nutzer"}[r.l.index])
	case r.l.code == "en":
		return me + "'s " + w.kin
	}
	return w.said + " von " + me
}
