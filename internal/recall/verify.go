package recall

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/search/index"
	"github.com/trilith-memory/trilith/internal/search/retrieve"
	"github.com/trilith-memory/trilith/internal/truth"
)

// verifier checks the candidates of one question against the truth.
type verifier struct {
	rd      *Reader
	scope   trilith.Scope
	rule    rule
	known   map[trilith.ID]*trilith.Memory // candidates that are facts and hold
	origins map[trilith.ID]*trilith.Memory // origins of the shares that were read
	dropped []trilith.Drop
	damaged map[trilith.ID]bool // candidates whose rows are damaged
	explain bool                // hits carry the parts of their scores
	repeats repeats

	scale    trilith.Scale // of scores; requested until the searches have ended
	question string        // its words, without the names of speakers
}

func (rd *Reader) verifier(s trilith.Scope, q retrieve.Question) (*verifier, error) {
	match, err := q.Filter.Compile()
	return &verifier{rd: rd, scope: s,
		rule: rule{scope: s, states: q.States, now: rd.truth.Now(), at: q.At, match: match,
			summaries: q.Filter.Names("kind") || q.Filter.Names("type") || q.Filter.Names("id")},
		known: map[trilith.ID]*trilith.Memory{}, origins: map[trilith.ID]*trilith.Memory{},
		dropped: []trilith.Drop{},
		damaged: map[trilith.ID]bool{}, repeats: newRepeats()}, err
}

// read returns the stored memories of some ids.
func (v *verifier) read(ctx context.Context, ids []trilith.ID) (map[trilith.ID]*trilith.Memory, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	ms, damaged, err := truth.SoundOf(v.rd.truth.Memories(ctx, truth.TenantOf(v.scope), ids))
	if err != nil {
		return nil, err
	}
	for _, id := range damaged {
		v.damaged[id] = true
	}
	stored := make(map[trilith.ID]*trilith.Memory, len(ms))
	for i := range ms {
		stored[ms[i].ID] = &ms[i]
	}
	origins, err := v.rd.truth.Origins(ctx, truth.TenantOf(v.scope), ms)
	maps.Copy(v.origins, origins)
	return stored, err
}

// unreadable returns the ids of the candidates whose rows are damaged, in ascending order.
func (v *verifier) unreadable() []trilith.ID {
	return slices.Sorted(maps.Keys(v.damaged))
}

// settle decides on which scale scores are, now that the arms have answered.
func (v *verifier) settle(question string, f *found) {
	v.question = cmp.Or(f.subject, question)
	if v.scale != trilith.ScaleCosine || !f.dense.Gen.Threshold || f.vector == nil ||
		slices.ContainsFunc(f.failures, func(x failure) bool { return x.arm == trilith.ArmDense }) {
		v.scale = trilith.ScaleFused
	}
}

// least returns the score that hits must have. A threshold that means a cosine is compared with no fused score that
// takes its place.
func (v *verifier) least(asked float64, scale trilith.Scale) float64 {
	if scale == trilith.ScaleCosine && v.scale != scale && v.rd.generations.Generation().Threshold {
		return min(asked, trilith.DefaultMinFused)
	}
	return asked
}

// facts reads which of the found facts hold. The others do not raise the score of the turns that they rest on.
func (v *verifier) facts(ctx context.Context, found []retrieve.Fused) error {
	ids := make([]trilith.ID, len(found))
	for i := range found {
		ids[i] = found[i].ID
	}
	truth, err := v.read(ctx, ids)
	if err != nil {
		return err
	}
	for i := range found {
		c := &found[i]
		if reason := v.verdict(c, truth[c.ID]); reason != "" {
			v.drop(c, reason)
		} else {
			v.known[c.ID] = truth[c.ID]
		}
	}
	return nil
}

// hits returns the first k candidates that pass, best first.
func (v *verifier) hits(ctx context.Context, k int, minScore float64, ranking *retrieve.Ranking) ([]trilith.Hit, error) {
	results, err := v.results(ctx, k, minScore, ranking)
	return v.topHits(results, k), err
}

// result is a candidate that passed verification.
type result struct {
	hit  trilith.Hit
	of   trilith.ID // the candidate: the memory itself or a share of it
	turn trilith.ID // for a fact: a hit that it rests on
	// faint marks a fact that matches only by a name or a common word.
	faint bool
}

