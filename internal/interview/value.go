package interview

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/dates"
	"github.com/trilith-memory/trilith/internal/lazyre"
	"github.com/trilith-memory/trilith/internal/textproc"
)

// span is a part of a text, in bytes.
type span struct{ start, end int }

func (s span) of(text string) string  { return text[s.start:s.end] }
func (s span) overlaps(o span) bool   { return s.start < o.end && o.start < s.end }
func (s span) holds(o span) bool      { return s.start <= o.start && o.end <= s.end }
func inside(s span, list []span) bool { return overlapping(s, list) >= 0 }

// overlapping returns the position of the first span that s overlaps, -1 if there is none.
func overlapping(s span, list []span) int {
	for i, o := range list {
		if s.overlaps(o) {
			return i
		}
	}
	return -1
}

// reading is a value that a text holds, and where.
type reading struct {
	value any
	at    span
}

// reader reads values out of texts of one language.
type reader struct {
	language string
	now      time.Time // what "last year" is relative to
}

// readings returns the values of the field's type in a text, in order. Words for numbers count if words is set.
func (r *reader) readings(f *trilith.DomainField, text string, words bool) []reading {
	switch f.Type {
	case trilith.FieldNumber:
		return r.numbers(text, words)
	case trilith.FieldDate:
		return r.dates(text)
	case trilith.FieldChoice:
		return choices(f, text)
	}
	return nil
}

var numeral = lazyre.New(`[-−]?\d+(?:[.,'’ \x{202f}]\d+)*`)

// numbers returns the numbers of a text, without those in dates and identifiers.
func (r *reader) numbers(text string, words bool) []reading {
	var taken []span
	for _, d := range r.dates(text) {
		taken = append(taken, d.at)
	}
	var out []reading
	for _, m := range numeral.FindAllStringIndex(text, -1) {
		at := span{m[0], m[1]}
		if inside(at, taken) && !isBareNumber(text, at) || partOfWord(text, at) {
			continue
		}
		v, ok := r.number(at.of(text))
		if !ok { // "48 12" are two numbers to us, "1 200" is one
			if i := strings.IndexAny(at.of(text), " \u202f"); i > 0 {
				at.end = at.start + i
				v, ok = r.number(at.of(text))
			}
		}
		if !ok {
			continue
		}
		rest := strings.TrimLeft(text[at.end:], " \u00a0\u202f")
		if factor, n := multiplier(rest); n > 0 {
			v *= factor
			at.end = len(text) - len(rest) + n
		}
		out = append(out, reading{v, at})
	}
	if len(out) > 0 || !words {
		return out
	}
	for _, w := range wordsOf(text) {
		if n, ok := numberWords[textproc.Fold(w.of(text))]; ok {
			out = append(out, reading{float64(n), w})
		}
	}
	return out
}

// isBareNumber reports whether a numeral that was read as a date stands alone: in reply to a question for a number,
// 2000 may be just that.
func isBareNumber(text string, at span) bool {
	return strings.Trim(text, " .!\n") == at.of(text)
}

// partOfWord reports whether a numeral belongs to a name such as A4 or M12x3.
func partOfWord(text string, at span) bool {
	before, _ := utf8.DecodeLastRuneInString(text[:at.start])
	after, _ := utf8.DecodeRuneInString(text[at.end:])
	return unicode.IsLetter(before) || unicode.IsLetter(after) && after != utf8.RuneError
}

var (
	grouped = map[bool]lazyre.Regexp{
		true:  lazyre.New(`^[-−]?\d{1,3}(?:[.'’ \x{202f}]\d{3})+(?:,\d+)?$`), // 1.200,50
		false: lazyre.New(`^[-−]?\d{1,3}(?:[,'’ \x{202f}]\d{3})+(?:\.\d+)?$`),
	}
	plainNumber = lazyre.New(`^[-−]?\d+(?:[.,]\d+)?$`)
	separators  = strings.NewReplacer("'", "", "’", "", " ", "", "\u202f", "", "−", "-")
)

