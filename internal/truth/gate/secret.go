package gate

import (
	"strconv"
	"strings"

	"github.com/trilith-memory/trilith/internal/lang/lazyre"
	"github.com/trilith-memory/trilith/internal/lang/wordfile"
)

var secrets = readSecrets()

// Mask replaces secrets with "[secret:KIND]" and returns how many there were. It knows the shapes that issuers publish
// for their keys, private key blocks, JSON web tokens, bearer tokens, passwords in URLs, values assigned to a name like
// password or API_KEY, PINs and the check numbers of cards, the words that recover a wallet, payment cards and IBANs
// (both with their checksums).
func Mask(text string) (string, int) {
	var b strings.Builder
	masked, done := 0, 0
	for i := 0; i < len(text); i++ {
		if !secrets.starts[text[i]] {
			continue
		}
		start, end, kind := secretAt(text, i)
		if kind == "" {
			continue
		}
		b.WriteString(text[done:start])
		b.WriteString("[secret:" + kind + "]")
		masked++
		done, i = end, end-1
	}
	if masked == 0 {
		return text, 0
	}
	b.WriteString(text[done:])
	return b.String(), masked
}

// secretAt returns the span and the kind of the secret that is recognised at i; kind is empty if there is none. The
// span may begin after i, never before.
func secretAt(text string, i int) (start, end int, kind string) {
	c := text[i]
	switch {
	case c == '=' || c == ':' && !strings.HasPrefix(text[i:], "://"):
		return assignment(text, i, i+1)
	case c == '-':
		if end := privateKey(text[i:]); end > 0 && (i == 0 || text[i-1] != '-') {
			return i, i + end, "private_key"
		}
		return 0, 0, ""
	case c|0x20 == 'p' || c|0x20 == 'k':
		if start, end := spokenPassword(text, i); end > 0 {
			return start, end, "password"
		}
	}
	inside := c != ':' && i > 0 && isURLSafe(text[i-1]) // a longer word, whose beginning was already checked
	if inside && isAlnum(text[i-1]) {
		return 0, 0, ""
	}
	for _, s := range secrets.tried(text[i:]) {
		if inside && s.class != "part" {
			continue
		}
		if start, end := s.find(text[i:]); end > 0 {
			return i + start, i + end, s.kind
		}
	}
	if inside {
		return 0, 0, ""
	}
	switch {
	case c == 'i' || c == 'l':
		for _, verb := range [...]string{"is ", "ist ", "lautet "} {
			if strings.HasPrefix(text[i:], verb) && i > 0 && text[i-1] == ' ' {
				return assignment(text, i, i+len(verb))
			}
		}
	case isDigit(c):
		if n := card(text, i); n > 0 {
			return i, i + n, "card"
		}
	}
	if n := iban(text[i:]); n > 0 {
		return i, i + n, "iban"
	}
	return 0, 0, ""
}

var withoutJoints = strings.NewReplacer("_", "", "-", "")

// assignment finds a secret value at from, if the name before the sign at i is one of the table.
func assignment(text string, i, from int) (start, end int, kind string) {
	const maxName = 40 // longer than any name, short enough to bound the time for a hostile text
	head := strings.TrimRight(text[max(0, i-maxName):i], " \t\"'`*:")
	name := head
	for k := len(head) - 1; k >= 0; k-- {
		if c := head[k]; c < 0x80 && !isWord(c) && c != '-' {
			name = head[k+1:]
			break
		}
	}
	if name == "" {
		return 0, 0, ""
	}
	name = withoutJoints.Replace(strings.ToLower(name))
	if sign := text[i]; (name == "pass" || name == "pw") && (sign == ':' || sign == '=') {
		if start, end = secretValue(text, from, 6); end > 0 {
			return start, end, "password"
		}
	}
	for _, s := range secrets.names {
		if !strings.HasSuffix(name, s.ending) {
			continue
		}
		if start, end = secretValue(text, from, s.least); end == 0 {
			return 0, 0, ""
		}
		return start, end, s.kind
	}
	return 0, 0, ""
}

