package dates

import (
	"time"
	"unicode"
	"unicode/utf8"
)

type shape uint8

const (
	mark shape = iota // a single character that is neither space, letter nor digit
	word
	number
)

// token is a piece of the text. Only the positions of tokens show the spaces between them.
type token struct {
	start, end int
	n          int // the value of a number, the character of a mark
	lexeme     lexeme
	shape      shape
	upper      bool // a word that begins with a capital
}

// digits returns how many digits a number has, and 0 for other tokens.
func (t token) digits() int {
	if t.shape != number {
		return 0
	}
	return t.end - t.start
}

// maxValue is the value of a number that is too long for a calendar.
const maxValue = 1_000_000

// scan appends the tokens of text to buf.
func scan(buf []token, text string, lex *lexicon) []token {
	for i := 0; i < len(text); {
		c := text[i]
		switch {
		case c <= ' ':
			i++
		case '0' <= c && c <= '9':
			t := token{start: i, shape: number}
			for ; i < len(text) && '0' <= text[i] && text[i] <= '9'; i++ {
				t.n = min(t.n*10+int(text[i]-'0'), maxValue)
			}
			t.end = i
			buf = append(buf, t)
		default:
			var t token
			t, i = scanWord(text, i, lex)
			if t.shape == mark && unicode.IsSpace(rune(t.n)) {
				continue
			}
			buf = append(buf, t)
			if t.lexeme.has(opensPhrase) {
				if p, end := lex.phrase(text, t); end > 0 {
					buf[len(buf)-1].lexeme, buf[len(buf)-1].end = p, end
					i = end
				}
			}
		}
	}
	return buf
}

// maxWord is the length in bytes up to which words are looked up; a test checks the tables against it.
const maxWord = 32

// scanWord reads the word at i, or a single character if none begins there.
func scanWord(text string, i int, lex *lexicon) (token, int) {
	end := wordEnd(text, i)
	r, size := utf8.DecodeRuneInString(text[i:])
	if end == i {
		return token{start: i, end: i + size, n: int(r), shape: mark}, i + size
	}
	t := token{start: i, end: end, shape: word, upper: unicode.IsUpper(r)}
	if end-i <= maxWord {
		var room [2 * maxWord]byte
		t.lexeme = lex.words[string(foldInto(room[:0], text[i:end]))]
	}
	return t, end
}

// wordEnd returns the end of the word that begins at i, and i if none does.
func wordEnd(text string, i int) int {
	start := i
	for i < len(text) {
		r, size := rune(text[i]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRuneInString(text[i:])
		}
		if !isLetter(r) && (i == start || !unicode.Is(unicode.Mn, r)) {
			break
		}
		i += size
	}
	return i
}

func isLetter(r rune) bool {
	if r < utf8.RuneSelf {
		return 'a' <= r|' ' && r|' ' <= 'z'
	}
	return unicode.IsLetter(r)
}

// appendFolded appends r in lower case, with umlauts and ß spelled out, however they were composed.
func appendFolded(w []byte, r rune) []byte {
	switch {
	case 'A' <= r && r <= 'Z':
		return append(w, byte(r)+'a'-'A')
	case r < utf8.RuneSelf:
		return append(w, byte(r))
	}
	switch r {
	case 'ä', 'Ä':
		return append(w, "ae"...)
	case 'ö', 'Ö':
		return append(w, "oe"...)
	case 'ü', 'Ü':
		return append(w, "ue"...)
	case 'ß', 'ẞ':
		return append(w, "ss"...)
	case '\u0308': // the dots of a decomposed umlaut
		return append(w, 'e')
	}
	return utf8.AppendRune(w, unicode.ToLower(r))
}

// parser reads the tokens of one text in one language.
type parser struct {
	text   string
	tokens []token
	lex    *lexicon
	ref    time.Time
	today  time.Time // the day of ref
	joined bool      // a dash may follow: the parser reads the first end of a range
}

// has reports whether token i is a word with all of these roles.
func (p *parser) has(i int, r roles) bool {
	return i >= 0 && i < len(p.tokens) && p.tokens[i].lexeme.has(r)
}

// skip returns the index after token i if it has one of the roles, and i otherwise.
func (p *parser) skip(i int, r roles) int {
	if p.any(i, r) {
		return i + 1
	}
	return i
}

// skipMark returns the index after token i if it is the mark r, and i otherwise.
func (p *parser) skipMark(i int, r rune) int {
	if p.isMark(i, r) {
		return i + 1
	}
	return i
}

func (p *parser) isDash(i int) bool {
	return p.isMark(i, '-') || p.isMark(i, '–') || p.isMark(i, '—')
}

func (p *parser) isMark(i int, r rune) bool {
	return i >= 0 && i < len(p.tokens) && p.tokens[i].shape == mark && p.tokens[i].n == int(r)
}

// maxLead is the largest number of prepositions and articles before a point: from around the beginning of the.
const maxLead = 6

// promises reports whether a number or a word of the calendar is at token i, perhaps after prepositions and articles.
// It rejects most words of a text.
func (p *parser) promises(i int) bool {
	for range maxLead {
		if p.any(i, contentWords) || !p.any(i, functionWords) {
			break
		}
		i++
	}
	return p.at(i).shape == number || p.any(i, contentWords)
}

// begins reports whether an expression may begin with token i: not inside a longer number, name or address.
func (p *parser) begins(i int) bool {
	if !p.touches(i) {
		return true
	}
	before := p.at(i - 1)
	if before.shape != mark {
		return false
	}
	switch rune(before.n) {
	case '-', '–', '.', ',', ':', '\'', '’':
		return !p.touches(i-1) || p.at(i-2).shape == mark
	case '/', '\\', '@', '#', '_', '$', '€', '£', '+', '=', '&', '%':
		return false
	}
	return true
}

// ends reports whether an expression may end before token i.
func (p *parser) ends(i int) bool {
	after, last := p.at(i), p.at(i-1)
	if last.shape == number && p.measures(i) {
		return false
	}
	if !p.touches(i) {
		return true
	}
	if after.shape != mark {
		return last.shape == mark // 3.Mai
	}
	if !p.touches(i + 1) {
		return true
	}
	next := p.at(i + 1)
	switch rune(after.n) {
	case '.':
		return next.shape == mark || next.shape == word && next.upper
	case '-', '–', '_':
		return p.joined || next.shape == mark || last.shape == number && next.shape == word
	case ',', ':', '/':
		return next.shape != number
	case '@', '=', '\\':
		return false
	}
	return true
}

// measures reports whether token i makes the number before it an amount of something.
func (p *parser) measures(i int) bool {
	if t := p.at(i); t.shape == mark {
		switch rune(t.n) {
		case '%', '€', '$', '£', '°', '‰':
			return true
		}
	}
	return p.any(i, aMeasure)
}

// at returns token i, and an empty mark for an index outside the text.
func (p *parser) at(i int) token {
	if i < 0 || i >= len(p.tokens) {
		return token{}
	}
	return p.tokens[i]
}

// any reports whether token i is a word with one of these roles.
func (p *parser) any(i int, r roles) bool {
	return i >= 0 && i < len(p.tokens) && p.tokens[i].lexeme.roles&r != 0
}

// touches reports whether no space separates token i from the one before it.
func (p *parser) touches(i int) bool {
	return i > 0 && i < len(p.tokens) && p.tokens[i-1].end == p.tokens[i].start
}
