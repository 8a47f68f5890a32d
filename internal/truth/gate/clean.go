package gate

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Clean removes characters that a reader cannot see but a model may read: C0 and C1 controls except line feed and tab,
// bidirectional controls, tag characters, zero-width and other ignorable characters, and bytes that are not UTF-8. It
// is for derived and rendered text; stored episodes are verbatim. Clean(Clean(s)) == Clean(s).
//
// Three invisible kinds carry meaning and stay in certain positions: a zero-width joiner or non-joiner between two
// characters from U+0600 on (emoji sequences, and the scripts from Arabic to the Indic ones that need it for shaping;
// no script below does), and a variation selector right after a visible character that is not ASCII, or after the
// digit, # or * of a keycap. Regional flags made of tag characters lose their tags and become a plain flag.
func Clean(text string) string {
	if printable(text) {
		return text
	}
	text = strings.ToValidUTF8(text, "")
	var b strings.Builder
	b.Grow(len(text))
	var prev rune // the last rune written
	for i, r := range text {
		if keep(prev, r, text[i+utf8.RuneLen(r):]) {
			b.WriteRune(r)
			prev = r
		}
	}
	return b.String()
}

// printable reports whether text is printable ASCII, tabs and line feeds, and so needs no cleaning.
func printable(text string) bool {
	for i := range len(text) {
		if c := text[i]; (c < ' ' || c > '~') && c != '\n' && c != '\t' {
			return false
		}
	}
	return true
}

const (
	nonJoiner = '\u200C'
	joiner    = '\u200D'
	// firstJoining is where the scripts with joiners begin (Arabic); emoji come later.
	firstJoining = '\u0600'
)

func keep(prev, r rune, rest string) bool {
	switch {
	case r == '\n' || r == '\t':
		return true
	case r == joiner || r == nonJoiner:
		next, size := utf8.DecodeRuneInString(rest)
		return size > 0 && prev >= firstJoining && prev != joiner && prev != nonJoiner && next >= firstJoining &&
			!invisible(next)
	case unicode.Is(unicode.Variation_Selector, r):
		return prev > unicode.MaxASCII && !invisible(prev) || '0' <= prev && prev <= '9' || prev == '#' || prev == '*'
	}
	return !unicode.IsControl(r) && !invisible(r)
}

// blank reports whether text shows nothing.
func blank(text string) bool {
	for _, r := range text {
		if !unicode.IsSpace(r) && !unicode.IsControl(r) && !invisible(r) {
			return false
		}
	}
	return true
}

// invisible reports whether r takes no space: format characters, variation selectors and characters that Unicode tells
// renderers to ignore. The number signs of Arabic and Kaithi are format characters too, but visible.
func invisible(r rune) bool {
	if r < 0xAD {
		return false
	}
	return unicode.Is(unicode.Cf, r) && !unicode.Is(unicode.Prepended_Concatenation_Mark, r) ||
		unicode.In(r, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point)
}
