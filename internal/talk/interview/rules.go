package interview

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/lang/lazyre"
	"github.com/trilith-memory/trilith/internal/lang/textproc"
)

// Found is a value that an answer gives to a field, or a statement outside all fields. Then Field has neither id nor
// type, only a title and a category for the entry.
type Found struct {
	Field      *trilith.DomainField
	Value      any    // float64, string or a list of strings, as the field's type wants; else the structured data
	Content    string // the text of the entry
	Quote      string // the words of the answer that say so
	Confidence float64
	Corrects   bool // it replaces a known value
}

// The confidence of the rules' findings.
const (
	sureTyped   = 0.9 // a value of the type that was requested
	sureText    = 0.8 // words, if words were requested
	sureMention = 0.7 // a value next to the name of another field
	unsure      = 0.5 // the answer says that it is not sure
)

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

// says reports whether the words are one of the phrases and nothing else that matters.
func says(words []string, list [][]string) bool {
	left, ok := without(words, list)
	for again := ok; again; {
		left, again = without(left, list)
	}
	return ok && !slices.ContainsFunc(left, func(w string) bool { return !fillers[w] })
}

func asksBack(text string, words []string) bool {
	text = strings.TrimRight(text, " \n\t\"'”“)")
	return strings.HasSuffix(text, "?") && questionWords[words[0]] &&
		!strings.ContainsAny(strings.TrimRight(text, " ?"), ".!?")
}

type structuring struct {
	reader
	domain           *trilith.Domain
	text             string
	clauses          []clause
	asked            *trilith.DomainField
	hedged, corrects bool
	found            []Found
	taken, quoted    []span // values that are somebody's, and the words for them
	used             []int  // clauses about other fields than the requested one
}

// StructureByRules finds the values that an answer gives to fields. asked is the field of the question, nil if there
// is none; values of other fields are found if the answer names the field. Statements outside the fields follow.
func StructureByRules(d *trilith.Domain, asked *trilith.DomainField, answer string, now time.Time) []Found {
	s := structuring{reader: reader{d.Language, now}, domain: d, text: answer, clauses: clauses(answer), asked: asked}
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
	s.told()
	return s.found
}

// mentioned looks for a value next to the name of a field that was not requested: a number that counts the field's
// noun; another value in the same clause, or in the same sentence if that has only one of the type.
func (s *structuring) mentioned(f *trilith.DomainField) {
	all := s.readings(f, s.text)
	if f.Type == trilith.FieldNumber {
		i := slices.IndexFunc(all, func(r reading) bool {
			isArticle := r.value == 1.0 && r.at.of(s.text) != "1"
			return !isArticle && !inside(r.at, s.taken) && s.counts(f, r) && (s.asked == nil || !s.counts(s.asked, r))
		})
		if i >= 0 {
			at := s.clauseOf(all[i].at)
			s.taken, s.used = append(s.taken, all[i].at), append(s.used, at)
			s.add(f, all[i].value, s.clauses[at].at, sureMention)
		}
		return
	}
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
			for _, r := range all {
				if in.holds(r.at) && !inside(r.at, s.taken) {
					free = append(free, r)
				}
			}
			if len(free) == 1 || len(free) > 1 && in == c.at && f.Type == trilith.FieldChoice {
				s.taken = append(s.taken, free[0].at)
				s.used = append(s.used, i)
				s.used = append(s.used, s.clauseOf(free[0].at))
				s.add(f, free[0].value, in, sureMention)
				return
			}
		}
	}
}

// names reports whether words speak of a field.
func names(words []string, f *trilith.DomainField) bool {
	return slices.ContainsFunc(namesOf(f), func(name string) bool { return indexOf(words, foldedWords(name)) >= 0 })
}

