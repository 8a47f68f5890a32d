package embedding

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Weights of bytes in sixths of a token. English prose has about four bytes a token in the vocabularies of embedding
// models, German and code about three; scripts above ASCII one or two characters.
const (
	aToken = 6
	ascii  = 2
	above  = 3
)

// Tokens estimates how many tokens a text has, rather too many than too few: bytes divided by three, those above ASCII
// by two.
func Tokens(text string) int {
	weight := 0
	for i := range len(text) {
		weight += weightOf(text[i])
	}
	return (weight + aToken - 1) / aToken
}

// shorten returns the beginning of a text that is estimated at no more than so many tokens, and whether that is not all
// of it. It ends between two words where one of the last ones ends, else between two characters.
func shorten(text string, tokens int) (string, bool) {
	left := max(tokens, 1) * aToken
	end := 0
	for end < len(text) {
		_, size := utf8.DecodeRuneInString(text[end:])
		if left -= size * weightOf(text[end]); left < 0 {
			break
		}
		end += size
	}
	if end == len(text) {
		return text, false
	}
	if space := strings.LastIndexFunc(text[:end], unicode.IsSpace); space > end/2 {
		end = space
	}
	return text[:end], true
}

func weightOf(b byte) int {
	if b < utf8.RuneSelf {
		return ascii
	}
	return above
}
