package retrieve

import (
	"strings"
	"unicode"

	"github.com/trilith-memory/trilith"
)

// Weight is how much of a turn or note says something by itself.
type Weight int

// The weights.
const (
	Wordless Weight = iota // no letter and no digit: an emoji, a full stop
	OneWord                // one word, however often: ok, HEARTBEAT_OK, Bergen. It may answer the turn before it
	Worded                 // more, a number or an address; so is every other kind of memory
)

const (
	joining  = "_-'’" // join letters to a word
	fewChars = 2      // of Chinese or Japanese are one word
)

// WeightOf returns the weight of a memory, by its form alone, whatever the language.
func WeightOf(m *trilith.Memory) Weight {
	if m.Kind != trilith.KindEpisode && m.Kind != trilith.KindNote {
		return Worded
	}
	only := ""
	for word := range strings.FieldsFuncSeq(m.Text, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) && !strings.ContainsRune(joining, r)
	}) {
		unspaced, letters := 0, 0
		for _, r := range word {
			switch {
			case unicode.IsDigit(r):
				return Worded
			case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer,
				unicode.Myanmar):
				unspaced++
			case unicode.IsLetter(r):
				letters++
			}
		}
		if unspaced > fewChars || only != "" && letters+unspaced > 0 && !strings.EqualFold(word, only) {
			return Worded
		}
		if letters+unspaced > 0 {
			only = word
		}
	}
	if only == "" {
		return Wordless
	}
	return OneWord
}

// Asks reports whether a text ends with a question mark, in whatever script.
func Asks(text string) bool {
	text = strings.TrimRightFunc(text, func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsSymbol(r) || unicode.IsMark(r) || strings.ContainsRune("\"')”’»」!", r)
	})
	for _, mark := range []string{"?", "？", "؟", "՞", "፧"} {
		if strings.HasSuffix(text, mark) {
			return true
		}
	}
	return false
}
