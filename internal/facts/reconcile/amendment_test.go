package reconcile_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/facts/reconcile"
)

// change is what somebody says on a day about what is known, in words of an episode of their own.
func change(c reconcile.Amendment, on int, trust trilith.Trust) reconcile.Assertion {
	a := said{verb: "", node: "", day: on, episode: "change", trust: trust}.assertion()
	a.Memory.Fact.Verb, a.Memory.Fact.FactID = "", ""
	c.Over = "No longer: "
	a.Amendment = &c
	return a
}

// holding are the facts that are affirmed and open, as verb and node.
func holding(ms []trilith.Memory) string {
	var out []string
	for _, m := range ms {
		if m.State == trilith.StateActive && m.Fact.Polarity == trilith.Affirmed {
			out = append(out, m.Fact.Verb+"="+m.Fact.Node.Name)
		}
	}
	slices.Sort(out)
	return strings.Join(out, " ")
}

func TestAChangeMeetsWhatIsKnown(t *testing.T) {
	t.Parallel()
	jobs := []string{"works_at", "works_as"}
	owns := []string{"owns"}
	for _, c := range []struct {
		why    string
		known  []said
		change reconcile.Amendment
		want   string
	}{
		{"a word of the value names it", []said{{verb: "owns", node: "small sailing boat", day: 1}},
			reconcile.Amendment{Verbs: owns, Value: "boat"}, ""},
		{"of two boats it is not clear which",
			[]said{{verb: "owns", node: "sailing boat", day: 1}, {verb: "owns", node: "rowing boat", day: 1}},
			reconcile.Amendment{Verbs: owns, Value: "boat"}, "owns=rowing boat owns=sailing boat"},
		{"what is just the words goes before what holds them",
			[]said{{verb: "owns", node: "boat", day: 1}, {verb: "owns", node: "rowing boat", day: 1}},
			reconcile.Amendment{Verbs: owns, Value: "the boat"}, "owns=rowing boat"},
		{"another verb is not concerned", []said{{verb: "likes", node: "boat", day: 1}},
			reconcile.Amendment{Verbs: owns, Value: "boat"}, "likes=boat"},
		{"without words it is what the verbs hold",
			[]said{{verb: "works_at", node: "Halden", day: 1, single: true},
				{verb: "works_as", node: "nurse", day: 1, single: true}, {verb: "owns", node: "car", day: 1}},
			reconcile.Amendment{Verbs: jobs}, "owns=car"},
		{"without words, and with more than one, nothing",
			[]said{{verb: "has_deadline", node: "report", day: 1}, {verb: "has_deadline", node: "thesis", day: 1}},
			reconcile.Amendment{Verbs: []string{"has_deadline"}}, "has_deadline=report has_deadline=thesis"},
		{"nothing known is nothing ended", nil, reconcile.Amendment{Verbs: jobs}, ""},
		{"what comes later is not ended by what was said before", []said{{verb: "owns", node: "boat", day: 9}},
			reconcile.Amendment{Verbs: owns, Value: "boat"}, "owns=boat"},
		{"a correction of one value of many", []said{{verb: "allergic_to", node: "walnuts", day: 1}},
			reconcile.Amendment{Value: "walnuts", Instead: "hazelnuts"}, "allergic_to=hazelnuts"},
		{"a correction of a verb with one value",
			[]said{{verb: "works_at", node: "Brandt Optics", day: 1, single: true}},
			reconcile.Amendment{Value: "Brandt", Instead: "Bauer"}, "works_at=Bauer"},
		{"a slip of what was said last",
			[]said{{verb: "lives_in", node: "Brenem", day: 4, single: true}, {verb: "owns", node: "car", day: 1}},
			reconcile.Amendment{Instead: "Bremen"}, "lives_in=Bremen owns=car"},
		{"a name is no slip of another", []said{{verb: "lives_in", node: "Hamburg", day: 4, single: true}},
			reconcile.Amendment{Instead: "Petra"}, "lives_in=Hamburg"},
		{"a slip is noticed soon", []said{{verb: "lives_in", node: "Brenem", day: 1, single: true}},
			reconcile.Amendment{Instead: "Bremen"}, "lives_in=Brenem"},
	} {
		known := know(c.known...)
		known = apply(known, func(f *reconcile.Facts) { f.Apply(change(c.change, 5, "")) })
		if got := holding(known); got != c.want {
			t.Errorf("%s: %q holds, want %q", c.why, got, c.want)
		}
		again := apply(known, func(f *reconcile.Facts) { f.Apply(change(c.change, 5, "")) })
		if story(again) != story(known) {
			t.Errorf("%s: heard again it says\n%s\nwant\n%s", c.why, story(again), story(known))
		}
	}
}

