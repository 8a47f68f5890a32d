package retrieve

import (
	"cmp"
	"slices"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/lang/textproc"
	"github.com/trilith-memory/trilith/internal/role"
)

// AddPhrase adds to the answer of an exact search the memories that contain a phrase exactly as in the question: of the
// candidates that have its words, those whose text contains it. text returns the indexed text of a memory, "" if there
// is none. A phrase counts by the rarity of its words, like the identifiers in the answer. A phrase that no text
// contains changes nothing.
func (a *Answer) AddPhrase(phrase string, words role.TextResult, text func(trilith.ID) string) {
	place, added := map[trilith.ID]int{}, false
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
		a.Candidates = append(a.Candidates, role.Candidate{ID: c.ID, Version: c.Version, Score: words.Weight})
	}
	if added {
		a.Attainable += words.Weight
		slices.SortFunc(a.Candidates, func(x, y role.Candidate) int {
			return cmp.Or(cmp.Compare(y.Score, x.Score), cmp.Compare(x.ID, y.ID))
		})
	}
}
