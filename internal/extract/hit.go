package extract

import (
	"math"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/dates"
)

// page is a turn while it is read.
type page struct {
	turn       Turn
	index      int
	before     *Turn  // the turn that this one answers, or nil
	previous   *Turn  // the turn before this one, whoever said it, or nil
	asked      string // the question that the turn before ends with, whoever asked
	sentences  []sentence
	quoted     [][2]int // spans of direct speech
	words      []string // of the present sentence
	woken      []int
	draft      bool // the turn holds a text to work on
	amendments []Amendment
}

func newPage(i int, turns []Turn) *page {
	p := &page{turn: turns[i], index: i, sentences: split(turns[i].Text), quoted: quotations(turns[i].Text)}
	if i > 0 && turns[i].Role == trilith.RoleAssistant && turns[i-1].Role == trilith.RoleUser {
		p.before = &turns[i-1]
	}
	if i > 0 {
		p.previous = &turns[i-1]
	}
	if i > 0 && strings.HasSuffix(strings.TrimSpace(turns[i-1].Text), "?") {
		if n := len(split(turns[i-1].Text)); n > 0 {
			p.asked = split(turns[i-1].Text)[n-1].text
		}
	}
	return p
}

// maxSpeech is the largest distance in bytes between the marks around direct speech: an unclosed mark quotes nothing.
const maxSpeech = 2000

// quotations returns the spans between marks of direct speech in one paragraph.
func quotations(text string) (spans [][2]int) {
	if !strings.ContainsAny(text, "\"“„«»") {
		return nil
	}
	closing := map[rune]string{'"': `"`, '“': "”", '„': "“”", '«': "»", '»': "«"}
	for i := 0; i < len(text); {
		n := strings.IndexAny(text[i:], "\"“„«»")
		if n < 0 {
			break
		}
		start := i + n
		open := firstRune(text[start:])
		i = start + len(string(open))
		paragraph, _, _ := strings.Cut(text[i:min(len(text), i+maxSpeech)], "\n\n")
		if end := strings.IndexAny(paragraph, closing[open]); end >= 0 {
			spans = append(spans, [2]int{start, i + end})
			i += end + len(string(firstRune(text[i+end:])))
		}
	}
	return spans
}

// isQuoted reports whether the byte i of the text is said by someone else.
func (p *page) isQuoted(i int) bool {
	for _, q := range p.quoted {
		if q[0] < i && i < q[1] {
			return true
		}
	}
	return false
}

// read appends what the rules find in s.
func (p *page) read(found []Found, s *sentence) []Found {
	if len(s.text) > maxSentence {
		return found
	}
	p.words = words(p.words[:0], s.text)
	if s == &p.sentences[0] {
		p.draft = slices.ContainsFunc(p.words, func(w string) bool { return quoting[w] })
	}
	if strings.Contains(s.text, "[ ]") {
		p.words = append(p.words, checkbox)
	}
	if p.draft || supposes(p.words) {
		return found
	}
	if meant, ok := p.meant(s); ok {
		s = &meant
	}
	known := len(found)
	for _, clause := range p.clauses(s) {
		found = p.apply(found, &clause)
	}
	whole := p.apply(nil, s)
	found = append(found, slices.DeleteFunc(whole, func(f Found) bool { return isSaid(found[known:], &f) })...)
	return append(found[:known], withoutRepeats(found[known:])...)
}

// swallowing matches the task of taking a medicine.
var swallowing = compiled(`(?i)^take\b|\bnehmen$`)

// withoutRepeats drops the habit of taking a medicine that was found, the habit of meeting at an appointment that was
// found, and the deadline of a task with that deadline.
func withoutRepeats(found []Found) []Found {
	found = slices.DeleteFunc(found, func(f Found) bool {
		return f.Verb == "has_deadline" &&
			slices.ContainsFunc(found, func(k Found) bool { return k.Verb == "has_task" && k.Node.Name == f.Node.Name })
	})
	if !slices.ContainsFunc(
		found, func(f Found) bool { return f.Verb == "takes_medicine" || f.Verb == "has_schedule" }) {
		return found
	}
	return slices.DeleteFunc(found, func(f Found) bool {
		return f.Verb == "does_regularly" || f.Verb == "has_task" && swallowing.MatchString(f.Node.Name)
	})
}

// isSaid reports whether a clause has already stated what the whole sentence seems to state, whose value may include
// the next clause.
func isSaid(found []Found, f *Found) bool {
	return slices.ContainsFunc(
		found, func(k Found) bool { return k.Verb == f.Verb && k.Name == f.Name && k.Rule == f.Rule })
}