// A password may be stated with words between its name and its value: "the password for the router is now …", "changed
// my password to …".
var (
	passwordNames = [...]string{"password", "passwort", "passphrase", "passcode", "kennwort"}

	passwordSaid = lazyre.New(`^(?:['’]s|(?i: (?:for|to|of|on|at|from|für|zum|zur|zu|bei|beim|vom|von|des|der|im|am|in) (?:[\pL\pN&'’-]+ ){0,4}?[\pL\pN&'’-]+)?(?i: (?:is|was|has|been|got|to|now|again|just|changed|set|reset|updated|ist|wurde|lautet|heißt|auf|in|jetzt|nun|wieder|neu)){1,5}) `)

	// With "to" or "auf" before the value, the sentence must mention a change: "the password to srv01" names no value.
	passwordChanged = lazyre.New(`(?i)(?:chang|reset|\bset|updat|switch|\bnew|änder|setz|stell|\bneu)[^.!?\n]*$`)
	changedBehind   = lazyre.New(`^["'” ]*(?:ge|ab|um)?(?:ändert|setzt|stellt|geändert|gestellt)\b`)
	changedTo       = lazyre.New(`(?i)(?:to|auf|in) $`)
)

// spokenPassword returns the span of a password whose name is at i; end is 0 if there is none.
func spokenPassword(text string, i int) (start, end int) {
	const before, after = 60, 120 // bytes of the sentence that are read
	for _, word := range passwordNames {
		from := i + len(word)
		if from >= len(text) || !strings.EqualFold(text[i:from], word) {
			continue
		}
		said := passwordSaid.FindString(text[from:min(len(text), from+after)])
		if said == "" {
			return 0, 0
		}
		start, end = secretValue(text, from+len(said), 6)
		name, behind := text[max(0, i-before):from+len(said)], text[end:min(len(text), end+before)]
		if end > 0 && changedTo.MatchString(said) && !passwordChanged.MatchString(name) &&
			!changedBehind.MatchString(behind) {
			return 0, 0
		}
		return start, end
	}
	return 0, 0
}

// hyphenated matches a passphrase of four words or more.
var hyphenated = lazyre.New(`^\pL{3,}(?:-\pL{3,}){3,}$`)

// secretValue returns the span of the value at from, after blanks and quotation marks; end is 0 if it has fewer than
// least characters or does not look invented.
func secretValue(text string, from, least int) (start, end int) {
	const longest = 512 // longer than any secret on one line, short enough to bound the time for a hostile text
	from += span(text[from:], func(c byte) bool { return strings.IndexByte(" \t\"'`*:=>", c) >= 0 })
	value := text[from : from+
		span(text[from:min(len(text), from+longest)],
			func(c byte) bool { return c > ' ' && strings.IndexByte("\"'`,;<>()[]{}", c) < 0 })]
	end = from + len(value)
	core := strings.TrimRight(value, ".!?*") // probably the sentence's, not the password's
	if len(core) < least || !random(core) && !hyphenated.MatchString(core) || strings.HasPrefix(text[end:], "(") {
		return 0, 0
	}
	return from, end
}

func span(s string, in func(byte) bool) int {
	n := 0
	for n < len(s) && in(s[n]) {
		n++
	}
	return n
}

// random reports whether a value looks invented by a person or a machine: letters with digits, or with signs that words
// do not contain. Variables, paths and addresses do not count.
func random(s string) bool {
	if s[0] == '$' || s[0] == '/' || s[0] == '.' || s[0] == '%' || strings.Contains(s, "://") {
		return false
	}
	letters, signs, digits := 0, 0, 0
	for i := range len(s) {
		switch c := s[i]; {
		case 'a' <= c|0x20 && c|0x20 <= 'z' || c >= 0x80:
			letters++
		case '0' <= c && c <= '9':
			digits++
		case strings.IndexByte("!#$%&*+?^", c) >= 0:
			signs++
		}
	}
	return letters > 0 && digits+signs > 0
}

func isURLSafe(c byte) bool { return isWord(c) || c == '-' }

func isWord(c byte) bool { return isAlnum(c) || c == '_' }

// HoldsKey reports whether a text holds a key in a form that its issuer publishes, a JSON web token or a private key.
// It is for names and ids, which are refused rather than masked. Unlike Mask it ignores values that only their context
// makes secret, and numbers, because ids of people are often numbers.
func HoldsKey(text string) bool {
	for i := range len(text) {
		if i > 0 && isAlnum(text[i-1]) { // inside a word
			continue
		}
		for _, s := range secrets.tried(text[i:]) {
			if _, end := s.find(text[i:]); s.class == "key" && end > 0 {
				return true
			}
		}
		if text[i] == '-' && privateKey(text[i:]) > 0 {
			return true
		}
	}
	return false
}

