package retrieve

import (
	"strings"
	"unicode"

	"github.com/trilith-memory/trilith"
)

// fewChars of scripts without spaces are one word.
const fewChars = 2

var unspaced = []*unicode.RangeTable{unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao,
	unicode.Khmer, unicode.Myanmar}

// WordCount counts the different words of a turn or note by their form, whatever the language: 0 of an emoji or a full
// stop, 1 of ok, HEARTBEAT_OK and Bergen, else 2. So has a number or an address, and every other kind of memory.
func WordCount(m *trilith.Memory) int {
	if m.Kind != trilith.KindEpisode && m.Kind != trilith.KindNote {
		return 2
	}
	only := ""
	for _, word := range Words(strings.ReplaceAll(m.Text, "_", "")) {
		chars := 0
		for _, r := range word {
			if unicode.In(r, unspaced...) {
				chars++
			}
		}
		switch {
		case strings.ContainsFunc(word, unicode.IsDigit), chars > fewChars:
			return 2
		case !strings.ContainsFunc(word, unicode.IsLetter):
		case only != "" && !strings.EqualFold(word, only):
			return 2
		default:
			only = word
		}
	}
	return min(len(only), 1)
}
