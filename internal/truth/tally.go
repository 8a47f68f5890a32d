package truth

import (
	"context"
	"iter"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
)

// Tally counts the memories of a scope that q selects and a filter accepts. A store that cannot count, or not with a
// filter, lists them.
func Tally(ctx context.Context, t *Truth, s trilith.Scope, q trilith.Tally, f trilith.Filter) (
	[]trilith.TallyRow, error) {
	if store, ok := Ability[role.Tallier](t); ok && f.IsZero() {
		return store.Tally(ctx, s, q)
	}
	match, err := f.Compile() // a filter of the greatest depth cannot be nested any deeper
	if err != nil {
		return nil, err
	}
	ms := t.List(ctx, s, role.Listing{Filter: q.Filter()})
	if match == nil {
		return q.Count(ms)
	}
	return q.Count(accepted(ms, match))
}

// accepted are the memories that a filter accepts, and errors.
func accepted(ms iter.Seq2[trilith.Memory, error], match func(*trilith.Facets) bool) iter.Seq2[trilith.Memory, error] {
	return func(yield func(trilith.Memory, error) bool) {
		for m, err := range ms {
			if facets := role.FacetsOf(&m); (err != nil || match(&facets)) && !yield(m, err) {
				return
			}
		}
	}
}
