package trilith

import (
	"fmt"
	"sync"
	"time"
)

// timeLayouts are the forms of time that requests may use; those without an offset are on the caller's clock.
var timeLayouts = []string{time.RFC3339Nano, "2006-01-02T15:04:05.999999999", "2006-01-02T15:04", "2006-01-02 15:04:05",
	"2006-01-02 15:04", "2006-01-02"}

// Time is an instant as stores keep it: in UTC, truncated to microseconds, the coarsest precision of a supported store.
func Time(t time.Time) time.Time { return t.UTC().Truncate(time.Microsecond) }

// OptionalTime is [Time] of a time that may be missing.
func OptionalTime(t *time.Time) *time.Time {
	if t == nil {
		return nil
	}
	return new(Time(*t))
}

// MaxOffset is the widest offset from UTC that a time keeps, in minutes.
const MaxOffset = 18 * 60

// Local is an instant as stores keep it together with the offset from UTC of whoever told it, in whole minutes,
// so that its calendar day is theirs. An offset that is not of whole minutes, or over [MaxOffset], is left out.
func Local(t time.Time) time.Time { return AtOffset(t, OffsetOf(t)) }

// OffsetOf returns the minutes by which the clock of t is ahead of UTC, as [Local] keeps them.
func OffsetOf(t time.Time) int {
	_, seconds := t.Zone()
	if seconds%60 != 0 || seconds > MaxOffset*60 || seconds < -MaxOffset*60 {
		return 0
	}
	return seconds / 60
}

// AtOffset is the instant t, truncated as by [Time], on a clock that is some minutes ahead of UTC; in UTC if that clock
// shows a year that JSON cannot write.
func AtOffset(t time.Time, minutes int) time.Time {
	t = Time(t)
	there := t.In(time.FixedZone("", minutes*60))
	if y := there.Year(); minutes == 0 || y < 1 || y > 9999 {
		return t
	}
	return there
}

var zones sync.Map // of *time.Location, by name; those that exist are a few hundred

// ZoneOf returns the time zone of an IANA name, or of an offset from UTC such as +05:30; of an empty name nil.
func ZoneOf(name string) (*time.Location, error) {
	if name == "" {
		return nil, nil
	}
	if zone, ok := zones.Load(name); ok {
		return zone.(*time.Location), nil
	}
	if at, err := time.Parse("-07:00", name); err == nil && name == at.Format("-07:00") {
		if _, seconds := at.Zone(); max(seconds, -seconds) <= MaxOffset*60 {
			return time.FixedZone("", seconds), nil
		}
	}
	zone, err := time.LoadLocation(name)
	if err != nil || name == "Local" {
		return nil, Errorf(Invalid, "%.70q is no time zone; write an IANA name such as Europe/Berlin, or an offset such as +05:30",
			name)
	}
	zones.Store(name, zone)
	return zone, nil
}

// CalendarDay is the day that the clock of t shows, as its beginning in UTC: days of different offsets are compared so.
func CalendarDay(t time.Time) time.Time {
	return time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, time.UTC)
}

// OnClock puts the times at which a memory holds, ends and is due on a clock that is some minutes ahead of UTC, that of
// whoever told it; stores keep one offset a memory. A fact is changed in place.
func (m *Memory) OnClock(minutes int) {
	m.EventTime = AtOffset(m.EventTime, minutes)
	if m.ValidUntil != nil {
		m.ValidUntil = new(AtOffset(*m.ValidUntil, minutes))
	}
	if m.Fact != nil && m.Fact.ActionDeadline != nil {
		m.Fact.ActionDeadline = new(AtOffset(*m.Fact.ActionDeadline, minutes))
	}
}

// ParseTime reads a time as 2025-06-30, 2025-06-30T15:04 or RFC 3339, and keeps its offset. Without one it is UTC. Years run
// from 1 to 9999 in UTC.
func ParseTime(s string) (time.Time, error) { return ParseTimeIn(s, time.UTC) }

// ParseTimeIn is [ParseTime] for a caller in a zone: a time without an offset is one on their clock, and an instant in UTC
// ("Z") is shown on it.
func ParseTimeIn(s string, zone *time.Location) (time.Time, error) {
	for _, layout := range timeLayouts {
		t, err := time.ParseInLocation(layout, s, zone)
		if err != nil {
			continue
		}
		if y := t.UTC().Year(); y < 1 || y > 9999 {
			break
		}
		if t.Location() == time.UTC {
			t = t.In(zone)
		}
		return Local(t), nil
	}
	return time.Time{}, Errorf(Invalid, "%s is not a time; write 2025-06-30 or 2025-06-30T15:04:05Z",
		fmt.Sprintf("%.40q", s))
}
