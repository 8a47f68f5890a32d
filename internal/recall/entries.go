package recall

import (
	"cmp"
	"context"
	"math"

	"github.com/cairn-memory/cairn"
	"github.com/cairn-memory/cairn/internal/generations"
	"github.com/cairn-memory/cairn/internal/retrieve"
	"github.com/cairn-memory/cairn/internal/truth"
)

// ActiveEntry accepts active knowledge entries.
var ActiveEntry = cairn.AllOf(cairn.Where("kind", cairn.OpEq, cairn.KindEntry),
	cairn.Where("state", cairn.OpEq, cairn.StateActive))

// LeastSimilar returns the score, on the scale of the generation, below which an entry is not similar to a text.
func LeastSimilar(d *generations.Serving) float64 {
	if d.Gen.Threshold {
		return cairn.DefaultMinScore
	}
	return cairn.DefaultMinFused
}

// knowledge recalls the entries for a block of knowledge. If cosines of the generation carry a meaning and the request
// is about the present, it ranks by cosine, as [engine.Engine.SimilarEntries] does; otherwise, and if the embedder does
// not answer, it searches.
func (rd *Reader) knowledge(ctx context.Context, s cairn.Scope, r cairn.RecallRequest) (cairn.RecallResult, error) {
	r.K = cmp.Or(r.K, cairn.DefaultSimilar)
	q, err := rd.question(ctx, s, r)
	if err != nil {
		return cairn.RecallResult{}, err
	}
	d := rd.generations.Current.Load()
	if d.Gen.Threshold && r.AsOf == "" && r.KnownAt == "" && len(r.States) == 0 && len(r.Arms) == 0 {
		probe, err := rd.questionVector(ctx, s, d, r.Query)
		if err == nil {
			hits, err := rd.Nearest(ctx, s, d, probe, cairn.AllOf(ActiveEntry, q.Filter),
				cmp.Or(r.MinScore, cairn.DefaultMinScore), q.K)
			return cairn.RecallResult{Hits: hits}, err
		}
		if ctx.Err() != nil {
			return cairn.RecallResult{}, ctx.Err()
		}
	}
	r.MinScore = cmp.Or(r.MinScore, cairn.DefaultMinFused)
	return rd.Recall(ctx, s, r)
}

// CheckEmbedding returns an error for a vector that cannot be compared with those of the generation.
func CheckEmbedding(v cairn.Vector, g cairn.Generation) error {
	if len(v) != g.Dims {
		return cairn.Errorf(cairn.Invalid, "embedding: has %d dimensions; send one made by %s", len(v), g)
	}
	var sum float64
	for i, x := range v {
		if math.IsNaN(float64(x)) || math.IsInf(float64(x), 0) {
			return cairn.Errorf(cairn.Invalid, "embedding: component %d is not a finite number", i)
		}
		sum += float64(x) * float64(x)
	}
	if sum == 0 {
		return cairn.Errorf(cairn.Invalid, "embedding: has no direction, every component is 0")
	}
	return nil
}

// unit scales a vector with a direction to length 1.
func unit(v cairn.Vector) cairn.Vector {
	var sum float64
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	out := make(cairn.Vector, len(v))
	for i, x := range v {
		out[i] = float32(float64(x) / math.Sqrt(sum))
	}
	return out
}

// Probe returns the vector that stands for a request; nil if the embedder returns no vector for its text.
func (rd *Reader) Probe(ctx context.Context, s cairn.Scope, d *generations.Serving, r cairn.SimilarRequest) (
	cairn.Vector, error) {
	if r.Embedding != nil {
		return unit(r.Embedding), nil
	}
	v, err := rd.questionVector(ctx, s, d, r.Text)
	return v, ArmError(ctx, cairn.ArmDense, err)
}

// Nearest returns the memories with the highest cosines, verified. For a nil vector it returns none.
func (rd *Reader) Nearest(ctx context.Context, s cairn.Scope, d *generations.Serving, probe cairn.Vector,
	filter cairn.Filter, minScore float64, limit int) ([]cairn.Hit, error) {
	if probe == nil {
		return nil, nil
	}
	found, err := rd.truth.Index.Nearest(
		ctx, s, d.Gen, cairn.VectorProbe{Vector: probe, Filter: filter, K: cairn.MaxK})
	if err != nil {
		return nil, ArmError(ctx, cairn.ArmDense, err)
	}
	ranked := make([]retrieve.Fused, len(found[0]))
	for i, c := range found[0] {
		ranked[i] = retrieve.Fused{ID: c.ID, Version: c.Version, Score: c.Score, Similarity: &c.Score,
			Measured: c.Version}
	}
	q := retrieve.Question{K: limit, Filter: filter, States: []cairn.State{cairn.StateActive}}
	v, err := rd.verifier(s, q)
	if err != nil {
		return nil, err
	}
	hits, err := v.hits(ctx, limit, minScore, retrieve.Rank(ranked))
	if err != nil {
		return nil, err
	}
	rd.DescribeMemories(ctx, s, memoriesIn(hits))
	return hits, rd.label(ctx, s, hits, q.At, v.resting)
}

// CountEntries returns how many active entries the scope covers. An entry that is shared within it counts once.
func (rd *Reader) CountEntries(ctx context.Context, s cairn.Scope) (int, error) {
	seen := map[cairn.ID]bool{}
	for m, err := range rd.truth.Store.List(ctx, s, cairn.Listing{Filter: ActiveEntry}) {
		if err != nil {
			return 0, err
		}
		seen[truth.OriginOf(&m)] = true
	}
	return len(seen), nil
}
