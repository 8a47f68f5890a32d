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
	"github.com/trilith-memory/trilith/internal/lang/dates"
	"github.com/trilith-memory/trilith/internal/lang/lazyre"
	"github.com/trilith-memory/trilith/internal/lang/money"
	"github.com/trilith-memory/trilith/internal/lang/textproc"
)

// span is a part of a text, in bytes.
type span struct{ start, end int }

func (s span) holds(o span) bool { return s.start <= o.start && o.end <= s.end }

// reading is a value that a text holds, and where.
type reading struct {
	value any
	at    span
}

// reader reads values out of texts of one language.
type reader struct {
	language string
	now      time.Time // the day that "last year" is relative to
}

// readings returns the values of the field's type in a text, in order.
func (r *reader) readings(f *trilith.DomainField, text string) []reading {
	switch f.Type {
	case trilith.FieldNumber:
		return r.numbers(text)
	case trilith.FieldDate:
		return r.dates(text)
	case trilith.FieldChoice:
		return choices(f, text)
	}
	return nil
}

// numbers returns the numbers of a text, without those in dates and identifiers: 1.200 is twelve hundred in German and
// 1.2 in English. Those that may be articles, such as "eine", come last.
func (r *reader) numbers(text string) []reading {
	var out, ones []reading
	if says(foldedWords(text), nones) {
		return []reading{{0.0, span{0, len(text)}}}
	}
	var taken []span
	for _, d := range r.dates(text) {
		taken = append(taken, d.at)
	}
	lang := money.German // and all that have a decimal comma
	if r.language == "en" {
		lang = money.English
	}
	all := money.Numbers(text, lang)
	for _, n := range all[:min(len(all), 50)] { // an answer with more is a table
		at := span{n.Start, n.End}
		v, err := strconv.ParseFloat(n.Value.String(), 64)
		before := text[:at.start]
		if head := strings.TrimRight(before, "-−"); head != before && (head == "" || strings.HasSuffix(head, " ")) {
			v = -v
		}
		switch {
		case err != nil, inside(at, taken) && strings.Trim(text, " .!\n") != at.of(text): // in reply 2000 may be just that
		case v == 1 && at.of(text) != "1":
			ones = append(ones, reading{v, at})
		default:
			out = append(out, reading{v, at})
		}
	}
	return append(out, ones...)
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
		if s := (span{m[0], m[1]}); !inside(s, taken) {
			out = append(out, reading{s.of(text), s})
		}
	}
	return out
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

func inside(s span, list []span) bool { return slices.ContainsFunc(list, s.overlaps) }

func (s span) overlaps(o span) bool { return s.start < o.end && o.start < s.end }

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

func (s span) of(text string) string { return text[s.start:s.end] }
