package truth

import (
	"cmp"
	"context"
	"time"

	"github.com/trilith-memory/trilith"
)

// ReadOnly returns why the store accepts no writes, as a sentence; "" if it does.
func (t *Truth) ReadOnly() string {
	if g, ok := t.Store.(trilith.ReadOnlyReporter); ok {
		return g.ReadOnly()
	}
	return ""
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

// NowFor is [Truth.Now] on the clock of whoever asks or tells something in a scope: that of the request's time zone, else
// of the engine's.
func (t *Truth) NowFor(s trilith.Scope) time.Time { return t.Now().In(t.ZoneOf(s)) }

// ZoneOf returns the time zone in which days and times of a valid scope are.
func (t *Truth) ZoneOf(s trilith.Scope) *time.Location {
	if zone, err := trilith.ZoneOf(s.TimeZone); err == nil && zone != nil {
		return zone
	}
	return cmp.Or(t.Zone, time.UTC)
}

// Moment reads the points in time that a request asks about: valid time and transaction time. An empty one leaves its
// axis open.
func (t *Truth) Moment(s trilith.Scope, asOf, knownAt string) (at trilith.Moment, err error) {
	if at.World, err = t.ParseTime(s, "as_of", asOf); err == nil {
		at.Known, err = t.ParseTime(s, "known_at", knownAt)
	}
	return at, err
}

// ParseTime reads a time of a request's field as whoever is in the scope means it; an empty text gives the zero time.
func (t *Truth) ParseTime(s trilith.Scope, field, text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	at, err := trilith.ParseTimeIn(text, t.ZoneOf(s))
	if err != nil {
		return at, trilith.Errorf(trilith.Invalid, "%s: %s", field, trilith.MessageOf(err))
	}
	return at, nil
}