// number reads a numeral as the language writes it: 1.200 is twelve hundred in German and 1.2 in English.
func (r *reader) number(s string) (float64, bool) {
	comma := r.language != "en"
	switch {
	case grouped[comma].MatchString(s):
		s = separators.Replace(s)
		if comma {
			s = strings.ReplaceAll(strings.ReplaceAll(s, ".", ""), ",", ".")
		} else {
			s = strings.ReplaceAll(s, ",", "")
		}
	case plainNumber.MatchString(s):
		s = strings.ReplaceAll(separators.Replace(s), ",", ".")
	default:
		return 0, false
	}
	v, err := strconv.ParseFloat(s, 64)
	return v, err == nil && !math.IsInf(v, 0)
}

// multiplier returns the factor that the first word of a text applies to the number before it, and the length of the
// word.
func multiplier(text string) (factor float64, length int) {
	ws := wordsOf(text)
	if len(ws) == 0 || ws[0].start > 0 {
		return 0, 0
	}
	return multipliers[textproc.Fold(ws[0].of(text))], map[bool]int{
		true: ws[0].end}[multipliers[textproc.Fold(ws[0].of(text))] > 0]
}

// wordsOf returns the runs of letters and digits of a text.
func wordsOf(text string) []span {
	var out []span
	start := -1
	for i, r := range text {
		word := unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)
		switch {
		case word && start < 0:
			start = i
		case !word && start >= 0:
			out = append(out, span{start, i})
			start = -1
		}
	}
	if start >= 0 {
		out = append(out, span{start, len(text)})
	}
	return out
}

var bareYear = lazyre.New(`\b(?:1[0-9]|20)\d\d\b`)

// dates returns the times in a text in ISO 8601: a day, a month or a year, with the precision of the text.
func (r *reader) dates(text string) []reading {
	lang := dates.Both
	switch r.language {
	case "de":
		lang = dates.German
	case "en":
		lang = dates.English
	}
	var out []reading
	var taken []span
	for _, e := range dates.Find(text, r.now, lang) {
		at := e.From
		if e.Kind == dates.Recurring || e.Kind == dates.Duration || e.Granularity < dates.Day {
			continue
		}
		if e.Kind == dates.Deadline {
			at = e.To.Add(-time.Second)
		}
		if at.IsZero() || at.Year() > 9000 {
			continue
		}
		form := time.DateOnly
		switch {
		case e.Granularity >= dates.Year:
			form = "2006"
		case e.Granularity >= dates.Month:
			form = "2006-01"
		}
		s := span{e.Start, e.End}
		taken = append(taken, s)
		out = append(out, reading{at.Format(form), s})
	}
	for _, m := range bareYear.FindAllStringIndex(text, -1) {
		if s := (span{m[0], m[1]}); !inside(s, taken) && !partOfWord(text, s) {
			out = append(out, reading{s.of(text), s})
		}
	}
	return out
}

// choices returns the choices of the field that a text names and does not deny.
func choices(f *trilith.DomainField, text string) []reading {
	words := wordsOf(text)
	var out []reading
	var taken []span
	for _, c := range longestFirst(f.Choices) {
		parts := wordsOf(c)
		for i := 0; i+len(parts) <= len(words) && len(parts) > 0; i++ {
			same := true
			for j, p := range parts {
				same = same && textproc.Fold(words[i+j].of(text)) == textproc.Fold(p.of(c))
			}
			at := span{words[i].start, words[i+len(parts)-1].end}
			if !same || inside(at, taken) || i > 0 && denials[textproc.Fold(words[i-1].of(text))] {
				continue
			}
			taken = append(taken, at)
			out = append(out, reading{c, at})
		}
	}
	return out
}

// item separators of a list.
var (
	itemBreak = lazyre.New(`\s*(?:[,;\n•]|\s(?:und|and|sowie|plus)\s)\s*`)
	bullet    = lazyre.New(`^(?:[-*–]|\d+[.)])\s+`)
	leadIn    = lazyre.New(`(?i)^(?:also |nun |well |naja )?(?:wir (?:haben|machen|stellen|nutzen|verwenden|` +
		`produzieren|fertigen)|es gibt|das sind|das wären|bei uns gibt es|we (?:have|make|use|bake|produce|sell)|` +
		`there (?:are|is)|these are|it is|it's|they are)\s+(?:vor allem |mostly |mainly )?`)
)

