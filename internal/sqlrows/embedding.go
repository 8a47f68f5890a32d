package sqlrows

import "github.com/trilith-memory/trilith"

// ByMemory returns cached embeddings by the ids of their memories.
func ByMemory(es []trilith.CachedEmbedding, err error) (map[trilith.ID]trilith.CachedEmbedding, error) {
	if err != nil {
		return nil, err
	}
	out := make(map[trilith.ID]trilith.CachedEmbedding, len(es))
	for _, e := range es {
		out[e.Memory] = e
	}
	return out, nil
}

// ByText returns cached embeddings by the hashes of their texts.
func ByText(es []trilith.CachedEmbedding, err error) (map[string]trilith.Embedding, error) {
	if err != nil {
		return nil, err
	}
	out := make(map[string]trilith.Embedding, len(es))
	for _, e := range es {
		out[e.Hash] = e.Embedding
	}
	return out, nil
}
