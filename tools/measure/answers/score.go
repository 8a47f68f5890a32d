package answers

import (
	"regexp"
	"strings"
	"time"
	"unicode"
)

// Score grades an answer, each number from 0 to 1.
type Score struct {
	F1       float64 `json:"f1"`       // of the words that it shares with the labelled answer
	Contains float64 `json:"contains"` // 1 if the words of the labelled answer are in it, one after another
}

// Grade compares an answer with the labelled one, as SQuAD does: without regard to case, punctuation and articles. A date
// counts in whatever form it is written.
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

// isoDate is a date as blocks write it.
var isoDate = regexp.MustCompile(`\b(\d{4})-(\d{2})-(\d{2})\b`)

// inWords writes a date as people do.
func inWords(date string) string {
	t, err := time.Parse(time.DateOnly, date)
	if err != nil {
		return date
	}
	return t.Format("2 January 2006")
}

// month returns the whole name of a month that is written short.
func month(word string) string {
	for m := time.January; m <= time.December; m++ {
		name := strings.ToLower(m.String())
		if word == name[:3] || word == "sept" && m == time.September {
			return name
		}
	}
	return word
}

// words are the words that count.
func words(text string) []string {
	text = isoDate.ReplaceAllStringFunc(text, inWords)
	text = strings.Map(func(r rune) rune {
		if unicode.IsPunct(r) || unicode.IsSymbol(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, text)
	var out []string
	for _, w := range strings.Fields(text) {
		if w != "a" && w != "an" && w != "the" {
			out = append(out, month(w))
		}
	}
	return out
}
