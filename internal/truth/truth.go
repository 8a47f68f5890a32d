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

// Spared reports whether opening goes on without what could not be read: of a store that is only read the rest may be what
// somebody wants to save.
func (t *Truth) Spared(ctx context.Context, err error) bool {
	if !t.ForReading || ctx.Err() != nil || cairn.KindOf(err) != cairn.Internal {
		return false
	}
	t.Logger.WarnContext(ctx, "engine: opened for reading without what cannot be read", "error", err)
	return true
}

// Now is the engine's clock in the precision of the stores.
func (t *Truth) Now() time.Time { return cairn.Time(t.Clock()) }
