package prompt

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Inline makes text fit for one line of a block between our fences: no line breaks or controls (a space each run),
// nothing invisible, and nothing that could be taken for a tag, a control token of a model's template, or another record.
func Inline(text string) string {
	return defuse(strings.Join(strings.Fields(visible(text, false)), " "), true)
}

// Lines is [Inline] for text with line breaks.
func Lines(text string) string { return defuse(visible(text, true), true) }

// Neutral makes a text safe for a model to read outside a block, such as in the answer of a tool: nothing invisible
// is left, and nothing that could be taken for a tag or a control token. Line breaks and the look of records stay.
func Neutral(text string) string { return defuse(visible(text, true), false) }

// visible removes invisible characters and replaces controls with spaces; line feeds and tabs stay if breaks is set.
// The joiners that emoji and the scripts from Arabic on need stay between two such characters.
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