func isAlnum(c byte) bool { return 'a' <= c && c <= 'z' || isUpperOrDigit(c) }

func isUpperOrDigit(c byte) bool { return 'A' <= c && c <= 'Z' || isDigit(c) }

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// secretTable holds the rows of secrets.txt.
type secretTable struct {
	at     [32][32][]*secret // by the last bits of their first two bytes, folded
	starts [256]bool         // bytes at which secretAt can find something
	names  []secretName
	ibans  map[string]int // lengths by country
}

// secret is an expression that is tried where a text begins with some bytes.
type secret struct {
	class, kind, begins string // the class is the first word of the row
	re                  lazyre.Regexp
}

// folded are the bytes in lower case, and digits as 0.
var folded = func() (t [256]byte) {
	for c := range t {
		t[c] = byte(c)
		if isDigit(t[c]) {
			t[c] = '0'
		} else if isAlnum(t[c]) {
			t[c] |= 0x20
		}
	}
	return t
}()

// tried are the secrets that s may begin with.
func (t *secretTable) tried(s string) []*secret {
	if len(s) < 2 {
		return nil
	}
	return t.at[folded[s[0]]&31][folded[s[1]]&31]
}

// find returns the span of the secret that s begins with, or is said in the words that it begins with; end is 0 if
// there is none.
func (h *secret) find(s string) (start, end int) {
	for k := range len(h.begins) {
		if k == len(s) || folded[s[k]] != h.begins[k] {
			return 0, 0
		}
	}
	m := h.re.FindStringSubmatchIndex(s)
	if m == nil || len(m) > 4 && !mixed(s[m[4]:m[5]]) {
		return 0, 0
	}
	return m[2], m[3]
}

// mixed reports whether s contains both a letter and a digit, as keys do and words do not.
func mixed(s string) bool {
	var letter, digit bool
	for i := range len(s) {
		c := s[i]
		letter = letter || 'a' <= c|0x20 && c|0x20 <= 'z'
		digit = digit || '0' <= c && c <= '9'
	}
	return letter && digit
}

// privateKey returns the length of the PEM private key that s begins with; an unterminated key extends to the end of s.
func privateKey(s string) int {
	const begin, end, dashes = "-----BEGIN ", "-----END ", "-----"
	if !strings.HasPrefix(s, begin) {
		return 0
	}
	label, _, ok := strings.Cut(s[len(begin):min(len(s), 80)], dashes)
	if !ok || !strings.HasSuffix(label, "PRIVATE KEY") && !strings.HasSuffix(label, "PRIVATE KEY BLOCK") {
		return 0
	}
	stop := end + label + dashes
	if i := strings.Index(s, stop); i >= 0 {
		return i + len(stop)
	}
	return len(s)
}

// secretName is an ending of a name, with the least length of its values.
type secretName struct {
	ending, kind string
	least        int
}

func readSecrets() *secretTable {
	t := &secretTable{ibans: map[string]int{}}
	starting := "-:=0ilpk" // and capitals, for IBANs
	for key, value := range wordfile.Rows(secretsFile) {
		words := strings.Fields(key)
		switch words[0] {
		case "iban":
			for country := range strings.FieldsSeq(value) {
				t.ibans[country[:2]], _ = strconv.Atoi(country[2:])
			}
		case "name":
			least, _ := strconv.Atoi(words[2])
			for ending := range strings.FieldsSeq(value) {
				t.names = append(t.names, secretName{ending, words[1], least})
			}
		default:
			re := lazyre.New("^(?:" + value + ")")
			for _, begins := range words[2:] {
				at := &t.at[begins[0]&31][begins[1]&31]
				*at = append(*at, &secret{words[0], words[1], begins, re})
				starting += begins[:1]
			}
		}
	}
	for c := range t.starts {
		t.starts[c] = 'A' <= c && c <= 'Z' || strings.IndexByte(starting, folded[c]) >= 0
	}
	return t
}
