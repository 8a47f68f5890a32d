package textproc

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxTerm is the length in bytes to which longer terms are cut. Real words are shorter; a longer term is encoded data.
const maxTerm = 64

// segmenter cuts text into words and looks up each of them.
type segmenter struct {
	words []*word
	looks Set    // the languages that are typical for most of its special letters
	run   []byte // the word being read, folded
	most  int    // how many words are read, not counting a last run of characters; 0: all
}

// segment appends the words of text in their order.
func (s *segmenter) segment(text string) {
	if !isASCII(text) {
		s.looks = looksLike(text)
		text = Fold(text)
	}
	for i := 0; i < len(text) && (s.most == 0 || len(s.words) < s.most); {
		c := text[i]
		if c >= utf8.RuneSelf {
			r, n := utf8.DecodeRuneInString(text[i:])
			switch classOf(r) {
			case wordRune:
				if len(s.run) > 0 || !unicode.IsMark(r) { // a mark at a picture is no word
					s.run = append(s.run, text[i:i+n]...)
				}
			case gramRune:
				s.flush()
				n = s.grams(text[i:])
			case pictureRune:
				s.flush()
				s.add([]byte(text[i : i+n]))
			case otherRune:
				s.flush()
			}
			i += n
			continue
		}
		if l := lowerASCII[c]; l != 0 {
			s.run = append(s.run, l)
		} else {
			if c == '\'' {
				i += suffix(s.run, text[i+1:])
			}
			n := sign(s.run, text[i:])
			named := append(s.run, text[i:i+n]...)
			s.flush()
			if n > 0 {
				s.add(named)
			}
		}
		i++
	}
	s.flush()
}

// suffix returns how many bytes after an apostrophe belong to the word before it and carry no meaning: the s of a
// possessive and the t of n't.
func suffix(word []byte, rest string) int {
	if len(word) == 0 || rest == "" || len(rest) > 1 && continues(rest[1:]) {
		return 0
	}
	switch c := rest[0] | 0x20; {
	case c == 's', c == 't' && word[len(word)-1] == 'n':
		return 1
	}
	return 0
}

// sign returns how many bytes of rest belong to the name that word begins: C#, C++, A+. Elsewhere a sign joins or
// numbers.
func sign(word []byte, rest string) int {
	switch {
	case len(word) == 0 || isDigit(word[len(word)-1]):
	case strings.HasPrefix(rest, "++"):
		return 2
	case (rest[0] == '#' || rest[0] == '+') && (len(rest) == 1 || !continues(rest[1:])):
		return 1
	}
	return 0
}

// continues reports whether s begins with a character of a word.
func continues(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	if r < utf8.RuneSelf {
		return lowerASCII[r] != 0
	}
	return classOf(r) == wordRune
}

func (s *segmenter) flush() {
	if len(s.run) > 0 {
		s.add(s.run)
		s.run = s.run[:0]
	}
}

func (s *segmenter) add(term []byte) {
	if n := maxTerm; len(term) > n {
		for !utf8.RuneStart(term[n]) {
			n--
		}
		term = term[:n]
	}
	s.words = append(s.words, lookup(term))
}

// grams appends the pairs of neighbouring characters at the beginning of text, which must start with such a character.
// It returns how many bytes they span. A character is a letter with its marks.
func (s *segmenter) grams(text string) int {
	before, start, end := -1, 0, 0
	emit := func() {
		if before >= 0 {
			s.add([]byte(text[before:end]))
		}
	}
	for end < len(text) {
		r, n := utf8.DecodeRuneInString(text[end:])
		if !unicode.IsMark(r) {
			if classOf(r) != gramRune {
				break
			}
			if end > 0 {
				emit()
				before, start = start, end
			}
		}
		end += n
	}
	if before < 0 {
		before = start // the only character
	}
	emit()
	return end
}

type class uint8

const (
	otherRune class = iota
	wordRune
	gramRune
	pictureRune
)

// classOf returns the class of a folded character outside ASCII for segmentation.
func classOf(r rune) class {
	switch {
	case r >= firstGram && isGram(r):
		return gramRune
	case unicode.IsLetter(r), unicode.IsDigit(r), unicode.IsMark(r):
		return wordRune
	case isPicture(r):
		return pictureRune
	}
	return otherRune
}

// isPicture reports whether r is a symbol that people write in place of a word.
func isPicture(r rune) bool {
	return unicode.Is(unicode.So, r) &&
		(r >= 0x1F000 || 0x2300 <= r && r < 0x2400 || 0x2600 <= r && r < 0x2800 || 0x2B00 <= r && r < 0x2C00)
}

// firstGram is the first character of the first script in [isGram], Thai.
const firstGram = 0x0E00

const prolongedSound = 0x30FC // ー, shared by hiragana and katakana

func isGram(r rune) bool {
	return r == prolongedSound || unicode.IsLetter(r) &&
		unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai, unicode.Lao,
			unicode.Khmer, unicode.Myanmar)
}
