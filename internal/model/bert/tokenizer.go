package bert

import (
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// maxWord is how many characters a word may have; a longer one is unknown as a whole. WordPiece's own limit.
const maxWord = 100

// tokenizer cuts text into word pieces as BERT was taught to read: into words at white space, around every punctuation
// mark and every Chinese character; then each word into the longest pieces that the vocabulary has, from its beginning
// on. Names of special tokens in a text are text: nothing that somebody writes ends a sequence.
// It never changes, so any number of goroutines may share it.
type tokenizer struct {
	rules
	whole   map[string]int32 // pieces that begin a word
	inner   map[string]int32 // pieces that go on with one, without the mark of that
	longest int              // bytes of the longest piece

	begin, end, unknown int32 // [CLS], [SEP], [UNK]
}

// rules are the differences between tokenizers of the family.
type rules struct {
	lower   bool // small letters only
	accents bool // marks on letters stay
	chinese bool // Chinese characters are separate words
}

// append appends the tokens of the texts, read as one, to ids: at most room of them. It says whether that cut something
// off.
func (t *tokenizer) append(ids []int32, room int, texts ...string) (_ []int32, cut bool) {
	w := words{tokenizer: t, ids: ids, limit: len(ids) + room}
	for _, text := range texts {
		for at, r := range text {
			if len(w.ids) > w.limit {
				break
			}
			w.read(r, text[at:])
		}
	}
	w.close()
	if len(w.ids) > w.limit {
		return w.ids[:w.limit], true
	}
	return w.ids, false
}

// words collects the characters of a word until it ends, and then appends its pieces.
type words struct {
	*tokenizer
	ids   []int32
	limit int

	word  [maxWord * utf8.UTFMax]byte
	bytes int
	chars int // more than maxWord: the rest was not kept
}

// read takes the next character; text begins with it.
func (w *words) read(r rune, text string) {
	switch {
	case r < utf8.RuneSelf:
		switch {
		case r == ' ' || r == '\t' || r == '\n' || r == '\r':
			w.close()
		case r < ' ' || r == 0x7F:
		default:
			w.letter(r)
		}
	case r == utf8.RuneError || dropped(r):
	case unicode.IsSpace(r):
		w.close()
	case w.chinese && isChinese(r):
		w.close()
		w.decompose(r, text)
		w.close()
	default:
		w.decompose(r, text)
	}
}

// decompose takes the parts of a character that accents can be taken off.
func (w *words) decompose(r rune, text string) {
	if w.accents {
		w.letter(r)
		return
	}
	// Hangul syllables are arithmetic: Unicode Standard, section 3.12.
	const first, count, vowels, ends = 0xAC00, 11172, 21, 28
	if s := r - first; s >= 0 && s < count {
		w.letter(0x1100 + s/(vowels*ends))
		w.letter(0x1161 + s%(vowels*ends)/ends)
		if e := s % ends; e > 0 {
			w.letter(0x11A7 + e)
		}
		return
	}
	parts := norm.NFD.PropertiesString(text).Decomposition()
	if parts == nil {
		w.unaccented(r)
		return
	}
	for len(parts) > 0 {
		part, n := utf8.DecodeRune(parts)
		w.unaccented(part)
		parts = parts[n:]
	}
}

func (w *words) unaccented(r rune) {
	if !unicode.Is(unicode.Mn, r) {
		w.letter(r)
	}
}

// letter takes a character in its final form but for its case.
func (w *words) letter(r rune) {
	if isPunctuation(r) {
		w.close()
		w.keep(r)
		w.close()
		return
	}
	if w.lower {
		if r == 'İ' && w.accents { // the one letter whose small form is two characters
			w.keep('i')
			r = '\u0307'
		}
		r = unicode.ToLower(r)
	}
	w.keep(r)
}

func (w *words) keep(r rune) {
	if w.chars++; w.chars <= maxWord {
		w.bytes += utf8.EncodeRune(w.word[w.bytes:], r)
	}
}

// close ends the word, if there is one.
func (w *words) close() {
	switch {
	case w.chars > maxWord:
		w.ids = append(w.ids, w.unknown)
	case w.chars > 0:
		w.ids = w.pieces(w.ids, w.word[:w.bytes])
	}
	w.bytes, w.chars = 0, 0
}

// pieces appends the longest pieces that a word is made of, or the unknown token if it is not made of any.
func (t *tokenizer) pieces(ids []int32, word []byte) []int32 {
	before, vocabulary := len(ids), t.whole
	for len(word) > 0 {
		n := min(len(word), t.longest)
		for ; n > 0; n-- {
			if id, ok := vocabulary[string(word[:n])]; ok {
				ids = append(ids, id)
				break
			}
		}
		if n == 0 {
			return append(ids[:before], t.unknown)
		}
		word, vocabulary = word[n:], t.inner
	}
	return ids
}

// dropped says whether cleaning takes the character away: controls, formats, private use.
func dropped(r rune) bool { return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co) }

// isPunctuation knows the whole of ASCII that is neither letter nor digit, as BERT does, and Unicode's punctuation.
func isPunctuation(r rune) bool {
	if r < utf8.RuneSelf {
		return r > ' ' && r < '0' || r > '9' && r < 'A' || r > 'Z' && r < 'a' || r > 'z' && r < 0x7F
	}
	return unicode.IsPunct(r)
}

// isChinese recognises the blocks of ideographs that BERT separates, by the list in its tokenizer.
func isChinese(r rune) bool {
	switch {
	case r >= 0x4E00 && r <= 0x9FFF, r >= 0x3400 && r <= 0x4DBF, r >= 0xF900 && r <= 0xFAFF,
		r >= 0x20000 && r <= 0x2A6DF, r >= 0x2A700 && r <= 0x2B73F, r >= 0x2B740 && r <= 0x2B81F,
		r >= 0x2B820 && r <= 0x2CEAF, r >= 0x2F800 && r <= 0x2FA1F:
		return true
	}
	return false
}
