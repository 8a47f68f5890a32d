package recall

import (
	"cmp"
	"context"
	"slices"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/search/retrieve"
	"github.com/trilith-memory/trilith/internal/truth"
)

// Constants of weak hits.
const (
	// weakMost is the highest score of a weak hit: about the share of a poor match's cosine in a score.
	weakMost = 0.01
	// weakSpare is how many of the newest memories are read beyond the number of hits to add, because memories that
	// were recorded at the same time have to be put in order.
	weakSpare = 50
)

// weakFill adds weak hits if fewer than k hits were found: first turns, notes and the like, the most similar to the
// question and then the newest; then facts, in the same order. Statements of people whom the question names come first.
type weakFill struct {
	v     *verifier
	plan  retrieve.Plan
	f     *found
	query string
	byAge bool // also adds by age, not only by similarity

	results []result
	taken   map[trilith.ID]bool // memories that the results are or refer to, and dropped candidates
	keyed   map[trilith.ID]int  // positions of facts that are hits of their own, by the turns that they rest on
	left    int
}

// weakCandidate is a candidate for a weak hit.
type weakCandidate struct {
	retrieve.WeakCandidate
	memory *trilith.Memory
	named  bool // a statement of somebody whom the question names
}

// addWeakHits adds weak hits until there are k hits, if the scope has that many memories.
func (w *weakFill) addWeakHits(ctx context.Context, results []result, k int) ([]result, error) {
	w.results, w.left, w.taken, w.keyed = results, k, map[trilith.ID]bool{}, map[trilith.ID]int{}
	for i := range results {
		m := &results[i].hit.Memory
		w.taken[m.ID], w.taken[truth.OriginOf(m)] = true, true
		if results[i].turn != "" {
			continue
		}
		if !results[i].faint {
			w.left--
		}
		if m.Fact != nil {
			for _, ev := range m.Fact.Evidence {
				if !ev.Ends && !ev.Withdrawn {
					w.keyed[ev.EpisodeID] = i
				}
			}
		}
	}
	for _, d := range w.v.dropped {
		w.taken[d.ID] = true
	}
	for _, facts := range []bool{false, true} {
		if w.left <= 0 {
			break
		}
		if err := w.take(ctx, w.plan.WeakCandidates(w.f.answers, facts)); err != nil {
			return nil, err
		}
		if w.left > 0 && w.byAge {
			if err := w.newest(ctx, facts); err != nil {
				return nil, err
			}
		}
	}
	slices.SortStableFunc(w.results, func(a, b result) int { return cmp.Compare(b.hit.Score, a.hit.Score) })
	return w.results, nil
}

// newest adds the memories that were recorded last.
func (w *weakFill) newest(ctx context.Context, facts bool) error {
	op := trilith.OpNe
	if facts {
		op = trilith.OpEq
	}
	res, err := w.f.texts.Search(
		ctx, role.TextProbe{Newest: true, Filter: trilith.AllOf(trilith.Where("kind", op, trilith.KindFact),
			w.plan.Filter),
			K: min(w.left+len(w.taken)+weakSpare, role.MaxCandidates)})
	if err != nil {
		w.v.rd.truth.Logger.WarnContext(ctx, "recall: the text index could not list the newest memories", "error", err)
		return ctx.Err() // the answer is complete without them
	}
	near := make([]retrieve.WeakCandidate, len(res.Candidates))
	for i, c := range res.Candidates {
		near[i] = retrieve.WeakCandidate{ID: c.ID, Version: c.Version}
	}
	return w.take(ctx, near)
}

// take adds the best of some candidates that the store confirms.
func (w *weakFill) take(ctx context.Context, near []retrieve.WeakCandidate) error {
	near = slices.DeleteFunc(near, func(c retrieve.WeakCandidate) bool { return w.taken[c.ID] })
	ids := make([]trilith.ID, 0, len(near))
	for _, c := range near {
		if w.v.known[c.ID] == nil {
			ids = append(ids, c.ID)
		}
	}
	stored, err := w.v.read(ctx, ids)
	if err != nil {
		return err
	}
	var fit []weakCandidate
	for _, c := range near {
		m := cmp.Or(w.v.known[c.ID], stored[c.ID])
		if reason := w.v.verdict(&retrieve.Fused{ID: c.ID, Version: c.Version}, m); reason != "" {
			w.v.drop(&retrieve.Fused{ID: c.ID}, reason)
			w.taken[c.ID] = true
			continue
		}
		fit = append(fit, weakCandidate{c, m, retrieve.Names(w.query, m)})
	}
	slices.SortStableFunc(fit, compareWeak)
	for _, c := range fit {
		switch at, key := w.keyed[c.memory.ID]; {
		case w.taken[truth.OriginOf(c.memory)]: // it, or another share of it
		case (w.left > 0 || key) && w.v.repeats.folds(c.memory):
			w.v.drop(&retrieve.Fused{ID: c.ID}, trilith.DropRepeated)
			w.taken[c.ID] = true
		case key && w.results[at].turn == "" && !w.results[at].faint:
			w.mergeWithFact(at, c)
		case w.left <= 0:
		case key && w.results[at].turn == "":
			w.replaceFaintFact(at, c)
		default:
			w.add(c)
		}
	}
	return nil
}

