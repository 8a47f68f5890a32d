package distil

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/trilith-memory/trilith/internal/lang/textproc"
)

// mapped is a text in the form in which quotes are compared, with the place in the original of each of its bytes:
// Unicode normal form C, white space in a row as one space, typographic quotes and dashes as plain ones.
type mapped struct {
	text       string
	start, end []int
}

var plain = map[rune]rune{'‘': '\'', '’': '\'', '‚': '\'', '“': '"', '”': '"', '„': '"', '«': '"', '»': '"', '–': '-',
	'—': '-', '‑': '-'}

// locate finds a quote in a text: the bytes of the original that it covers. A quote that leaves words out, marked by …,
// is found from its first piece to its last.
func locate(text, quote string) (start, end int, elided, ok bool) {
	t := mapText(text)
	pieces := strings.FieldsFunc(strings.ReplaceAll(mapText(quote).text, "...", "…"),
		func(r rune) bool { return r == '…' })
	at := 0
	found := 0
	for _, p := range pieces {
		if p = strings.Trim(p, ` "'`); p == "" {
			continue
		}
		i := strings.Index(t.text[at:], p)
		if i < 0 {
			return 0, 0, false, false
		}
		if found == 0 {
			start = t.start[at+i]
		}
		found++
		at += i + len(p)
		end = t.end[at-1]
	}
	return start, end, found > 1, found > 0
}

func mapText(s string) mapped {
	var m mapped
	var b strings.Builder
	var it norm.Iter
	it.InitString(norm.NFC, s)
	for !it.Done() {
		from := it.Pos()
		segment := it.Next()
		to := it.Pos()
		for len(segment) > 0 {
			r, n := utf8.DecodeRune(segment)
			segment = segment[n:]
			if p, ok := plain[r]; ok {
				r = p
			}
			if unicode.IsSpace(r) {
				if last := len(m.end) - 1; last < 0 || b.String()[last] == ' ' {
					continue
				}
				r = ' '
			}
			b.WriteRune(r)
			for range utf8.RuneLen(r) {
				m.start, m.end = append(m.start, from), append(m.end, to)
			}
		}
	}
	m.text = b.String()
	return m
}

// fold is a text in the form in which names are compared.
func fold(s string) string { return textproc.Fold(strings.Join(strings.Fields(s), " ")) }

// letters returns the runs of letters and digits, folded, without a possessive s.
func letters(s string) []string {
	s = strings.NewReplacer("'s ", " ", "’s ", " ").Replace(s + " ")
	return strings.FieldsFunc(
		textproc.Fold(s), func(r rune) bool { return !unicode.In(r, unicode.Letter, unicode.Digit, unicode.Mark) })
}

// sentences returns the spans of a text's sentences.
func sentences(text string) (spans [][2]int) {
	for at, end := 0, 0; at < len(text); at = end {
		_, end = sentenceSpan(text, at, at+1)
		if s := strings.TrimSpace(text[at:end]); s != "" {
			from := at + strings.Index(text[at:], s)
			spans = append(spans, [2]int{from, from + len(s)})
		}
	}
	return spans
}