// apply appends what the rules find in one clause.
func (p *page) apply(found []Found, s *sentence) []Found {
	if s.made {
		p.words = words(p.words[:0], s.text)
	}
	p.woken = woken(p.words, p.woken[:0])
	var when []dates.Expression
	for _, i := range p.woken {
		r := &rules[i]
		if s.question && !r.asked || len(r.needed) > 0 &&
			!slices.ContainsFunc(p.words, func(w string) bool { return r.needed[w] }) {
			continue
		}
		for _, m := range r.compiled().FindAllStringSubmatchIndex(s.text, 4) {
			h := hit{page: p, sentence: s, rule: r, m: m, when: &when}
			found = h.assess(found)
		}
	}
	return found
}

// hit is a match of a rule while it is assessed.
type hit struct {
	Found
	*page
	sentence *sentence
	rule     *rule
	m        []int // of the pattern, in the sentence's text
	x, y     string
	kin      string // the relation of the person meant to the speaker, if that is all that is known of them
	also     []Found
	when     *[]dates.Expression // expressions in the sentence, found on first use
}

func (h *hit) group(n int) string {
	if n == 0 || h.m[2*n] < 0 {
		return ""
	}
	return h.sentence.text[h.m[2*n]:h.m[2*n+1]]
}

// named returns a named group of the pattern, or "" if there is none.
func (h *hit) named(name string) string { return h.group(max(0, h.rule.compiled().SubexpIndex(name))) }

// cuts reports whether a group ends before a digit of its word, as Town does in "Town1", which names something else.
// Letters may follow: rules take German compounds apart.
func (h *hit) cuts(n int) bool {
	if n == 0 || h.m[2*n] < 0 {
		return false
	}
	text, end := h.sentence.text, h.m[2*n+1]
	last, _ := utf8.DecodeLastRuneInString(text[:end])
	next, _ := utf8.DecodeRuneInString(text[end:])
	return unicode.IsLetter(last) && unicode.IsDigit(next)
}

// assess appends what the match states, if anything.
func (h *hit) assess(found []Found) []Found {
	g := h.rule.groups()
	start := h.m[0]
	for start < h.m[1] && !isWordStart(h.sentence.text[start:]) {
		start++
	}
	if h.isQuoted(h.sentence.place(start)) {
		return found
	}
	if h.cuts(g.x) || h.cuts(g.y) {
		return found
	}
	h.x, h.y = h.group(g.x), h.group(g.y)
	h.Found = Found{Turn: h.index, Rule: h.rule.id, Verb: h.rule.verb, Subject: h.rule.subject,
		Polarity:  trilith.Affirmed,
		Certainty: trilith.Stated, Priority: trilith.PriorityNormal, at: h.sentence.place(start)}
	h.Start, h.End = h.sentence.start, h.sentence.end
	if h.End-h.Start > maxQuote {
		h.Start, h.End = h.at, h.sentence.start+h.m[1]
	}
	before, after := h.sentence.text[:start], h.sentence.text[h.m[1]:]
	who := h.group(g.who)
	relation, name, isKin := kinsman(who)
	switch {
	case isKin && !beginsClause(before):
		return found
	case isKin && name != "":
		h.Subject, h.Name = PersonSubject, name
	case isKin:
		h.kin = relation
	case who != "" && who != "I" && who != "i":
		if first, rest, ok := strings.Cut(who, " "); ok && (clauseOpeners[lower(first)] || hedges[lower(first)]) {
			who = strings.TrimSpace(rest)
			if hedges[lower(first)] {
				h.Certainty = trilith.Hedged
			}
		}
		if !isPerson(who) || !beginsClause(before) || strings.HasSuffix(who, "'s") || strings.HasSuffix(who, "’s") {
			return found
		}
		h.Subject, h.Name = PersonSubject, who
	}
	if h.Subject == SpeakerSubject && h.turn.Role == trilith.RoleAssistant && h.turn.Speaker == "" {
		return found
	}
	if !h.modify(before, h.group(g.adv), after) {
		return found
	}
	if h.rule.change != nil {
		h.changed()
		return found
	}
	if h.rule.ends {
		h.Ends, h.Polarity = true, trilith.Negated
	}
	h.Node.Name = h.x
	if h.rule.check != nil && !h.rule.check(h) || h.restricted() || h.auxiliary() ||
		h.Subject == SpeakerSubject && h.kin == "" && h.Polarity == trilith.Negated &&
			(h.Ends || lastingly.MatchString(h.sentence.text)) && !(h.owned() && h.wholly()) {
		return found
	}
	if h.Node.Name = tidy(tailless(tidy(h.Node.Name))); h.Node.Name == "" {
		return found
	}
	h.complete()
	return append(append(found, h.Found), h.also...)
}

// maxQuote is the largest length in bytes of a sentence that is quoted completely.
const maxQuote = 500