// maxItems and maxItem limit a list: anything longer is prose.
const (
	maxItems = 50
	maxItem  = 120 // runes
)

// items returns the members of a list in a text. Words that repeat the question are not part of the first one.
func items(text, question string) []any {
	var out []any
	seen := map[string]bool{}
	text = withoutLead(leadIn.ReplaceAllString(strings.TrimSpace(text), ""), question)
	for _, s := range itemBreak().Split(text, -1) {
		s = strings.TrimSpace(bullet.ReplaceAllString(strings.Trim(strings.TrimSpace(s), ".!"), ""))
		for _, conjunction := range []string{"und ", "and "} {
			if rest, ok := strings.CutPrefix(s, conjunction); ok {
				s = rest
			}
		}
		key := textproc.Fold(s)
		if len(wordsOf(s)) == 0 || seen[key] || utf8.RuneCountInString(s) > maxItem {
			continue
		}
		seen[key] = true
		if out = append(out, s); len(out) == maxItems {
			break
		}
	}
	return out
}

// withoutLead leaves out two or more words at the beginning of a text that say nothing or are in the question: "We
// are known for" before what somebody is known for.
func withoutLead(text, question string) string {
	asked := foldedWords(question)
	words := wordsOf(text)
	n := 0
	for n < len(words) {
		w := textproc.Fold(words[n].of(text))
		if textproc.Stops(w) == 0 && !slices.Contains(asked, w) {
			break
		}
		n++
	}
	if n < 2 || n == len(words) {
		return text
	}
	return text[words[n].start:]
}

// Value converts a value to the form of its field in entries; nil if it does not have the field's type.
func Value(f *trilith.DomainField, v any) any {
	switch f.Type {
	case trilith.FieldNumber:
		return numberOf(v)
	case trilith.FieldChoice:
		if s, ok := v.(string); ok {
			if c, ok := choice(f, s); ok {
				return c
			}
		}
		if b, ok := v.(bool); ok { // of a choice between yes and no
			for _, s := range map[bool][]string{true: {"ja", "yes"}, false: {"nein", "no"}}[b] {
				if c, ok := choice(f, s); ok {
					return c
				}
			}
		}
	case trilith.FieldList:
		return listOf(v)
	case trilith.FieldText, trilith.FieldDate:
		if s := scalar(v); !blank(s) {
			return strings.TrimSpace(s)
		}
	}
	return nil
}

func numberOf(v any) any {
	switch v := v.(type) {
	case float64:
		return v
	case int:
		return float64(v)
	case int64:
		return float64(v)
	case json.Number:
		if n, err := v.Float64(); err == nil {
			return n
		}
	case string:
		if n, err := strconv.ParseFloat(strings.TrimSpace(v), 64); err == nil && !math.IsNaN(n) && !math.IsInf(n, 0) {
			return n
		}
	}
	return nil
}

// listOf is nil for a list without a member that says something.
func listOf(v any) any {
	var out []any
	switch v := v.(type) {
	case []any:
		for _, m := range v {
			if s := strings.TrimSpace(scalar(m)); s != "" {
				out = append(out, s)
			}
		}
	case []string:
		for _, m := range v {
			if m = strings.TrimSpace(m); m != "" {
				out = append(out, m)
			}
		}
	default:
		if s := strings.TrimSpace(scalar(v)); s != "" {
			out = append(out, s)
		}
	}
	if len(out) == 0 {
		return nil
	}
	return out
}

// scalar returns a value of one line, or "".
func scalar(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case float64, int, int64, bool, json.Number:
		return Text(v)
	}
	return ""
}

// Text is a value as people read it.
func Text(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	case []any:
		parts := make([]string, len(v))
		for i, m := range v {
			parts[i] = Text(m)
		}
		return strings.Join(parts, ", ")
	}
	body, err := json.Marshal(v)
	if err != nil {
		return ""
	}
	return string(body)
}
