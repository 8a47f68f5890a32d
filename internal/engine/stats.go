package engine

import (
	"context"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/truth"
)

// Facets is [operate.Counts.Facets].
func (e *Engine) Facets(ctx context.Context, s trilith.Scope, q trilith.FacetsQuery) (trilith.FacetList, error) {
	err := truth.CheckScope(s)
	if err == nil {
		q.Filter, err = e.facts.ResolveFilter(ctx, s, q.Filter)
	}
	if err != nil {
		return trilith.FacetList{}, err
	}
	return e.operate.Counts().Facets(ctx, s, q)
}

// Histogram is [operate.Counts.Histogram].
func (e *Engine) Histogram(ctx context.Context, s trilith.Scope, q trilith.HistogramQuery) (trilith.Histogram, error) {
	err := truth.CheckScope(s)
	if err == nil {
		q.Filter, err = e.facts.ResolveFilter(ctx, s, q.Filter)
	}
	if err != nil {
		return trilith.Histogram{}, err
	}
	return e.operate.Counts().Histogram(ctx, s, q)
}
