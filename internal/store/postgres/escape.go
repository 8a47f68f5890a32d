package postgres

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// PostgreSQL's text can contain neither U+0000 nor invalid UTF-8, and its jsonb no U+0000. Both are escaped with
// U+0001: almost no text contains that, so almost every text is stored unchanged. Escaping keeps the order of valid
// texts.
const (
	sign        = '\x01'
	escapedNUL  = "\x01\x01" // U+0000
	escapedSign = "\x01\x02" // U+0001
	escapedByte = "\x01\x03" // an invalid byte; the character with its number follows
)

// plain is the inverse of [text].
func plain(s string) string {
	if strings.IndexByte(s, sign) < 0 {
		return s
	}
	var b strings.Builder
	for {
		before, after, found := strings.Cut(s, string(sign))
		b.WriteString(before)
		if !found || after == "" {
			return b.String()
		}
		s = after[1:]
		switch after[0] {
		case escapedNUL[1]:
			b.WriteByte(0)
		case escapedSign[1]:
			b.WriteByte(sign)
		case escapedByte[1]:
			r, n := utf8.DecodeRuneInString(s)
			b.WriteByte(byte(r))
			s = s[n:]
		}
	}
}

// texts is text for every element; the result is never nil.
func texts[T ~string](vs []T) []string {
	out := make([]string, len(vs))
	for i, v := range vs {
		out[i] = text(string(v))
	}
	return out
}

// text returns s in the form of a column.
func text(s string) string {
	if strings.IndexByte(s, 0) < 0 && strings.IndexByte(s, sign) < 0 && utf8.ValidString(s) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == 0:
			b.WriteString(escapedNUL)
		case r == sign:
			b.WriteString(escapedSign)
		case r == utf8.RuneError && n == 1:
			b.WriteString(escapedByte)
			b.WriteRune(rune(s[i]))
		default:
			b.WriteString(s[i : i+n])
		}
		i += n
	}
	return b.String()
}

// jsonText returns JSON in the form of a jsonb column: its strings are escaped like text.
func jsonText(data []byte) []byte {
	return replaceUnicode(data, func(code string, _ []byte) (string, int) {
		switch code {
		case "0000":
			return `\u0001\u0001`, 0
		case "0001":
			return `\u0001\u0002`, 0
		}
		return "", 0
	})
}

// plainJSON is the inverse of [jsonText].
func plainJSON(data []byte) []byte {
	return replaceUnicode(data, func(code string, after []byte) (string, int) {
		if code == "0001" && bytes.HasPrefix(after, []byte(`\u000`)) && len(after) >= 6 {
			switch after[5] {
			case '1':
				return `\u0000`, 6
			case '2':
				return `\u0001`, 6
			}
		}
		return "", 0
	})
}

// replaceUnicode calls replace for every \uXXXX in JSON, which returns what to write instead, and how many of the
// following bytes that replaces.
func replaceUnicode(data []byte, replace func(code string, after []byte) (string, int)) []byte {
	if !bytes.Contains(data, []byte(`\u000`)) {
		return data
	}
	out := make([]byte, 0, len(data)+16)
	for i := 0; i < len(data); i++ {
		if data[i] != '\\' || i+1 == len(data) {
			out = append(out, data[i])
			continue
		}
		if data[i+1] == 'u' && i+6 <= len(data) {
			if with, more := replace(string(data[i+2:i+6]), data[i+6:]); with != "" {
				out = append(out, with...)
				i += 5 + more
				continue
			}
		}
		out = append(out, data[i], data[i+1])
		i++
	}
	return out
}
