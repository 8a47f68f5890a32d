package index

import (
	"context"
	"math"

	"github.com/cairn-memory/cairn"
)

// ProvidedEmbedding is a vector that somebody else has paid for: of a text, by the embedder of the active generation.
type ProvidedEmbedding struct {
	Memory *cairn.Memory
	Text   string
	Vector cairn.Vector
}

// SeedEmbeddings puts vectors for memories of one tenant that are about to be stored into the cache, and returns how
// many. It takes those of the very text that would be embedded, if they have the generation's dimensions and a
// direction: other vectors are not comparable. Indexing the memories finds them in the cache. Without a cache, and
// where vectors cost nothing, none are taken.
func (x *vectorIndexer) SeedEmbeddings(ctx context.Context, tenant string, fs []ProvidedEmbedding) (
	kept int, err error) {
	gs := x.active.Load()
	if gs == nil || x.cfg.Cache == nil || !Costs(gs.gen) {
		return 0, nil
	}
	key := gs.gen.Key()
	var es []cairn.CachedEmbedding
	for _, f := range fs {
		vector := unit(f.Vector)
		if EmbeddingTextOf(f.Memory) == f.Text && vector.Validate(gs.gen.Dims) == nil {
			es = append(es, cairn.CachedEmbedding{Memory: f.Memory.ID, Hash: textHash(key, f.Text),
				Embedding: cairn.Embedding{Vector: vector}})
		}
	}
	if len(es) == 0 {
		return 0, nil
	}
	return len(es), x.cfg.Cache.CacheEmbeddings(ctx, cairn.Scope{Tenant: tenant}, key, es, maxCached)
}

// unit is a vector of the same direction and of length 1; nil if it has no direction.
func unit(v cairn.Vector) cairn.Vector {
	var sum float64
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	length := math.Sqrt(sum)
	if !(length > 0) || math.IsInf(length, 0) {
		return nil
	}
	out := make(cairn.Vector, len(v))
	for i, x := range v {
		out[i] = float32(float64(x) / length)
	}
	return out
}
