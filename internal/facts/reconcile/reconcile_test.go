package reconcile_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/facts/reconcile"
)

func day(d int) time.Time { return time.Date(2025, 3, d, 0, 0, 0, 0, time.UTC) }

// said is an assertion about one entity: verb, node, the day it was said and the episode that says it.
type said struct {
	verb, node string
	day        int
	told       int // the day it was said, if the other one is earlier
	episode    string
	single     bool
	ends       bool
	negated    bool
	proposed   bool
	trust      trilith.Trust
}

func (s said) assertion() reconcile.Assertion {
	trust, polarity := s.trust, trilith.Affirmed
	if trust == "" {
		trust = trilith.TrustUserStated
	}
	if s.negated {
		polarity = trilith.Negated
	}
	var saidAt *time.Time
	if s.told > 0 {
		saidAt = new(day(s.told))
	}
	return reconcile.Assertion{Ends: s.ends, Memory: trilith.Memory{
		ID: trilith.FactMemoryID("", s.verb, "N:"+s.node), Version: 1, Kind: trilith.KindFact, Text: s.verb + " " + s.node,
		State: trilith.StateActive,
		Trust: trust, EventTime: day(s.day),
		Fact: &trilith.Fact{Verb: s.verb, FactID: "N:" + s.node, Node: trilith.Node{Type: "N", Name: s.node},
			Polarity: polarity, Certainty: trilith.Stated, Confidence: 0.8, SingleValued: s.single,
			Evidence: []trilith.Evidence{
				{EpisodeID: trilith.DeriveID(s.episode), Quote: "q", End: 1, SaidAt: saidAt, Proposed: s.proposed}}}}}
}

// know applies assertions in sequence, each to the result of the ones before, as the engine does.
func know(ss ...said) []trilith.Memory { return knowAfter(nil, ss...) }

func knowAfter(known []trilith.Memory, ss ...said) []trilith.Memory {
	for _, s := range ss {
		known = apply(known, func(f *reconcile.Facts) { f.Apply(s.assertion()) })
	}
	return known
}

// apply changes what is known and stores it.
func apply(known []trilith.Memory, change func(*reconcile.Facts)) []trilith.Memory {
	return applyAt(known, day(30), change)
}

func applyAt(known []trilith.Memory, now time.Time, change func(*reconcile.Facts)) []trilith.Memory {
	f := reconcile.New(known, now)
	change(f)
	gone := f.Gone()
	known = slices.DeleteFunc(slices.Clone(known), func(m trilith.Memory) bool { return slices.Contains(gone, m.ID) })
	for _, m := range f.Changed() {
		if at := slices.IndexFunc(known, func(k trilith.Memory) bool { return k.ID == m.ID }); at >= 0 {
			m.Version = known[at].Version + 1
			known[at] = m
		} else {
			known = append(known, m)
		}
	}
	return known
}

// story says in one line each what is known, in order of beginning.
func story(ms []trilith.Memory) string {
	var out []string
	for _, m := range ms {
		until := ""
		if m.ValidUntil != nil {
			until = fmt.Sprint(m.ValidUntil.Day())
		}
		not := ""
		if m.Fact.Polarity == trilith.Negated {
			not = "not "
		}
		status := ""
		if s := m.Fact.Verification.Status; s != trilith.PendingApproval {
			status = string(s)
		}
		counts := 0
		for _, e := range m.Fact.Evidence {
			if !e.Withdrawn {
				counts++
			}
		}
		out = append(out, fmt.Sprintf("%s%s %s %d-%s %s ×%d", not, m.Fact.Node.Name, m.State, m.EventTime.Day(), until,
			status, counts))
	}
	return strings.Join(out, "\n")
}

