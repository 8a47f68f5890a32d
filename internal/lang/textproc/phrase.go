package textproc

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/trilith-memory/trilith/internal/lang/wordfile"
)

// maxPhrases is how many phrases of a question are used.
const maxPhrases = 4

// closing maps opening quotation marks to closing ones: the pairs of most languages, and the straight mark, which
// closes itself. Single marks are too often apostrophes.
var closing = map[rune]string{'"': `"`, '“': "”", '„': "“”", '«': "»", '»': "«", '「': "」", '『': "』"}

// Phrases returns the first four quoted parts of a question, which a text must contain literally. A quotation mark
// without a closing one quotes nothing, nor does a straight one after a letter or digit, as in 6" by 4".
func Phrases(question string) []string {
	var out []string
	before := ' '
	for at := 0; at < len(question) && len(out) < maxPhrases; {
		r, size := utf8.DecodeRuneInString(question[at:])
		at += size
		ends := closing[r]
		if ends == "" || r == '"' && isWord(before) {
			before = r
			continue
		}
		before = r
		end := strings.IndexAny(question[at:], ends)
		if end < 0 {
			continue
		}
		if phrase := strings.TrimSpace(question[at : at+end]); wordsOf(phrase) != "" {
			out = append(out, phrase)
		}
		at += end
		_, size = utf8.DecodeRuneInString(question[at:])
		at += size
	}
	return out
}

// HasPhrase reports whether a text contains the words of a phrase next to each other, in the same forms and order.
// Case, accents, punctuation and line breaks do not matter; see [Fold]. No text contains a phrase without words.
func HasPhrase(text, phrase string) bool {
	words := wordsOf(phrase)
	if words == "" {
		return false
	}
	held := wordsOf(text)
	for from := 0; ; {
		at := strings.Index(held[from:], words)
		if at < 0 {
			return false
		}
		at += from
		if bounded(held[:at], words) && bounded(words, held[at+len(words):]) {
			return true
		}
		_, size := utf8.DecodeRuneInString(held[at:])
		from = at + size
	}
}

// wordsOf returns a text folded, with one space between words.
func wordsOf(text string) string {
	return strings.Join(strings.FieldsFunc(Fold(text), func(r rune) bool { return !isWord(r) }), " ")
}

func isWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsNumber(r) }

// bounded reports whether a word ends between two parts of a text. In scripts without spaces every position counts.
func bounded(before, after string) bool {
	last, _ := utf8.DecodeLastRuneInString(before)
	first, _ := utf8.DecodeRuneInString(after)
	return before == "" || after == "" || last == ' ' || first == ' ' || isGram(last) || isGram(first)
}

// EndsSentence reports whether a sentence ends with the byte i of a text: a line feed, or a mark before white space
// that does not belong to an abbreviation.
func EndsSentence(text string, i int) bool {
	switch text[i] {
	case '\n':
		return true
	case '.', '!', '?':
		if i+1 == len(text) || text[i+1] == '\n' {
			return true
		}
		from := strings.LastIndexAny(text[:i], " \n\t(") + 1
		return text[i+1] == ' ' && (text[i] != '.' || !goesOn[strings.ToLower(text[from:i])])
	}
	return false
}

// goesOn are abbreviations that never end a sentence, without their last point.
var goesOn = wordfile.Set("mr mrs ms dr prof st hr fr e.g i.e z.b d.h u.a bzw ca vs approx inkl zzgl ggf")
