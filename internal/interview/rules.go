package interview

import (
	"slices"
	"strings"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/lazyre"
	"github.com/trilith-memory/trilith/internal/textproc"
)

// Found is a value that an answer gives to a field.
type Found struct {
	Field      *trilith.DomainField
	Value      any    // float64, string or a list of strings, as the field's type wants
	Content    string // what the entry says
	Quote      string // the words of the answer that say so
	Confidence float64
	Corrects   bool // it replaces a known value
}

// The confidence of what rules find.
const (
	sureTyped   = 0.9 // a value of the type that was requested
	sureText    = 0.8 // words, if words were requested
	sureMention = 0.7 // a value beside the name of another field
	unsure      = 0.5 // the answer says that it is not sure
)

// foldedWords returns the words of a text in the form for comparison.
func foldedWords(text string) []string {
	var out []string
	for _, w := range wordsOf(text) {
		out = append(out, textproc.Fold(w.of(text)))
	}
	return out
}

// indexOf returns where a list of words holds a phrase, -1 if nowhere.
func indexOf(words, phrase []string) int {
	for i := 0; i+len(phrase) <= len(words) && len(phrase) > 0; i++ {
		if slices.Equal(words[i:i+len(phrase)], phrase) {
			return i
		}
	}
	return -1
}

// without removes a phrase of the list from the words; ok tells whether one was there.
func without(words []string, list [][]string) (left []string, ok bool) {
	for _, p := range list {
		if i := indexOf(words, p); i >= 0 {
			return slices.Concat(words[:i], words[i+len(p):]), true
		}
	}
	return words, false
}

// says reports whether the words are one of the phrases and nothing else that matters.
func says(words []string, list [][]string) bool {
	left, ok := without(words, list)
	for again := ok; again; {
		left, again = without(left, list)
	}
	return ok && !slices.ContainsFunc(left, func(w string) bool { return !fillers[w] })
}

// ClassifyByRules classifies an answer; sure says whether its words leave no doubt.
func ClassifyByRules(text string) (kind trilith.AnswerKind, sure bool) {
	words := foldedWords(text)
	switch {
	case says(words, stops):
		return trilith.AnswerStop, true
	case says(words, skips) || len(words) == 0:
		return trilith.AnswerSkip, true
	case asksBack(text, words):
		return trilith.AnswerQuestion, false
	}
	return trilith.AnswerGiven, false
}

func asksBack(text string, words []string) bool {
	text = strings.TrimRight(text, " \n\t\"'”“)")
	return strings.HasSuffix(text, "?") && questionWords[words[0]] &&
		!strings.ContainsAny(strings.TrimRight(text, " ?"), ".!?")
}

// clause is a part of an answer between commas and conjunctions, inside a sentence.
type clause struct {
	at, sentence span
	words        []string
}

var (
	sentenceEnd = lazyre.New(`[.!?]+(?:\s+|$)|[;\n]+\s*`)
	clauseEnd   = lazyre.New(`,\s+(?:(?:und|and|aber|but|sowie)\s+)?|\s(?:und|and|aber|but|sowie)\s`)
)

// abbreviation ends in a dot that ends no sentence.
var abbreviation = lazyre.New(`(?i)(?:^|[\s(])(?:ca|z\.b|d\.h|bzw|usw|etc|nr|no|dr|mr|mrs|ms|st|e\.g|i\.e|\d{1,2})$`)

func clauses(text string) []clause {
	var out []clause
	for _, s := range cut(span{0, len(text)}, text, sentenceEnd, func(before string) bool {
		return !abbreviation.MatchString(before)
	}) {
		for _, c := range cut(s, text, clauseEnd, func(string) bool { return true }) {
			if words := foldedWords(c.of(text)); len(words) > 0 {
				out = append(out, clause{c, s, words})
			}
		}
	}
	return out
}

// cut divides a part of a text at the matches of a pattern that ends agrees to, given what comes before them, and at
// one that the part ends with.
func cut(in span, text string, at lazyre.Regexp, ends func(before string) bool) []span {
	var out []span
	start := in.start
	for _, m := range at.FindAllStringIndex(in.of(text), -1) {
		if from := in.start + m[0]; in.start+m[1] == in.end || ends(text[start:from]) {
			out = append(out, span{start, from})
			start = in.start + m[1]
		}
	}
	if start < in.end {
		out = append(out, span{start, in.end})
	}
	return out
}

// StructureByRules finds the values that an answer gives to fields. asked is the field of the question, nil if there is
// none; values of other fields are found if the answer names the field.
func StructureByRules(d *trilith.Domain, asked *trilith.DomainField, answer string, now time.Time) []Found {
	s := structuring{reader: reader{d.Language, now}, text: answer, clauses: clauses(answer), asked: asked}
	words := foldedWords(answer)
	s.hedged = slices.ContainsFunc(words, func(w string) bool { return hedges[w] })
	s.corrects = slices.ContainsFunc(words, func(w string) bool { return corrections[w] })
	for _, f := range Fields(d) {
		if asked == nil || f.ID != asked.ID {
			s.mentioned(f)
		}
	}
	if asked != nil {
		s.answered()
	}
	return s.found
}

type structuring struct {
	reader
	text             string
	clauses          []clause
	asked            *trilith.DomainField
	hedged, corrects bool
	found            []Found
	taken            []span // values that are somebody's
	used             []int  // clauses about other fields than the requested one
}

