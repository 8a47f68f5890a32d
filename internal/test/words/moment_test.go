package words_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
)

func TestMomentHolds(t *testing.T) {
	t.Parallel()
	day := func(d int) time.Time { return time.Date(2025, 3, d, 0, 0, 0, 0, time.UTC) }
	at := func(d int) *time.Time { t := day(d); return &t }
	// we learned late that it was over
	oslo := trilith.Memory{EventTime: day(1), RecordedAt: day(2), ValidUntil: at(5), SupersededAt: at(8)}
	for _, c := range []struct {
		why          string
		world, known int // days; 0: open
		want         bool
	}{
		{"while it held", 3, 0, true},
		{"after it held", 6, 0, false},
		{"after it held, as we still believed", 6, 7, true},
		{"after it held, as we know now", 6, 9, false},
		{"before we were told", 3, 1, false},
		{"once it was known to be over it is no knowledge of the present", 0, 9, false},
		{"what we believed then", 0, 7, true},
		{"while it held, as we know now", 3, 9, true},
	} {
		moment := trilith.Moment{}
		if c.world != 0 {
			moment.World = day(c.world)
		}
		if c.known != 0 {
			moment.Known = day(c.known)
		}
		if got := moment.Holds(&oslo); got != c.want {
			t.Errorf("%s: Holds = %v, want %v", c.why, got, c.want)
		}
	}
}

// Indexes and truth must be asked the same question.
func TestMomentFilter(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		draw := func(name string, none bool) time.Time {
			d := rapid.IntRange(0, 5).Draw(t, name)
			if d == 0 && none {
				return time.Time{}
			}
			return time.Date(2025, 3, d+1, 0, 0, 0, 0, time.UTC)
		}
		pointer := func(at time.Time) *time.Time {
			if at.IsZero() {
				return nil
			}
			return &at
		}
		m := trilith.Memory{EventTime: draw("event", false), RecordedAt: draw("recorded", false),
			ValidUntil:   pointer(draw("until", true)),
			SupersededAt: pointer(draw("superseded", true)), State: rapid.SampledFrom(trilith.States()).Draw(t, "state")}
		moment := trilith.Moment{World: draw("world", true), Known: draw("known", true)}
		match, err := moment.Filter().Compile()
		if err != nil {
			t.Fatal(err)
		}
		facets := role.FacetsOf(&m)
		if got, want := match == nil || match(&facets), moment.Holds(&m); got != want {
			t.Fatalf("of %+v the filter says %v, Holds says %v", m, got, want)
		}
	})
}
