package facts

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/cairn-memory/cairn"
	"github.com/cairn-memory/cairn/internal/truth"
)

// Tallying is played by stores that count without sending what they count. They read columns and not whole memories, so a damaged
// one is found by who reads it.
type Tallying interface {
	// Stats is [operate.Operator.Stats].
	Stats(ctx context.Context, s cairn.Scope) (cairn.Stats, error)
	// FactStats is [review.Reviewer.FactStats] as of a moment.
	FactStats(ctx context.Context, s cairn.Scope, at time.Time) (cairn.FactStats, error)
	// Comparable returns the entities that are selected, by ascending id.
	Comparable(ctx context.Context, s cairn.Scope, c cairn.Comparing) ([]cairn.EntityFacts, error)
}

// Several returns the entities of which the scope sees several facts that are selected, by ascending id.
func (fs *Facts) Several(ctx context.Context, s cairn.Scope, c cairn.Comparing) ([]cairn.EntityFacts, error) {
	if store, ok := fs.truth.Store.(Tallying); ok {
		return store.Comparable(ctx, s, c)
	}
	count := map[cairn.ID]int{}
	for m, err := range fs.truth.Store.List(ctx, s, cairn.Listing{Filter: Standing(c)}) {
		if err != nil {
			return nil, err
		}
		if m.Fact.EntityID > c.After {
			count[m.Fact.EntityID]++
		}
	}
	var out []cairn.EntityFacts
	for _, id := range slices.Sorted(maps.Keys(count)) {
		if count[id] > 1 {
			out = append(out, cairn.EntityFacts{Entity: id, Facts: count[id]})
		}
	}
	return out, nil
}

// Standing accepts the facts that are selected, of every entity.
func Standing(c cairn.Comparing) cairn.Filter {
	open := cairn.Filter{Or: []cairn.Filter{cairn.Where("valid_until", cairn.OpEq, nil), cairn.Where("valid_until", cairn.OpGt, c.At)}}
	return cairn.AllOf(truth.AnyFact, cairn.Where("state", cairn.OpIn, c.States), open, truth.Unshared)
}