// answered looks for the value of the requested field: a value of its type that belongs to no other field, or, for
// words, everything that is not about other fields and does not say that nothing is known.
func (s *structuring) answered() {
	f := s.asked
	if f.Type != trilith.FieldText && f.Type != trilith.FieldList {
		for _, r := range s.readings(f, s.text) {
			if !inside(r.at, s.taken) && !s.foreign(f, r) {
				s.add(f, r.value, s.clauses[s.clauseOf(r.at)].sentence, sureTyped)
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
			parts[n-1].end = c.at.end // the text between two counting clauses counts too
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
		list := items(text, f.Question) // with more than six words each it is prose, which has to be about the question
		if len(list) > 0 && (len(wordsOf(text)) <= 6*len(list) ||
			common(tellingWords(s.domain, text), vocabulary(s.domain, f)) > 0) {
			s.add(f, list, whole, sureText)
		}
		return
	}
	s.add(f, text, whole, sureText)
}

// countedNoun is the noun that a question for a number counts.
var countedNoun = lazyre.New(`(?i)\b(?:how many|wie ?viele?|combien d(?:e |['’]))\s*(\pL+)`)

// foreign reports whether a value is said of something else than the requested field. Its clause shares no word with
// the field then, and names another one or leads to the value with words of its own; or it counts other things than the
// question does, and is more than the number with these.
func (s *structuring) foreign(f *trilith.DomainField, r reading) bool {
	c := s.clauses[s.clauseOf(r.at)].at
	before := s.text[min(c.start, r.at.start):r.at.start]
	about, own := tellingWords(s.domain, before+" . "+s.text[r.at.end:max(r.at.end, c.end)]), vocabulary(s.domain, f)
	lead := slices.DeleteFunc(foldedWords(before), func(w string) bool { return hedges[w] })
	if countedNoun.MatchString(f.Question) && f.Type == trilith.FieldNumber && len(wordsOf(s.behind(r))) > 0 &&
		!s.counts(f, r) && len(lead) > 0 && !slices.ContainsFunc(lead, func(w string) bool { return copulas[w] }) {
		of := s.nameWords(f) // they would follow the number
		maps.DeleteFunc(own, func(w string, _ bool) bool { return of[w] })
		return common(about, own) == 0
	}
	return common(about, own) == 0 && (len(about) >= 3 && len(lead) > 0 ||
		fieldWhere(s.domain, func(o *trilith.DomainField) bool { return common(about, s.nameWords(o)) > 0 }) != nil)
}

// counts reports whether a number counts the things of a field: a word for it follows, or the number is its stated
// value.
func (s *structuring) counts(f *trilith.DomainField, r reading) bool {
	at, ok := s.stated(s.clauses[s.clauseOf(r.at)], f)
	return f.Type == trilith.FieldNumber && (ok && at.holds(r.at) ||
		common(tellingWords(s.domain, s.behind(r)), s.nameWords(f)) > 0)
}

// clause is a part of an answer between commas and conjunctions, inside a sentence.
type clause struct {
	at, sentence span
	words        []string
}

// stated finds the value that a clause gives to a field as "Label: value" or "the label is value".
func (s *structuring) stated(c clause, f *trilith.DomainField) (span, bool) {
	text := c.at.of(s.text)
	words := wordsOf(text)
	for _, name := range namesOf(f) {
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

// behind returns the words after a number in its clause that can name the counted things, up to the first that
// cannot.
func (s *structuring) behind(r reading) string {
	rest := s.text[r.at.end:max(r.at.end, s.clauses[s.clauseOf(r.at)].at.end)]
	for _, w := range wordsOf(rest) {
		if isStop(textproc.Fold(w.of(rest))) {
			return rest[:w.start]
		}
	}
	return rest
}

// clauseOf returns the clause in which a value ends; the last one if it ends behind all.
func (s *structuring) clauseOf(at span) int {
	last := len(s.clauses) - 1
	return slices.IndexFunc(s.clauses, func(c clause) bool { return at.end <= c.at.end || c.at == s.clauses[last].at })
}

func (s *structuring) nameWords(f *trilith.DomainField) map[string]bool {
	return tellingWords(s.domain, strings.Join(namesOf(f), " . "))
}

// namesOf returns the words for a field: label, aliases, and the noun that its question counts.
func namesOf(f *trilith.DomainField) []string {
	out := append([]string{f.Label}, f.Aliases...)
	if m := countedNoun.FindStringSubmatch(f.Question); m != nil && f.Type == trilith.FieldNumber {
		out = append(out, m[1])
	}
	return out
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

// indexOf returns where a list of words holds a phrase, -1 if nowhere.
func indexOf(words, phrase []string) int {
	for i := 0; i+len(phrase) <= len(words) && len(phrase) > 0; i++ {
		if slices.Equal(words[i:i+len(phrase)], phrase) {
			return i
		}
	}
	return -1
}

// introduces reports whether a clause says nothing but that a correction follows, and the next clause is about another
// field.
func (s *structuring) introduces(i int) bool {
	return slices.Contains(s.used, i+1) && !slices.ContainsFunc(s.clauses[i].words, func(w string) bool {
		return !corrections[w] && !fillers[w]
	})
}

// words returns the words of a part of the answer, as a text or a list.
func (s *structuring) words(f *trilith.DomainField, at span) any {
	text := strings.TrimSpace(at.of(s.text))
	if f.Type == trilith.FieldList {
		return []any{text}
	}
	return text
}

// told keeps the statements that no field has taken, in their own words: from the first sentence, or clause of a
// sentence that a field has a part of, that tells something to the last.
func (s *structuring) told() {
	var kept []span
	for _, c := range s.clauses {
		at := c.sentence
		if inside(at, s.quoted) {
			at = c.at
		}
		if !inside(at, s.quoted) && !strings.HasPrefix(s.text[c.sentence.end:], "?") && tells(foldedWords(at.of(s.text))) {
			kept = append(kept, at)
		}
	}
	if n := len(kept); n > 0 {
		at := span{kept[0].start, kept[n-1].end}
		s.add(&trilith.DomainField{Label: beginning(at.of(s.text))}, nil, at, sureMention)
	}
}

var (
	sentenceEnd = lazyre.New(`[.!?]+(?:\s+|$)|[;\n]+\s*`)
	clauseEnd   = lazyre.New(`,\s+(?:(?:und|and|aber|but|sowie)\s+)?|\s(?:und|and|aber|but|sowie)\s`)
)

func clauses(text string) []clause {
	var out []clause
	for _, s := range sentencesOf(text) {
		for _, c := range cut(s, text, clauseEnd, func(string) bool { return true }) {
			if words := foldedWords(c.of(text)); len(words) > 0 {
				out = append(out, clause{c, s, words})
			}
		}
	}
	return out
}

// abbreviation ends in a dot that ends no sentence.
var abbreviation = lazyre.New(`(?i)(?:^|[\s(])(?:ca|z\.b|d\.h|bzw|usw|etc|nr|no|dr|mr|mrs|ms|st|e\.g|i\.e|\d{1,2})$`)

func sentencesOf(text string) []span {
	return cut(span{0, len(text)}, text, sentenceEnd, func(before string) bool { return !abbreviation.MatchString(before) })
}

// cut divides a part of a text at the matches of a pattern that ends accepts, given the text before them, and at one
// that the part ends with.
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

// foldedWords returns the words of a text in the form for comparison.
func foldedWords(text string) []string {
	var out []string
	for _, w := range wordsOf(text) {
		out = append(out, textproc.Fold(w.of(text)))
	}
	return out
}

// tells reports whether a sentence tells something: it has two words that say something, or three if it is short.
// Words about the person or to the interviewer are mostly talk about the interview, so they need more of these words.
// A person's denial about themselves is a refusal.
func tells(words []string) bool {
	need, n := 3-min(1, len(words)/4), 0
	for _, w := range words {
		switch {
		case speaker[w]:
			need = max(need, 4)
		case interviewer[w]:
			need = max(need, 3)
		}
		if !isStop(w) && !corrections[w] {
			n++
		}
	}
	return n >= need && (need < 4 || !slices.ContainsFunc(words, func(w string) bool { return denials[w] }))
}

func isStop(word string) bool { return textproc.Stops(word) != 0 || fillers[word] || hedges[word] }

// beginning returns the first words of a text, as a title.
func beginning(text string) string {
	words := wordsOf(text)
	return inline(text[:words[min(6, len(words))-1].end])
}

func (s *structuring) add(f *trilith.DomainField, value any, quote span, confidence float64) {
	if s.hedged {
		confidence = min(confidence, unsure)
	}
	words := strings.TrimSpace(quote.of(s.text))
	s.quoted = append(s.quoted, quote)
	s.found = append(s.found, Found{Field: f, Value: value, Content: words, Quote: words, Confidence: confidence,
		Corrects: s.corrects})
}