// complete fills in what follows from the verb.
func (h *hit) complete() {
	v := lookUp(h.Verb)
	if h.Verb == "wants" && h.Certainty == trilith.Stated { // it has not come true
		h.Certainty = trilith.Planned
	}
	h.Single = v.Single
	h.Type = v.Type
	h.Node.Type = v.Node
	h.Confidence = math.Round(100*v.weight*certaintyWeight[h.Certainty]) / 100
	h.Summary = h.sentenceFor(v)
	if h.kin != "" {
		h.Verb, h.Single = kinVerb(h.kin, h.Verb), v.Single && isOnly(h.kin)
	}
}

// second adds another fact of the same sentence, a copy of this one with another verb, name and end.
func (h *hit) second(verb, name string, ends bool) {
	other := *h
	other.also = nil
	other.Verb, other.Node.Name = verb, tidy(tailless(tidy(name)))
	if ends {
		other.Ends, other.Polarity, other.From = true, trilith.Negated, nil
	}
	if other.Node.Name != "" {
		other.complete()
		h.also = append(h.also, other.Found)
	}
}

// put sets an entry of the content.
func (h *hit) put(key string, value any) {
	if h.Content == nil {
		h.Content = make(map[string]any)
	}
	h.Content[key] = value
}

// times returns the expressions of time in the sentence.
func (h *hit) times() []dates.Expression {
	if *h.when == nil && !h.turn.At.IsZero() {
		l := dates.English
		if h.rule.lang == german {
			l = dates.German
		}
		*h.when = append([]dates.Expression{}, dates.Find(h.sentence.text, h.turn.At, l)...)
	}
	return *h.when
}

// within returns the expressions of time between two places of the sentence.
func (h *hit) within(start, end int) (inside []dates.Expression) {
	for _, e := range h.times() {
		if start <= e.Start && e.End <= end {
			inside = append(inside, e)
		}
	}
	return inside
}

// withoutTimes returns the value x without the expressions of time in it.
func (h *hit) withoutTimes() string {
	n := h.rule.groups().x
	return h.cutTimes(h.m[2*n], h.m[2*n+1])
}

func (h *hit) cutTimes(start, end int) string {
	var b strings.Builder
	at := start
	for _, e := range h.within(start, end) {
		if e.Granularity < dates.Minute || e.Kind == dates.Duration {
			continue
		}
		b.WriteString(strings.TrimRight(h.sentence.text[at:e.Start], " "))
		at = e.End
	}
	b.WriteString(h.sentence.text[at:end])
	return strings.TrimSpace(b.String())
}

// due sets the deadline to the end of the first expression of time between two places that is a point or an end.
func (h *hit) due(start, end int) bool {
	for _, e := range h.within(start, end) {
		if e.Kind == dates.Point || e.Kind == dates.Deadline {
			_, to := h.coming(e)
			last := to.Add(-time.Second)
			h.Deadline = &last
			h.put("due", last.Format(time.DateOnly))
			return true
		}
	}
	return false
}

// during sets the time to the first expression of time in the sentence, and reports whether there is one.
func (h *hit) during() bool {
	for _, e := range h.times() {
		if e.Kind == dates.Recurring || e.Kind == dates.Duration {
			continue
		}
		from, until := e.From, e.To
		if coming[h.rule.verb] && !isPast.MatchString(h.sentence.text) {
			from, until = h.coming(e)
		}
		if !from.IsZero() {
			h.From = &from
		}
		if until.Before(dates.Forever()) {
			h.Until = &until
		}
		h.put("when", strings.TrimSpace(h.sentence.text[e.Start:e.End]))
		return true
	}
	return false
}

// beginning comes before the point in time from which on something is so.
var beginning = compiled(`(?i)(?:^|\s)(?:from|as of|as from|effective|beginning|starting)\s+(?:on\s+)?$`)

// since sets the beginning of a state that continues: since 2019, in May, from next May on.
func (h *hit) since() {
	for _, e := range h.times() {
		if e.Kind == dates.Interval || e.Kind == dates.Point && e.Granularity >= dates.Day {
			switch from := e.From; {
			case from.IsZero():
			case from.After(h.turn.At):
				if e.To.Equal(dates.Forever()) || e.Kind == dates.Point &&
					beginning.MatchString(h.sentence.text[:e.Start]) {
					h.Begins = &from
					return
				}
			default:
				if h.Ends {
					h.Until = &from
				} else {
					h.From = &from
				}
				return
			}
		}
	}
}

func isWordStart(s string) bool {
	r := firstRune(s)
	return unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("[-#", r)
}

// tidy removes marks around a value and repeated white space.
func tidy(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	s = strings.Trim(s, " ,;:.!?\"“”„*_`")
	if strings.Count(s, "(") != strings.Count(s, ")") {
		s = strings.Trim(s, "()")
	}
	return s
}

// negate sets the polarity if the pattern itself contains the denial; followed by "mehr", it is an end.
func (h *hit) negate() {
	h.Polarity = trilith.Negated
	if match := h.sentence.text[h.m[0]:h.m[1]]; noLonger.MatchString(match) || strings.Contains(match, " mehr") {
		h.Ends = true
	}
}
