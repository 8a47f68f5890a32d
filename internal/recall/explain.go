package recall

import (
	"context"
	"slices"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/search/retrieve"
)

// accounting records the fate of every candidate of a question.
type accounting struct {
	v       *verifier
	f       *found
	scored  map[trilith.ID]retrieve.Fused // the candidates that were ranked
	results []result
	hits    []trilith.Hit
	weak    bool // the request excluded weak hits
}

// rest marks the remaining candidates, neither hits nor dropped so far, as dropped: others ranked higher, or they are
// too little like the question.
func (a *accounting) rest() {
	seen := map[trilith.ID]bool{}
	for _, d := range a.v.dropped {
		seen[d.ID] = true
	}
	for i := range a.results {
		p := &a.results[i]
		if place, with := a.place(p.hit.Memory.ID); place > 0 || with != "" {
			seen[p.of], seen[p.hit.Memory.ID] = true, true
		}
	}
	for _, answer := range a.f.answers {
		for _, c := range answer.Candidates {
			if seen[c.ID] {
				continue
			}
			seen[c.ID] = true
			ranked, ok := a.scored[c.ID]
			d := trilith.Drop{ID: c.ID, Reason: trilith.DropRank, Score: a.v.score(ranked.Score, ranked.Similarity)}
			if !ok && a.weak {
				d.Reason = trilith.DropWeak
			}
			a.v.dropped = append(a.v.dropped, d)
		}
	}
}

// trace reports the fate of some memories. A memory that the scope does not see is reported as missing.
func (a *accounting) trace(ctx context.Context, s trilith.Scope, ids []trilith.ID) ([]trilith.Traced, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	truth, err := a.v.read(ctx, ids)
	if err != nil {
		return nil, err
	}
	var seen []trilith.Memory
	out := make([]trilith.Traced, len(ids))
	for i, id := range ids {
		out[i] = a.of(id, truth[id])
		if m := truth[id]; m != nil && s.Covers(m.Scope) {
			seen = append(seen, *m)
		}
	}
	if a.f.vector == nil || len(seen) == 0 {
		return out, nil
	}
	cosines, err := a.v.rd.cosines(ctx, s, a.f, seen)
	if err != nil {
		a.v.rd.truth.Logger.WarnContext(
			ctx, "recall: traced memories could not be compared by vectors", "error", err)
		return out, ctx.Err() // the results of the arms are complete without it
	}
	for i := range out {
		if cosine, ok := cosines[out[i].ID]; ok {
			out[i].Similarity = &cosine
		}
	}
	return out, nil
}

// of reports the fate of one memory; m is the memory as stored.
func (a *accounting) of(id trilith.ID, m *trilith.Memory) trilith.Traced {
	t := trilith.Traced{ID: id}
	if at := slices.IndexFunc(a.results, func(p result) bool { return p.of == id || p.hit.Memory.ID == id }); at >= 0 {
		h := &a.results[at].hit
		if t.Place, t.With = a.place(h.Memory.ID); t.Place > 0 || t.With != "" {
			t.Score, t.Weak, t.Parts = a.v.score(h.Score, h.Similarity), h.Weak, h.Parts
			return t
		}
	}
	c, ranked := a.scored[id]
	if !ranked {
		c = retrieve.Fused{ID: id}
		if m != nil {
			c.Version = m.Version
		}
	}
	if t.Reason = a.v.verdict(&c, m); t.Reason == trilith.DropMissing {
		return t
	}
	if at := slices.IndexFunc(a.v.dropped, func(d trilith.Drop) bool { return d.ID == id }); t.Reason == "" && at >= 0 {
		t.Reason = a.v.dropped[at].Reason
	}
	if t.Reason == "" {
		t.Reason = trilith.DropUnfound
	}
	if ranked {
		t.Score, t.Parts = a.v.score(c.Score, c.Similarity), c.Parts()
	}
	return t
}

// place returns the rank of a memory among the hits, from 1, or the hit that it is nested in.
func (a *accounting) place(id trilith.ID) (place int, with trilith.ID) {
	for i := range a.hits {
		if a.hits[i].Memory.ID == id {
			return i + 1, ""
		}
		if slices.ContainsFunc(a.hits[i].Facts, func(m trilith.Memory) bool { return m.ID == id }) {
			return 0, a.hits[i].Memory.ID
		}
	}
	return 0, ""
}