// results returns the first k candidates that pass, best first, and the facts that could be nested in them. A fact and
// the turns that it rests on are one finding: if one of those turns is a hit, the fact is nested in that hit, and
// becomes a hit of its own only if fewer than k others are found. Of memories that say the same the best is a result.
// Turns that only ask come behind those that tell. A scope that sees the origin of a share gets the origin, whichever of
// the two was found.
func (v *verifier) results(ctx context.Context, k int, minScore float64, ranking *retrieve.Ranking) ([]result, error) {
	defer ranking.Free()
	var results []result
	own := map[trilith.ID]bool{}   // results that are hits of their own
	taken := map[trilith.ID]bool{} // memories that the results are or refer to
	pass := func(c *retrieve.Fused, m *trilith.Memory) {
		reason := v.verdict(c, m)
		if reason == "" && taken[truth.OriginOf(m)] {
			reason = trilith.DropShared
		}
		if reason == "" && v.repeats.folds(m) {
			reason = trilith.DropRepeated
		}
		if reason == "" && !v.reaches(m, c.Score, v.similarity(c.Similarity, c.Measured, m), c.Exact(), minScore) {
			reason = trilith.DropScore
		}
		if reason != "" {
			v.drop(c, reason)
			return
		}
		taken[truth.OriginOf(m)] = true
		p := v.result(c, m)
		if i := slices.IndexFunc(c.Turns, func(id trilith.ID) bool { return own[v.repeats.of(id)] }); i >= 0 {
			p.turn = v.repeats.of(c.Turns[i])
		} else {
			own[p.hit.Memory.ID] = true
		}
		results = append(results, p)
	}
	nests := func(c *retrieve.Fused) bool {
		return v.known[c.ID] != nil && slices.ContainsFunc(c.Turns, func(id trilith.ID) bool { return own[v.repeats.of(id)] })
	}
	var asking []*retrieve.Fused // turns that only ask rank behind those that tell
	read := map[trilith.ID]*trilith.Memory{}
	for ranking.Len() > 0 && len(own) < k {
		var step []*retrieve.Fused
		var unread []trilith.ID
		for left := k - len(own); left > 0 && ranking.Len() > 0; { // candidates are rarely dropped
			c := ranking.Next()
			step = append(step, c)
			if len(c.Turns) == 0 { // a fact with turns is usually nested in one
				left--
			}
			if v.known[c.ID] == nil {
				unread = append(unread, c.ID)
			}
		}
		truth, err := v.read(ctx, unread)
		if err != nil {
			return nil, err
		}
		for _, c := range step {
			m := cmp.Or(v.known[c.ID], truth[c.ID])
			switch {
			case m != nil && retrieve.OnlyAsks(m):
				read[c.ID], asking = m, append(asking, c)
			case len(own) < k || nests(c):
				pass(c, m)
			}
		}
	}
	for _, c := range asking {
		if len(own) < k {
			if n := len(results); n > 0 {
				c.Lower(results[n-1].hit.Score)
			}
			pass(c, read[c.ID])
		}
	}
	for _, c := range ranking.Among(nests) { // facts after the last hit may still be nested
		pass(c, v.known[c.ID])
	}
	return results, v.count(ctx, ranking, results)
}

// verdict returns "" for a candidate that may be returned, otherwise the reason for dropping it.
func (v *verifier) verdict(c *retrieve.Fused, m *trilith.Memory) string {
	if m == nil && v.damaged[c.ID] {
		return trilith.DropDamaged
	}
	reason := v.rule.check(m, c.Version)
	if reason == "" && m.SharedFrom != "" {
		reason = v.rule.checkOrigin(m, v.origins[m.SharedFrom])
	}
	return reason
}

// reaches reports whether a memory passes a threshold, see [trilith.ScaleCosine]; exact: it holds an identifier or a
// phrase of the question.
func (v *verifier) reaches(m *trilith.Memory, fused float64, cosine *float64, exact bool, least float64) bool {
	return v.score(fused, cosine) >= least || v.scale == trilith.ScaleCosine &&
		(cosine == nil || least <= trilith.NoiseCosine) && (exact || retrieve.HoldsAll(v.question, index.WordsOf(m)))
}

func (v *verifier) drop(c *retrieve.Fused, reason string) {
	v.rd.truth.Meter.Dropped(reason)
	v.dropped = append(v.dropped, trilith.Drop{ID: c.ID, Reason: reason, Score: v.score(c.Score, c.Similarity)})
}

// result returns the result that a candidate is, with the origin of a share if the scope sees that.
func (v *verifier) result(c *retrieve.Fused, m *trilith.Memory) result {
	p := result{of: c.ID, faint: c.Faint,
		hit: trilith.Hit{Memory: *m, Score: c.Score, Similarity: v.similarity(c.Similarity, c.Measured, m)}}
	if v.explain {
		p.hit.Parts = c.Parts()
	}
	if origin := v.origins[m.SharedFrom]; origin != nil && v.rule.check(origin, origin.Version) == "" {
		p.hit.Memory = *origin
	}
	return p
}

// similarity returns the cosine of one version of a memory. It does not apply to another version, whose wording may
// differ.
func (v *verifier) similarity(cosine *float64, of int64, m *trilith.Memory) *float64 {
	if cosine == nil || of != m.Version {
		return nil
	}
	s := *cosine
	return &s
}

// topHits selects k hits from the results. Facts are nested in their turns; if fewer than k other results are left, the
// first of these facts become hits of their own. Their order is final, and the scores are on the scale of the verifier.
func (v *verifier) topHits(results []result, k int) []trilith.Hit {
	left := k
	for _, p := range results {
		if p.turn == "" {
			left--
		}
	}
	hits, at := make([]trilith.Hit, 0, len(results)), map[trilith.ID]int{}
	for _, p := range results {
		place, has := at[p.turn]
		switch {
		case p.turn == "" && len(hits) >= k, p.turn != "" && !has: // neither it nor its turn is a hit
			continue
		case p.turn != "" && left <= 0:
			hits[place].Facts = append(hits[place].Facts, p.hit.Memory)
			continue
		case p.turn != "":
			left--
		}
		at[p.hit.Memory.ID] = len(hits)
		p.hit.Duplicates = v.repeats.counts[p.hit.Memory.ID]
		p.hit.Score = v.score(p.hit.Score, p.hit.Similarity)
		hits = append(hits, p.hit)
	}
	return hits
}

// score returns a score on the scale of the verifier.
func (v *verifier) score(fused float64, cosine *float64) float64 {
	switch {
	case v.scale != trilith.ScaleCosine:
		return fused
	case cosine == nil:
		return 0
	}
	return min(max(*cosine, 0), 1)
}
