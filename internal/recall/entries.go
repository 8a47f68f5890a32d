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
	"github.com/trilith-memory/trilith/internal/truth/generations"
)

// ActiveEntry accepts active knowledge entries.
var ActiveEntry = trilith.AllOf(trilith.Where("kind", trilith.OpEq, trilith.KindEntry),
	trilith.Where("state", trilith.OpEq, trilith.StateActive))

// knowledge recalls the entries for a block of knowledge: on the scale and from the score on that similar entries have,
// the most similar first.
func (rd *Reader) knowledge(ctx context.Context, s trilith.Scope, r trilith.RecallRequest) (trilith.RecallResult, error) {
	r.K = cmp.Or(r.K, trilith.DefaultSimilar)
	r.MinScore, r.Scale = cmp.Or(r.MinScore, LeastSimilar(rd.generations.Current.Load())), trilith.ScaleCosine
	res, err := rd.Recall(ctx, s, r)
	slices.SortStableFunc(res.Hits, func(a, b trilith.Hit) int { return cmp.Compare(b.Score, a.Score) })
	return res, err
}

// LeastSimilar returns the score, on the scale of the generation, below which an entry is not similar to a text.
func LeastSimilar(d *generations.Serving) float64 {
	if d.Gen.Threshold {
		return trilith.DefaultMinScore
	}
	return trilith.DefaultMinFused
}

// CheckEmbedding returns an error for a vector that cannot be compared with those of the generation.
func CheckEmbedding(v trilith.Vector, g trilith.Generation) error {
	if len(v) != g.Dims {
		return trilith.Errorf(trilith.Invalid, "embedding: has %d dimensions; send one made by %s", len(v), g)
	}
	var sum float64
	for i, x := range v {
		if math.IsNaN(float64(x)) || math.IsInf(float64(x), 0) {
			return trilith.Errorf(trilith.Invalid, "embedding: component %d is not a finite number", i)
		}
		sum += float64(x) * float64(x)
	}
	if sum == 0 {
		return trilith.Errorf(trilith.Invalid, "embedding: has no direction, every component is 0")
	}
	return nil
}

// Probe returns the vector that stands for a request; nil if the embedder returns no vector for its text.
func (rd *Reader) Probe(ctx context.Context, s trilith.Scope, d *generations.Serving, r trilith.SimilarRequest) (
	trilith.Vector, error) {
	if r.Embedding != nil {
		return unit(r.Embedding), nil
	}
	v, err := rd.questionVector(ctx, s, d, r.Text)
	return v, ArmError(ctx, trilith.ArmDense, err)
}

// unit scales a vector with a direction to length 1.
func unit(v trilith.Vector) trilith.Vector {
	var sum float64
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	out := make(trilith.Vector, len(v))
	for i, x := range v {
		out[i] = float32(float64(x) / math.Sqrt(sum))
	}
	return out
}

// Nearest returns the memories with the highest cosines, verified. For a nil vector it returns none.
func (rd *Reader) Nearest(ctx context.Context, s trilith.Scope, d *generations.Serving, probe trilith.Vector,
	filter trilith.Filter, minScore float64, limit int) ([]trilith.Hit, error) {
	if probe == nil {
		return nil, nil
	}
	found, err := rd.truth.Index.Nearest(
		ctx, s, d.Gen, role.VectorProbe{Vector: probe, Filter: filter, K: trilith.MaxK})
	if err != nil {
		return nil, ArmError(ctx, trilith.ArmDense, err)
	}
	ranked := make([]retrieve.Fused, len(found[0]))
	for i, c := range found[0] {
		ranked[i] = retrieve.Fused{ID: c.ID, Version: c.Version, Score: c.Score, Similarity: &c.Score,
			Measured: c.Version}
	}
	q := retrieve.Question{K: limit, Filter: filter, States: []trilith.State{trilith.StateActive}}
	v, err := rd.verifier(s, q)
	if err != nil {
		return nil, err
	}
	hits, err := v.hits(ctx, limit, minScore, retrieve.Rank(ranked))
	if err != nil {
		return nil, err
	}
	rd.DescribeMemories(ctx, s, memoriesIn(hits))
	announceHits(hits, rd.truth.Now())
	return hits, nil
}

// CountEntries returns how many active entries the scope covers. An entry that is shared within it counts once.
func (rd *Reader) CountEntries(ctx context.Context, s trilith.Scope) (int, error) {
	seen := map[trilith.ID]bool{}
	for m, err := range rd.truth.List(ctx, s, role.Listing{Filter: ActiveEntry}) {
		if err != nil {
			return 0, err
		}
		seen[truth.OriginOf(&m)] = true
	}
	return len(seen), nil
}
