package truth

import (
	"cmp"
	"time"

	"github.com/trilith-memory/trilith"
)

// CallerClock tells the caller's local time, and reads the times of a request in the caller's zone.
type CallerClock struct {
	Now  time.Time      // in the zone, in the precision of the stores
	Zone *time.Location // of the scope, else of the engine
}

// ClockOf returns the clock of the caller of a valid scope.
func (t *Truth) ClockOf(s trilith.Scope) CallerClock {
	zone, err := trilith.ZoneOf(s.TimeZone)
	if err != nil || zone == nil {
		zone = cmp.Or(t.Zone, time.UTC)
	}
	return CallerClock{t.Now().In(zone), zone}
}

// Moment reads the points in time that a request asks about: valid time and transaction time. An empty one leaves its
// axis open.
func (c CallerClock) Moment(asOf, knownAt string) (at trilith.Moment, err error) {
	if at.World, err = c.Time("as_of", asOf); err == nil {
		at.Known, err = c.Time("known_at", knownAt)
	}
	return at, err
}

// Time reads a time of a request's field; an empty text gives the zero time.
func (c CallerClock) Time(field, text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	at, err := trilith.ParseTimeIn(text, c.Zone)
	if err != nil {
		return at, trilith.Errorf(trilith.Invalid, "%s: %s", field, trilith.MessageOf(err))
	}
	return at, nil
}
