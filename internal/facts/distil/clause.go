package distil

import (
	"strings"
	"unicode/utf8"

	"github.com/trilith-memory/trilith/internal/lang/lazyre"
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

	begins, ends int // where the clause is, with what is before an adversative
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

var (
	clauseBreak = lazyre.New(
		`(?i)[,;:()–—،؛，、；：（）]\s*(?:(and|but|or|so|because|while|although|though|yet|und|aber|oder|sondern|weil|denn|während|obwohl|doch)\s)?|` +
			`\s(and|but|because|while|although|though|und|aber|sondern|weil|denn|während|obwohl)\s`)

	colon = lazyre.New(`[;:–—]\s*`)

	// adversative lists words after which a denial no longer holds: not in Oslo but in Bergen.
	adversative = map[string]bool{"but": true, "sondern": true, "aber": true, "yet": true, "doch": true, "though": true}

	// hasSubject matches the beginning of a clause with its own subject; a clause without one continues the one before.
	// A clause that begins with that or dass is part of the one before: it is not true, that I live here.
	hasSubject = lazyre.New(
		`(?i)^\s*(?:(?:now|then|also|today|currently|really|actually|still|jetzt|dann|heute|auch|derzeit|ehrlich)\s)?(?:` +
			`(?:I|we|you|he|she|it|they|there|who|ich|wir|du|ihr|er|es|sie|man)(?:['’]\pL+)?\s|` +
			`(?:my|our|your|his|her|their|the|a|an|mein\pL*|unser\pL*|dein\pL*|sein\pL*|ihr\pL*|der|die|das|ein|eine)\s(?:\pL+\s){1,3}?` + finite + `|` +
			`(?:\pL+\s)?` + finite + `\s*(?:ich|wir|er|sie|es)\s|(?-i:\p{Lu})\pL+\s` + finite + `)`)
)

// finite matches verbs in the form for the third person.
const finite = `(?:is|are|was|were|has|have|had|does|did|can|will|would|lives?|works?|likes?|loves?|wants?|needs?|said|says|got|went|hat|haben|hatte|ist|sind|war|wird|kann|will|mag|muss|` +
	`wohnt|lebt|arbeitet|sagt|sagte|liebt|\pL{3,}(?:ed|es|te))\b`

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
