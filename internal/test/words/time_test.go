package words_test

import (
	"testing"
	"time"

	"github.com/trilith-memory/trilith"
)

func TestTime(t *testing.T) {
	t.Parallel()
	in := time.Date(2025, 6, 30, 17, 4, 5, 123_456_789, time.FixedZone("CEST", 2*60*60))
	want := time.Date(2025, 6, 30, 15, 4, 5, 123_456_000, time.UTC)
	if got := trilith.Time(in); got != want {
		t.Errorf("Time(%v) = %v, want %v in UTC", in, got, want)
	}
	if got := trilith.Time(want); got != want {
		t.Errorf("Time(%v) = %v, want a stored time unchanged", want, got)
	}
}

func TestOver(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for ahead, want := range map[time.Duration]bool{-time.Hour: true, 0: true, time.Second: false, time.Minute: false,
		time.Minute + trilith.ClockSkew: false, time.Minute + trilith.ClockSkew + 1: true, 400 * 24 * time.Hour: true} {
		if got := trilith.Over(now.Add(ahead), now, time.Minute); got != want {
			t.Errorf("Over(%v ahead) = %t, want %t", ahead, got, want)
		}
	}
}

func TestParseTime(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		in   string
		want time.Time // zero: refused
	}{
		{"2025-06-30", time.Date(2025, 6, 30, 0, 0, 0, 0, time.UTC)},
		{"2025-06-30 15:04", time.Date(2025, 6, 30, 15, 4, 0, 0, time.UTC)},
		{"2025-06-30 15:04:05", time.Date(2025, 6, 30, 15, 4, 5, 0, time.UTC)},
		{"2025-06-30T15:04", time.Date(2025, 6, 30, 15, 4, 0, 0, time.UTC)},
		{"2025-06-30T15:04:05", time.Date(2025, 6, 30, 15, 4, 5, 0, time.UTC)},
		{"2025-06-30T15:04:05.1234567", time.Date(2025, 6, 30, 15, 4, 5, 123_456_000, time.UTC)},
		{"2025-06-30T15:04:05Z", time.Date(2025, 6, 30, 15, 4, 5, 0, time.UTC)},
		{"2025-06-30T17:04:05+02:00", time.Date(2025, 6, 30, 17, 4, 5, 0, time.FixedZone("", 2*60*60))},
		{"2024-02-29", time.Date(2024, 2, 29, 0, 0, 0, 0, time.UTC)},
		{"9999-12-31T23:59:59Z", time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC)},
		{"", time.Time{}},
		{"yesterday", time.Time{}},
		{"2025-02-29", time.Time{}},
		{"2025-6-30", time.Time{}},
		{"30.06.2025", time.Time{}},
		{"2025-06-30T25:00", time.Time{}},
		{"1751295845", time.Time{}},
		{"0000-12-31", time.Time{}},
		{"9999-12-31T23:59:59-01:00", time.Time{}}, // the year 10000 in UTC
	} {
		got, err := trilith.ParseTime(c.in)
		if c.want.IsZero() {
			if trilith.KindOf(err) != trilith.Invalid || err == nil {
				t.Errorf("ParseTime(%q) = %v, %v, want an error of kind %v", c.in, got, err, trilith.Invalid)
			}
			continue
		}
		if err != nil || !got.Equal(c.want) || trilith.OffsetOf(got) != trilith.OffsetOf(c.want) {
			t.Errorf("ParseTime(%q) = %v, %v, want %v", c.in, got, err, c.want)
		}
	}
}

func TestHoldsAt(t *testing.T) {
	t.Parallel()
	from := time.Date(2025, 1, 10, 0, 0, 0, 0, time.UTC)
	until := time.Date(2025, 6, 2, 0, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		name string
		end  *time.Time
		at   time.Time
		want bool
	}{
		{"before it began", &until, from.Add(-time.Microsecond), false},
		{"at its beginning", &until, from, true},
		{"in between", &until, from.AddDate(0, 1, 0), true},
		{"at its end, which is exclusive", &until, until, false},
		{"long after, without an end", nil, from.AddDate(50, 0, 0), true},
	} {
		m := trilith.Memory{EventTime: from, ValidUntil: c.end}
		if got := m.HoldsAt(c.at); got != c.want {
			t.Errorf("HoldsAt(%s) = %v, want %v", c.name, got, c.want)
		}
	}
}

// A time on a clock that shows the year 10000, or 0, can be written as JSON all the same.
func TestClocksAtTheEndOfTime(t *testing.T) {
	t.Parallel()
	last, first := time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC), time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC)
	tokyo, err := trilith.ZoneOf("Asia/Tokyo")
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := trilith.ParseTimeIn("9999-12-31T23:59:59Z", tokyo)
	m := trilith.Memory{EventTime: time.Date(2026, 1, 1, 0, 0, 0, 0, tokyo), ValidUntil: &last}
	m.OnClock(9 * 60)
	for _, got := range []time.Time{parsed, *m.ValidUntil, trilith.AtOffset(last, 1), trilith.AtOffset(first, -1)} {
		if _, failed := got.MarshalJSON(); err != nil || failed != nil {
			t.Errorf("%v, %v cannot be written: %v", got, err, failed)
		}
	}
}

func TestZoneOf(t *testing.T) {
	t.Parallel()
	noon := time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)
	for name, minutes := range map[string]int{"UTC": 0, "Europe/Berlin": 120, "Asia/Kolkata": 330, "+05:30": 330, "-09:30": -570} {
		zone, err := trilith.ZoneOf(name)
		if err != nil || trilith.OffsetOf(noon.In(zone)) != minutes {
			t.Errorf("ZoneOf(%s) = %v, %v, want %d minutes ahead of UTC in July", name, zone, err, minutes)
		}
	}
	for _, name := range []string{"Local", "Berlin", "../Europe/Berlin", "+25:00", "+19:00", "MEZ ", "+2"} {
		if zone, err := trilith.ZoneOf(name); err == nil {
			t.Errorf("ZoneOf(%q) = %v, want it refused", name, zone)
		}
	}
}