func (s *structuring) add(f *trilith.DomainField, value any, quote span, confidence float64) {
	if s.hedged {
		confidence = min(confidence, unsure)
	}
	words := strings.TrimSpace(quote.of(s.text))
	s.found = append(s.found, Found{Field: f, Value: value, Content: words, Quote: words, Confidence: confidence,
		Corrects: s.corrects})
}

// names reports whether words speak of a field by its label or an alias.
func names(words []string, f *trilith.DomainField) bool {
	for _, name := range append([]string{f.Label}, f.Aliases...) {
		if indexOf(words, foldedWords(name)) >= 0 {
			return true
		}
	}
	return false
}

// mentioned looks for a value beside the name of a field that was not requested: in the same clause, or in the same
// sentence if that has only one value of the type.
func (s *structuring) mentioned(f *trilith.DomainField) {
	for i, c := range s.clauses {
		if !names(c.words, f) {
			continue
		}
		if f.Type == trilith.FieldText || f.Type == trilith.FieldList {
			if at, ok := s.stated(c, f); ok {
				s.used = append(s.used, i)
				s.add(f, s.words(f, at), c.at, sureMention)
				return
			}
			continue
		}
		for _, in := range []span{c.at, c.sentence} {
			var free []reading
			for _, r := range s.readings(f, in.of(s.text), false) {
				r.at.start, r.at.end = r.at.start+in.start, r.at.end+in.start
				if !inside(r.at, s.taken) {
					free = append(free, r)
				}
			}
			if len(free) == 1 || len(free) > 1 && in == c.at && f.Type == trilith.FieldChoice {
				s.taken = append(s.taken, free[0].at)
				s.used = append(s.used, i)
				if j := s.clauseOf(free[0].at); j >= 0 && j != i {
					s.used = append(s.used, j)
				}
				s.add(f, free[0].value, in, sureMention)
				return
			}
		}
	}
}

func (s *structuring) clauseOf(at span) int {
	return slices.IndexFunc(s.clauses, func(c clause) bool { return c.at.holds(at) })
}

// copulas stand between the name of a field and its value.
var copulas = set("ist", "sind", "heisst", "lautet", "war", "is", "are", "was")

// stated finds the value that a clause gives to a field as "Label: value" or "the label is value".
func (s *structuring) stated(c clause, f *trilith.DomainField) (span, bool) {
	text := c.at.of(s.text)
	words := wordsOf(text)
	for _, name := range append([]string{f.Label}, f.Aliases...) {
		parts := foldedWords(name)
		i := indexOf(c.words, parts)
		last := i + len(parts) - 1
		if i < 0 || last+1 >= len(words) {
			continue
		}
		between := strings.TrimSpace(text[words[last].end:words[last+1].start])
		next := last + 1
		switch {
		case between == ":" || between == "=" || between == "–" || between == "-":
		case copulas[c.words[next]] && next+1 < len(words):
			next++
		default:
			continue
		}
		return span{c.at.start + words[next].start, c.at.end}, true
	}
	return span{}, false
}

// words returns the words of a part of the answer, as a text or a list.
func (s *structuring) words(f *trilith.DomainField, at span) any {
	text := strings.TrimSpace(at.of(s.text))
	if f.Type == trilith.FieldList {
		return []any{text}
	}
	return text
}

// introduces reports whether a clause says nothing but that a correction follows, and the next clause is about another
// field.
func (s *structuring) introduces(i int) bool {
	return slices.Contains(s.used, i+1) && !slices.ContainsFunc(s.clauses[i].words, func(w string) bool {
		return !corrections[w] && !fillers[w]
	})
}

// answered looks for the value of the requested field: a value of its type that belongs to no other field, or, for
// words, everything that is not about other fields and does not say that nothing is known.
func (s *structuring) answered() {
	f := s.asked
	if f.Type != trilith.FieldText && f.Type != trilith.FieldList {
		for _, r := range s.readings(f, s.text, true) {
			if !inside(r.at, s.taken) {
				c := s.clauses[max(s.clauseOf(r.at), 0)]
				s.add(f, r.value, c.sentence, sureTyped)
				return
			}
		}
		return
	}
	var parts []span
	for i, c := range s.clauses {
		rest, skipped := without(c.words, skips)
		skipped = skipped && !slices.ContainsFunc(rest, func(w string) bool { return !fillers[w] })
		if skipped || slices.Contains(s.used, i) || s.introduces(i) {
			continue
		}
		if n := len(parts); n > 0 && i > 0 && parts[n-1].end == s.clauses[i-1].at.end {
			parts[n-1].end = c.at.end // what stands between two clauses that count counts too
			continue
		}
		parts = append(parts, c.at)
	}
	if len(parts) == 0 {
		return
	}
	whole := span{parts[0].start, parts[len(parts)-1].end}
	texts := make([]string, len(parts))
	for i, p := range parts {
		texts[i] = strings.TrimSpace(p.of(s.text))
	}
	text := strings.Join(texts, ". ")
	if f.Type == trilith.FieldList {
		if list := items(text, f.Question); len(list) > 0 {
			s.add(f, list, whole, sureText)
		}
		return
	}
	s.add(f, text, whole, sureText)
}
