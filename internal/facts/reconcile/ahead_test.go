package reconcile_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/facts/reconcile"
)

// hear applies assertions on a day, each to what the ones before left.
func hear(known []trilith.Memory, now time.Time, ss ...said) []trilith.Memory {
	for _, s := range ss {
		known = applyAt(known, now, func(f *reconcile.Facts) { f.Apply(s.assertion()) })
	}
	return known
}

// tick replays the facts that are due, as the upkeep does.
func tick(known []trilith.Memory, now time.Time) []trilith.Memory {
	return applyAt(known, now, func(f *reconcile.Facts) {
		for _, m := range known {
			if reconcile.Due(&m, now) {
				f.Replay(m.ID)
			}
		}
	})
}

// held returns one line for each fact that is true on a day or planned, by the states that readers see.
func held(ms []trilith.Memory, now time.Time) string {
	var out []string
	for _, m := range ms {
		if m.StateAt(now) == trilith.StateActive {
			out = append(out, fmt.Sprintf("%s %s %s %s from %d", m.Fact.Node.Name, m.Fact.Polarity, m.Fact.Certainty,
				m.Fact.Verification.Status, m.EventTime.Day()))
		}
	}
	slices.Sort(out)
	return strings.Join(out, "\n")
}

func TestWhatIsPlannedClosesNothingBeforeItsTime(t *testing.T) {
	t.Parallel()
	lives := func(place string, d int, episode string) said {
		return said{verb: "lives_in", node: place, day: d, episode: episode, single: true}
	}
	ends := said{verb: "lives_in", node: "Oslo", day: 20, episode: "x", single: true, ends: true, negated: true}
	unsure := lives("Turku", 20, "x")
	unsure.trust = trilith.TrustAssistantSaid
	for _, c := range []struct {
		name  string
		given []said
		now   int
		want  []string // on that day, after all is heard on day 10
	}{
		{"what holds goes on, and what is planned is called so",
			[]said{lives("Oslo", 1, "a"), lives("Turku", 20, "x")}, 10,
			[]string{"Oslo affirmed stated pending_approval from 1",
				"Turku affirmed planned pending_approval from 20"}},
		{"at its time it takes effect", []said{lives("Oslo", 1, "a"), lives("Turku", 20, "x")}, 20,
			[]string{"Turku affirmed stated pending_approval from 20"}},
		{"what is said meanwhile holds",
			[]said{lives("Oslo", 1, "a"), lives("Turku", 20, "x"), lives("Bergen", 10, "b")}, 12,
			[]string{"Bergen affirmed stated pending_approval from 10",
				"Turku affirmed planned pending_approval from 20"}},
		{"and gives way at its time", []said{lives("Oslo", 1, "a"), lives("Turku", 20, "x"), lives("Bergen", 10, "b")},
			21, []string{"Turku affirmed stated pending_approval from 20"}},
		{"an ending that is planned ends nothing yet", []said{lives("Oslo", 1, "a"), ends}, 19,
			[]string{"Oslo affirmed stated pending_approval from 1"}},
		{"an ending that was planned ends", []said{lives("Oslo", 1, "a"), ends}, 20, nil},
		{"an ending of what is not known is planned as well", []said{ends}, 10,
			[]string{"Oslo negated planned pending_approval from 20"}},
		{"who is trusted less disputes nothing yet", []said{lives("Oslo", 1, "a"), unsure}, 10,
			[]string{"Oslo affirmed stated pending_approval from 1",
				"Turku affirmed planned pending_approval from 20"}},
		{"but does at its time", []said{lives("Oslo", 1, "a"), unsure}, 20,
			[]string{"Oslo affirmed stated disputed from 1", "Turku affirmed stated disputed from 20"}},
		{"a value that holds is not surer for being planned", []said{lives("Oslo", 1, "a"), lives("Oslo", 20, "x")}, 10,
			[]string{"Oslo affirmed planned pending_approval from 20", "Oslo affirmed stated pending_approval from 1"}},
		{"two plans follow each other",
			[]said{lives("Oslo", 1, "a"), lives("Turku", 20, "x"), lives("Bergen", 25, "y")}, 22,
			[]string{"Bergen affirmed planned pending_approval from 25",
				"Turku affirmed stated pending_approval from 20"}},
	} {
		known := hear(nil, day(10), c.given...)
		for name, ms := range map[string][]trilith.Memory{"told again": tick(known, day(c.now)), "read": known} {
			got, want := held(ms, day(c.now)), strings.Join(c.want, "\n")
			if name == "read" { // certainty and disputes are noted by a replay
				plain := strings.NewReplacer(" planned", "", " stated", "", " disputed", "", " verified", "",
					" pending_approval", "")
				got, want = plain.Replace(got), plain.Replace(want)
			}
			if got != want {
				t.Errorf("%s (%s):\ngot\n%s\nwant\n%s", c.name, name, got, want)
			}
		}
	}
}

