package retrieve

import (
	"slices"

	"github.com/trilith-memory/trilith"
)

// weightWindow is the largest share of its own score that a turn gains by a window that holds it. A share of what the
// turn lacks would lift what an assistant said above what people said.
const weightWindow = 0.3

// AsksWindows reports whether a filter speaks of windows: by their kind or their type, or of memories by their ids.
// Otherwise a search leaves windows out, since they repeat the words of their turns.
func AsksWindows(f trilith.Filter) bool {
	if f.Field == "id" {
		return true
	}
	if name, ok := map[string]string{"kind": string(trilith.KindWindow), "type": trilith.TypeEpisodic}[f.Field]; ok {
		values, _, _ := f.Operands() // the filter is valid
		return slices.Contains(values, any(name))
	}
	return slices.ContainsFunc(f.And, AsksWindows) || slices.ContainsFunc(f.Or, AsksWindows) ||
		f.Not != nil && AsksWindows(*f.Not)
}

// LiftTurns raises the scores of those turns of a window that the question finds by themselves. score is that of the
// window, and rank its place among the windows, from 0. A turn takes from one window only, so the best has to come
// first.
func (u *Union) LiftTurns(turns []trilith.ID, score float64, rank int) {
	for _, id := range turns {
		f := u.find(id)
		if f == nil || f.parts[windowPart].Rank > 0 {
			continue
		}
		p := trilith.Part{Rank: rank + 1, Raw: score, Weight: weightWindow * min(f.Score, 1-f.Score), Norm: score}
		f.parts[windowPart] = p
		f.Score += p.Weight * p.Norm
	}
}
