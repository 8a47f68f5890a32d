package extract

import (
	"strings"

	"github.com/trilith-memory/trilith"
)

// This file has the values that only phrases of projects have.

// deed reads an order to somebody, if it begins with a verb of work: most requests to an assistant are about the
// conversation.
func deed(r *reader, v view, i int) (value, int) {
	val, end := task(r, v, i)
	if end == 0 || !r.in(r.at(v, i), "doing") {
		return value{}, 0
	}
	verb, what, _ := strings.Cut(val.texts[0], " ")
	if whom, rest, ok := strings.Cut(what, " "); ok && r.l.list("whom").has(whom) { // "get me a quote"
		what = rest
	}
	val.texts = []string{strings.ToLower(verb) + " " + what}
	if what == "" {
		return value{}, 0
	}
	return val, end
}

// happening reads a thing and an event, which is in a list: "drywall starts", "the crane is available" as "crane
// available", "the slab is poured" as "slab poured".
func happening(list string) parser {
	return func(r *reader, v view, i int) (value, int) { return r.happening(list, v, i) }
}

func (r *reader) happening(list string, v view, i int) (value, int) {
	i = r.headless(v, i)
	to, known := i, r.l.list(list)
	isBe := func(t *token) bool { return t.is(auxiliary) || r.l.irregular[t.word] != "" }
	for t := r.at(v, to); to-i < 6 && !t.mark && !isBe(t) && !known.has(t.word) &&
		!t.is(pronoun|relative|factiveWord|andWord|turning|notWord); t = r.at(v, to) {
		to++
	}
	end := to
	for isBe(r.at(v, end)) || r.at(v, end).is(adverb) {
		end++
	}
	if to == i || r.in(r.at(v, i), "vague", "stop") || !known.has(r.at(v, end).word) || r.anyListed("future", v[to], v[end]) {
		return value{}, 0
	}
	return one(r.said(v, i, to) + " " + r.said(v, end, end+1)), end + 1
}

// blocked reads a clause that names the thing that work waits for: with a word for it, or "can not … until …".
func blocked(r *reader, v view, i int) (value, int) {
	i = r.headless(v, i)
	end, denied, waits := i, false, false
	for ; end < len(v) && !r.at(v, end).mark; end++ {
		denied = denied || r.at(v, end).is(notWord)
		waits = waits || !denied && r.entryAt("blocking", v[end]) > 0 || denied && r.entryAt("until", v[end]) > 0
	}
	return r.value(v, i, end, waits && !r.in(r.at(v, i), "vague"))
}

// acted reads such a clause that begins with a name and its action: "Kessler delivers the windows on 12 June".
func acted(r *reader, v view, i int) (value, int) {
	_, to := firm(r, v, i)
	verb := r.at(v, to).word
	if to == 0 || r.at(v, to).mark || !strings.HasSuffix(verb, "s") && !strings.HasSuffix(verb, "t") && verb != "will" {
		return value{}, 0
	}
	return act(r, v, i)
}

// firm reads the name of a party: "Holm & Sons".
func firm(r *reader, v view, i int) (value, int) {
	to := i
	for r.at(v, to).upper || to > i && (r.at(v, to).word == "&" || r.at(v, to).is(ofWord|andWord)) && r.at(v, to+1).upper {
		to++
	}
	return r.value(v, i, to, !r.at(v, i).is(stopWord|definite|articleWord))
}

// act reads a clause that names a day to come and is not about the past; the day is no part of its words.
func act(r *reader, v view, i int) (value, int) {
	_, end := words(r, v, i)
	for _, k := range [...]int{i, i + 1, end - 1} { // "had a meeting", "haben den Estrich gegossen"
		if (k != end-1 || r.l.code == "de") && r.l.list("past").has(r.at(v, k).word) && !r.at(v, k).upper {
			return value{}, 0
		}
	}
	text, e := r.undated(v, i, end)
	if !strings.Contains(text, " ") || r.in(r.at(v, i), "vague", "unclear") {
		return value{}, 0
	}
	return value{texts: []string{text}, time: e}, end
}

// words reads the rest of a clause.
func words(r *reader, v view, i int) (value, int) {
	end := r.clauseEnd(v, i, factiveWord|turning)
	return r.value(v, i, end, !r.in(r.at(v, i), "vague"))
}

// inProject adds to a fact of a project the details of its kind: the person in charge, the urgency, that it is
// done. It reports false for a clause whose day has begun: it tells of the past.
func (r *reader) inProject(f *Found, m match, v view) bool {
	last := &m.captures[len(m.captures)-1]
	begun := false
	if last.kind == "act" || last.kind == "acted" {
		from, _ := r.directed(last.time, true)
		begun = !from.After(r.turn.At)
	}
	switch {
	case begun, f.Type == trilith.FactTask && !strings.Contains(last.texts[0], " "):
		return false
	case f.Type == trilith.FactTask:
		f.Content = with(f.Content, "said_by", r.turn.Speaker)
		if i := v[0] - 1; i >= 0 && strings.EqualFold(r.text[r.tokens[i].start:r.tokens[i].end], r.l.self) { // and not "we"
			f.Subject = SpeakerSubject
			f.Content = with(f.Content, "assignee", r.turn.Speaker)
		}
		if m.captures[0].kind == "proper" {
			f.Content = with(f.Content, "assignee", m.captures[0].texts[0])
		}
		if r.anyListed("urgent", r.from, r.to) {
			f.Priority = trilith.PriorityHigh
		}
	case f.Verb == "has_deadline":
		f.RequiresAction = true
	case f.Verb == "has_blocker":
		f.Priority = trilith.PriorityHigh
	case last.kind == "outcome":
		f.Content = with(f.Content, "status", "done")
	}
	return true
}
