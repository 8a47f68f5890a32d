package retrieve

import (
	"cmp"
	"slices"

	"github.com/cairn-memory/cairn"
	"github.com/cairn-memory/cairn/internal/textproc"
)

// AddPhrase adds to the answer of an exact search what holds a phrase as it is in the question: those of the texts
// whose words were searched that text, which returns what is indexed of a memory and "" if there is nothing, knows to
// hold it. A phrase counts as much as its words are rare, like the identifiers that the answer may hold already. One
// that no text holds changes nothing.
func (a *Answer) AddPhrase(phrase string, words cairn.TextResult, text func(cairn.ID) string) {
	place, added := map[cairn.ID]int{}, false
	for i, c := range a.Candidates {
		place[c.ID] = i
	}
	for _, c := range words.Candidates {
		if !textproc.HasPhrase(text(c.ID), phrase) {
			continue
		}
		added = true
		if i, ok := place[c.ID]; ok {
			a.Candidates[i].Score += words.Weight
			continue
		}
		a.Candidates = append(a.Candidates, cairn.Candidate{ID: c.ID, Version: c.Version, Score: words.Weight})
	}
	if added {
		a.Attainable += words.Weight
		slices.SortFunc(a.Candidates, func(x, y cairn.Candidate) int {
			return cmp.Or(cmp.Compare(y.Score, x.Score), cmp.Compare(x.ID, y.ID))
		})
	}
}
