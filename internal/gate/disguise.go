package gate

import (
	"encoding/base64"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// readings are the ways in which a model may read a text: as it stands without what hides words, without the marks on its
// letters, and what is encoded in it.
func readings(text string) []string {
	out := []string{fold(text)}
	if !printable(text) {
		if bare := unmarked(out[0]); bare != out[0] {
			out = append(out, bare)
		}
	}
	if hidden := decoded(text); hidden != "" {
		out = append(out, fold(hidden))
	}
	return out
}

// fold lower-cases, gives letters in fancy dress their plain form, and removes what hides words.
func fold(text string) string {
	if printable(text) {
		return strings.ToLower(text)
	}
	return strings.Map(func(r rune) rune {
		if invisible(r) {
			return -1
		}
		r = unicode.ToLower(r)
		if plain, ok := lookalikes[r]; ok {
			return plain
		}
		return r
	}, norm.NFKC.String(text))
}

// lookalikes are letters of other scripts that cannot be told from Latin ones.
var lookalikes = map[rune]rune{
	'а': 'a', 'ԁ': 'd', 'е': 'e', 'ё': 'e', 'һ': 'h', 'і': 'i', 'ї': 'i', 'ј': 'j', 'ӏ': 'l', 'о': 'o', 'р': 'p', 'ԛ': 'q', 'с': 'c', 'ѕ': 's',
	'у': 'y', 'ѵ': 'v', 'ԝ': 'w', 'х': 'x', // Cyrillic
	'α': 'a', 'ι': 'i', 'ν': 'v', 'ο': 'o', 'ρ': 'p', 'υ': 'u', 'χ': 'x', // Greek
	'ı': 'i', 'ɡ': 'g', 'ɑ': 'a',
}

// unmarked takes the marks off letters.
func unmarked(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return r
	}, norm.NFD.String(text))
}

// minEncoded is the length from which a run of letters and digits is looked at as base64: shorter ones hold no order.
const minEncoded = 24

// decoded returns what is written in base64 in the text, one line for each run that decodes to words.
func decoded(text string) string {
	var b strings.Builder
	for at := 0; at < len(text); {
		end := at
		for end < len(text) && (isAlnum(text[end]) || strings.IndexByte("+/-_", text[end]) >= 0) {
			end++
		}
		if end-at >= minEncoded {
			if words, ok := decode(text[at:end]); ok {
				b.WriteString(words)
				b.WriteByte('\n')
			}
		}
		at = end + 1
	}
	return b.String()
}

func decode(run string) (string, bool) {
	encoding := base64.RawStdEncoding
	if strings.ContainsAny(run, "-_") {
		encoding = base64.RawURLEncoding
	}
	data, err := encoding.DecodeString(run)
	if err != nil || !utf8.Valid(data) {
		return "", false
	}
	words := string(data)
	return words, strings.IndexFunc(words, func(r rune) bool { return unicode.IsControl(r) && !unicode.IsSpace(r) }) < 0
}
