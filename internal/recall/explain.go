package recall

import (
	"context"
	"slices"

	"github.com/cairn-memory/cairn"
	"github.com/cairn-memory/cairn/internal/retrieve"
)

// accounting records what became of every candidate of a question.
type accounting struct {
	v       *verifier
	f       *found
	scored  map[cairn.ID]retrieve.Fused // the candidates that were ranked
	results []result
	hits    []cairn.Hit
	weak    bool // the request excluded weak hits
}

// place returns the rank of a memory among the hits, from 1, or the hit that it is nested in.
func (a *accounting) place(id cairn.ID) (place int, with cairn.ID) {
	for i := range a.hits {
		if a.hits[i].Memory.ID == id {
			return i + 1, ""
		}
		if slices.ContainsFunc(a.hits[i].Facts, func(m cairn.Memory) bool { return m.ID == id }) {
			return 0, a.hits[i].Memory.ID
		}
	}
	return 0, ""
}

// rest marks the remaining candidates, neither hits nor dropped so far, as dropped: others ranked higher, or they are
// too little like the question.
func (a *accounting) rest() {
	seen := map[cairn.ID]bool{}
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
			d := cairn.Drop{ID: c.ID, Reason: cairn.DropRank, Score: ranked.Score}
			if !ok && a.weak {
				d.Reason = cairn.DropWeak
			}
			a.v.dropped = append(a.v.dropped, d)
		}
	}
}

// trace reports what became of some memories. A memory that the scope does not see is reported as missing.
func (a *accounting) trace(ctx context.Context, s cairn.Scope, ids []cairn.ID) ([]cairn.Traced, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	truth, err := a.v.read(ctx, ids)
	if err != nil {
		return nil, err
	}
	var seen []cairn.Memory
	out := make([]cairn.Traced, len(ids))
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

// of reports what became of one memory; m is the memory as stored.
func (a *accounting) of(id cairn.ID, m *cairn.Memory) cairn.Traced {
	t := cairn.Traced{ID: id}
	if at := slices.IndexFunc(a.results, func(p result) bool { return p.of == id || p.hit.Memory.ID == id }); at >= 0 {
		h := &a.results[at].hit
		if t.Place, t.With = a.place(h.Memory.ID); t.Place > 0 || t.With != "" {
			t.Score, t.Weak, t.Parts = h.Score, h.Weak, h.Parts
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
	if t.Reason = a.v.verdict(&c, m); t.Reason == cairn.DropMissing {
		return t
	}
	if at := slices.IndexFunc(a.v.dropped, func(d cairn.Drop) bool { return d.ID == id }); t.Reason == "" && at >= 0 {
		t.Reason = a.v.dropped[at].Reason
	}
	if t.Reason == "" {
		t.Reason = cairn.DropUnfound
	}
	if ranked {
		t.Score, t.Parts = c.Score, c.Parts()
	}
	return t
}
