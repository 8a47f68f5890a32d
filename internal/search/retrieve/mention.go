package retrieve

import (
	"strings"
	"time"
	"unicode"

	"github.com/trilith-memory/trilith/internal/lang/dates"
	"github.com/trilith-memory/trilith/internal/lang/textproc"
)

const (
	maxNamed = 60 // words of a sentence that may be names
	longName = 4  // characters of a name where no spaces are between words
)

// Mention is what may be a name in a sentence.
type Mention struct {
	Name, Before string // Before is the word in front of it, small, in a language whose articles are known
	Cased        bool   // the sentence has capitals
	Sure         bool   // another word would not be written like this in its place
}

// Mentions returns what may be names in a sentence of a question: words and pairs of words outside expressions of time,
// but no word that is common in the language of the sentence and may owe its capital to its place.
func Mentions(sentence string, now time.Time) (out []Mention) {
	language := textproc.Analyzer{}.Language(sentence)
	sentence, _ = Undated(sentence, time.Time{}, now)
	cased := strings.ToLower(sentence) != sentence && strings.ToUpper(sentence) != sentence
	words, before := Words(sentence), ""
	for i, word := range words[:min(len(words), maxNamed)] {
		name, owns := strings.CutSuffix(word, "'s")
		m := Mention{Cased: cased,
			Sure: owns || len(words) == 1 || cased && i > 0 || strings.ToUpper(word) == strings.ToLower(word)}
		names := []string{name}
		if base, ok := strings.CutSuffix(name, "s"); ok && language != textproc.English { // Nadias Hund
			names = append(names, base)
		}
		if _, elided, ok := strings.Cut(name, "'"); ok { // l'adresse d'Anna
			names = append(names, elided)
		}
		if language == textproc.English || language == textproc.German { // a is a verb in French
			m.Before = strings.ToLower(before)
		}
		for _, m.Name = range names {
			if m.Sure || !textproc.Stops(textproc.Fold(name)).Has(language) {
				out = append(out, m)
			}
			if i > 0 {
				out = append(out, Mention{Name: before + " " + m.Name, Cased: cased, Sure: true})
			}
		}
		out = append(out, within(word)...)
		before = word
	}
	return out
}

// Spells reports whether the mention is written as a name. Where all is small, so may be the name.
func (m Mention) Spells(name string) bool {
	return name == m.Name || strings.EqualFold(name, m.Name) && (!m.Cased || name == strings.ToLower(name))
}

// Undated returns a text without the expressions of time that end after a moment, and whether one is a deadline.
func Undated(text string, after, now time.Time) (rest string, due bool) {
	for _, e := range dates.Find(text, now, dates.Both) {
		if e.To.After(after) {
			due = due || e.Kind == dates.Deadline
			text = text[:e.Start] + strings.Repeat(" ", e.End-e.Start) + text[e.End:]
		}
	}
	return text, due
}

// Common reports whether a word, or each of its parts between apostrophes, says nothing of a matter in some language.
func Common(word string) bool {
	for part := range strings.SplitSeq(textproc.Fold(word), "'") {
		if part != "" && textproc.Stops(part) == 0 {
			return false
		}
	}
	return true
}

// Words returns the words of a text with their apostrophes.
func Words(text string) []string {
	return strings.FieldsFunc(strings.ReplaceAll(text, "’", "'"), func(r rune) bool {
		return !unicode.In(r, unicode.L, unicode.M, unicode.N) && r != '-' && r != '\''
	})
}

// within returns what may be names in a run of characters of a script that does not tell where words end.
func within(run string) (out []Mention) {
	runes := []rune(run)
	if !unicode.In(runes[0], unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai) {
		return nil
	}
	for from := range min(len(runes), maxNamed) {
		for to := from + 1; to <= min(from+longName, len(runes)); to++ {
			out = append(out, Mention{Name: string(runes[from:to]), Sure: true})
		}
	}
	return out
}
