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

// stop stands for the token beyond either end of a text.
var stop = token{word: ".", mark: true}

// smiles reports whether the token is no letter, number or mark of writing: an emoji.
func (t *token) smiles() bool {
	c, _ := utf8.DecodeRuneInString(t.word)
	return t.mark && c != '°' && (unicode.IsSymbol(c) && c > utf8.RuneSelf || unicode.IsMark(c) || c == '\u200d')
}

// tokens cuts a text, and appends to into.
func (l *language) tokens(text string, into []token) []token {
	quoted, fresh := rune(0), true
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRuneInString(text[i:])
		if unicode.IsSpace(r) && r != '\n' {
			i += n
			continue
		}
		t := token{start: i, end: i + n, quoted: quoted != 0, fresh: fresh}
		if unicode.IsLetter(r) || unicode.IsDigit(r) || r == '+' && digitAt(text, i+1) {
			t.end, t.upper, t.digit = max(wordEnd(text, i), i+n), unicode.IsUpper(r), unicode.IsDigit(r)
			into = l.split(into, t, text[i:t.end])
		} else {
			t.word, t.mark = text[i:i+n], true
			into, quoted = append(into, t), quote(quoted, r)
		}
		i, fresh = t.end, r == '\n'
	}
	return into
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

const longestWord = 100 // bytes around a dot that decide its role

// dotted reports whether the dot at text[i] belongs to a number, an address or an abbreviation such as "U.S".
func dotted(text string, i int) bool {
	if digitAt(text, i-1) {
		return true
	}
	from := strings.LastIndexAny(text[max(0, i-longestWord):i], " \t\n,;") + 1 + max(0, i-longestWord)
	to := strings.IndexAny(text[i:min(len(text), i+longestWord)]+" ", " \t\n,;") + i
	return i-from == 1 || strings.Contains(text[from:to], "@") || strings.Contains(text[from:i], ".")
}

func digitAt(text string, i int) bool {
	return i >= 0 && i < len(text) && '0' <= text[i] && text[i] <= '9'
}

// split appends a word, its contraction written out: "don't" and "dont" are "do not", "sister's" is "sister 's".
func (l *language) split(into []token, t token, said string) []token {
	w, at := foldWord(said), t.end
	parts := l.contractions[w]
	if stem, ok := strings.CutSuffix(w, "'s"); parts == nil && ok && stem != "" {
		parts, at = []string{l.canonical(stem), "'s"}, t.start+strings.LastIndexFunc(said, apostrophe)
	} else if parts == nil {
		w = l.canonical(w)
		parts = []string{w}
		if one := strings.TrimSuffix(w, "s"); l.kin[one].verb != "" && l.kin[w].verb == "" && !l.list("several").has(w) {
			parts, at = []string{one, "'s"}, t.end-1 // "my wifes name", as people type it
		}
	}
	end := t.end
	for k, p := range parts {
		t.word, t.class = p, l.classes[p]
		t.end = at
		if k > 0 {
			t.start, t.end, t.upper, t.fresh = at, end, false, false
		}
		into = append(into, t)
	}
	return into
}

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

func (l *language) canonical(w string) string {
	if c, ok := l.same[w]; ok {
		return c
	}
	return w
}

func apostrophe(r rune) bool { return r == '\'' || r == '’' || r == '‘' || r == '´' }

var closing = map[rune]rune{'"': '"', '“': '”', '„': '“', '«': '»', '»': '«', '”': '”'}

// quote returns the mark that opened the quotation in which the text behind r is, or 0.
func quote(open, r rune) rune {
	if open == 0 {
		return closing[r]
	}
	if r == '\n' || r == open || r == '"' || open == '“' && r == '”' || r == closing[open] {
		return 0
	}
	return open
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
		next := &ts[i+1]
		number := ts[i-1].digit && (next.is(monthName) || next.digit && next.start == ts[i].end ||
			l.code == "de" && !next.mark && !next.upper)
		return !number && !l.list("abbreviation").has(ts[i-1].word)
	}
	return false
}

// is reports whether the token's word is in one of the classes.
func (t *token) is(c class) bool { return t.class.in&c != 0 }
