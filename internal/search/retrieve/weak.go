package retrieve

import (
	"cmp"
	"slices"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/search/lexical"
)

// WeakCandidate is a candidate that is too little like the question to be found by it.
type WeakCandidate struct {
	ID         trilith.ID
	Version    int64
	Similarity *float64 // cosine of the version; nil if unknown
	Rank       int      // among the results of the vector search
	Norm       float64  // how like it is, between 0 and 1; 0 where that is not known
}

// WeakCandidates returns the candidates, best first, that vector searches found and that [Plan.Unite], or [Plan.Facts]
// for facts, leaves out. People's turns come before the assistant's as they do in a ranking.
func (p Plan) WeakCandidates(answers []Answer, facts bool) []WeakCandidate {
	var out []WeakCandidate
	for i, s := range p.Searches {
		if s.Facts != facts || s.Arm != trilith.ArmDense || p.dense == 0 {
			continue
		}
		for rank, c := range answers[i].Candidates {
			if norm := normalise(s.Arm, c.Score, 0); norm > 0 && norm >= p.floor {
				continue
			}
			out = append(out, WeakCandidate{ID: c.ID, Version: c.Version,
				Similarity: &answers[i].Candidates[rank].Score, Rank: rank + 1,
				Norm: max(1+c.Score, 0) / 2 * s.Weight / p.dense})
		}
	}
	slices.SortFunc(out, func(a, b WeakCandidate) int {
		return cmp.Or(cmp.Compare(b.Norm, a.Norm), cmp.Compare(a.ID, b.ID))
	})
	return out
}

// OnlyAsks reports whether a memory is a turn that asks and tells nothing.
func OnlyAsks(m *trilith.Memory) bool { return lexical.OnlyAsks(m) }

// AsksOwn is [lexical.AsksOwn].
func AsksOwn(text string) bool { return lexical.AsksOwn(text) }

// Names reports whether a question names the speaker of a memory, or its user if there is no speaker.
func Names(question string, m *trilith.Memory) bool {
	if m.Role == trilith.RoleAssistant || m.Fact != nil {
		return false
	}
	asked := fields(question)
	return slices.ContainsFunc(fields(cmp.Or(m.Speaker, m.Scope.User)),
		func(name string) bool { return slices.Contains(asked, name) })
}
