package operate

import (
	"context"

	"github.com/cairn-memory/cairn"
	"github.com/cairn-memory/cairn/internal/truth"
)

// Stats counts the memories of the scope.
func (o *Operator) Stats(ctx context.Context, s cairn.Scope) (cairn.Stats, error) {
	if err := truth.CheckScope(s); err != nil {
		return cairn.Stats{}, err
	}
	if store, ok := o.truth.Store.(cairn.Tallier); ok {
		return store.Stats(ctx, s)
	}
	out := cairn.NewStats()
	for m, err := range o.truth.Store.List(ctx, s, cairn.Listing{}) {
		if err != nil {
			return cairn.Stats{}, err
		}
		out.Add(m.Kind, m.State, 1, m.RecordedAt)
	}
	return out, nil
}
