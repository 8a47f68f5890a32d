package pdftext

import (
	"bytes"
	"strconv"
)

// operand is an operand of an operator: a number, a string, a name or a list of operands. Dictionaries are skipped.
type operand struct {
	kind   byte // 'n' number, 's' string, '/' name, '[' list; 0 for anything else
	number float64
	text   string
	list   []operand
}

// lexer splits a content stream or a character map into operators, each with its operands.
type lexer struct {
	data []byte
	at   int
}

const maxOperands = 64 << 10

// next returns the next operator with its operands; ok is false at the end.
func (l *lexer) next() (op string, args []operand, ok bool) {
	for {
		word, a, end := l.token(0)
		switch {
		case end:
			return "", nil, false
		case word == "":
			if len(args) < maxOperands {
				args = append(args, a)
			}
		case word == "BI":
			l.skipImage()
			args = nil
		default:
			return word, args, true
		}
	}
}

// token returns the next token: an operator as a word, or an operand.
func (l *lexer) token(depth int) (word string, a operand, end bool) {
	l.space()
	if l.at >= len(l.data) {
		return "", a, true
	}
	switch c := l.data[l.at]; {
	case c == '(':
		return "", operand{kind: 's', text: l.literal()}, false
	case c == '<' && l.at+1 < len(l.data) && l.data[l.at+1] == '<', c == '>' && l.at+1 < len(l.data) &&
		l.data[l.at+1] == '>':
		l.at += 2
		return "", a, false // the contents follow as operands that are ignored
	case c == '<':
		return "", operand{kind: 's', text: l.hex()}, false
	case c == '/':
		l.at++
		return "", operand{kind: '/', text: string(l.regular())}, false
	case c == '[':
		l.at++
		list := operand{kind: '['}
		for depth < maxNesting {
			l.space()
			if l.at >= len(l.data) || l.data[l.at] == ']' {
				l.at++
				break
			}
			if w, e, end := l.token(depth + 1); !end && w == "" && len(list.list) < maxOperands {
				list.list = append(list.list, e)
			}
		}
		return "", list, false
	case c == ']' || c == '{' || c == '}' || c == ')' || c == '>':
		l.at++
		return "", a, false
	}
	r := l.regular()
	if n, err := strconv.ParseFloat(string(r), 64); err == nil {
		return "", operand{kind: 'n', number: n}, false
	}
	return string(r), a, false
}

func (l *lexer) space() {
	for l.at < len(l.data) {
		switch l.data[l.at] {
		case ' ', '\t', '\r', '\n', '\f', 0:
			l.at++
		case '%':
			for l.at < len(l.data) && l.data[l.at] != '\n' && l.data[l.at] != '\r' {
				l.at++
			}
		default:
			return
		}
	}
}

// regular reads a run of regular characters.
func (l *lexer) regular() []byte {
	start := l.at
	for l.at < len(l.data) && bytes.IndexByte([]byte(" \t\r\n\f\x00()<>[]{}/%"), l.data[l.at]) < 0 {
		l.at++
	}
	return l.data[start:l.at]
}

func (l *lexer) literal() string {
	var out []byte
	depth := 0
	for ; l.at < len(l.data); l.at++ {
		c := l.data[l.at]
		switch c {
		case '(':
			if depth++; depth == 1 {
				continue
			}
		case ')':
			if depth--; depth == 0 {
				l.at++
				return string(out)
			}
		case '\\':
			c = l.escape(&out)
			if c == 0 {
				continue
			}
		}
		out = append(out, c)
	}
	return string(out)
}

// escape reads an escape sequence after the backslash. It returns its character, or 0 if it has written to out itself.
func (l *lexer) escape(out *[]byte) byte {
	if l.at++; l.at >= len(l.data) {
		return 0
	}
	switch c := l.data[l.at]; c {
	case 'n':
		return '\n'
	case 'r':
		return '\r'
	case 't':
		return '\t'
	case 'b':
		return '\b'
	case 'f':
		return '\f'
	case '\r':
		if l.at+1 < len(l.data) && l.data[l.at+1] == '\n' {
			l.at++
		}
		return 0
	case '\n':
		return 0
	default:
		if c < '0' || c > '7' {
			return c
		}
		n := 0
		for i := 0; i < 3 && l.at < len(l.data) && l.data[l.at] >= '0' && l.data[l.at] <= '7'; i++ {
			n = n*8 + int(l.data[l.at]-'0')
			l.at++
		}
		l.at--
		*out = append(*out, byte(n))
		return 0
	}
}

func (l *lexer) hex() string {
	var out []byte
	high, half := byte(0), false
	for l.at++; l.at < len(l.data) && l.data[l.at] != '>'; l.at++ {
		n, err := strconv.ParseUint(string(l.data[l.at]), 16, 8)
		if err != nil {
			continue
		}
		if half = !half; half {
			high = byte(n) << 4
			continue
		}
		out = append(out, high|byte(n))
	}
	l.at++
	if half {
		out = append(out, high)
	}
	return string(out)
}

// skipImage skips an inline image, whose bytes may look like anything.
func (l *lexer) skipImage() {
	for l.at < len(l.data) {
		i := bytes.Index(l.data[l.at:], []byte("EI"))
		if i < 0 {
			l.at = len(l.data)
			return
		}
		l.at += i + 2
		before, behind := l.at-3, l.at
		if before >= 0 && isSpace(l.data[before]) && (behind == len(l.data) || isSpace(l.data[behind])) {
			return
		}
	}
}

func isSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\r' || c == '\t' }
