package truth

import (
	"context"
	"time"

	"github.com/cairn-memory/cairn"
)

// ReadOnly says why the store takes no writes, for people; "" while it takes them.
func (t *Truth) ReadOnly() string {
	if g, ok := t.Store.(cairn.ReadOnlyReporter); ok {
		return g.ReadOnly()
	}
	return ""
}

// MayOpenDamaged reports whether opening a store for reading may go on despite err, so that what is readable can be
// rescued. It logs the error.
func (t *Truth) MayOpenDamaged(ctx context.Context, err error) bool {
	if !t.ForReading || ctx.Err() != nil || cairn.KindOf(err) != cairn.Internal {
		return false
	}
	t.Logger.WarnContext(ctx, "store: opened for reading, without the parts that cannot be read", "error", err)
	return true
}

// Now is the engine's clock in the precision of the stores.
func (t *Truth) Now() time.Time { return cairn.Time(t.Clock()) }
