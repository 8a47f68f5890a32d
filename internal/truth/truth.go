package truth

import (
	"context"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
)

// ReadOnly returns why the store accepts no writes, as a sentence; "" if it does.
func (t *Truth) ReadOnly() string {
	if g, ok := Ability[role.ReadOnlyReporter](t); ok {
		return g.ReadOnly()
	}
	return ""
}

// Ability returns what the store can do beyond its role, if it can. None of the abilities changes memories or records.
func Ability[A any](t *Truth) (a A, ok bool) {
	a, ok = t.store.(A)
	return a, ok
}

// Pace returns the longest time that idle background work waits: usual, or what suits the store if that is longer.
func (t *Truth) Pace(usual time.Duration) time.Duration { return role.PaceOf(t.store, usual) }

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
