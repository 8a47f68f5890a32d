package truth

import (
	"context"
	"time"

	"github.com/trilith-memory/trilith"
)

// ReadOnly returns why the store accepts no writes, as a sentence; "" if it does.
func (t *Truth) ReadOnly() string {
	return t.Store.ReadOnly()
}

// MayOpenDamaged reports whether a store may be opened for reading despite err, so that readable data can be rescued.
// It logs the error.
func (t *Truth) MayOpenDamaged(ctx context.Context, err error) bool {
	if !t.ForReading || ctx.Err() != nil || trilith.KindOf(err) != trilith.Internal {
		return false
	}
	t.Logger.WarnContext(ctx, "store: opened for reading, without the parts that cannot be read", "error", err)
	return true
}

// Now returns the engine's time in the precision of the stores.
func (t *Truth) Now() time.Time { return trilith.Time(t.Clock()) }
