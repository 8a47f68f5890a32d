package reconcile_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/facts/reconcile"
)

// withdraw takes back what episodes say.
func withdraw(known []trilith.Memory, episodes ...string) []trilith.Memory {
	return apply(known, func(f *reconcile.Facts) {
		f.Withdraw(func(id trilith.ID) bool {
			return slices.ContainsFunc(episodes, func(e string) bool { return trilith.DeriveID(e) == id })
		})
	})
}

// current is the story of what holds or held, without what was withdrawn, in an order of its own.
func current(ms []trilith.Memory) string {
	ms = slices.DeleteFunc(slices.Clone(ms), func(m trilith.Memory) bool { return m.State == trilith.StateRetracted })
	lines := strings.Split(story(ms), "\n")
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

func TestWithdraw(t *testing.T) {
	t.Parallel()
	lives := func(place string, d int, episode string) said {
		return said{verb: "lives_in", node: place, day: d, episode: episode, single: true}
	}
	for _, c := range []struct {
		name  string
		given []said
		gone  string
		want  []string
	}{
		{"what nothing else says stands no longer", []said{lives("Oslo", 1, "a")}, "a", nil},
		{"what others say too stands on them", []said{lives("Oslo", 1, "a"), lives("Oslo", 2, "b")}, "b",
			[]string{"Oslo active 1-  ×1"}},
		{"what it had replaced stands again", []said{lives("Oslo", 1, "a"), lives("Bergen", 5, "b")}, "b",
			[]string{"Oslo active 1-  ×1"}},
		{"in a chain the one before lasts until the one after",
			[]said{lives("Oslo", 1, "a"), lives("Bergen", 5, "b"), lives("Turku", 9, "c")}, "b",
			[]string{"Oslo superseded 1-9  ×1", "Turku active 9-  ×1"}},
		{"who had moved back had not", []said{lives("Oslo", 1, "a"), lives("Bergen", 5, "b"), lives("Oslo", 9, "c")},
			"c",
			[]string{"Bergen active 5-  ×1", "Oslo superseded 1-5  ×1"}},
		{"what was ended goes on",
			[]said{lives("Oslo", 1, "a"),
				{verb: "lives_in", node: "Oslo", day: 4, episode: "b", single: true, ends: true, negated: true}}, "b",
			[]string{"Oslo active 1-  ×1"}},
		{"the former opinion holds again",
			[]said{{verb: "likes", node: "tea", day: 1, episode: "a"},
				{verb: "likes", node: "tea", day: 6, episode: "b", negated: true}}, "b",
			[]string{"tea active 1-  ×1"}},
		{"a dispute of one is none", []said{lives("Oslo", 1, "a"), lives("Bergen", 1, "b")}, "b",
			[]string{"Oslo active 1-  ×1"}},
	} {
		if got, want := current(withdraw(know(c.given...), c.gone)), strings.Join(c.want, "\n"); got != want {
			t.Errorf("%s:\ngot\n%s\nwant\n%s", c.name, got, want)
		}
	}
}

// A withdrawn statement that is made again counts as if it had never been withdrawn.
func TestWithdrawnIsSaidAgain(t *testing.T) {
	t.Parallel()
	all := []said{{verb: "lives_in", node: "Oslo", day: 1, episode: "a", single: true},
		{verb: "lives_in", node: "Bergen", day: 5, episode: "b", single: true}}
	want := current(know(all...))
	if got := current(knowAfter(withdraw(know(all...), "b"), all[1])); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// statements draws what is said about one entity on growing days.
func statements(t *rapid.T) []said {
	day := 0
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) said {
		day += rapid.IntRange(1, 3).Draw(t, "days")
		s := said{verb: "lives_in", single: true,
			node: rapid.SampledFrom([]string{"Oslo", "Bergen", "Turku"}).Draw(t, "node"),
			day:  day, episode: fmt.Sprint("e", day)}
		switch rapid.IntRange(0, 3).Draw(t, "kind") {
		case 0:
			s.verb, s.single = "likes", false
			s.negated = rapid.Bool().Draw(t, "negated")
		case 1:
			s.ends, s.negated = true, true
		case 2:
			s.trust = trilith.TrustAssistantSaid
		}
		if back := rapid.IntRange(0, 12).Draw(t, "reaches back") - 6; back > 0 && back < day {
			s.day, s.told = day-back, day
		}
		return s
	}), 1, 7).Draw(t, "said")
}

// Taking back what an episode says leaves what the others say, as if it had never been said; and bringing it back, as
// if it had never been taken back.
func TestWithdrawIsAsIfNeverSaid(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		ss := statements(t)
		gone := rapid.IntRange(0, len(ss)-1).Draw(t, "gone")
		rest := slices.Delete(slices.Clone(ss), gone, gone+1)
		known := withdraw(know(ss...), ss[gone].episode)
		if got, want := current(known), current(know(rest...)); got != want {
			t.Fatalf("the %d. is withdrawn:\ngot\n%s\nwant\n%s", gone, got, want)
		}
		returned := apply(known, func(f *reconcile.Facts) {
			f.Return(func(id trilith.ID) bool { return id == trilith.DeriveID(ss[gone].episode) })
		})
		if got, want := current(returned), current(know(ss...)); got != want {
			t.Fatalf("the %d. was withdrawn and returns:\ngot\n%s\nwant\n%s", gone, got, want)
		}
		removed := apply(know(ss...), func(f *reconcile.Facts) {
			f.RemoveEvidence(func(e *trilith.Evidence) bool { return e.EpisodeID == trilith.DeriveID(ss[gone].episode) })
		})
		if got, want := current(removed), current(know(rest...)); got != want {
			t.Fatalf("the %d. is removed:\ngot\n%s\nwant\n%s", gone, got, want)
		}
		for _, m := range removed {
			for _, e := range m.Fact.Evidence {
				if e.EpisodeID == trilith.DeriveID(ss[gone].episode) {
					t.Fatalf("the %d. is removed, and %s still rests on it", gone, m.Fact.FactID)
				}
			}
		}
	})
}

// Facts do not depend on the order in which statements are heard, nor on how often.
func TestOrderDoesNotMatter(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		ss := statements(t)
		heard := rapid.Permutation(ss).Draw(t, "heard")
		known := know(heard...)
		if got, want := current(known), current(know(ss...)); got != want {
			t.Fatalf("heard in another order:\ngot\n%s\nwant\n%s", got, want)
		}
		again := reconcile.New(known, day(30))
		for _, s := range ss {
			again.Apply(s.assertion())
		}
		if changed := again.Changed(); len(changed) > 0 {
			t.Fatalf("heard once more it changes\n%s", story(changed))
		}
	})
}
