package names

import (
	"net/url"
	"strings"
	"unicode"
)

// Phone is the one way of writing a phone number: digits, with a plus in front if its country is given. It reads the
// forms that people and programs write: tel: in front and parameters behind, spaces and signs between, 00 for the
// plus, and the optional (0). A text without a digit is returned unchanged.
func Phone(s string) string {
	s = Unschemed("tel:", s)
	s, _, _ = strings.Cut(s, ";")
	international := strings.HasPrefix(s, "+") || strings.HasPrefix(s, "00") || strings.HasPrefix(s, "(+") ||
		strings.HasPrefix(s, "(00")
	if international {
		s = strings.Replace(s, "(0)", "", 1)
	}
	digits := strings.Map(func(r rune) rune {
		if '0' <= r && r <= '9' || unicode.IsLetter(r) || r == '*' || r == '#' {
			return r
		}
		return -1
	}, s)
	switch {
	case !strings.ContainsAny(digits, "0123456789"):
		return s
	case strings.ContainsRune(s, '+'):
		return "+" + digits
	case international:
		return "+" + strings.TrimPrefix(digits, "00")
	}
	return digits
}

// Mail is the one way of writing an e-mail address: without mailto: in front, its parameters, and angle brackets, in
// lower case.
func Mail(s string) string {
	plain := Unschemed("mailto:", s)
	if plain != strings.TrimSpace(s) {
		plain, _, _ = strings.Cut(plain, "?")
		if unescaped, err := url.PathUnescape(plain); err == nil {
			plain = unescaped
		}
	}
	return strings.ToLower(strings.Trim(plain, "<> "))
}

// Unschemed returns a text without spaces around it and without a scheme in front, whose case does not matter.
func Unschemed(scheme, s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if len(s) >= len(scheme) && strings.EqualFold(s[:len(scheme)], scheme) {
		return strings.TrimSpace(s[len(scheme):])
	}
	return s
}
