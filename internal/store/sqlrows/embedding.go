package sqlrows

import (
	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
)

// ByMemory returns cached embeddings by the ids of their memories.
func ByMemory(es []role.CachedEmbedding, err error) (map[trilith.ID]role.CachedEmbedding, error) {
	if err != nil {
		return nil, err
	}
	out := make(map[trilith.ID]role.CachedEmbedding, len(es))
	for _, e := range es {
		out[e.Memory] = e
	}
	return out, nil
}

// ByText returns cached embeddings by the hashes of their texts.
func ByText(es []role.CachedEmbedding, err error) (map[string]role.Embedding, error) {
	if err != nil {
		return nil, err
	}
	out := make(map[string]role.Embedding, len(es))
	for _, e := range es {
		out[e.Hash] = e.Embedding
	}
	return out, nil
}
