package gate

import (
	"strings"

	"github.com/trilith-memory/trilith/internal/lang/lazyre"
)

// Mask replaces secrets with "[secret:KIND]" and returns how many there were. It knows the shapes that issuers publish
// for their keys, private key blocks, JSON web tokens, bearer tokens, passwords in URLs, values assigned to a name like
// password or API_KEY, PINs and the check numbers of cards, the words that recover a wallet, payment cards and IBANs
// (both with their checksums).
func Mask(text string) (string, int) {
	var b strings.Builder
	masked, done := 0, 0
	for i := 0; i < len(text); i++ {
		if !mayStart[text[i]] {
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

// HoldsKey reports whether a text holds a key in a form that its issuer publishes, a JSON web token or a private key.
// It is for names and ids, which are refused rather than masked. Unlike Mask it ignores values that only their context
// makes secret, and numbers, because ids of people are often numbers.
func HoldsKey(text string) bool {
	for i := range len(text) {
		if i > 0 && isAlnum(text[i-1]) { // inside a word
			continue
		}
		for _, s := range shapesAt[text[i]] {
			if s.match(text[i:]) > 0 {
				return true
			}
		}
		if text[i] == 'e' && jwt(text[i:]) > 0 || text[i] == '-' && privateKey(text[i:]) > 0 {
			return true
		}
	}
	return false
}

// mayStart holds the bytes at which secretAt can find something.
var mayStart = func() (t [256]bool) {
	for c, s := range shapesAt {
		t[c] = s != nil
	}
	for _, c := range "-:=eBb0123456789" {
		t[c] = true
	}
	for c := 'A'; c <= 'Z'; c++ {
		t[c] = true
	}
	for _, c := range "cilpk" { // cvv; is, ist, lautet; password, passwort, pin, kennwort
		t[c] = true
	}
	return t
}()

// secretAt returns the span and the kind of the secret that is recognised at i; kind is empty if there is none. The
// span may begin after i, never before.
func secretAt(text string, i int) (start, end int, kind string) {
	switch c := text[i]; {
	case c == ':' || c == '=':
		if end := i + 3; strings.HasPrefix(text[i:], "://") {
			return urlPassword(text, end)
		}
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
		if start, end := pin(text, i); end > 0 {
			return start, end, "pin"
		}
	case c|0x20 == 'c':
		if start, end := pin(text, i); end > 0 {
			return start, end, "pin"
		}
	}
	if i > 0 && isURLSafe(text[i-1]) { // inside a longer word, whose beginning was already checked
		return 0, 0, ""
	}
	for _, s := range shapesAt[text[i]] {
		if n := s.match(text[i:]); n > 0 {
			return i, i + n, s.kind
		}
	}
	switch c := text[i]; {
	case c == 'e':
		if n := jwt(text[i:]); n > 0 {
			return i, i + n, "jwt"
		}
	case c == 'B' || c == 'b':
		if n := bearer(text[i:]); n > 0 {
			return i + len("Bearer "), i + n, "bearer"
		}
	case c == 'i' || c == 'l':
		for _, verb := range [...]string{"is ", "ist ", "lautet "} {
			if strings.HasPrefix(text[i:], verb) && i > 0 && text[i-1] == ' ' {
				return assignment(text, i, i+len(verb))
			}
		}
	case '0' <= c && c <= '9':
		if n := card(text, i); n > 0 {
			return i, i + n, "card"
		}
		if n := botToken(text[i:]); n > 0 {
			return i, i + n, "telegram_token"
		}
	}
	if n := iban(text[i:]); n > 0 {
		return i, i + n, "iban"
	}
	return 0, 0, ""
}

// shape is an issuer's key: a prefix, then min to max characters of an alphabet (max 0: any number).
type shape struct {
	kind, prefix string
	alphabet     func(byte) bool
	min, max     int
}

// shapes follow the documentation or the secret scanners of the issuers; a longer prefix comes before its own
// beginning.
var shapes = []shape{
	{"trilith_key", "trilith_", isUpperOrDigit, 26, 26},
	{"trilith_key", "cairn_", isUpperOrDigit, 26, 26}, // the form of its first name, which older transcripts hold
	{"aws_key", "AKIA", isUpperOrDigit, 16, 16},
	{"aws_key", "ASIA", isUpperOrDigit, 16, 16},
	{"google_key", "AIza", isURLSafe, 35, 35},
	{"github_token", "github_pat_", isWord, 60, 0},
	{"github_token", "ghp_", isAlnum, 36, 0},
	{"github_token", "gho_", isAlnum, 36, 0},
	{"github_token", "ghu_", isAlnum, 36, 0},
	{"github_token", "ghs_", isAlnum, 36, 0},
	{"github_token", "ghr_", isAlnum, 36, 0},
	{"gitlab_token", "glpat-", isURLSafe, 20, 0},
	{"anthropic_key", "sk-ant-", isURLSafe, 20, 0},
	{"openai_key", "sk-", isURLSafe, 32, 0},
	{"stripe_key", "sk_live_", isAlnum, 16, 0},
	{"stripe_key", "sk_test_", isAlnum, 16, 0},
	{"stripe_key", "rk_live_", isAlnum, 16, 0},
	{"stripe_key", "whsec_", isAlnum, 24, 0},
	{"slack_token", "xoxa-", isURLSafe, 10, 0},
	{"slack_token", "xoxb-", isURLSafe, 10, 0},
	{"slack_token", "xoxp-", isURLSafe, 10, 0},
	{"slack_token", "xoxr-", isURLSafe, 10, 0},
	{"slack_token", "xoxs-", isURLSafe, 10, 0},
	{"slack_token", "xapp-", isURLSafe, 10, 0},
	{"npm_token", "npm_", isAlnum, 36, 36},
	{"hugging_face_token", "hf_", isAlnum, 34, 0},
}

// shapesAt are the shapes by the first byte of their prefix.
var shapesAt = func() (at [256][]*shape) {
	for i := range shapes {
		c := shapes[i].prefix[0]
		at[c] = append(at[c], &shapes[i])
	}
	return at
}()

// match returns the length of the key that s begins with, or 0.
func (h *shape) match(s string) int {
	if !strings.HasPrefix(s, h.prefix) {
		return 0
	}
	rest := s[len(h.prefix):]
	n := span(rest, h.alphabet)
	if n < h.min || h.max > 0 && n > h.max || n != h.max && !mixed(rest[:n]) { // a fixed length says enough
		return 0
	}
	return len(h.prefix) + n
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

// jwt returns the length of the JSON web token that s begins with: two base64url parts that begin like {" and a
// signature.
func jwt(s string) int {
	const object = "eyJ"
	n := 0
	for part := range 3 {
		if part > 0 {
			if n >= len(s) || s[n] != '.' {
				return 0
			}
			n++
		}
		k := span(s[n:], isURLSafe)
		if k < 8 || part < 2 && !strings.HasPrefix(s[n:], object) {
			return 0
		}
		n += k
	}
	return n
}

// bearer returns the length of "Bearer " and its token, or 0.
func bearer(s string) int {
	const scheme = "bearer "
	if len(s) < len(scheme) || !strings.EqualFold(s[:len(scheme)], scheme) {
		return 0
	}
	n := span(s[len(scheme):], func(c byte) bool { return isURLSafe(c) || strings.IndexByte(".~+/=", c) >= 0 })
	if n < 20 || !mixed(s[len(scheme):len(scheme)+n]) {
		return 0
	}
	return len(scheme) + n
}

// urlPassword finds the password in "//name:password@host"; from is where the authority begins.
func urlPassword(text string, from int) (start, end int, kind string) {
	authority := text[from : from+
		span(text[from:], func(c byte) bool { return c > ' ' && strings.IndexByte(`/?#"'<>`, c) < 0 })]
	at := strings.LastIndexByte(authority, '@')
	if at < 0 {
		return 0, 0, ""
	}
	colon := strings.IndexByte(authority[:at], ':')
	if colon < 0 || at-colon < 2 || authority[colon+1] == '[' || authority[colon+1] == '$' ||
		authority[colon+1] == '{' {
		return 0, 0, ""
	}
	return from + colon + 1, from + at, "password"
}

// secretNames are endings of the names of secrets, in lower case without _ and -, with the kind and the least length of
// a plausible value. Passwords are short; tokens and secrets are made by machines.
var secretNames = []struct {
	suffix, kind string
	min          int
}{
	{"password", "password", 6}, {"passwd", "password", 6}, {"passwort", "password", 6}, {"kennwort", "password", 6},
	{"passphrase", "password", 6}, {"pwd", "password", 6},
	{"apikey", "api_key", 12}, {"apischlüssel", "api_key", 12}, {"accesskey", "api_key", 16},
	{"secretkey", "api_key", 16},
	{"accesskeyid", "api_key", 16}, {"privatekey", "api_key", 16},
	{"token", "token", 16}, {"secret", "secret", 12},
}

var withoutJoints = strings.NewReplacer("_", "", "-", "")

// assignment finds a secret value at from, if the name before the sign at i is one of secretNames.
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
	if endsRecoveryName[name] && recoveryName.MatchString(head) {
		if start, end = recoveryWords(text, from); end > 0 {
			return start, end, "recovery_phrase"
		}
	}
	if sign := text[i]; (name == "pass" || name == "pw") && (sign == ':' || sign == '=') {
		if start, end = secretValue(text, from, 6); end > 0 {
			return start, end, "password"
		}
	}
	for _, s := range secretNames {
		if !strings.HasSuffix(name, s.suffix) {
			continue
		}
		if start, end = secretValue(text, from, s.min); end == 0 {
			return 0, 0, ""
		}
		return start, end, s.kind
	}
	return 0, 0, ""
}

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

// hyphenated matches a passphrase of four words or more.
var hyphenated = lazyre.New(`^\pL{3,}(?:-\pL{3,}){3,}$`)

// A wallet is recovered by 12 to 24 words of a list (BIP 39): plain words, which nothing but their name gives away.
var (
	recoveryName = lazyre.New(`(?i)(?:(?:seed|recovery|backup|wallet|mnemonic|secret recovery)[ -](?:phrase|words)|mnemonic|wiederherstellungsphrase|seed-phrase)(?: is| are| ist| sind| lautet)?$`)
	recoveryRun  = lazyre.New(`^[\s:="'’]*((?:[a-z]{3,8}[\s,]+){11,23}[a-z]{3,8})\b`)
)

// endsRecoveryName holds the last words of what recoveryName matches, to find in little time that it does not.
var endsRecoveryName = map[string]bool{"phrase": true, "words": true, "mnemonic": true, "seedphrase": true,
	"wiederherstellungsphrase": true, "is": true, "are": true, "ist": true, "sind": true, "lautet": true}

// recoveryWords returns the span of such words; end is 0 if there are too few.
func recoveryWords(text string, from int) (start, end int) {
	const longest = 260
	m := recoveryRun.FindStringSubmatchIndex(text[from:min(len(text), from+longest)])
	if m == nil {
		return 0, 0
	}
	return from + m[2], from + m[3]
}

// pinSaid matches a PIN, or the check number of a card, with its name. "PIN code" with six digits is an address in
// India.
var pinSaid = lazyre.New(`^(?i:pin|pin number|pin-nummer|pin-code|pincode|puk|cvv2?|cvc2?)(?i: (?:for|of|on|für|von|vom|zur|zum|der|meiner|my|the|our) (?:[\pL'’-]+ ){0,2}?[\pL'’-]+)?(?i: (?:is|was|are|ist|lautet|now|jetzt|nun|again)){0,2}[ :=]{1,3}(\d{3,8})(?:[^\pL\pN-]|$)`)

// pin returns the span of a PIN whose name is at i; end is 0 if there is none.
func pin(text string, i int) (start, end int) {
	const after = 80 // bytes that are read
	if i > 0 && isURLSafe(text[i-1]) || i+3 > len(text) {
		return 0, 0
	}
	if !strings.Contains("pin puk cvv cvc", strings.ToLower(text[i:i+3])) { // most words that begin with p or c
		return 0, 0
	}
	m := pinSaid.FindStringSubmatchIndex(text[i:min(len(text), i+after)])
	if m == nil {
		return 0, 0
	}
	return i + m[2], i + m[3]
}

// botToken returns the length of the token of a Telegram bot that s begins with: its number, a colon and 35 characters.
func botToken(s string) int {
	digits := span(s, isDigit)
	if digits < 8 || digits > 10 || digits >= len(s) || s[digits] != ':' {
		return 0
	}
	rest := span(s[digits+1:], isURLSafe)
	if rest != 35 || !mixed(s[digits+1:digits+1+rest]) {
		return 0
	}
	return digits + 1 + rest
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

func span(s string, in func(byte) bool) int {
	n := 0
	for n < len(s) && in(s[n]) {
		n++
	}
	return n
}

func isDigit(c byte) bool        { return '0' <= c && c <= '9' }
func isUpperOrDigit(c byte) bool { return 'A' <= c && c <= 'Z' || isDigit(c) }
func isAlnum(c byte) bool        { return 'a' <= c && c <= 'z' || isUpperOrDigit(c) }
func isWord(c byte) bool         { return isAlnum(c) || c == '_' }
func isURLSafe(c byte) bool      { return isWord(c) || c == '-' }
