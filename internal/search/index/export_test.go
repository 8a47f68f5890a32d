package index

import (
	"context"
	"math"
)

// KeepNow keeps the text index however little has changed.
func (x *Indexer) KeepNow(ctx context.Context) error {
	x.kept -= keepLeast
	return x.keep(ctx, math.MaxInt)
}
