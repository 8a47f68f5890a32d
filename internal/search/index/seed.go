package index

import (
	"context"
	"math"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
)

// ProvidedEmbedding is a vector that the caller has paid for: of a text, by the embedder of the active generation.
type ProvidedEmbedding struct {
	Memory *trilith.Memory
	Text   string
	Vector trilith.Vector
}

// SeedEmbeddings caches vectors for memories of one tenant that are about to be stored, and returns how many. It
// accepts a vector of exactly the text that would be embedded, with the generation's dimensions and a non-zero length:
// others are not comparable. Indexing then finds them in the cache. If vectors cost nothing, it accepts none.
func (x *vectorIndexer) SeedEmbeddings(ctx context.Context, tenant string, fs []ProvidedEmbedding) (
	kept int, err error) {
	gs := x.active.Load()
	if gs == nil || !Costs(gs.gen) {
		return 0, nil
	}
	key := gs.gen.Key()
	var es []role.CachedEmbedding
	for _, f := range fs {
		vector := unit(f.Vector)
		if EmbeddingTextOf(f.Memory) == f.Text && vector.Validate(gs.gen.Dims) == nil {
			es = append(es, role.CachedEmbedding{Memory: f.Memory.ID, Hash: textHash(key, f.Text),
				Embedding: role.Embedding{Vector: vector}})
		}
	}
	if len(es) == 0 {
		return 0, nil
	}
	return len(es), x.cfg.Store.CacheEmbeddings(ctx, trilith.Scope{Tenant: tenant}, key, es, maxCached)
}

// unit scales a vector to length 1; nil if it is zero.
func unit(v trilith.Vector) trilith.Vector {
	var sum float64
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	length := math.Sqrt(sum)
	if !(length > 0) || math.IsInf(length, 0) {
		return nil
	}
	out := make(trilith.Vector, len(v))
	for i, x := range v {
		out[i] = float32(float64(x) / length)
	}
	return out
}
