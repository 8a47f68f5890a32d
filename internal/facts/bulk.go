package facts

import (
	"context"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/truth"
)

// UpdateAll changes the memories that a filter and a condition (nil: none) select, and returns how many it changed. A
// commit holds as many as it can. The change must make the filter or the condition fail, or UpdateAll does not end.
func (fs *Facts) UpdateAll(ctx context.Context, s trilith.Scope, action string, filter trilith.Filter,
	also func(*trilith.Memory) bool, change func(*trilith.Memory)) (int, error) {
	done := 0
	for {
		n := 0
		err := truth.Retry(ctx, func() (bool, error) {
			var ms []trilith.Memory
			for m, err := range fs.truth.Store.List(ctx, s, role.Listing{Filter: filter}) {
				if err != nil {
					return false, err
				}
				if also == nil || also(&m) {
					ms = append(ms, m)
				}
				if len(ms) == role.MaxBatch {
					break
				}
			}
			n = len(ms)
			return true, fs.truth.InBatches(ctx, s, action, ms, change)
		})
		done += n
		if err != nil || n < role.MaxBatch {
			fs.truth.Index.Notify()
			return done, err
		}
	}
}
