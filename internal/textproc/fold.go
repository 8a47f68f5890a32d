package textproc

import (
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Fold returns s in the form in which texts are compared: valid UTF-8 in NFC, without case, compatibility forms (width,
// ligatures, superscripts) and invisible characters, with plain apostrophes. Accents are dropped from Latin, Greek,
// Cyrillic, Hebrew and Arabic letters, as ä to a; elsewhere marks are part of the spelling and stay. Letters that no
// decomposition reaches are spelled out: ß as ss, æ as ae, ø as o. Folding twice changes nothing.
func Fold(s string) string {
	out := make([]byte, 0, len(s))
	accented := false // the base letter before is one whose marks are accents
	for _, r := range norm.NFKD.String(s) {
		if r < utf8.RuneSelf {
			c := byte(r)
			if l := lowerASCII[c]; l != 0 {
				c = l
			}
			out, accented = append(out, c), c >= 'a' && c <= 'z'
			continue
		}
		switch {
		case unicode.Is(unicode.Mn, r):
			if accented {
				continue
			}
		case r == '\u200b': // zero width space: a place to break
			r = ' '
		case unicode.Is(unicode.Cf, r): // joiners, soft hyphens, direction marks
			continue
		default:
			accented = unicode.In(r, unicode.Latin, unicode.Greek, unicode.Cyrillic, unicode.Hebrew, unicode.Arabic)
		}
		r = unicode.ToLower(r)
		if spelled, ok := spellings[r]; ok {
			out = append(out, spelled...)
			continue
		}
		out = utf8.AppendRune(out, r)
	}
	return string(norm.NFC.Bytes(out))
}

// spellings are the lower-case characters that folding replaces although Unicode does not decompose them.
var spellings = map[rune]string{
	'ß': "ss", 'æ': "ae", 'œ': "oe", 'ø': "o", 'đ': "d", 'ð': "d", 'ħ': "h", 'ı': "i", 'ł': "l", 'ŋ': "n", 'þ': "th", 'ŧ': "t",
	'ς':      "σ",
	'\u2018': "'", '\u2019': "'", '\u201b': "'", '\u02bc': "'",
}

// lowerASCII maps the bytes that belong to a word to their lower case, all others to 0.
var lowerASCII = func() (t [utf8.RuneSelf]byte) {
	for c := range t {
		switch {
		case '0' <= c && c <= '9', 'a' <= c && c <= 'z':
			t[c] = byte(c)
		case 'A' <= c && c <= 'Z':
			t[c] = byte(c) + 'a' - 'A'
		}
	}
	return t
}()

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
