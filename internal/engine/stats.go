package engine

import (
	"context"

	"github.com/cairn-memory/cairn"
	"github.com/cairn-memory/cairn/internal/truth"
)

// Facets is [operate.Counts.Facets].
func (e *Engine) Facets(ctx context.Context, s cairn.Scope, q cairn.FacetsQuery) (cairn.FacetList, error) {
	err := truth.CheckScope(s)
	if err == nil {
		q.Filter, err = e.facts.ResolveTextFilters(ctx, s, q.Filter)
	}
	if err != nil {
		return cairn.FacetList{}, err
	}
	return e.operate.Counts().Facets(ctx, s, q)
}

// Histogram is [operate.Counts.Histogram].
func (e *Engine) Histogram(ctx context.Context, s cairn.Scope, q cairn.HistogramQuery) (cairn.Histogram, error) {
	err := truth.CheckScope(s)
	if err == nil {
		q.Filter, err = e.facts.ResolveTextFilters(ctx, s, q.Filter)
	}
	if err != nil {
		return cairn.Histogram{}, err
	}
	return e.operate.Counts().Histogram(ctx, s, q)
}
