package truth

import (
	"context"
	"github.com/trilith-memory/trilith/internal/role"
	"time"

	"github.com/trilith-memory/trilith"
)

// ReadOnly returns why the store accepts no writes, as a sentence; "" if it does.
func (t *Truth) ReadOnly() string {
	return t.store.ReadOnly()
}

// Ability returns the store as an ability beyond its role, if it has that ability. None of the abilities changes
// memories or records.
func Ability[A any](t *Truth) (a A, ok bool) {
	a, ok = t.store.(A)
	return a, ok
}

// Pace returns the longest time that idle background work waits: usual, or what suits the store if that is longer.
func (t *Truth) Pace(usual time.Duration) time.Duration { return max(usual, t.store.Pace()) }

// Examine checks the store; dims are the dimensions of the vectors in use ([role.Upkeep]).
func (t *Truth) Examine(ctx context.Context, dims ...int) role.Checks {
	return t.store.Examine(ctx, dims...)
}

// Repair removes damaged rows of derived data and returns how many.
func (t *Truth) Repair(ctx context.Context) (int, error) { return t.store.Repair(ctx) }

// Purge removes the bytes that deleted rows left.
func (t *Truth) Purge(ctx context.Context) error { return t.store.Purge(ctx) }

// Schema returns the number of the newest migration that the store has seen; 0 in a store without migrations.
func (t *Truth) Schema(ctx context.Context) (int64, error) { return t.store.Schema(ctx) }

// Close closes the store.
func (t *Truth) Close() error { return t.store.Close() }

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
