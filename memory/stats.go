package memory

import (
	"context"

	"github.com/trilith-memory/trilith"
)

// Facets returns the values that a field of memories of the scope has, the most frequent first.
func (m *Memory) Facets(ctx context.Context, s trilith.Scope, q trilith.FacetsQuery) (trilith.FacetList, error) {
	return m.engine.Facets(ctx, m.in(s), q)
}

// Histogram counts memories of the scope by period, the earliest first.
func (m *Memory) Histogram(ctx context.Context, s trilith.Scope, q trilith.HistogramQuery) (trilith.Histogram, error) {
	return m.engine.Histogram(ctx, m.in(s), q)
}