// A fact that holds keeps its id while another period of it is only planned.
func TestPlannedPeriodTakesNoID(t *testing.T) {
	t.Parallel()
	oslo := func(d int, episode string) said {
		return said{verb: "lives_in", node: "Oslo", day: d, episode: episode, single: true}
	}
	known := hear(nil, day(10), oslo(1, "a"),
		said{verb: "lives_in", node: "Turku", day: 20, episode: "b", single: true}, oslo(25, "c"))
	id := trilith.FactMemoryID("", "lives_in", "N:Oslo")
	for _, m := range known {
		if (m.ID == id) != (m.EventTime.Equal(day(1))) && m.Fact.Node.Name == "Oslo" {
			t.Errorf("on day 10 %s stands for Oslo from day %d", m.ID, m.EventTime.Day())
		}
	}
}

// Another time for a planned fact moves it; the same time again changes nothing.
func TestReplaceLater(t *testing.T) {
	t.Parallel()
	known := hear(nil, day(10), said{verb: "likes", node: "tea", day: 1, episode: "a"},
		said{verb: "likes", node: "rain", day: 2, episode: "b"})
	tea, rain := trilith.FactMemoryID("", "likes", "N:tea"), trilith.FactMemoryID("", "likes", "N:rain")
	for _, at := range []int{20, 20, 25} {
		known = applyAt(known, day(10), func(f *reconcile.Facts) { f.Replace(tea, rain, day(at)) })
		if m := known[0]; m.State != trilith.StateActive || m.SupersededBy != "" || len(m.Fact.Evidence) != 2 ||
			!m.ValidUntil.Equal(day(at)) {
			t.Errorf("replaced from day %d on, on day 10: %s until %v by %q with %d pieces of evidence", at, m.State,
				m.ValidUntil, m.SupersededBy, len(m.Fact.Evidence))
		}
	}
	if m := tick(known, day(25))[0]; m.State != trilith.StateSuperseded || m.SupersededBy != rain {
		t.Errorf("on day 25 it is %s by %q", m.State, m.SupersededBy)
	}
}

// Facts replayed as the clock goes on equal those replayed once at the end, whenever each statement was heard.
func TestClockGoesOn(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		ss := rapid.Permutation(statements(t)).Draw(t, "heard")
		now := 1
		var known []trilith.Memory
		for _, s := range ss {
			now = min(28, now+rapid.IntRange(0, 6).Draw(t, "goes on"))
			known = tick(known, day(now))
			known = hear(known, day(now), s)
			if got, want := held(known, day(now)),
				held(hear(nil, day(now),
					ss[:slices.IndexFunc(ss, func(o said) bool { return o.episode == s.episode })+1]...),
					day(now)); got != want {
				t.Fatalf("on day %d:\ngot\n%s\nwant\n%s", now, got, want)
			}
		}
		for ; now <= 30; now++ {
			known = tick(known, day(now))
			afresh := hear(nil, day(now), ss...)
			if got, want := current(known), current(afresh); got != want {
				t.Fatalf("on day %d:\ngot\n%s\nwant\n%s", now, got, want)
			}
			if got, want := held(known, day(now)), held(afresh, day(now)); got != want {
				t.Fatalf("on day %d:\ngot\n%s\nwant\n%s", now, got, want)
			}
			for _, m := range known {
				if reconcile.Due(&m, day(now)) && m.EventTime.After(day(now)) {
					t.Fatalf("on day %d %s is still due", now, story([]trilith.Memory{m}))
				}
			}
		}
	})
}
