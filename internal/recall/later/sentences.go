package later

import (
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/trilith-memory/trilith/internal/lang/textproc"
)

// ends are marks that end a sentence whatever follows.
const ends = "。！？…"

// States reports whether something is stated in a text: a sentence of three words, or of four characters that are
// written without spaces, that does not end in a question mark.
func States(text string) bool {
	for from, to := range Sentences(text) {
		if sentence := strings.TrimSpace(text[from:to]); !strings.HasSuffix(sentence, "?") &&
			!strings.HasSuffix(sentence, "？") && long(sentence) {
			return true
		}
	}
	return false
}

// Sentences yields where the sentences of a text begin and end; together they are the text.
func Sentences(text string) iter.Seq2[int, int] {
	return func(yield func(from, to int) bool) {
		from := 0
		for at, r := range text {
			to := at + utf8.RuneLen(r)
			if strings.ContainsRune(ends, r) || r < utf8.RuneSelf && textproc.EndsSentence(text, at) {
				if !yield(from, to) {
					return
				}
				from = to
			}
		}
		if from < len(text) {
			yield(from, len(text))
		}
	}
}

// long reports whether a sentence is long enough to state something.
func long(sentence string) bool {
	words, characters, inside := 0, 0, false
	for _, r := range sentence {
		is := unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) || r == '\'' || r == '’'
		if unspaced(r) {
			characters++
		} else if is && !inside {
			words++
		}
		inside = is && !unspaced(r)
	}
	return words > 2 || characters > 3
}

// unspaced reports whether a character belongs to the scripts of Chinese and Japanese.
func unspaced(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana)
}
