package recall

import (
	"context"
	"slices"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/facts/ending"
	"github.com/trilith-memory/trilith/internal/recall/later"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/search/retrieve"
	"github.com/trilith-memory/trilith/internal/truth"
)

const (
	accompanied = 2  // of the first hits, how many may get a companion
	amongHits   = 50 // hits that may be one
	nearestTo   = 20 // of a hit, turns that may be one
	// Of 60 invented changes of mind in 12 languages one earlier turn finds 39, two 47, and more no others.
	maxEarlier = 2
	sameMatter = .45 // how rare a word is, from which on turns that share it speak of one matter
	// vectorWait is how long a recall waits for vectors of hits, which take a few sums over their words or are cached.
	vectorWait = 100 * time.Millisecond
)

// pair is a hit with the later turns that may be its companion.
type pair struct {
	hit    *trilith.Hit
	vector trilith.Vector
	turns  []*trilith.Memory
}

// accompany gives each of the first hits that state something the later turn of the same owner and speaker that most
// likely speaks of the same matter, where one is likely enough. Candidates are the other hits and, for a block, the turns
// that are nearest to the hit. An error leaves hits without.
func (v *verifier) accompany(ctx context.Context, q *retrieve.Question, p retrieve.Plan, f *found, hits []trilith.Hit,
	block bool) {
	if f.vector == nil {
		return
	}
	pairs := v.pairs(ctx, hits, block)
	if block && v.nearest(ctx, p, f, pairs) != nil {
		return
	}
	pairs = slices.DeleteFunc(pairs, func(of *pair) bool { return len(of.turns) == 0 })
	var probes []role.VectorProbe
	for _, of := range pairs {
		probe := role.VectorProbe{Vector: of.vector, K: len(of.turns)}
		for _, m := range of.turns {
			probe.IDs, probe.Versions = append(probe.IDs, m.ID), append(probe.Versions, m.Version)
		}
		asked := probe
		asked.Vector, asked.IDs, asked.Versions = f.vector, append(asked.IDs, of.hit.Memory.ID),
			append(asked.Versions, of.hit.Memory.Version)
		asked.K++
		probes = append(probes, probe, asked)
	}
	if len(probes) == 0 {
		return
	}
	found, err := v.rd.truth.Index.Nearest(ctx, v.scope, f.dense.Gen, probes...)
	if err != nil {
		v.rd.truth.Logger.WarnContext(ctx, "recall: later turns could not be compared by vectors", "error", err)
		return
	}
	question := later.Read(q.Text)
	read := map[trilith.ID]*later.Turn{}
	turn := func(m *trilith.Memory) *later.Turn {
		if read[m.ID] == nil {
			read[m.ID] = later.Read(m.Text)
		}
		return read[m.ID]
	}
	for i, of := range pairs {
		earlier, asked := cosinesOf(found[2*i]), cosinesOf(found[2*i+1])
		candidates := make([]later.Candidate, len(of.turns))
		for j, m := range of.turns {
			candidates[j] = later.Candidate{Turn: turn(m), Question: asked[m.ID], Earlier: earlier[m.ID]}
		}
		best := later.Best(later.Of(f.dense.Gen.Threshold), question, turn(&of.hit.Memory),
			asked[of.hit.Memory.ID], candidates)
		if best >= 0 {
			of.hit.Later = &trilith.LaterTurn{ID: of.turns[best].ID, At: of.turns[best].EventTime}
		}
	}
}

func cosinesOf(found []role.Candidate) map[trilith.ID]float64 {
	out := make(map[trilith.ID]float64, len(found))
	for _, c := range found {
		out[c.ID] = c.Score
	}
	return out
}

// pairs returns the first hits that may get a companion, with those of the other hits that may be it. Without a block a
// hit needs one of them.
func (v *verifier) pairs(ctx context.Context, hits []trilith.Hit, block bool) []*pair {
	var out []*pair
	var ms []trilith.Memory
	for i := range hits[:min(accompanied, len(hits))] {
		h := &hits[i]
		if h.Weak || h.Memory.Kind != trilith.KindEpisode || !later.States(h.Memory.Text) {
			continue
		}
		of := &pair{hit: h}
		for j := range hits[:min(amongHits, len(hits))] {
			if m := &hits[j].Memory; follows(&h.Memory, m) {
				of.turns = append(of.turns, m)
			}
		}
		if block || len(of.turns) > 0 {
			out, ms = append(out, of), append(ms, h.Memory)
		}
	}
	soon, cancel := context.WithTimeout(ctx, vectorWait)
	defer cancel()
	vectors, err := v.rd.truth.Index.VectorsAtHand(soon, truth.TenantOf(v.scope), ms)
	if err != nil {
		return nil
	}
	kept := out[:0]
	for i, of := range out {
		if of.vector = vectors[i]; of.vector != nil {
			kept = append(kept, of)
		}
	}
	return kept
}

