package lexical

import (
	"slices"
	"strings"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/lang/textproc"
)

// Marks are properties of a turn that are recorded when it is written. Notes, documents and an assistant's turns have
// none but Asks: the rules for the others concern people who speak of themselves.
type Marks uint8

// The marks. All but Asks are found by the rules of the language of the turn, and no turn has them in a language
// without a file.
const (
	Impersonal Marks = 1 << iota // a person's turn without a word for themselves
	Timed                        // it speaks of a time
	Wish                         // it states a preference or a standing instruction
	Asks                         // it asks something
)

func (m Marks) has(v Marks) bool { return m&v != 0 }

// Layout changes whenever the same turn gets other marks than before, which makes stored marks invalid.
const Layout = 2

// MarksOf returns the marks of a memory with a text, in the language that the text tells.
func MarksOf(f *trilith.Facets, text string) Marks { return MarksIn(textproc.Analyzer{}, f, text) }

// MarksIn is [MarksOf] for texts in the languages of an analyzer. It looks at the first 8 KB and takes about 5 µs for a
// turn of 30 words.
func MarksIn(a textproc.Analyzer, f *trilith.Facets, text string) Marks {
	if f.Kind != trilith.KindEpisode {
		return 0
	}
	text = beginning(text)
	var m Marks
	if strings.IndexByte(text, '?') >= 0 || strings.Contains(text, "？") || strings.Contains(text, "؟") {
		m |= Asks
	}
	if f.Role == trilith.RoleAssistant {
		return m
	}
	l := known().of(a.Language(text))
	if l == nil {
		return m
	}
	w := wordsOf(text)
	defer w.free()
	found := l.find(w, ofPerson|ofTime|ofPreference)
	if !found.has(ofPerson) {
		m |= Impersonal
	}
	if found.has(ofTime) {
		m |= Timed
	}
	if found.has(ofPreference) {
		m |= Wish
	}
	return m
}

// Apart reports whether other turns stand between two turns of a session that are neighbours on their side, mostly
// turns of the other side. Their numbers in the session show it. Such a neighbour is boosted less, because the turn
// before it has been answered already.
func Apart(before, after int) bool { return after-before > 1 }

// AsksAssistant reports whether a question is about the assistant's words or actions, in any language with a file. A
// request ("can you recommend a hotel") is not: the answer is in what people said about themselves.
func AsksAssistant(text string) bool {
	w := wordsOf(beginning(text))
	defer w.free()
	return slices.ContainsFunc(known().all, func(l *language) bool { return l.find(w, ofAssistant) != 0 })
}

// AsksOwn reports whether a question is about the caller's state, actions or words. It has to be in a language with a
// file and have the caller as its subject, and must ask neither for help nor for things that they can or should do.
func AsksOwn(text string) bool {
	l := known().of(textproc.Analyzer{}.Language(text))
	if l == nil {
		return false
	}
	w := wordsOf(beginning(text))
	defer w.free()
	found := l.find(w, ofOwn|ofRequest)
	for i := range w.spans {
		if l.words["speaker words"][string(w.at(i))] && !l.inverted(w, i) {
			found |= ofOwn
		}
	}
	return found == ofOwn
}

// traits are properties of a question: the kinds of answer that it asks for.
type traits uint8

const (
	forTime traits = 1 << iota
	forHelp
)

func (t traits) has(v traits) bool { return t&v != 0 }

// asked returns the traits of a question in one of some languages, as far as the rules use them.
func asked(w *words, among []*language, rules Rules) (t traits) {
	var found cues
	for _, l := range among {
		found |= l.find(w, ofWhen|ofRequest|ofOwn)
	}
	if rules.Has(RuleWhen) && found.has(ofWhen) {
		t |= forTime
	}
	if rules.Has(RuleCue) && found.has(ofRequest) && !found.has(ofOwn) {
		t |= forHelp
	}
	return t
}
