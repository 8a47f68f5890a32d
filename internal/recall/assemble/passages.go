package assemble

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/trilith-memory/trilith/internal/lang/textproc"
)

// beginning is how many tokens at the beginning of a text are always kept: they show its topic.
const beginning = 30

// longestSentence is the length in bytes from which a sentence is split.
const longestSentence = 400

// passage is a sentence of a text, with the white space after it.
type passage struct {
	text   string
	tokens int
	worth  float64
	keep   bool
}

// passages cuts a text to the parts about a question, within a token limit: its beginning, the sentences that share
// words with the question, and then the sentences after the beginning. Each gap is marked. If not even a word fits,
// the result is empty.
func passages(text, query string, limit int, count func(string) int) string {
	limit -= 2 // for the marks around the rest
	all := sentences(text)
	wanted := termsOf(query)
	shared := 0.0
	for i := range all {
		p := &all[i]
		p.tokens = count(p.text)
		for term := range termsOf(p.text) {
			if wanted[term] {
				p.worth++
			}
		}
		p.worth /= math.Sqrt(float64(10 + p.tokens)) // a long one shares words by chance
		shared += p.worth
	}
	if all[0].tokens > limit || shared == 0 {
		return cutAt(text, limit, count)
	}
	order := make([]*passage, len(all))
	before := 0
	for i := range all {
		order[i] = &all[i]
		if before < beginning {
			all[i].worth = math.Inf(1)
		}
		before += all[i].tokens
	}
	slices.SortStableFunc(order, func(a, b *passage) int { return cmp.Compare(b.worth, a.worth) })
	for _, p := range order {
		if p.tokens+1 <= limit { // 1 for the mark of a gap after it
			limit -= p.tokens + 1
			p.keep = true
		}
	}
	var out strings.Builder
	for i := range all {
		switch {
		case all[i].keep:
			out.WriteString(all[i].text)
		case i > 0 && all[i-1].keep:
			out.WriteString("… ")
		}
	}
	return strings.TrimSpace(out.String())
}

// cutAt cuts a text at the last word within a token limit.
func cutAt(text string, limit int, count func(string) int) string {
	const maxTokenBytes = 16
	ends := wordEnds(text[:min(len(text), max(limit, 0)*maxTokenBytes)])
	n, _ := slices.BinarySearchFunc(ends, limit, func(end, limit int) int {
		if count(text[:end]) <= limit {
			return -1
		}
		return 1
	})
	if n == 0 {
		return ""
	}
	return text[:ends[n-1]] + "…"
}

// sentences splits a text after the signs that end sentences; together they are the text.
func sentences(text string) []passage {
	var out []passage
	from := 0
	for _, end := range wordEnds(text) {
		last, _ := utf8.DecodeLastRuneInString(text[:end])
		if from < end && (strings.ContainsRune(".!?;:。！？；：", last) || end-from > longestSentence) {
			if text[end] == ' ' {
				end++
			}
			out = append(out, passage{text: text[from:end]})
			from = end
		}
	}
	return append(out, passage{text: text[from:]})
}

// termsOf returns the set of a text's words, in the form for comparison.
func termsOf(text string) map[string]bool {
	terms, _ := textproc.Analyzer{}.Terms(text)
	set := make(map[string]bool, len(terms))
	for _, t := range terms {
		set[t] = true
	}
	return set
}
