package distil

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/lang/textproc"
)

// whose decides whose a claim is: the speaker's, that of another person whose name was said, or that of the matter at
// hand. The model only proposes. A claim of the speaker's has to show it in its clause, in any language. An
// assistant's claims about a person must name that person, and it makes none about itself.
func (h *hearing) whose() string {
	f, subject, assistant := &h.found, strings.TrimSpace(h.claim.About), h.turn.Role == trilith.RoleAssistant
	is := func(names ...string) bool {
		return slices.ContainsFunc(names, func(n string) bool { return n != "" && strings.EqualFold(n, subject) })
	}
	people := []string{h.r.Subject} // whom an assistant talks to
	for _, t := range h.r.Turns {
		if t.Role != trilith.RoleAssistant {
			people = append(people, t.Speaker)
		}
	}
	quote := h.turn.Text[f.Quote.Start:f.Quote.End]
	named, matter := textproc.HasPhrase(quote, subject), is("project", "the project")
	personal := slices.Contains(
		[]trilith.FactType{trilith.FactProfile, trilith.FactPreference, trilith.FactRelationship}, f.Type)
	user := is("user", "the user") || matter && h.r.Person && personal
	matter = matter && !user || is(h.r.Subject) && !h.r.Person
	f.Proposed = assistant && proposal.MatchString(h.frame.whole)
	switch {
	case is("assistant", "the assistant") || assistant && is("speaker", "the speaker", h.turn.Speaker):
		return ReasonSpeaker
	case matter:
		f.Subject = Matter
	case assistant && user:
		f.Subject, f.Name = Person, h.r.Subject
	case assistant && is(people...):
		f.Subject, f.Name = Person, subject
	case user || is("speaker", "the speaker", h.turn.Speaker) || is(h.r.Subject) && !named:
		f.Subject = Speaker
	case !named && first.MatchString(quote) && !assistant:
		return ReasonSpeaker
	case !slices.ContainsFunc(append(slices.Clone(h.near), f.Quote.Turn),
		func(i int) bool { return textproc.HasPhrase(h.r.Turns[i].Text, subject) }):
		return ReasonSubject
	default:
		f.Subject, f.Name = Person, subject
		return ""
	}
	switch clause := h.frame.clause; {
	case f.Type == trilith.FactTask, matter && !personal:
	case !assistant && h.showsSpeaker():
	case assistant && slices.ContainsFunc(people, func(p string) bool { return textproc.HasPhrase(clause, p) }):
	case assistant && (!textproc.HasPhrase(clause, h.claim.WhoseWords) || first.MatchString(clause)):
		return ReasonSpeaker
	default:
		h.doubt(DoubtSubject)
	}
	return ""
}

// showsSpeaker reports whether the clause of a claim shows it to be the speaker's: it holds the words that the model
// takes for the owner's, or, if there are none, the quote begins it; and it names no other person.
func (h *hearing) showsSpeaker() bool {
	q, text, words := h.found.Quote, h.turn.Text, h.claim.WhoseWords
	start, end := q.Start, q.End
	if s, e, _, ok := locate(text[start:end], string(h.claim.Value)); ok { // of a longer quote, the clause of the object
		start, end = q.Start+s, q.Start+e
	}
	f := frameOf(text, start, end)
	from, to := f.begins, min(f.ends, q.End)
	wide := text[from:to]
	cut := clauseBreak // whether a clause has a subject is known in two languages
	if l := textproc.Detect(text); l == textproc.English || l == textproc.German {
		cut = colon
	}
	if cuts := cut.FindAllStringIndex(text[from:max(from, q.Start)], -1); len(cuts) > 0 {
		from += cuts[len(cuts)-1][1]
	}
	clause := strings.TrimLeftFunc(text[from:to], func(r rune) bool { return !unicode.IsLetter(r) })
	lead, own := clause[:max(0, q.Start-to+len(clause))], textproc.HasPhrase(clause, words)
	h.shown = own || h.lang != textproc.Unknown && textproc.HasPhrase(wide, words)
	switch begins := lead == "" || first.MatchString(clause[len(lead):]); {
	case !h.shown && (words != "" || !begins):
		return false
	case h.found.Type == trilith.FactRelationship || h.found.Node.Type == "Person":
		return true
	case !own && f.before != "" && h.lang != textproc.Unknown && !first.MatchString(wide): // its subject is another
		return false
	case otherPerson.MatchString(wide):
		return firstAs.MatchString(wide)
	case !own: // the clause may go on about whom the one before names
		return !namesAnother(h, wide, q.Start-f.begins)
	}
	return !namesAnother(h, clause, len(lead))
}

// namesAnother reports whether a clause names somebody who is neither the speaker nor the object where its owner is
// named: in the words for the owner, between them and the quote, or right after them ("mon amie Léa est …").
func namesAnother(h *hearing, clause string, lead int) bool {
	words, object := h.claim.WhoseWords, letters(string(h.claim.Value))
	expected := func(w string) bool {
		return h.more[w] || generic[w] || slices.ContainsFunc(object, func(o string) bool { return inflected(o, w) })
	}
	lang, m := textproc.Detect(clause), otherName.FindStringSubmatch(clause)
	head, _, several := strings.Cut(words, " ")
	switch {
	case m != nil && (lang == h.lang || lang == textproc.Unknown) && !firstAs.MatchString(clause) && !expected(fold(m[1])):
		return true
	case lang == textproc.German: // every noun has a capital
		return false
	case several && utf8.RuneCountInString(head) > 1 && strings.HasPrefix(fold(clause), fold(words)):
		// a noun is with it, "mon frère", and no preposition, "a mí"
		return lang != textproc.English || !first.MatchString(words)
	}
	another, last, n := false, "", 0 // since the words for the owner
	for _, at := range wordRun.FindAllStringIndex(clause, -1) {
		w := clause[at[0]:at[1]]
		r, _ := utf8.DecodeRuneInString(w)
		capital := last != "" && unicode.IsUpper(r) && !firstAs.MatchString(w) && !expected(fold(w))
		switch own := textproc.HasPhrase(words, w); {
		case own && capital:
			return true
		case own:
			another, n = false, 0
		case capital && (n <= 2 || at[0] < lead) && utf8.RuneCountInString(last) > 2: // no preposition is before it
			another = true
		}
		last, n = w, n+1
	}
	return another
}
