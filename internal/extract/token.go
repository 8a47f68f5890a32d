package extract

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// A token is a word, a number or a mark of a text.
type token struct {
	class      membership
	word       string // canonical: lower case, folded letters, contractions written out; a mark stands for itself
	start, end int    // bytes in the text
	mark       bool
	upper      bool // begins with a capital letter
	digit      bool
	quoted     bool // between quotation marks
	fresh      bool // first of a line
}

// stop is what lies beyond the ends of a text.
var stop = token{word: ".", mark: true}

// smiles reports whether the token is no letter, number or mark of writing: an emoji.
func (t *token) smiles() bool {
	c, _ := utf8.DecodeRuneInString(t.word)
	return t.mark && c != '°' && (unicode.IsSymbol(c) && c > utf8.RuneSelf || unicode.IsMark(c) || c == '\u200d')
}

// is reports whether the token's word is in one of the classes.
func (t *token) is(c class) bool { return t.class.in&c != 0 }

// letters folds a word, so that "ß", "ss", "ü", "ue" and both apostrophes are one.
var letters = strings.NewReplacer("ä", "ae", "ö", "oe", "ü", "ue", "ß", "ss", "’", "'", "‘", "'", "´", "'", "`", "'")

func foldWord(w string) string {
	for i := 0; i < len(w); i++ {
		if c := w[i]; c >= utf8.RuneSelf || 'A' <= c && c <= 'Z' || c == '`' {
			return letters.Replace(strings.ToLower(w))
		}
	}
	return w
}

func apostrophe(r rune) bool { return r == '\'' || r == '’' || r == '‘' || r == '´' }

func digitAt(text string, i int) bool {
	return i >= 0 && i < len(text) && '0' <= text[i] && text[i] <= '9'
}

// wordEnd returns where the word at text[i:] ends; apostrophes, hyphens, dots and @ count within a word only, colons and
// commas within a number.
func wordEnd(text string, i int) int {
	for i < len(text) {
		r, n := utf8.DecodeRuneInString(text[i:])
		if (r == ':' || r == ',') && digitAt(text, i-1) && digitAt(text, i+1) {
			i++
			continue
		}
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) && r != '_' {
			next, _ := utf8.DecodeRuneInString(text[i+n:])
			if !apostrophe(r) && !strings.ContainsRune("-.@&+/", r) || !unicode.IsLetter(next) && !unicode.IsDigit(next) ||
				r == '.' && !dotted(text, i) {
				break
			}
		}
		i += n
	}
	return i
}

// dotted reports whether the dot at text[i] belongs to a number, an address or an abbreviation such as "U.S".
func dotted(text string, i int) bool {
	if digitAt(text, i-1) {
		return true
	}
	from := strings.LastIndexAny(text[max(0, i-longestWord):i], " \t\n,;") + 1 + max(0, i-longestWord)
	to := strings.IndexAny(text[i:min(len(text), i+longestWord)]+" ", " \t\n,;") + i
	return i-from == 1 || strings.Contains(text[from:to], "@") || strings.Contains(text[from:i], ".")
}

const longestWord = 100 // bytes around a dot that tell what it belongs to

// tokens cuts a text, and appends to into.
func (l *language) tokens(text string, into []token) []token {
	quoted, fresh := rune(0), true
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRuneInString(text[i:])
		switch {
		case r == '\n':
			into = append(into, token{word: "\n", start: i, end: i + n, mark: true})
			quoted, fresh = 0, true
			i += n
			continue
		case unicode.IsSpace(r):
			i += n
			continue
		case !unicode.IsLetter(r) && !unicode.IsDigit(r) && (r != '+' || !digitAt(text, i+1)):
			into = append(into, token{word: text[i : i+n], start: i, end: i + n, mark: true, quoted: quoted != 0,
				fresh: fresh})
			quoted = quote(quoted, r)
			fresh = false
			i += n
			continue
		}
		end := max(wordEnd(text, i), i+n)
		t := token{start: i, end: end, upper: unicode.IsUpper(r), digit: unicode.IsDigit(r), quoted: quoted != 0,
			fresh: fresh}
		into = l.split(into, t, text[i:end])
		fresh = false
		i = end
	}
	return into
}

var closing = map[rune]rune{'"': '"', '“': '”', '„': '“', '«': '»', '»': '«', '”': '”'}

// quote returns the mark that opened the quotation in which the text behind r is, or 0.
func quote(open, r rune) rune {
	if open == 0 {
		return closing[r]
	}
	if r == open || r == '"' || open == '“' && r == '”' || r == closing[open] {
		return 0
	}
	return open
}

// split appends a word, its contraction written out: "don't" and "dont" are "do not", "sister's" is "sister 's".
func (l *language) split(into []token, t token, said string) []token {
	w := foldWord(said)
	if parts, ok := l.contractions[w]; ok {
		for k, p := range parts {
			t.word, t.class = p, l.classes[p]
			into = append(into, t)
			if k == 0 {
				t.start, t.upper, t.fresh = t.end, false, false
			}
		}
		return into
	}
	if at := strings.LastIndexByte(w, '\''); at > 0 && w[at:] == "'s" {
		tail := t
		tail.start, tail.word, tail.upper = t.start+strings.LastIndexFunc(said, apostrophe), "'s", false
		tail.class, tail.fresh = l.classes["'s"], false
		t.end = tail.start
		t.word = l.canonical(w[:at])
		t.class = l.classes[t.word]
		return append(into, t, tail)
	}
	t.word = l.canonical(w)
	if one, ok := strings.CutSuffix(t.word, "s"); ok && l.kin[one].verb != "" && l.kin[t.word].verb == "" &&
		!l.list("several").has(t.word) { // "my wifes name", as people type it
		tail := t
		tail.start, tail.upper, tail.fresh, tail.word, tail.class = t.end-1, false, false, "'s", l.classes["'s"]
		t.end, t.word, t.class = t.end-1, one, l.classes[one]
		return append(into, t, tail)
	}
	t.class = l.classes[t.word]
	return append(into, t)
}

func (l *language) canonical(w string) string {
	if c, ok := l.same[w]; ok {
		return c
	}
	return w
}

// ends reports whether the mark at i ends a sentence.
func (l *language) ends(ts []token, i int) bool {
	switch ts[i].word {
	case "\n", "!", "?", "…":
		return true
	case ".":
		if i == 0 || i+1 == len(ts) {
			return true
		}
		number, next := ts[i-1].digit, &ts[i+1]
		return !ts[i-1].is(abbreviated) && !(number && (next.is(monthName) || next.digit && next.start == ts[i].end ||
			l.code == "de" && !next.mark && !next.upper))
	}
	return false
}
