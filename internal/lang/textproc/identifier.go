package textproc

import (
	"strings"
	"unicode/utf8"
)

// maxIdentifier is the length in bytes of the longest identifier; longer ones are data and are left out.
const maxIdentifier = 256

// maxIdentifiers is how many identifiers of one text count; a text with more is a table or a log.
const maxIdentifiers = 256

// Identifiers returns the distinct parts of text that are meant literally, in lower case and in order: UUIDs, ticket
// and part numbers (ABC-123), error codes (E1234, 0x80070005), issue references (#123), versions (v1.2.3), URLs, e-mail
// addresses, file names and paths with an extension or from a root (main.go, /etc/hosts; a path's file name too), and
// names of programs (snake_case, camelCase). An exact search compares them.
func Identifiers(text string) []string {
	var out []string
	add := func(id string) {
		id = strings.ToLower(id)
		for _, have := range out {
			if have == id {
				return
			}
		}
		out = append(out, id)
	}
	for len(text) > 0 && len(out) < maxIdentifiers {
		var chunk string
		chunk, text = cutChunk(text)
		chunk = trimChunk(chunk)
		if len(chunk) < 2 || len(chunk) > maxIdentifier || !unusual(chunk) {
			continue
		}
		switch {
		case isURL(chunk):
			add(chunk)
		case isPath(chunk):
			add(chunk)
			if i := strings.LastIndexAny(chunk, `/\`); isFileName(chunk[i+1:]) {
				add(chunk[i+1:])
			}
		case isEmail(chunk), isReference(chunk), isNumbered(chunk), isHex(chunk), isVersion(chunk), isFileName(chunk),
			isProgramName(chunk):
			add(chunk)
		}
	}
	return out
}

// The characters that end a chunk, as white space does.
const delimiters = "\"'`()[]{}<>,;|=*!?"

var delimits = func() (t [utf8.RuneSelf]bool) {
	for c := range t {
		t[c] = c <= ' ' || c == 0x7f || strings.IndexByte(delimiters, byte(c)) >= 0
	}
	return t
}()

// cutChunk returns the text up to the first delimiter and the text after it. A URL may contain some delimiters. Outside
// ASCII everything but the letters of spaced scripts delimits: quotation marks, dashes, and Chinese around a name.
func cutChunk(text string) (chunk, rest string) {
	for i, r := range text {
		switch {
		case r >= utf8.RuneSelf:
			if classOf(r) == wordRune {
				continue
			}
		case !delimits[r], strings.IndexByte("=?!*", byte(r)) >= 0 && isURL(text[:i]):
			continue
		}
		_, n := utf8.DecodeRuneInString(text[i:])
		return text[:i], text[i+n:]
	}
	return text, ""
}

func isURL(s string) bool {
	scheme, rest, ok := strings.Cut(s, "://")
	return ok && rest != "" && every(scheme, isLetter)
}

// trimChunk removes the punctuation of the sentence around a chunk.
func trimChunk(s string) string {
	return strings.TrimLeft(strings.TrimRight(s, ".:!?&-"), ":-")
}

// unusual reports whether s has a character that ordinary words lack: a digit, an inner capital, or one of _./\@#.
func unusual(s string) bool {
	for i := range len(s) {
		switch c := s[i]; {
		case isDigit(c), 'A' <= c && c <= 'Z' && i > 0, strings.IndexByte(`_./\@#`, c) >= 0:
			return true
		}
	}
	return false
}

// isPath accepts a path from a root or from here (/etc/hosts, ~/x, ./x, ../x, C:\x), and one that ends in a file name
// (a/b.go).
func isPath(s string) bool {
	i := strings.IndexAny(s, `/\`)
	if i < 0 || i == len(s)-1 || strings.Contains(s, "//") {
		return false
	}
	switch head := s[:i]; {
	case head == "", head == "~", head == ".", head == "..", len(head) == 2 && isLetter(head[0]) && head[1] == ':':
		return strings.ContainsFunc(s, func(r rune) bool { return r >= utf8.RuneSelf || isLetter(byte(r)) })
	}
	return isFileName(s[strings.LastIndexAny(s, `/\`)+1:])
}

// isFileName accepts names with an extension, such as main.go, .env and example.com; not e.g, p.m or 3.14.
func isFileName(s string) bool {
	dot := strings.LastIndexByte(s, '.')
	if dot < 0 {
		return false
	}
	name, ext := strings.TrimPrefix(s[:dot], "."), s[dot+1:]
	if len(ext) > 10 || !every(ext, isAlnum) || !isLetter(ext[0]) {
		return false
	}
	if dot == 0 {
		return len(ext) >= 3
	}
	return len(name)+len(ext) > 2 && labels(name) > 0 && strings.Trim(name, "0123456789.") != ""
}

func isEmail(s string) bool {
	local, domain, ok := strings.Cut(s, "@")
	return ok && every(local, func(c byte) bool { return isAlnum(c) || strings.IndexByte("._%+-", c) >= 0 }) &&
		strings.Contains(domain, ".") && labels(domain) > 1
}

// isReference accepts #123.
func isReference(s string) bool { return s[0] == '#' && every(s[1:], isDigit) }

// isNumbered accepts words that end in a number: ABC-123 and E1234. Short ones without a hyphen, as in mp3 or H2, are
// words.
func isNumbered(s string) bool {
	end := len(s)
	for end > 0 && isDigit(s[end-1]) {
		end--
	}
	digits := len(s) - end
	if prefix, ok := strings.CutSuffix(s[:end], "-"); ok {
		return digits > 0 && len(prefix) >= 2 && isLetter(prefix[0]) && every(prefix, isAlnum)
	}
	return digits >= 3 && every(s[:end], isLetter)
}

// isHex accepts 0x… numbers, UUIDs and abbreviated hashes, which hold letters and digits.
func isHex(s string) bool {
	if rest, ok := strings.CutPrefix(strings.ToLower(s), "0x"); ok {
		return every(rest, isHexDigit)
	}
	if len(s) == 36 && s[8] == '-' && s[13] == '-' && s[18] == '-' && s[23] == '-' {
		return every(strings.ReplaceAll(s, "-", ""), isHexDigit)
	}
	return len(s) >= 7 && every(s, isHexDigit) && !every(s, isDigit) && strings.ContainsAny(s, "0123456789")
}

func isHexDigit(c byte) bool { return isDigit(c) || 'a' <= c|0x20 && c|0x20 <= 'f' }

// isVersion accepts v1.2, 1.2.3 and both with a suffix after a hyphen or plus sign; 1.2 is a number.
func isVersion(s string) bool {
	rest, v := strings.CutPrefix(strings.ToLower(s), "v")
	if i := strings.IndexAny(rest, "-+"); i >= 0 {
		rest = rest[:i]
	}
	dots := strings.Count(rest, ".")
	return every(rest, func(c byte) bool { return isDigit(c) || c == '.' }) && labels(rest) == dots+1 &&
		(dots > 1 || v && dots == 1)
}

// labels returns the number of parts between the dots of s, and 0 if a part has other characters than letters, digits,
// - and _.
func labels(s string) int {
	n := 0
	for part := range strings.SplitSeq(s, ".") {
		if !every(part, func(c byte) bool { return isAlnum(c) || c == '-' || c == '_' }) {
			return 0
		}
		n++
	}
	return n
}

// isProgramName accepts snake_case, camelCase and PascalCase of letters, digits and underscores, but not words in
// capitals.
func isProgramName(s string) bool {
	if !every(s, func(c byte) bool { return isAlnum(c) || c == '_' }) {
		return false
	}
	if strings.Contains(strings.Trim(s, "_"), "_") {
		return true
	}
	for i := 1; i < len(s); i++ {
		if 'A' <= s[i] && s[i] <= 'Z' && 'a' <= s[i-1] && s[i-1] <= 'z' {
			return true
		}
	}
	return false
}

// every reports whether s is not empty and consists of characters that ok accepts.
func every(s string, ok func(byte) bool) bool {
	for i := range len(s) {
		if !ok(s[i]) {
			return false
		}
	}
	return s != ""
}

func isAlnum(c byte) bool { return isDigit(c) || isLetter(c) }

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// isLetter treats every byte outside ASCII as part of a letter.
func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' || c >= utf8.RuneSelf }
