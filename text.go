package trilith

import (
	"bytes"
	"unicode/utf16"
	"unicode/utf8"
)

// CheckJSON returns an error for JSON whose strings, including member names, are not valid text: invalid UTF-8, and
// escapes such as \ud800 that are half of a character. A decoder would silently replace either, and the stored text
// would differ from the input. It does not otherwise check that data is JSON.
func CheckJSON(data []byte) error {
	if !utf8.Valid(data) {
		return Errorf(Invalid, "is not valid UTF-8")
	}
	for {
		at := bytes.IndexByte(data, '\\')
		if at < 0 || at+1 == len(data) {
			return nil
		}
		if data = data[at:]; data[1] != 'u' {
			data = data[2:]
			continue
		}
		r, ok := escaped(data)
		if !ok { // no JSON
			data = data[2:]
			continue
		}
		data = data[escapeLen:]
		if !utf16.IsSurrogate(r) {
			continue
		}
		low, ok := escaped(data)
		if !ok || utf16.DecodeRune(r, low) == utf8.RuneError {
			return Errorf(Invalid, `holds \u%04x, which is half of a character; write both halves, or leave it out`, r)
		}
		data = data[escapeLen:]
	}
}

// escapeLen is the length of an escape such as \u00e5.
const escapeLen = 6

// escaped reads the escape that data begins with.
func escaped(data []byte) (r rune, ok bool) {
	if len(data) < escapeLen || data[0] != '\\' || data[1] != 'u' {
		return 0, false
	}
	for _, c := range data[2:escapeLen] {
		switch {
		case '0' <= c && c <= '9':
			c -= '0'
		case 'a' <= c && c <= 'f':
			c -= 'a' - 10
		case 'A' <= c && c <= 'F':
			c -= 'A' - 10
		default:
			return 0, false
		}
		r = r<<4 | rune(c)
	}
	return r, true
}
