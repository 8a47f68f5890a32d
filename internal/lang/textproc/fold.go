package textproc

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Fold returns s in the form in which texts are compared: valid UTF-8 in NFC, without case, compatibility forms (width,
// ligatures, superscripts) and invisible characters, with plain apostrophes and the digits 0 to 9. Latin, Greek,
// Cyrillic, Hebrew and Arabic letters lose their accents, as ä becomes a; elsewhere marks are part of the spelling and
// stay, as in й, which differs from и. Letters without a decomposition are spelled out: ß as ss, æ as ae, ø as o.
// Arabic letters that are written for each other become one: all alefs, ى and ي, ة and ه. Folding twice changes
// nothing.
func Fold(s string) string {
	out := make([]byte, 0, len(s))
	accented := false // the marks of the base letter before are accents
	var base rune     // it, in lower case
	for _, r := range norm.NFKD.String(s) {
		if r < utf8.RuneSelf {
			c := byte(r)
			if l := lowerASCII[c]; l != 0 {
				c = l
			}
			out, accented, base = append(out, c), c >= 'a' && c <= 'z', 0
			continue
		}
		switch {
		case unicode.Is(unicode.Mn, r):
			if accented && !strings.ContainsRune(ownMarks[base], r) {
				continue
			}
		case r == '\u200b': // zero width space: a possible line break
			r = ' '
		case r == tatweel, unicode.Is(unicode.Cf, r): // joiners, soft hyphens, direction marks
			continue
		case unicode.IsDigit(r):
			r = '0' + digitValue(r)
			accented = false
		default:
			accented = unicode.In(r, unicode.Latin, unicode.Greek, unicode.Cyrillic, unicode.Hebrew, unicode.Arabic)
			base = unicode.ToLower(r)
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
	'ß': "ss", 'æ': "ae", 'œ': "oe", 'ø': "o", 'đ': "d", 'ð': "d", 'ħ': "h", 'ı': "i", 'ł': "l", 'ŋ': "n",
	'þ': "th", 'ŧ': "t",
	'ς': "σ",
	'ٱ': "ا", 'ى': "ي", 'ی': "ي", 'ک': "ك", 'ة': "ه", 'ۀ': "ه", 'ہ': "ه",
	'\u2018': "'", '\u2019': "'", '\u201b': "'", '\u02bc': "'",
}

// ownMarks are the marks that make a Cyrillic letter a different letter.
var ownMarks = map[rune]string{'и': "\u0306", 'у': "\u0306", 'і': "\u0308", 'г': "\u0301", 'к': "\u0301"}

const tatweel = 'ـ' // stretches a word and has no meaning

// digitValue returns the value of a decimal digit of any script. The digits of a script are consecutive, from 0 to 9.
func digitValue(r rune) rune {
	for _, t := range unicode.Nd.R16 {
		if rune(t.Lo) <= r && r <= rune(t.Hi) {
			return (r - rune(t.Lo)) % 10
		}
	}
	for _, t := range unicode.Nd.R32 {
		if rune(t.Lo) <= r && r <= rune(t.Hi) {
			return (r - rune(t.Lo)) % 10
		}
	}
	return 0
}

// lowerASCII maps the bytes of words to lower case, and all others to 0.
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
