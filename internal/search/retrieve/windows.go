package retrieve

import (
	"slices"

	"github.com/trilith-memory/trilith"
)

// weightWindow is the largest share of its own score that a turn gains by a window that holds it. A share of the turn's
// distance to a full score would lift an assistant's turns above people's.
const weightWindow = 0.3

// AsksWindows reports whether a filter speaks of windows: by their kind or their type, or of memories by their ids.
// Otherwise a search leaves windows out, since they repeat the words of their turns.
func AsksWindows(f trilith.Filter) bool {
	return speaksOf(f, map[string]string{"kind": string(trilith.KindWindow), "type": trilith.TypeEpisodic})
}

// speaksOf reports whether a filter, which is valid, compares one of the fields with its value, or ids.
func speaksOf(f trilith.Filter, fields map[string]string) bool {
	if value, ok := fields[f.Field]; ok {
		values, _, _ := f.Operands()
		return slices.Contains(values, any(value))
	}
	within := func(f trilith.Filter) bool { return speaksOf(f, fields) }
	return f.Field == "id" || slices.ContainsFunc(f.And, within) || slices.ContainsFunc(f.Or, within) ||
		f.Not != nil && within(*f.Not)
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
