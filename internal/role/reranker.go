package role

import (
	"context"
)

// Reranker scores how well texts answer a query, better and slower than an index does.
type Reranker interface {
	// Info describes the reranker; it is constant while it is open.
	Info() RerankerInfo
	// Rerank returns one finite score per text, in order; higher is better. Scores are comparable within one call only.
	// Empty input gives empty output. All or nothing; more than Info().MaxTexts texts are Invalid and nothing is sent.
	// A text that is longer than the reranker reads is scored by its beginning. Errors have the kinds of
	// [Model.Generate] and contain no text. Safe for concurrent use.
	Rerank(ctx context.Context, query string, texts []string) ([]float64, error)
	// Close releases the reranker; Rerank then answers Unavailable. Closing twice is no error.
	Close() error
}

// RerankerInfo describes a reranker.
type RerankerInfo struct {
	Provider string // voyage, cohere, …
	Name     string // as the provider calls it
	MaxTexts int    // in one call
}

// String names the reranker for people: provider:name.
func (i RerankerInfo) String() string { return i.Provider + ":" + i.Name }
