package textproc

import (
	_ "embed"
	"strings"
)

// Lang is a language that terms are stemmed in.
type Lang uint8

// The languages. Unknown is what a text is in that does not say; documents are then stemmed as English.
const (
	English Lang = iota
	German
	Unknown
)

// String returns the language's English name.
func (l Lang) String() string {
	switch l {
	case English:
		return "English"
	case German:
		return "German"
	}
	return "unknown"
}

var (
	//go:embed data/stop_en.txt
	stopEnglish string
	//go:embed data/stop_de.txt
	stopGerman string
	//go:embed data/shared.txt
	shared string

	stopWords   = [2]map[string]bool{English: wordSet(stopEnglish), German: wordSet(stopGerman)}
	sharedWords = wordSet(shared)
)

// wordSet reads a word list: words between white space, folded, and comments from # to the end of the line.
func wordSet(data string) map[string]bool {
	set := map[string]bool{}
	for line := range strings.Lines(data) {
		line, _, _ = strings.Cut(line, "#")
		for _, w := range strings.Fields(line) {
			set[Fold(w)] = true
		}
	}
	return set
}

// Detect returns the language that more of the text's stop words speak for, Unknown if none has more. Words that both
// languages share speak for neither. It looks at the first few hundred words at most.
func Detect(text string) Lang {
	var s segmenter
	s.segment(text)
	return detect(s.words)
}

// detectWords is how many words of a text tell its language: more do not change the answer.
const detectWords = 400

func detect(words []*word) Lang {
	var votes [2]int
	for _, w := range words[:min(len(words), detectWords)] {
		for l, tells := range w.tells {
			if tells {
				votes[l]++
			}
		}
	}
	switch {
	case votes[English] > votes[German]:
		return English
	case votes[German] > votes[English]:
		return German
	}
	return Unknown
}

// Terms returns the terms of a document in their order, repeated ones repeated. They are what [QueryTerms] looks for.
// It is safe for concurrent use, as all functions of the package.
func Terms(text string) []string {
	s := segmenter{words: make([]*word, 0, len(text)/5+1)}
	s.segment(text)
	if len(s.words) == 0 {
		return nil
	}
	l := detect(s.words)
	if l == Unknown {
		l = English
	}
	terms := make([]string, len(s.words))
	for i, w := range s.words {
		terms[i] = w.stem[l]
	}
	return terms
}

// QueryTerms returns what a query looks for: its distinct words without stop words, or with them if nothing else is left.
// Each is a list of forms, of which a document holds one or another; see the package comment. No form occurs twice.
func QueryTerms(text string) [][]string {
	var s segmenter
	s.segment(text)
	l := detect(s.words)
	terms := distinct(s.words, l, func(w *word) bool {
		if l == Unknown {
			return !w.stop[English] && !w.stop[German]
		}
		return !w.stop[l]
	})
	if len(terms) == 0 {
		return distinct(s.words, l, func(*word) bool { return true })
	}
	return terms
}

// distinct returns the forms of the words that are to be kept, in order; words that share a form are one.
func distinct(words []*word, l Lang, keep func(*word) bool) [][]string {
	var terms [][]string
	at := map[string]int{} // form → index in terms
	for _, w := range words {
		if !keep(w) {
			continue
		}
		var forms []string
		switch l {
		case English:
			forms = []string{w.stem[English]}
		case German:
			forms = []string{w.stem[German], w.stem[English]}
		default:
			forms = []string{w.stem[English], w.stem[German]}
		}
		i := len(terms)
		for _, f := range forms {
			if known, ok := at[f]; ok {
				i = known
			}
		}
		if i == len(terms) {
			terms = append(terms, nil)
		}
		for _, f := range forms {
			if _, ok := at[f]; !ok {
				at[f] = i
				terms[i] = append(terms[i], f)
			}
		}
	}
	return terms
}
