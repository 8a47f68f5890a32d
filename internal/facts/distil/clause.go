package distil

import (
	"strings"
	"unicode/utf8"

	"github.com/trilith-memory/trilith/internal/lang/textproc"
)

// frame is the text around a quote that affects its meaning: a model may cut off the words that deny a statement, make
// it conditional, or attribute it to somebody else.
type frame struct {
	last   string // the sentence before the quote's
	before string // the quote's sentence up to the quote's clause
	clause string // the quote's clause, from its subject on
	upTo   string // the quote's sentence up to the end of the quote
	whole  string // the sentences that contain the quote
	next   string // the sentence after them

	begins, ends int // bounds of the clause, including the part before a "but"
}

// frameOf returns the text around a span.
func frameOf(text string, start, end int) frame {
	from, to := sentenceSpan(text, start, end)
	left, right, begins := from, to, from
	for _, at := range clauseBreak.FindAllStringSubmatchIndex(text[from:to], -1) {
		word := ""
		if i := max(at[2], at[4]); i >= 0 {
			word = strings.ToLower(text[from+i : from+max(at[3], at[5])])
		}
		switch cut := from + at[1]; {
		case cut <= start:
			subject := hasSubject.MatchString(text[cut:to])
			if subject {
				begins = cut
			}
			if subject || adversative[word] {
				left = cut
			}
		case from+at[0] >= end:
			right = min(right, from+at[0])
		}
	}
	f := frame{before: text[from:left], clause: strings.TrimSpace(text[left:right]), upTo: text[from:end],
		whole: strings.TrimSpace(text[from:to]), begins: begins, ends: right}
	if s := strings.TrimSpace(text[:from]); s != "" {
		at, _ := sentenceSpan(s, len(s)-1, len(s))
		f.last = strings.TrimSpace(s[at:])
	}
	if s := strings.TrimSpace(text[to:]); s != "" {
		_, at := sentenceSpan(s, 0, 1)
		f.next = s[:at]
	}
	return f
}

// OwnClause reports whether the clause of a quote says I or we, as far as that is known: in a language whose words are
// not, every clause may.
func OwnClause(text string, start, end int) bool {
	l := textproc.Detect(text)
	return l != textproc.English && l != textproc.German || firstAs.MatchString(frameOf(text, start, end).clause)
}

var (
	clauseBreak, colon, hasSubject = patterns["clauseBreak"], patterns["colon"], patterns["hasSubject"]

	// adversative lists words after which a denial no longer holds: not in Oslo but in Bergen.
	adversative = map[string]bool{"but": true, "sondern": true, "aber": true, "yet": true, "doch": true, "though": true}
)

// sentenceSpan returns the position of the sentences that contain a span.
func sentenceSpan(text string, start, end int) (from, to int) {
	ends := func(at int) bool {
		r, _ := utf8.DecodeLastRuneInString(text[:at])
		return textproc.EndsSentence(text, at-1) || strings.ContainsRune("。！？؟।۔", r)
	}
	for start > 0 && !ends(start) {
		start--
	}
	for end < len(text) && !ends(end) {
		end++
	}
	return start, end
}
