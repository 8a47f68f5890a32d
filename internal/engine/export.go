package engine

import (
	"context"
	"iter"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/truth"
)

// Export yields everything in the scope, in an order that can be restored as it comes: the header, the tombstones and
// the entities of the tenant with their history, sources, memories by id, with shares after all others, and other data.
// Equal stores give equal items except for the header's time. It ends after the first error; after a [trilith.Damaged]
// row it continues if the caller does.
func (e *Engine) Export(ctx context.Context, s trilith.Scope) iter.Seq2[trilith.ExportItem, error] {
	return func(yield func(trilith.ExportItem, error) bool) {
		if err := truth.CheckScope(s); err != nil {
			yield(trilith.ExportItem{}, err)
			return
		}
		for _, kind := range e.kinds() {
			if kind.Export == nil {
				continue
			}
			for it, err := range kind.Export(ctx, s) {
				if !yield(it, err) || truth.Fatal(err) {
					return
				}
			}
		}
	}
}