// compareWeak orders turns of named people before the others, then by similarity; those without a similarity come last,
// by age.
func compareWeak(a, b weakCandidate) int {
	if a.named != b.named {
		if a.named {
			return -1
		}
		return 1
	}
	m, n := a.memory, b.memory
	return cmp.Or(cmp.Compare(b.Norm, a.Norm), n.RecordedAt.Compare(m.RecordedAt), n.EventTime.Compare(m.EventTime),
		cmp.Compare(n.Seq, m.Seq), cmp.Compare(m.ID, n.ID))
}

// add appends a weak hit.
func (w *weakFill) add(c weakCandidate) {
	most := weakMost
	for i := range w.results {
		if !w.results[i].hit.Weak {
			most = min(most, w.results[i].hit.Score/2)
		}
	}
	h := trilith.Hit{Weak: true, Memory: *c.memory, Similarity: w.v.similarity(c.Similarity, c.Version, c.memory)}
	parts := map[trilith.Arm]trilith.Part{}
	if c.Norm > 0 {
		parts[trilith.ArmDense] = trilith.Part{Rank: c.Rank, Raw: *c.Similarity, Weight: most / 2, Norm: c.Norm}
	}
	if c.named {
		parts[trilith.ArmLexical] = trilith.Part{Rank: 1, Raw: 1, Weight: most / 2, Norm: 1}
	}
	for _, p := range parts {
		h.Score += p.Weight * p.Norm
	}
	if w.v.explain {
		h.Parts = parts
	}
	w.insert(h, len(w.results))
	w.left--
}

// replaceFaintFact replaces a faint fact by a turn that it rests on: the fact matched only by the name of a person,
// which says nothing about the question. The fact becomes a weak hit too, and is nested in the turn unless too few hits
// are found.
func (w *weakFill) replaceFaintFact(at int, c weakCandidate) {
	fact := w.results[at]
	w.results = slices.Delete(w.results, at, at+1)
	w.moved(at, -1)
	w.add(c)
	turn := w.results[len(w.results)-1].hit
	fact.turn, fact.hit.Weak, fact.hit.Score = c.memory.ID, true, turn.Score
	if w.v.explain {
		fact.hit.Parts = turn.Parts
	}
	w.results = append(w.results, fact)
}

// moved updates the positions of the results after one that was added or removed.
func (w *weakFill) moved(at, by int) {
	for episode, i := range w.keyed {
		switch {
		case i == at && by < 0:
			delete(w.keyed, episode)
		case i >= at:
			w.keyed[episode] = i + by
		}
	}
}

// mergeWithFact replaces a found fact by a turn that it rests on: the two are one finding.
func (w *weakFill) mergeWithFact(at int, c weakCandidate) {
	score := w.results[at].hit.Score
	h := trilith.Hit{Score: score, Memory: *c.memory, Similarity: w.v.similarity(c.Similarity, c.Version, c.memory)}
	if w.v.explain {
		h.Parts = map[trilith.Arm]trilith.Part{trilith.ArmFact: {Rank: 1, Raw: score, Weight: score, Norm: 1}}
	}
	w.results[at].turn = c.memory.ID
	w.insert(h, at)
	w.moved(at, 1)
}

// insert puts a hit before the result at a position.
func (w *weakFill) insert(h trilith.Hit, at int) {
	of := h.Memory.ID
	if origin := w.v.origins[h.Memory.SharedFrom]; origin != nil && w.v.rule.check(origin, origin.Version) == "" {
		h.Memory = *origin
	}
	w.taken[h.Memory.ID], w.taken[truth.OriginOf(&h.Memory)] = true, true
	w.results = slices.Insert(w.results, at, result{of: of, hit: h})
}
