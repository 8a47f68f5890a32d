package engine

import (
	"context"

	"github.com/cairn-memory/cairn"
)

// Stats counts the memories of the scope.
func (e *Engine) Stats(ctx context.Context, s cairn.Scope) (cairn.Stats, error) {
	if err := checkScope(s); err != nil {
		return cairn.Stats{}, err
	}
	if store, ok := e.cfg.Store.(tallying); ok {
		return store.Stats(ctx, s)
	}
	out := cairn.Stats{Kinds: map[cairn.Kind]int{}, States: map[cairn.State]int{}}
	for m, err := range e.cfg.Store.List(ctx, s, cairn.Listing{}) {
		if err != nil {
			return cairn.Stats{}, err
		}
		out.Total++
		out.Kinds[m.Kind]++
		out.States[m.State]++
		if out.Newest == nil || m.RecordedAt.After(*out.Newest) {
			at := m.RecordedAt
			out.Newest = &at
		}
	}
	return out, nil
}
