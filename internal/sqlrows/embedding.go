package sqlrows

import "github.com/cairn-memory/cairn"

// ByMemory returns cached embeddings by the ids of their memories.
func ByMemory(es []cairn.CachedEmbedding, err error) (map[cairn.ID]cairn.CachedEmbedding, error) {
	if err != nil {
		return nil, err
	}
	out := make(map[cairn.ID]cairn.CachedEmbedding, len(es))
	for _, e := range es {
		out[e.Memory] = e
	}
	return out, nil
}

// ByText returns cached embeddings by the hashes of their texts.
func ByText(es []cairn.CachedEmbedding, err error) (map[string]cairn.Embedding, error) {
	if err != nil {
		return nil, err
	}
	out := make(map[string]cairn.Embedding, len(es))
	for _, e := range es {
		out[e.Hash] = e.Embedding
	}
	return out, nil
}
