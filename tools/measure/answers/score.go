package answers

import (
	"strings"
	"unicode"
)

// Score grades an answer, each number from 0 to 1.
type Score struct {
	F1       float64 `json:"f1"`       // of the words that it shares with the labelled answer
	Contains float64 `json:"contains"` // 1 if the words of the labelled answer are in it, one after another
}

// Grade compares an answer with the labelled one, as SQuAD does: without regard to case, punctuation and articles.
func Grade(given, labelled string) Score {
	got, want := words(given), words(labelled)
	if len(want) == 0 || len(got) == 0 {
		return Score{}
	}
	var s Score
	if strings.Contains(" "+strings.Join(got, " ")+" ", " "+strings.Join(want, " ")+" ") {
		s.Contains = 1
	}
	left := map[string]int{}
	for _, w := range want {
		left[w]++
	}
	shared := 0.0
	for _, w := range got {
		if left[w] > 0 {
			left[w]--
			shared++
		}
	}
	s.F1 = 2 * shared / float64(len(got)+len(want))
	return s
}

// words are the words that count.
func words(text string) []string {
	text = strings.Map(func(r rune) rune {
		if unicode.IsPunct(r) || unicode.IsSymbol(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, text)
	var out []string
	for _, w := range strings.Fields(text) {
		if w != "a" && w != "an" && w != "the" {
			out = append(out, w)
		}
	}
	return out
}
