package facts

import (
	"cmp"
	"slices"

	"github.com/cairn-memory/cairn"
)

// ByQuote returns the tasks that an episode proposes and that are not retracted, in the order of their quotes in it.
func ByQuote(list []cairn.Memory, episode cairn.ID) []cairn.Memory {
	type placed struct {
		at int
		m  cairn.Memory
	}
	var out []placed
	for _, m := range list {
		i := slices.IndexFunc(m.Fact.Evidence, func(e cairn.Evidence) bool {
			return e.EpisodeID == episode && e.Proposed && !e.Withdrawn
		})
		if i >= 0 && m.Fact.Type == cairn.FactTask &&
			(m.State == cairn.StateCandidate || m.State == cairn.StateActive) {
			out = append(out, placed{m.Fact.Evidence[i].Start, m})
		}
	}
	slices.SortStableFunc(out, func(a, b placed) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.m.ID, b.m.ID))
	})
	ms := make([]cairn.Memory, len(out))
	for i := range out {
		ms[i] = out[i].m
	}
	return ms
}
