package distil

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/textproc"
)

// whose judges whose a claim is: the speaker's, that of another person whose name was said, or that of the matter at
// hand. The model only proposes: what is the speaker's has to show in its clause, in any language, and an assistant says
// of somebody only what names them, of itself nothing.
func (h *hearing) whose() string {
	f, subject, assistant := &h.found, strings.TrimSpace(h.claim.Subject), h.turn.Role == trilith.RoleAssistant
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
	named, project := textproc.HasPhrase(quote, subject), is("project", "the project") || is(h.r.Subject) && !h.r.Person
	f.Proposed = assistant && proposal.MatchString(h.frame.whole)
	switch user := is("user", "the user"); {
	case is("assistant", "the assistant") || assistant && is("speaker", "the speaker", h.turn.Speaker):
		return ReasonSpeaker
	case project:
		f.Subject = Matter
	case assistant && user:
		f.Subject, f.Name = Person, h.r.Subject
	case assistant && is(people...):
		f.Subject, f.Name = Person, subject
	case user || is("speaker", "the speaker", h.turn.Speaker) || is(h.r.Subject) && !named:
		f.Subject = Speaker
	case !named && first.MatchString(quote) && !assistant:
		return ReasonSpeaker
	case !slices.ContainsFunc(append(h.refs, f.Quote.Turn),
		func(i int) bool { return textproc.HasPhrase(h.r.Turns[i].Text, subject) }):
		return ReasonSubject
	default:
		f.Subject, f.Name = Person, subject
		return ""
	}
	switch clause := h.frame.clause; {
	case f.Type == trilith.FactTask, project && !personal[f.Type]:
	case !assistant && h.showsSpeaker():
	case assistant && slices.ContainsFunc(people, func(p string) bool { return textproc.HasPhrase(clause, p) }):
	case assistant && (!textproc.HasPhrase(clause, h.claim.WhoseWords) || first.MatchString(clause)):
		return ReasonSpeaker
	default:
		h.doubt(DoubtSubject)
	}
	return ""
}

// personal are the types of what is true of a person only.
var personal = map[trilith.FactType]bool{trilith.FactProfile: true, trilith.FactPreference: true,
	trilith.FactRelationship: true}

// showsSpeaker reports whether the clause of a claim shows it to be the speaker's: it holds the words that the model
// takes for the owner's, or, where there are none, the quote begins it; and it names nobody else.
func (h *hearing) showsSpeaker() bool {
	q, text, words := h.found.Quote, h.turn.Text, h.claim.WhoseWords
	start, end := q.Start, q.End
	if s, e, _, ok := locate(text[start:end], string(h.claim.Object)); ok { // of a longer quote, the clause of the object
		start, end = q.Start+s, q.Start+e
	}
	f := frameOf(text, start, end)
	from := f.begins
	if cuts := clauseBreak.FindAllStringIndex(text[from:max(from, q.Start)], -1); h.lang == textproc.Unknown && len(cuts) > 0 {
		from += cuts[len(cuts)-1][1] // whether a clause has a subject is not known
	}
	clause := text[from:min(f.ends, q.End)]
	lead := clause[:max(0, q.Start-from)]
	h.shown = textproc.HasPhrase(clause, words)
	switch begins := !strings.ContainsFunc(lead, unicode.IsLetter) || first.MatchString(clause[len(lead):]); {
	case !h.shown && (words != "" || !begins):
		return false
	case h.found.Type == trilith.FactRelationship || h.found.Node.Type == "Person":
		return true
	case otherPerson.MatchString(clause):
		return firstAs.MatchString(clause)
	}
	return !h.namesAnother(clause, len(lead))
}

// namesAnother reports whether a clause names somebody who is neither the speaker nor the object where its owner is
// named: in the words for the owner, between them and the quote, or at the beginning ("mon amie Léa est …").
func (h *hearing) namesAnother(clause string, lead int) bool {
	words, mine := h.claim.WhoseWords, h.turn.Speaker+" "+h.r.Subject+" "+string(h.claim.Object)
	for _, i := range h.found.Refers {
		mine += " " + h.r.Known[i].Memory.Fact.Node.Name
	}
	lang, m := textproc.Detect(clause), otherName.FindStringSubmatch(clause)
	switch {
	case slices.ContainsFunc(h.claim.Entities, func(e string) bool {
		return !textproc.HasPhrase(mine, e) &&
			(textproc.HasPhrase(words, e) || words == "" && strings.HasPrefix(fold(clause), fold(e)))
	}):
		return true
	case m != nil && (lang == h.lang || lang == textproc.Unknown) && !first.MatchString(clause) &&
		!textproc.HasPhrase(mine, m[1]) && !generic[fold(m[1])]:
		return true
	case lang == textproc.German: // every noun has a capital
		return false
	case strings.Contains(words, " ") && strings.HasPrefix(fold(clause), fold(words)): // with a noun: "mon frère"
		return lang != textproc.English || !first.MatchString(words)
	}
	last := ""
	for i, at := range wordRun.FindAllStringIndex(clause, -1) {
		w := clause[at[0]:at[1]]
		r, _ := utf8.DecodeRuneInString(w)
		name := unicode.IsUpper(r) && min(utf8.RuneCountInString(w), utf8.RuneCountInString(last)-1) > 1 &&
			!textproc.HasPhrase(mine, w) // neither the first word, nor I, nor after a preposition
		if name && (i <= 2 || at[0] < lead || textproc.HasPhrase(words, w)) {
			return true
		}
		last = w
	}
	return false
}
