package assemble

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// inline makes text fit for one line between our fences: no line breaks or controls (a space each run), nothing
// invisible, and no tag that could be taken for the fence.
func inline(text string) string {
	return defuse(strings.Join(strings.Fields(visible(text, false)), " "))
}

// visible removes invisible characters and replaces controls with spaces; line feeds and tabs stay if breaks is set. The
// joiners that emoji and the scripts from Arabic on need stay between two such characters.
func visible(text string, breaks bool) string {
	if printable(text) {
		return text
	}
	text = strings.ToValidUTF8(text, "\uFFFD")
	var b strings.Builder
	b.Grow(len(text))
	var prev rune
	for i, r := range text {
		switch {
		case breaks && (r == '\n' || r == '\t'):
		case unicode.IsControl(r) || unicode.In(r, unicode.Zl, unicode.Zp):
			r = ' '
		case r == '\u200C' || r == '\u200D':
			next, size := utf8.DecodeRuneInString(text[i+utf8.RuneLen(r):])
			if size == 0 || prev < '\u0600' || next < '\u0600' || hidden(prev) || hidden(next) {
				continue
			}
		case r == '\uFE0F': // asks for the coloured form of the emoji before it
			if prev < '\u2000' || hidden(prev) || prev == r {
				continue
			}
		case hidden(r):
			continue
		}
		b.WriteRune(r)
		prev = r
	}
	return b.String()
}

func hidden(r rune) bool {
	if r == '\uFE0F' || r < 0xAD {
		return false
	}
	return unicode.Is(unicode.Cf, r) && !unicode.Is(unicode.Prepended_Concatenation_Mark, r) ||
		unicode.In(r, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point)
}

func printable(text string) bool {
	for i := range len(text) {
		if c := text[i]; (c < ' ' || c > '~') && c != '\n' && c != '\t' {
			return false
		}
	}
	return true
}

// defuse replaces the bracket of everything that begins like our tag, however it is spaced, closed or written, with one
// that opens no tag.
func defuse(text string) string {
	const name = "cairn"
	var b strings.Builder
	kept := 0
	for i := 0; i < len(text); i++ {
		size := bracket(text[i:])
		if size == 0 {
			continue
		}
		rest := strings.TrimLeft(text[i+size:], ` /\`)
		if len(rest) >= len(name) && strings.EqualFold(rest[:len(name)], name) {
			b.WriteString(text[kept:i])
			b.WriteString("‹")
			kept = i + size
		}
	}
	if kept == 0 {
		return text
	}
	b.WriteString(text[kept:])
	return b.String()
}

// bracket returns the size of the character that s begins with if it is < or one that looks like it, else 0.
func bracket(s string) int {
	switch {
	case s[0] == '<':
		return 1
	case s[0] == 0xEF && (strings.HasPrefix(s, "＜") || strings.HasPrefix(s, "﹤")):
		return len("＜")
	}
	return 0
}
