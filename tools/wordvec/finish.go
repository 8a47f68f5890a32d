package main

import (
	"cmp"
	"iter"
	"math"
	"slices"
	"strings"

	"github.com/trilith-memory/trilith/internal/lang/textproc"
	"github.com/trilith-memory/trilith/internal/lang/wordvec"
)

// entries returns the most frequent words with their vectors in whole numbers; stop words and words without a vector
// are left out.
func entries(v *vocabulary, e *matrix, most int) []wordvec.Entry {
	for i, w := range v.words {
		if asking[w] {
			scale(e.row(i), askingFactor)
		}
	}
	unitMean(e)
	var all []wordvec.Entry
	for i, w := range v.words {
		row := e.row(i)
		if stop[w] || length(row) < 1e-4 || len(all) == most {
			continue
		}
		entry := wordvec.Entry{Text: w}
		for _, x := range row {
			entry.Scale = max(entry.Scale, float32(math.Abs(float64(x)))/127)
		}
		for k, x := range row {
			entry.Vector[k] = int8(math.Round(float64(x / entry.Scale)))
		}
		all = append(all, entry)
	}
	return all
}

// stems returns the most common stems with their shares of the turns and passages of the documents, each counted with
// the weight of its source.
func stems(t *text, most int) []wordvec.Entry {
	english, err := textproc.NewAnalyzer("en")
	if err != nil {
		panic(err) // a constant
	}
	shares := map[string]float64{}
	var total float64
	for _, d := range t.docs {
		for passage := range passages(d.lines) {
			weight := d.weight
			total += weight
			terms, _ := english.Terms(passage)
			slices.Sort(terms)
			for _, term := range slices.Compact(terms) {
				shares[term] += weight
			}
		}
	}
	var all []wordvec.Entry
	for stem, n := range shares {
		all = append(all, wordvec.Entry{Text: stem, Share: float32(n / (total + 1))})
	}
	slices.SortFunc(all, func(a, b wordvec.Entry) int {
		return cmp.Or(cmp.Compare(b.Share, a.Share), cmp.Compare(a.Text, b.Text))
	})
	return all[:min(most, len(all))]
}

// passageWords is about how long a passage is: that of a message to an assistant.
const passageWords = 60

// passages joins the lines of a document until they are long enough.
func passages(lines []string) iter.Seq[string] {
	return func(yield func(string) bool) {
		var passage strings.Builder
		words := 0
		for i, l := range lines {
			passage.WriteString(l + " ")
			words += strings.Count(l, " ") + 1
			if words >= passageWords || i == len(lines)-1 {
				if !yield(passage.String()) {
					return
				}
				passage.Reset()
				words = 0
			}
		}
	}
}
