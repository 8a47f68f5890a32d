package gate

import (
	"encoding/base64"
	"encoding/hex"
	"html"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/trilith-memory/trilith/internal/lang/textproc"
)

// readings returns the ways in which a model may read a text: without characters that hide words, without accents, with
// look-alike letters replaced, with digits as the letters that they imitate, and with encoded parts decoded.
func readings(text string) []string {
	out := []string{fold(text)}
	add := func(reading string) {
		if reading != "" && !slices.Contains(out, reading) {
			out = append(out, reading)
		}
	}
	if !printable(text) {
		add(unmarked(out[0]))
		add(strings.ToLower(norm.NFC.String(text)))
		skeleton := textproc.NewSkeleton(strings.ToValidUTF8(text, ""))
		add(skeleton.Text)
	}
	add(leet(out[0]))
	for _, hidden := range [...]string{decoded(text), hexed(text), escaped(text), rotated(text)} {
		if hidden != "" {
			add(fold(hidden))
		}
	}
	return out
}

var leets = strings.NewReplacer("0", "o", "1", "i", "3", "e", "4", "a", "5", "s", "7", "t", "@", "a", "$", "s")

// leet returns the text with digits and signs inside words as letters; empty if there are none.
func leet(s string) string {
	for i := 1; i < len(s); i++ {
		if strings.IndexByte("013457@$", s[i]) >= 0 && 'a' <= s[i-1] && s[i-1] <= 'z' || i+1 < len(s) &&
			strings.IndexByte("013457@$", s[i]) >= 0 && 'a' <= s[i+1] && s[i+1] <= 'z' {
			return leets.Replace(s)
		}
	}
	return ""
}

// hexed returns the text that is written in pairs of hexadecimal digits, which may have spaces between them.
func hexed(text string) string {
	var b strings.Builder
	for run := range strings.FieldsFuncSeq(strings.NewReplacer("\\x", "", "0x", "").Replace(text),
		func(r rune) bool { return !strings.ContainsRune("0123456789abcdefABCDEF ", r) }) {
		digits := strings.ReplaceAll(run, " ", "")
		if len(digits) < minEncoded {
			continue
		}
		if data, err := hex.DecodeString(digits[:len(digits)&^1]); err == nil && words(string(data)) {
			b.WriteString(string(data) + "\n")
		}
	}
	return b.String()
}

// escaped decodes entities of HTML, escapes of URLs and escapes of JSON.
func escaped(text string) string {
	plain := text
	if strings.Contains(text, "&") {
		plain = html.UnescapeString(plain)
	}
	if strings.Contains(plain, "%") {
		if undone, err := url.PathUnescape(plain); err == nil {
			plain = undone
		}
	}
	if strings.Contains(plain, `\u`) {
		if undone, err := strconv.Unquote(`"` + strings.NewReplacer(`"`, `\"`, "\n", `\n`).Replace(plain) +
			`"`); err == nil {
			plain = undone
		}
	}
	if plain == text {
		return ""
	}
	return plain
}

// rotated returns the text with every letter moved by half of the alphabet.
func rotated(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z':
			return 'a' + (r-'a'+13)%26
		case 'A' <= r && r <= 'Z':
			return 'A' + (r-'A'+13)%26
		}
		return r
	}, text)
}

// fold lower-cases, replaces styled letters with plain ones, and removes characters that hide words.
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

// lookalikes are letters of other scripts that look like Latin ones.
var lookalikes = map[rune]rune{
	'а': 'a', 'ԁ': 'd', 'е': 'e', 'ё': 'e', 'һ': 'h', 'і': 'i', 'ї': 'i', 'ј': 'j', 'ӏ': 'l', 'о': 'o', 'р': 'p',
	'ԛ': 'q', 'с': 'c', 'ѕ': 's',
	'у': 'y', 'ѵ': 'v', 'ԝ': 'w', 'х': 'x', // Cyrillic
	'α': 'a', 'ι': 'i', 'ν': 'v', 'ο': 'o', 'ρ': 'p', 'υ': 'u', 'χ': 'x', // Greek
	'ı': 'i', 'ɡ': 'g', 'ɑ': 'a',
}

// unmarked removes the marks of letters.
func unmarked(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return r
	}, norm.NFD.String(text))
}

// minEncoded is the least length of a run of letters and digits that is tried as base64: shorter ones are too short for
// an instruction.
const minEncoded = 24

// decoded returns the base64 parts of the text, decoded, one line for each run that decodes to words.
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
	return string(data), words(string(data))
}

// words reports whether decoded data is text.
func words(s string) bool {
	return utf8.ValidString(s) &&
		strings.IndexFunc(s, func(r rune) bool { return unicode.IsControl(r) && !unicode.IsSpace(r) }) < 0
}
