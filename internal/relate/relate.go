// Package relate finds by rules, in English and German, which two known facts a sentence relates: that one waits for
// the other, blocks it, causes it, is a part of it, settles it or takes its place.
//
// A rule is a closed pattern of how people say one such thing plainly. It splits a sentence into two phrases, and each
// phrase has to mean exactly one of the facts that are known; see [Index]. What is asked, supposed, denied or quoted
// relates nothing. So most of what a text says about relations is not found, and what is found is what it says.
package relate

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/lazyre"
	"github.com/trilith-memory/trilith/internal/textproc"
)

// Mention is one way to read a sentence: its phrases may mean facts that it relates.
type Mention struct {
	Type       trilith.RelationType
	From, To   string // the phrases of the two facts
	Rule       string // stable id, for example en.wait.1
	Start, End int    // the sentence, in bytes of the text
	Hedged     bool   // maybe, I think
}

// MaxSentence is the longest sentence in bytes that is read.
const MaxSentence = 600

// Read returns the ways to read the sentences of a text, those of one sentence after each other and the most specific
// first. The two phrases of a mention are not empty. It is a pure function and takes time linear in the text.
func Read(text string) []Mention {
	var out []Mention
	text = text[:textproc.Pasted(text)]
	for _, s := range sentences(text) {
		said := text[s[0]:s[1]]
		if len(said) > MaxSentence || strings.HasSuffix(said, "?") || strings.ContainsAny(said, "\"“”„«»") {
			continue
		}
		out = append(out, mentions(said, s[0], s[1])...)
	}
	return out
}

// Cued reports whether a text holds a sentence that [Read] can read.
func Cued(text string) bool { return len(Read(text)) > 0 }

// States reports whether the sentences that a span of a text lies in state something: none of them asks, supposes,
// denies or quotes; and whether they leave it in doubt.
func States(text string, start, end int) (hedged, states bool) {
	for _, s := range sentences(text) {
		if s[1] <= start || s[0] >= end {
			continue
		}
		said := text[s[0]:s[1]]
		lower := strings.ToLower(said)
		if strings.HasSuffix(said, "?") || strings.ContainsAny(said, "\"“”„«»") || supposed.MatchString(lower) ||
			takenBack.MatchString(lower) {
			return false, false
		}
		hedged, states = hedged || hedges.MatchString(lower), true
	}
	return hedged, states
}

func mentions(said string, start, end int) (out []Mention) {
	lower := strings.ToLower(said)
	var awake []*rule
	for i := range rules {
		if rules[i].woken(lower) {
			awake = append(awake, &rules[i])
		}
	}
	if len(awake) == 0 || supposed.MatchString(lower) { // most sentences wake none
		return nil
	}
	hedged, plain := hedges.MatchString(lower), unmarked(said)
	for _, r := range awake {
		m := r.pattern.FindStringSubmatch(plain)
		if m == nil {
			continue
		}
		a, b := phrase(m, r.a), phrase(m, r.b)
		if a == "" || b == "" || len(r.a) > 1 && people.MatchString(m[r.a[0]]) ||
			r.plain && denied.MatchString(lower) ||
			r.relates == trilith.Replaces && doing.MatchString(strings.ToLower(b)) {
			continue
		}
		out = append(out, Mention{Type: r.relates, From: a, To: b, Rule: r.id, Start: start, End: end, Hedged: hedged})
	}
	return out
}

// people are no things that wait. What they wait with is found by other patterns: "we cannot lay the floor until …".
var people = lazyre.New(`(?i)^(?:we|i|you|they|he|she|it|nobody|wir|ich|du|ihr|sie|er|man)$`)

// doing is an activity alone: "instead of complaining we should get going" replaces nothing.
var doing = lazyre.New(`^[a-z]+ing$|^zu [a-zäöüß]+en$`)

// phrase joins the groups of a match that make up one side.
func phrase(m []string, groups []int) string {
	var parts []string
	for _, g := range groups {
		if s := strings.Trim(m[g], " ,;:.-–—!*()"); s != "" {
			parts = append(parts, s)
		}
	}
	return strings.Join(parts, " ")
}

var thousands = lazyre.New(`(\d)[.,](\d)`)

// unmarked returns a text without the marks within numbers, which end no phrase.
func unmarked(text string) string { return thousands.ReplaceAllString(text, "$1$2") }

// sentences returns the spans of the sentences of a text, without the white space around them.
func sentences(text string) (out [][2]int) {
	start := 0
	cut := func(end int) {
		s := text[start:end]
		from := start + len(s) - len(strings.TrimLeft(s, " \t\r\n"))
		if to := start + len(strings.TrimRight(s, " \t\r\n")); from < to {
			out = append(out, [2]int{from, to})
		}
		start = end
	}
	for i, r := range text {
		switch {
		case r == '\n':
			cut(i)
		case strings.ContainsRune(".!?", r) && textproc.EndsSentence(text, i):
			cut(i + utf8.RuneLen(r))
		}
	}
	cut(len(text))
	return out
}

// Words that take from a sentence that it states something, in small letters.
var (
	supposed = lazyre.New(`\b(?:if|unless we|whether|suppose|imagine|wish|would have|could have|should have|` +
		`what about|falls|ob|angenommen|hätten?|hätte|würden?|wäre[nt]?|for example|e\.g\.|zum beispiel|z\. ?b\.|` +
		`used to|früher)\b`)
	hedges = lazyre.New(`\b(?:maybe|perhaps|might|probably|possibly|i think|i guess|i suppose|could be|not sure|` +
		`vielleicht|wahrscheinlich|vermutlich|eventuell|wohl|ich glaube|ich denke|möglicherweise|könnten?|according to|allegedly|reportedly|supposedly|laut|angeblich)\b|` +
		`\bdid(?:n['’]?t| not)\b.*\bbecause\b`) // which may deny the cause alone
	// takenBack is what denies a relation that a model read. Other denials may be how it is said: it cannot start
	// until.
	takenBack = lazyre.New(`\b(?:no longer|doesn['’]?t|don['’]?t|didn['’]?t|isn['’]?t|aren['’]?t|does not|` +
		`do not|did not|is not|are not|never|independent|regardless|nicht mehr|hängt nicht|unabhängig)\b`)
	denied = lazyre.New(`\b(?:not|no longer|isn['’]?t|aren['’]?t|doesn['’]?t|don['’]?t|didn['’]?t|wasn['’]?t|` +
		`won['’]?t|never|neither|nothing|independent|regardless|nicht|nicht mehr|kein|keine[nmrs]?|nie|unabhängig|` +
		`no more|cannot|can['’]?t)\b`)
)

// rule finds one way of relating two things.
type rule struct {
	id      string // language.family.number; a number is never used again
	relates trilith.RelationType
	cues    []string // in small letters; one of them is in every sentence that the pattern matches
	re      string
	a, b    []int // the groups of the first and of the second phrase
	plain   bool  // a denial anywhere in the sentence takes the relation back
	pattern lazyre.Regexp
}

func (r *rule) woken(lower string) bool {
	return slices.ContainsFunc(r.cues, func(c string) bool { return strings.Contains(lower, c) })
}