func TestApply(t *testing.T) {
	t.Parallel()
	lives := func(place string, d int, episode string) said {
		return said{verb: "lives_in", node: place, day: d, episode: episode, single: true}
	}
	for _, c := range []struct {
		name  string
		given []said
		want  []string
	}{
		{"what is said once is known once", []said{lives("Oslo", 1, "a")}, []string{"Oslo active 1-  ×1"}},
		{"the same words read again add nothing", []said{lives("Oslo", 1, "a"), lives("Oslo", 1, "a")},
			[]string{"Oslo active 1-  ×1"}},
		{"said again it has more evidence, not more facts", []said{lives("Oslo", 1, "a"), lives("Oslo", 2, "b")},
			[]string{"Oslo active 1-  ×2"}},
		{"a new value closes the old one where it begins", []said{lives("Oslo", 1, "a"), lives("Bergen", 5, "b")},
			[]string{"Oslo superseded 1-5  ×1", "Bergen active 5-  ×1"}},
		{"an older statement that comes late is history", []said{lives("Bergen", 5, "b"), lives("Oslo", 1, "a")},
			[]string{"Bergen active 5-  ×1", "Oslo superseded 1-5  ×1"}},
		{"an older statement that comes late takes its place between two others",
			[]said{lives("Oslo", 1, "a"), lives("Bergen", 5, "b"), lives("Turku", 3, "c")},
			[]string{"Oslo superseded 1-3  ×1", "Bergen active 5-  ×1", "Turku superseded 3-5  ×1"}},
		{"evidence that was judged never brings a value back",
			[]said{lives("Oslo", 1, "a"), lives("Bergen", 5, "b"), lives("Oslo", 1, "a")},
			[]string{"Oslo superseded 1-5  ×1", "Bergen active 5-  ×1"}},
		{"nor does other evidence from before the correction",
			[]said{lives("Oslo", 1, "a"), lives("Bergen", 5, "b"), lives("Oslo", 3, "c")},
			[]string{"Oslo superseded 1-5  ×2", "Bergen active 5-  ×1"}},
		{"people move back, and the first time stays in the history",
			[]said{lives("Oslo", 1, "a"), lives("Bergen", 5, "b"), lives("Oslo", 9, "c")},
			[]string{"Oslo active 9-  ×1", "Bergen superseded 5-9  ×1", "Oslo superseded 1-5  ×1"}},
		{"a verb that holds many values keeps them all",
			[]said{{verb: "likes", node: "tea", day: 1, episode: "a"},
				{verb: "likes", node: "rain", day: 2, episode: "b"}},
			[]string{"tea active 1-  ×1", "rain active 2-  ×1"}},
		{"no longer so: the value ends, and nothing takes its place",
			[]said{lives("Oslo", 1, "a"),
				{verb: "lives_in", node: "Oslo", day: 4, episode: "b", single: true, ends: true, negated: true}},
			[]string{"Oslo expired 1-4  ×2"}},
		{"an ending read again ends nothing more",
			[]said{lives("Oslo", 1, "a"),
				{verb: "lives_in", node: "Oslo", day: 4, episode: "b", single: true, ends: true, negated: true},
				{verb: "lives_in", node: "Oslo", day: 4, episode: "b", single: true, ends: true, negated: true}},
			[]string{"Oslo expired 1-4  ×2"}},
		{"an ending of what was never known is remembered as such",
			[]said{{verb: "lives_in", node: "Oslo", day: 4, episode: "b", single: true, ends: true, negated: true}},
			[]string{"not Oslo active 4-  ×1"}},
		{"the opposite replaces, and the former opinion stays in the history",
			[]said{{verb: "likes", node: "tea", day: 1, episode: "a"},
				{verb: "likes", node: "tea", day: 6, episode: "b", negated: true}},
			[]string{"not tea active 6-  ×1", "tea superseded 1-6  ×1"}},
		{"what has been so since before counts from then",
			[]said{lives("Oslo", 1, "a"), {verb: "lives_in", node: "Bergen", day: 5, told: 9, episode: "b", single: true}},
			[]string{"Oslo superseded 1-5  ×1", "Bergen active 5-  ×1"}},
		{"but the last word about the present is right, although it reaches back further",
			[]said{lives("Oslo", 8, "a"), {verb: "lives_in", node: "Bergen", day: 5, told: 9, episode: "b", single: true}},
			[]string{"Oslo superseded 8-9  ×1", "Bergen active 9-  ×1"}},
		{"in whichever order the two arrive",
			[]said{{verb: "lives_in", node: "Bergen", day: 5, told: 9, episode: "b", single: true}, lives("Oslo", 8, "a")},
			[]string{"Bergen active 9-  ×1", "Oslo superseded 8-9  ×1"}},
		{"an end that was in the past ends what was said since",
			[]said{lives("Oslo", 8, "a"), {verb: "lives_in", node: "Oslo", day: 5, told: 9, episode: "b", single: true,
				ends: true, negated: true}},
			[]string{"Oslo expired 8-9  ×2"}},
		{"what has been so since before agrees with what was said since",
			[]said{lives("Oslo", 8, "a"), {verb: "lives_in", node: "Oslo", day: 5, told: 9, episode: "b", single: true}},
			[]string{"Oslo active 5-  ×2"}},
		{"a value in another spelling is the same value", []said{lives("Oslo", 1, "a"), lives("oslo", 2, "b")},
			[]string{"Oslo active 1-  ×2"}},
		{"what is denied in other words goes with it",
			[]said{{verb: "owns", node: "a dog", day: 1, episode: "a"},
				{verb: "owns", node: "dogs", day: 2, episode: "b"},
				{verb: "owns", node: "dog", day: 6, episode: "c", ends: true, negated: true}},
			[]string{"a dog expired 1-6  ×3"}},
		{"names that only look alike are two",
			[]said{{verb: "knows", node: "Anna", day: 1, episode: "a"},
				{verb: "knows", node: "Annas", day: 2, episode: "b"}},
			[]string{"Anna active 1-  ×1", "Annas active 2-  ×1"}},
		{"two values for one moment are for a person to decide",
			[]said{lives("Oslo", 1, "a"), lives("Bergen", 1, "b")},
			[]string{"Oslo active 1- disputed ×1", "Bergen active 1- disputed ×1"}},
		{"what an assistant says does not close what a person said",
			[]said{lives("Oslo", 1, "a"),
				{verb: "lives_in", node: "Rome", day: 5, episode: "b", single: true, trust: trilith.TrustAssistantSaid}},
			[]string{"Oslo active 1- disputed ×1", "Rome active 5- disputed ×1"}},
		{"what is only proposed closes nothing",
			[]said{lives("Oslo", 1, "a"),
				{verb: "lives_in", node: "Bergen", day: 5, episode: "b", single: true, proposed: true}},
			[]string{"Oslo active 1-  ×1", "Bergen candidate 5-  ×1"}},
		{"nor does its opposite",
			[]said{{verb: "likes", node: "tea", day: 1, episode: "a"},
				{verb: "likes", node: "tea", day: 6, episode: "b", negated: true, proposed: true}},
			[]string{"tea active 1-  ×1", "not tea candidate 6-  ×1"}},
		{"said plainly, a candidate is a fact from its beginning, and closes what it replaces",
			[]said{lives("Oslo", 1, "a"),
				{verb: "lives_in", node: "Bergen", day: 5, episode: "b", single: true, proposed: true},
				lives("Bergen", 6, "c")},
			[]string{"Oslo superseded 1-5  ×1", "Bergen active 5-  ×2"}},
		{"in doubt once more it stays what it is",
			[]said{lives("Oslo", 1, "a"),
				{verb: "lives_in", node: "Oslo", day: 5, episode: "b", single: true, proposed: true}},
			[]string{"Oslo active 1-  ×2"}},
		{"an offer that a person accepts is the person's word",
			[]said{{verb: "has_task", node: "quote", day: 1, episode: "a", proposed: true,
				trust: trilith.TrustAssistantSaid}, {verb: "has_task", node: "quote", day: 2, episode: "b"}},
			[]string{"quote active 1-  ×2"}},
	} {
		if got, want := story(know(c.given...)), strings.Join(c.want, "\n"); got != want {
			t.Errorf("%s:\ngot\n%s\nwant\n%s", c.name, got, want)
		}
	}
}

