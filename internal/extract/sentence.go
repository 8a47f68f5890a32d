package extract

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// sentence is a part of a text. Its text begins and ends without white space. A constructed one has the position of its
// original; see [page.clauses].
type sentence struct {
	start, end int
	text       string
	question   bool

	made       bool
	from, lead int // of a constructed one: its position in the original, and the length of the text put before it
}

// maxSentence is the length in bytes of the longest sentence that is read. Spoken ones are shorter; longer ones are
// data.
const maxSentence = 2000

// split cuts text into sentences. A mark ends one if white space follows, unless it belongs to an abbreviation, an
// initial or a German ordinal. So does a new paragraph, a new item of a list, and a line after a complete one. Blocks
// of code and quoted lines (> …) are left out.
func split(text string) []sentence {
	var all []sentence
	start, code := 0, false
	add := func(end int) {
		if s, ok := trimmed(text, start, end); ok {
			all = append(all, s)
		}
		start = end
	}
	for i := 0; i < len(text); {
		switch c := text[i]; {
		case c == '\n':
			line, next := nextLine(text, i+1)
			if code || start <= i && startsItem(line) || line == "" || i-start > maxSentence ||
				finished(text[start:i]) {
				if !code {
					add(i)
				}
				start = i
			}
			if strings.HasPrefix(line, "```") {
				if !code {
					add(i)
				}
				code = !code
				i, start = next, next
				continue
			}
			if strings.HasPrefix(line, ">") && !code {
				add(i)
				i, start = next, next
				continue
			}
			i++
		case i == 0 && (c == '>' || strings.HasPrefix(text, "```")):
			code = c == '`'
			_, i = nextLine(text, 0)
			start = i
		case (c == '.' || c == '!' || c == '?') && !code:
			end := i + 1
			for end < len(text) && strings.IndexByte(".!?)\"'", text[end]) >= 0 {
				end++
			}
			for _, mark := range [...]string{"”", "“", "’", "»", "«"} {
				if strings.HasPrefix(text[end:], mark) {
					end += len(mark)
				}
			}
			if end == len(text) || isSpace(text[end]) {
				if c != '.' || end > i+1 || !abbreviates(text, start, i) {
					add(end)
				}
			}
			i = end
		default:
			i++
		}
	}
	if !code {
		add(len(text))
	}
	return all
}

func isSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' }

func trimmed(text string, start, end int) (sentence, bool) {
	for start < end && isSpace(text[start]) {
		start++
	}
	for end > start && isSpace(text[end-1]) {
		end--
	}
	s := sentence{start: start, end: end, text: text[start:end]}
	s.question = strings.Contains(s.text[max(0, len(s.text)-4):], "?")
	return s, start < end
}

// nextLine returns the line at i without the white space around it, and the position after it.
func nextLine(text string, i int) (line string, next int) {
	n := strings.IndexByte(text[i:], '\n')
	if n < 0 {
		return strings.TrimSpace(text[i:]), len(text)
	}
	return strings.TrimSpace(text[i : i+n]), i + n
}

func startsItem(line string) bool {
	for _, mark := range [...]string{"- ", "* ", "• ", "– ", "#", "[ ]", "[x]"} {
		if strings.HasPrefix(line, mark) {
			return true
		}
	}
	i := 0
	for i < len(line) && '0' <= line[i] && line[i] <= '9' {
		i++
	}
	return i > 0 && i+1 < len(line) && (line[i] == '.' || line[i] == ')') && line[i+1] == ' '
}

// finished reports whether a line is complete, or is an item of a list or a note such as "Risk: …".
func finished(line string) bool {
	line = strings.TrimSpace(line)
	if line == "" || startsItem(line) {
		return true
	}
	if strings.IndexByte(".!?:;", line[len(line)-1]) >= 0 {
		return true
	}
	label, _, ok := strings.Cut(line, ": ")
	return ok && strings.Count(label, " ") < 3
}

// abbreviations in small letters, without their last point.
var abbreviations = wordSet(
	"e.g i.e mr mrs ms dr prof st sr jr vs etc no nos approx inc ltd co fig ca cf al est dept z.b d.h u.a bzw usw ggf nr str inkl " +
		"zzgl vgl evtl max min tel abs art s.o s.u o.ä std hr fr bsp geb mio mrd tsd")

// ordinalBefore are the words that come before a German ordinal, ordinalAfter those after it.
var (
	ordinalBefore = wordSet("am der den dem des vom zum bis beim im ab seit und das die")
	ordinalAfter  = wordSet(
		"januar jänner februar märz april mai juni juli august september oktober november dezember jan feb mär apr jun jul aug sep okt nov dez")
)

// abbreviates reports whether the point at i does not end the sentence that begins at start.
func abbreviates(text string, start, i int) bool {
	from := strings.LastIndexAny(text[start:i], " \n\t(") + 1 + start
	w := strings.ToLower(text[from:i])
	next := strings.TrimLeft(text[i+1:], " ")
	if next != "" && strings.Contains("abcdefghijklmnopqrstuvwxyz", next[:1]) &&
		!strings.HasPrefix(next, "i ") && w != "" {
		return true // chat without capitals is rarer than an unlisted abbreviation
	}
	if abbreviations[w] {
		return true
	}
	if utf8.RuneCountInString(w) == 1 && unicode.IsLetter(firstRune(w)) && w != "i" {
		return true
	}
	if len(w) > 2 || w == "" || strings.Trim(w, "0123456789") != "" {
		return false
	}
	if before := lastWords(text[start:from], 1); len(before) > 0 && ordinalBefore[before[0]] {
		return true
	}
	after, _, _ := strings.Cut(next, " ")
	return from == start || ordinalAfter[strings.ToLower(strings.Trim(after, ".,;:!?"))]
}

func firstRune(s string) rune {
	r, _ := utf8.DecodeRuneInString(s)
	return r
}

func wordSet(words string) map[string]bool {
	set := make(map[string]bool)
	for w := range strings.FieldsSeq(words) {
		set[w] = true
	}
	return set
}

// words appends the words of s in small letters to ws. Apostrophes, hyphens and points between letters belong to a
// word.
func words(ws []string, s string) []string {
	start := -1
	for i, r := range s {
		in := r >= utf8.RuneSelf && (unicode.IsLetter(r) || r == '’') ||
			'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' ||
			(r == '\'' || r == '-') && start >= 0
		switch {
		case in && start < 0:
			start = i
		case !in && start >= 0:
			ws, start = append(ws, lower(s[start:i])), -1
		}
	}
	if start >= 0 {
		ws = append(ws, lower(s[start:]))
	}
	return ws
}

func lower(w string) string { return strings.ReplaceAll(strings.ToLower(w), "’", "'") }