// nearest adds the turns that are nearest to the hits.
func (v *verifier) nearest(ctx context.Context, p retrieve.Plan, f *found, pairs []*pair) error {
	var probes []role.VectorProbe
	for _, of := range pairs {
		m := &of.hit.Memory
		same := ofVoice(m, p.Filter, trilith.Where("event_time", trilith.OpGte, nextDay(m.EventTime)))
		probes = append(probes, role.VectorProbe{Vector: of.vector, Filter: same, K: nearestTo})
	}
	if len(probes) == 0 {
		return nil
	}
	found, err := v.rd.truth.Index.Nearest(ctx, v.scope, f.dense.Gen, probes...)
	if err != nil {
		v.rd.truth.Logger.WarnContext(ctx, "recall: later turns could not be searched by vectors", "error", err)
		return err
	}
	for i, of := range pairs {
		known := map[trilith.ID]bool{}
		for _, m := range of.turns {
			known[m.ID] = true
		}
		var ids []trilith.ID
		versions := map[trilith.ID]int64{}
		for _, c := range found[i] {
			if !known[c.ID] {
				ids, versions[c.ID] = append(ids, c.ID), c.Version
			}
		}
		stored, err := v.read(ctx, ids)
		if err != nil {
			return err
		}
		for _, id := range ids {
			m := stored[id]
			if v.verdict(&retrieve.Fused{ID: id, Version: versions[id]}, m) == "" && follows(&of.hit.Memory, m) {
				of.turns = append(of.turns, m)
			}
		}
	}
	return nil
}

// ofVoice returns a filter for turns of the owner and speaker of a turn that other filters accept as well.
func ofVoice(m *trilith.Memory, others ...trilith.Filter) trilith.Filter {
	same := append(others, trilith.Where("kind", trilith.OpEq, trilith.KindEpisode),
		trilith.Where("role", trilith.OpEq, m.Role))
	for field, value := range map[string]string{"speaker": m.Speaker, "user": m.Scope.User, "project": m.Scope.Project} {
		if value != "" {
			same = append(same, trilith.Where(field, trilith.OpEq, value))
		}
	}
	return trilith.AllOf(same...)
}

// Earlier returns sentences of earlier turns of the owner and speaker of a turn that share a word with one of its own
// sentences that few messages have, from the nearest turns. Without a vector of the turn at hand it returns none.
func (rd *Reader) Earlier(ctx context.Context, m *trilith.Memory, sentence string) (out []ending.Statement, err error) {
	s, gen := trilith.Scope{Tenant: m.Scope.Tenant, User: m.Scope.User, Project: m.Scope.Project}, rd.generations.Generation()
	if rd.truth.Vectors == nil {
		return nil, nil
	}
	vectors, err := rd.truth.Index.VectorsAtHand(ctx, truth.TenantOf(s), []trilith.Memory{*m})
	if err != nil || vectors[0] == nil {
		return nil, err
	}
	found, err := rd.truth.Index.Nearest(ctx, s, gen, role.VectorProbe{Vector: vectors[0], K: nearestTo,
		Filter: ofVoice(m, trilith.Where("event_time", trilith.OpLt, nextDay(m.EventTime.AddDate(0, 0, -1))))})
	if err != nil {
		return nil, err
	}
	ids := make([]trilith.ID, len(found[0]))
	for i, c := range found[0] {
		ids[i] = c.ID
	}
	turns, _, err := truth.SoundOf(rd.truth.Memories(ctx, s, ids))
	now := later.Read(sentence)
	for i := range turns {
		e := &turns[i]
		if e.State != trilith.StateActive || !follows(e, m) || len(out) == maxEarlier {
			continue
		}
		best, least := ending.Statement{}, sameMatter
		for from, to := range later.Sentences(e.Text) {
			if rare := later.Shared(later.Read(e.Text[from:to]), now); rare >= least && later.States(e.Text[from:to]) {
				best, least = ending.In(e, from, to), rare
			}
		}
		if best.In != nil {
			out = append(out, best)
		}
	}
	return out, err
}

// follows reports whether a turn of the same owner and speaker states something on a later day.
func follows(earlier, m *trilith.Memory) bool {
	return ending.SameVoice(earlier, m) && !m.EventTime.Before(nextDay(earlier.EventTime)) && m.Text != earlier.Text &&
		later.States(m.Text) && !retrieve.OnlyAsks(m)
}

// nextDay is the beginning of the day after that of a time, on its clock.
func nextDay(t time.Time) time.Time {
	return time.Date(t.Year(), t.Month(), t.Day()+1, 0, 0, 0, 0, t.Location())
}

// companions returns the later turns of hits, by the hits.
func (rd *Reader) companions(ctx context.Context, s trilith.Scope, hits []trilith.Hit) (
	map[trilith.ID]trilith.Memory, error) {
	of := map[trilith.ID][]trilith.ID{}
	var ids []trilith.ID
	for i := range hits {
		if l := hits[i].Later; l != nil {
			of[l.ID], ids = append(of[l.ID], hits[i].Memory.ID), append(ids, l.ID)
		}
	}
	if len(ids) == 0 {
		return nil, nil
	}
	ms, err := rd.truth.Memories(ctx, s, ids)
	out := map[trilith.ID]trilith.Memory{}
	for _, m := range ms {
		for _, id := range of[m.ID] {
			out[id] = m
		}
	}
	return out, err
}