// A fact that a person forgot or rejected stays so when its text is read again; later statements may state it again.
func TestForgottenStays(t *testing.T) {
	t.Parallel()
	known := know(said{verb: "likes", node: "tea", day: 1, episode: "a"})
	at := day(5)
	known[0].State, known[0].SupersededAt = trilith.StateRetracted, &at
	for d, want := range map[int]string{4: "tea retracted 1-  ×2", 5: "tea retracted 1-  ×2",
		9: "tea active 9-  ×1\ntea retracted 1-  ×1"} {
		f := reconcile.New(known, day(30))
		f.Apply(said{verb: "likes", node: "tea", day: d, episode: "b"}.assertion())
		if got := story(f.Changed()); got != want {
			t.Errorf("said on day %d, after it was forgotten on day 5: changed %q, want %q", d, got, want)
		}
	}
}

// Evidence makes a fact more likely, and never certain.
func TestSupportRaisesConfidence(t *testing.T) {
	t.Parallel()
	var ss []said
	last := 0.0
	for i := range 20 {
		ss = append(ss, said{verb: "likes", node: "tea", day: 1, episode: fmt.Sprint(i)})
		c := know(ss...)[0].Fact.Confidence
		if c < last || c > 0.99 {
			t.Errorf("after %d statements the confidence is %v, before %v; want it to grow, and to stay below 1", i+1,
				c, last)
		}
		last = c
	}
}

// The caller's arguments stay unchanged.
func TestInputIsNotChanged(t *testing.T) {
	t.Parallel()
	known := know(said{verb: "lives_in", node: "Oslo", day: 1, episode: "a", single: true})
	before := story(known)
	f := reconcile.New(known, day(30))
	f.Apply(said{verb: "lives_in", node: "Bergen", day: 2, episode: "b", single: true}.assertion())
	f.Apply(said{verb: "lives_in", node: "Oslo", day: 1, episode: "c", single: true}.assertion())
	if got := story(known); got != before {
		t.Errorf("Apply changed its input from %s to %s", before, got)
	}
}
