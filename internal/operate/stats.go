package operate

import (
	"context"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/truth"
)

// Stats counts the memories of the scope.
func (o *Operator) Stats(ctx context.Context, s trilith.Scope) (trilith.Stats, error) {
	if err := truth.CheckScope(s); err != nil {
		return trilith.Stats{}, err
	}
	if store, ok := o.truth.Store.(role.Tallier); ok {
		return store.Stats(ctx, s)
	}
	out := trilith.NewStats()
	for m, err := range o.truth.Store.List(ctx, s, role.Listing{}) {
		if err != nil {
			return trilith.Stats{}, err
		}
		out.Add(m.Kind, m.State, 1, m.RecordedAt)
	}
	return out, nil
}