// A fact ended in other words holds again when those words are forgotten, and is over again when they are brought back.
func TestAChangeIsWithdrawn(t *testing.T) {
	t.Parallel()
	for why, c := range map[string]reconcile.Amendment{
		"an ending":    {Verbs: []string{"owns"}, Value: "boat"},
		"a correction": {Value: "sailing boat", Instead: "canoe"},
	} {
		known := know(said{verb: "owns", node: "sailing boat", day: 1, episode: "first"})
		known = apply(known, func(f *reconcile.Facts) { f.Apply(change(c, 5, "")) })
		after := holding(known)
		words := func(id trilith.ID) bool { return id == trilith.DeriveID("change") }
		known = apply(known, func(f *reconcile.Facts) { f.Withdraw(words) })
		if got := holding(known); got != "owns=sailing boat" {
			t.Errorf("%s that was forgotten: %q holds, want the boat", why, got)
		}
		known = apply(known, func(f *reconcile.Facts) { f.Return(func(trilith.ID) bool { return true }) })
		if got := holding(known); got != after {
			t.Errorf("%s that was brought back: %q holds, want %q", why, got, after)
		}
	}
}

func TestLessTrustedWordsChangeNothing(t *testing.T) {
	t.Parallel()
	known := know(said{verb: "owns", node: "boat", day: 1})
	known = apply(known, func(f *reconcile.Facts) {
		f.Apply(change(reconcile.Amendment{Verbs: []string{"owns"}, Value: "boat"}, 5,
			trilith.TrustAssistantSaid))
	})
	if got := holding(known); got != "owns=boat" {
		t.Errorf("after an assistant's words %q holds, want the boat", got)
	}
}

func TestTastesOfOneThingMeet(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		why  string
		said []said
		want string
	}{
		{"what is disliked is liked no more",
			[]said{{verb: "likes", node: "olives", day: 1}, {verb: "dislikes", node: "olives", day: 5}},
			"dislikes=olives"},
		{"what is liked is disliked no more",
			[]said{{verb: "dislikes", node: "olives", day: 1}, {verb: "likes", node: "olives", day: 5}},
			"likes=olives"},
		{"heard in the other order it is the same",
			[]said{{verb: "dislikes", node: "olives", day: 5}, {verb: "likes", node: "olives", day: 1}},
			"dislikes=olives"},
		{"what is not liked is preferred no more",
			[]said{{verb: "prefers", node: "tea", day: 1}, {verb: "likes", node: "tea", negated: true, day: 5}}, ""},
		{"a preference and a liking are no contradiction",
			[]said{{verb: "likes", node: "tea", day: 1}, {verb: "prefers", node: "tea", day: 5}},
			"likes=tea prefers=tea"},
		{"who does not dislike a thing need not like it",
			[]said{{verb: "likes", node: "tea", day: 1}, {verb: "dislikes", node: "tea", negated: true, day: 5}},
			"likes=tea"},
		{"another thing is another taste",
			[]said{{verb: "likes", node: "green olives", day: 1}, {verb: "dislikes", node: "black olives", day: 5}},
			"dislikes=black olives likes=green olives"},
	} {
		if got := holding(know(c.said...)); got != c.want {
			t.Errorf("%s: %q holds, want %q", c.why, got, c.want)
		}
	}
}

// A task that is due at another time is no longer due at the first, and both stay in the history.
func TestADeadlineMoves(t *testing.T) {
	t.Parallel()
	due := func(on, by int, episode string) reconcile.Assertion {
		a := said{verb: "has_deadline", node: "report", day: on, episode: episode}.assertion()
		a.Memory.Fact.Type = trilith.FactSchedule
		at := day(by)
		a.Memory.Fact.ActionDeadline = &at
		return a
	}
	known := apply(nil, func(f *reconcile.Facts) {
		f.Apply(due(1, 20, "first"))
		f.Apply(due(2, 20, "again"))
		f.Apply(due(3, 25, "moved"))
	})
	check := func(why string, open, closed time.Time) {
		t.Helper()
		if len(known) != 2 {
			t.Fatalf("%s: %d facts are known, want two:\n%s", why, len(known), story(known))
		}
		for _, m := range known {
			want := open
			if m.State != trilith.StateActive {
				want = closed
			}
			if !m.Fact.ActionDeadline.Equal(want) {
				t.Errorf("%s: the %s deadline is %v, want %v", why, m.State, m.Fact.ActionDeadline, want)
			}
		}
	}
	check("said at another time", day(25), day(20))
}

// An amendment is compared with everything that is known of its entity, so what that costs grows with the facts.
func BenchmarkAmendment_2000(b *testing.B) {
	things := []string{"sailing boat", "garden shed", "blue bicycle", "membership of the choir", "Segelkurs in Kiel",
		"two old cameras", "piano lessons", "12,500 shares", "plan to visit Lisbon", "allotment by the river"}
	var known []said
	for i := range 2000 {
		known = append(known, said{verb: "owns", node: things[i%len(things)] + " " + strconv.Itoa(i), day: 1})
	}
	facts := know(known...)
	for _, c := range []struct {
		name string
		reconcile.Amendment
	}{
		{"values", reconcile.Amendment{Verbs: []string{"owns"}, Value: "old kayak"}},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				reconcile.New(facts, day(5)).Apply(change(c.Amendment, 5, ""))
			}
		})
	}
}
