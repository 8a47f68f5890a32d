package money

import (
	"unicode"
	"unicode/utf8"
)

type class uint8

const (
	other  class = iota // punctuation and everything else, one character each
	number              // digits with the signs between them
	word                // letters, ² and ³
	symbol              // a currency sign
)

type token struct {
	start, end int
	class      class
	glued      bool   // no space separates it from the token before
	newline    bool   // a line ends before it
	entry      *entry // of a known word or symbol; never nil
}

var unknown = &entry{numeral: -1}

// lex cuts text into tokens. White space is only recorded in the token after it.
func lex(text string, tokens []token) []token {
	glued, newline := false, true
	for i := 0; i < len(text); {
		t := token{start: i, glued: glued, newline: newline, entry: unknown}
		c := text[i]
		switch {
		case c <= ' ':
			glued, newline = false, newline || c == '\n' || c == '\r'
			i++
			continue
		case isDigit(c), c == '.' && startsFraction(text, i):
			t.class, i = number, endOfNumber(text, i+1)
		case isASCIILetter(c):
			t.class, i = word, endOfWord(text, i+1)
			t.entry = lookUp(text[t.start:i])
		case c == '$':
			t.class, t.entry, i = symbol, symbols['$'], i+1
		case c < utf8.RuneSelf:
			i++
		default:
			r, n := utf8.DecodeRuneInString(text[i:])
			i += n
			switch {
			case unicode.IsLetter(r):
				t.class, i = word, endOfWord(text, i)
				t.entry = lookUp(text[t.start:i])
			case symbols[r] != nil:
				t.class, t.entry = symbol, symbols[r]
			case unicode.IsSpace(r):
				glued = false
				continue
			}
		}
		t.end = i
		tokens = append(tokens, t)
		glued, newline = true, false
	}
	return tokens
}

// startsFraction reports whether the point at i begins a number such as .50.
func startsFraction(text string, i int) bool {
	if i+1 == len(text) || !isDigit(text[i+1]) {
		return false
	}
	return i == 0 || !isDigit(text[i-1]) && !isASCIILetter(text[i-1]) && text[i-1] != '.'
}

// endOfNumber returns the end of the number that begins before i. Signs belong to it if a digit follows, no-break and
// thin spaces if exactly three digits follow.
func endOfNumber(text string, i int) int {
	for i < len(text) {
		c := text[i]
		switch {
		case isDigit(c):
			i++
			continue
		case c == '.', c == ',', c == '\'':
			if i+1 < len(text) && isDigit(text[i+1]) {
				i += 2
				continue
			}
		case c >= utf8.RuneSelf:
			r, n := utf8.DecodeRuneInString(text[i:])
			if r == '’' && i+n < len(text) && isDigit(text[i+n]) || isGroupingSpace(r) && threeDigits(text[i+n:]) {
				i += n
				continue
			}
		}
		break
	}
	return i
}

func isGroupingSpace(r rune) bool { return r == '\u00a0' || r == '\u202f' || r == '\u2009' }

func threeDigits(s string) bool {
	return len(s) >= 3 && allDigits(s[:3]) && (len(s) == 3 || !isDigit(s[3]))
}

func endOfWord(text string, i int) int {
	for i < len(text) {
		if c := text[i]; c < utf8.RuneSelf {
			if !isASCIILetter(c) {
				break
			}
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(text[i:])
		if !unicode.IsLetter(r) && r != '²' && r != '³' {
			break
		}
		i += n
	}
	return i
}

func isASCIILetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

// lookUp returns the entry of a word, in any case.
func lookUp(w string) *entry {
	if len(w) > maxWord {
		return unknown
	}
	var lower [maxWord]byte
	for i := range len(w) {
		c := w[i]
		switch {
		case 'A' <= c && c <= 'Z':
			c |= 0x20
		case i > 0 && w[i-1] == 0xc3 && 0x80 <= c && c <= 0x9e && c != 0x97:
			c |= 0x20 // Ä to Þ: the same second byte but for this bit
		}
		lower[i] = c
	}
	if e := lexicon[string(lower[:len(w)])]; e != nil {
		return e
	}
	return unknown
}
