package lexical

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/lang/textproc"
)

// OnlyAsks reports whether a memory is a turn that asks and tells nothing: each of its clauses has the form of a
// question, none states something of the speakers, and none holds a name, a number or a day. A question mark does not
// by itself make three words a question: "You asked her?" tells. Only turns in a language with a file are recognised.
func OnlyAsks(m *trilith.Memory) bool {
	if m.Kind != trilith.KindEpisode || len(m.Text) > longestQuestion {
		return false
	}
	// most turns tell in their first clause, in whatever language: that is known before theirs is
	if !slices.ContainsFunc(known().all, func(l *language) bool { return l.onlyAsks(m.Text) }) ||
		strings.ContainsFunc(m.Text, unicode.IsDigit) || tellsName(m.Text) {
		return false
	}
	l := known().of(textproc.Analyzer{}.Language(m.Text))
	return l != nil && l.onlyAsks(m.Text)
}

// onlyAsks reports whether a clause of a text asks and none tells, if the text is in this language.
func (l *language) onlyAsks(text string) bool {
	asks, from := false, 0
	for at, r := range text {
		end := at + utf8.RuneLen(r)
		switch r {
		case ',', ';', ':', '–', '—':
		default:
			if end < len(text) && !textproc.EndsSentence(text, at) {
				continue
			}
		}
		switch l.clause(text[from:end], r == '?') {
		case clauseTells:
			return false
		case clauseAsks:
			asks = true
		}
		from = end
	}
	return asks
}

const (
	// longestQuestion is the size of a text in bytes from which on it is not read: so long a question tells something.
	longestQuestion = 600
	// fewWords tell nothing: "Oh wow", "And you?"
	fewWords = 3
	// lateStart is how many words may precede a question: "But like is it normal".
	lateStart = 2
)

// The kinds of clauses. A greeting or an exclamation is neither of the other two.
const (
	clauseNeither = iota
	clauseAsks
	clauseTells
)

// clause returns the kind of a clause.
func (l *language) clause(text string, marked bool) int {
	w := wordsOf(text)
	defer w.free()
	n := len(w.spans)
	asks := marked && n > 0 && n < fewWords || l.asks(w, marked)
	if !asks && n > fewWords {
		return clauseTells
	}
	days, speakers := l.words["day words"], l.words["speaker words"]
	for i := range w.spans {
		word := w.at(i)
		if days[string(word)] || speakers[string(word)] && !l.inverted(w, i) {
			return clauseTells
		}
	}
	if asks {
		return clauseAsks
	}
	return clauseNeither
}

// inverted reports whether a verb that asks precedes the word i: did I, should we.
func (l *language) inverted(w *words, i int) bool {
	return i > 0 && w.spans[i].joined && l.words["helping words"][string(w.at(i-1))]
}

// asks reports whether a clause begins as questions do. Where a question mark ends it, a word that asks is
// enough, or a verb that asks at its head.
func (l *language) asks(w *words, marked bool) bool {
	for i := range min(lateStart+1, len(w.spans)) {
		word := w.at(i)
		if marked && (l.words["question words"][string(word)] || i == 0 && l.words["helping words"][string(word)]) {
			return true
		}
		for _, p := range l.byWord[string(word)] {
			if p.cue == ofAsking && p.matches(w, i) {
				return true
			}
		}
	}
	return false
}

// tellsName reports whether a word within a sentence begins with a capital and is not the word I.
func tellsName(text string) bool {
	begins := true
	for word := range strings.FieldsSeq(text) {
		letters := strings.TrimFunc(word, func(r rune) bool { return !unicode.IsLetter(r) })
		if r, n := utf8.DecodeRuneInString(letters); !begins && unicode.IsUpper(r) && letters != "I" &&
			!strings.HasPrefix(letters[n:], "'") && !strings.HasPrefix(letters[n:], "’") {
			return true
		}
		begins = letters == "" && begins || strings.ContainsAny(word[len(word)-1:], ".!?")
	}
	return false
}
