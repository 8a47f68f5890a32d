package wordvec

import (
	"unicode"
	"unicode/utf8"

	"github.com/trilith-memory/trilith/internal/lang/textproc"
)

// maxWord is the length in bytes from which on a word is passed over: it is encoded data, or none of English.
const maxWord = 40

// Scanner cuts a text into the words that the table may know: runs of the letters a to z, folded, and of digits after
// the first letter. An apostrophe inside a word is left out, as in dont, and so is a possessive 's. Runs that begin
// with a digit or hold a letter of another alphabet are passed over.
type Scanner struct {
	text string
	at   int
	word [maxWord]byte
}

// Scan returns a scanner before the first word of a text.
func Scan(text string) Scanner {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return Scanner{text: textproc.Fold(text)}
		}
	}
	return Scanner{text: text}
}

// Next returns the next word, which holds until the next call, or nil at the end of the text.
func (s *Scanner) Next() []byte {
	for s.at < len(s.text) {
		n, english := s.run()
		if n == 0 {
			s.at++ // the byte that ended the run
		} else if english && n <= maxWord && s.word[0] >= 'a' {
			return s.word[:n]
		}
	}
	return nil
}

// run reads a run of letters and digits, which may be empty, and returns its length and whether all of it is ASCII.
func (s *Scanner) run() (n int, english bool) {
	english = true
	for s.at < len(s.text) {
		c := s.text[s.at]
		switch {
		case c >= utf8.RuneSelf:
			r, size := utf8.DecodeRuneInString(s.text[s.at:])
			if !unicode.In(r, unicode.Letter, unicode.Mark) {
				if n == 0 {
					s.at += size - 1
				}
				return n, english
			}
			english = false
			s.at += size
			n++
			continue
		case c == '\'' && n > 0:
			if possessive(s.text[s.at+1:]) {
				s.at += 2
				return n, english
			}
			s.at++
			continue
		}
		if c = lower(c); c == 0 {
			return n, english
		}
		if n < maxWord {
			s.word[n] = c
		}
		s.at++
		n++
	}
	return n, english
}

// possessive reports whether an apostrophe before rest is that of a possessive, which ends the word.
func possessive(rest string) bool {
	return rest != "" && lower(rest[0]) == 's' && (len(rest) == 1 || lower(rest[1]) == 0 && rest[1] < utf8.RuneSelf)
}

// lower returns an ASCII letter in lower case, a digit as it is, and 0 for all else.
func lower(c byte) byte {
	switch {
	case 'a' <= c && c <= 'z', '0' <= c && c <= '9':
		return c
	case 'A' <= c && c <= 'Z':
		return c + 'a' - 'A'
	}
	return 0
}
