package recall

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/search/retrieve"
	"github.com/trilith-memory/trilith/internal/truth"
)

// utterance is the text of a memory, its speaker and its owner. Memories with one utterance are one hit, in whatever
// session and channel they were said, as turns or as notes of any type.
type utterance struct {
	scope         trilith.Scope
	role          trilith.Role
	trust         trilith.Trust
	state         trilith.State
	entry         bool
	speaker, text string
}

// repeats holds which hits stand for which other memories that say the same.
type repeats struct {
	said   map[utterance]trilith.ID
	stands map[trilith.ID]trilith.ID // hits, by the memories that they stand for
	counts map[trilith.ID]int        // of these memories, by the hits
}

// SaidOnce returns memories, in their order, without those that say the same as one before them, and how many these are
// by the memory that stands for them.
func SaidOnce(ms []trilith.Memory) (kept []trilith.Memory, others map[trilith.ID]int) {
	r := newRepeats()
	kept = slices.DeleteFunc(ms, func(m trilith.Memory) bool { return r.folds(&m) })
	return kept, r.counts
}

func newRepeats() repeats {
	return repeats{map[utterance]trilith.ID{}, map[trilith.ID]trilith.ID{}, map[trilith.ID]int{}}
}

// crowded is from how many repeats on the arms search deeper although they have found enough, so that the repeats are all
// counted: words give a hundred candidates or more.
const crowded = 50

// crowd reports whether repeats may have kept the rest out of the answers of the arms.
func (r *repeats) crowd(results []result, k int) bool {
	for _, p := range results {
		if p.turn == "" {
			k--
		}
	}
	return len(r.stands) > 0 && k > 0 || len(r.stands) >= crowded
}

// of returns the hit that stands for a memory, or the memory.
func (r *repeats) of(id trilith.ID) trilith.ID {
	return cmp.Or(r.stands[id], id)
}

// alike is how far the cosines of equal texts are apart at most: an index may round them.
const alike = 0.001

// count reads those of the remaining candidates that may repeat a result, so that its count does not end at the last
// hit. Equal texts have about equal cosines, or, without vectors, equal scores.
func (v *verifier) count(ctx context.Context, ranking *retrieve.Ranking, results []result) error {
	left := ranking.Among(func(c *retrieve.Fused) bool {
		return v.known[c.ID] == nil && slices.ContainsFunc(results, func(p result) bool {
			if c.Similarity == nil || p.hit.Similarity == nil {
				return c.Similarity == p.hit.Similarity && c.Score == p.hit.Score
			}
			return math.Abs(*c.Similarity-*p.hit.Similarity) <= alike
		})
	})
	ids := make([]trilith.ID, len(left))
	for i, c := range left {
		ids[i] = c.ID
	}
	stored, err := v.read(ctx, ids)
	if err != nil {
		return err
	}
	for _, c := range left {
		if m := stored[c.ID]; v.verdict(c, m) == "" && v.repeats.folds(m) {
			v.drop(c, trilith.DropRepeated)
		}
	}
	return nil
}

// folds reports whether a hit with the same utterance stands for a memory. Otherwise the memory is one that others
// may repeat. A fact is one assertion however often it is made, and an entry under a key is read and written by it.
func (r *repeats) folds(m *trilith.Memory) bool {
	if m.Kind == trilith.KindFact || m.Kind == trilith.KindEntry && m.ExternalID != "" {
		return false
	}
	s := utterance{m.Scope.Bare(), cmp.Or(m.Role, trilith.RoleUser), m.Trust, m.State, m.Kind == trilith.KindEntry, m.Speaker,
		m.Text}
	if s.trust == trilith.TrustUserConfirmed { // a note that repeats a turn
		s.trust = trilith.TrustUserStated
	}
	s.scope.Session, s.scope.Channel = "", ""
	hit, ok := r.said[s]
	if !ok {
		r.said[s] = m.ID
		return false
	}
	if hit != m.ID && r.stands[m.ID] == "" {
		r.stands[m.ID] = hit
		r.counts[hit]++
	}
	return hit != m.ID
}

// Known returns a memory that a scope reads, in whatever session, and that has the text of another one; "" if there is
// none, or if the index does not answer.
func Known(ctx context.Context, rd *Reader, s trilith.Scope, m *trilith.Memory) trilith.ID {
	s.Session, s.Channel = "", ""
	words := rd.truth.Index.Texts(s)
	if words.CatchUp(ctx) != nil {
		return ""
	}
	text := m.Text[:min(len(m.Text), trilith.MaxQueryBytes)]
	near, _ := words.Search(ctx, role.TextProbe{Text: text, K: trilith.DefaultK})
	stored, _ := rd.truth.Memories(ctx, truth.TenantOf(s), idsOf(near.Candidates))
	for i := range stored {
		x := &stored[i]
		if x.ID != m.ID && x.Text == m.Text && s.SeesMemory(x) && x.StateAt(rd.truth.Now()) == trilith.StateActive {
			return x.ID
		}
	}
	return ""
}
