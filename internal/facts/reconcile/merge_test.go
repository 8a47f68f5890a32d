package reconcile_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/facts/reconcile"
)

var (
	entityA = trilith.DeriveID("entity", "a")
	entityB = trilith.DeriveID("entity", "b")
	today   = time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)
)

// word is one thing that was said of somebody, on its day.
type word struct {
	day   int
	verb  string // lives_in holds one value at a time, likes any number
	value string
	no    bool // negated
	ends  bool
}

func (w word) episode() trilith.Memory {
	at := time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC).AddDate(0, 0, w.day)
	return trilith.Memory{ID: trilith.DeriveID("episode", fmt.Sprint(w.day)),
		SourceID: trilith.DeriveID("source", fmt.Sprint(w.day)),
		Scope:    trilith.Scope{Tenant: "acme"}, Speaker: "Ana", Role: trilith.RoleUser, EventTime: at, RecordedAt: at}
}

func (w word) assertion(entity trilith.ID) reconcile.Assertion {
	m := w.episode()
	node := trilith.Node{Type: "Thing", Name: w.value}
	f := &trilith.Fact{EntityID: entity, Verb: w.verb, FactID: node.ID(), Node: node, Polarity: trilith.Affirmed,
		Certainty: trilith.Stated, Confidence: 0.3,
		SingleValued: w.verb == "lives_in", Evidence: []trilith.Evidence{{EpisodeID: m.ID, End: 1}}}
	if w.no || w.ends {
		f.Polarity = trilith.Negated
	}
	f.RelationshipKey = f.Key()
	m.ID, m.Version, m.Kind, m.State, m.Trust, m.Fact = trilith.FactMemoryID(entity, w.verb, f.FactID), 1, trilith.KindFact,
		trilith.StateActive, trilith.TrustUserStated, f
	m.Text = w.verb + " " + w.value
	return reconcile.Assertion{Memory: m, Ends: w.ends}
}

// store is what the truth holds of facts, by id.
type store map[trilith.ID]trilith.Memory

func (s store) put(ms ...trilith.Memory) {
	for _, m := range ms {
		if old, ok := s[m.ID]; ok {
			m.Version = old.Version + 1
		}
		s[m.ID] = m
	}
}

func (s store) of(entity trilith.ID) []trilith.Memory {
	var out []trilith.Memory
	for _, m := range s {
		if m.Fact.EntityID == entity {
			out = append(out, m)
		}
	}
	slices.SortFunc(out, func(a, b trilith.Memory) int { return strings.Compare(string(a.ID), string(b.ID)) })
	return out
}

// say applies one word to an entity; of names the one of which it was said, if that was merged in.
func (s store) say(entity, of trilith.ID, w word) {
	f := reconcile.New(s.of(entity), today)
	a := w.assertion(entity)
	a.Memory.Fact.Evidence[0].EntityID = of
	f.Apply(a)
	s.do(reconcile.Parted{Put: f.Changed(), Gone: f.Gone()})
}

// withdraw takes back statements of any entity.
func (s store) withdraw(w word, entities ...trilith.ID) {
	for _, entity := range entities {
		f := reconcile.New(s.of(entity), today)
		f.Withdraw(func(id trilith.ID) bool { return id == w.episode().ID })
		s.do(reconcile.Parted{Put: f.Changed(), Gone: f.Gone()})
	}
}

func (s store) merge() trilith.EntityMerge {
	into, from := s.of(entityA), s.of(entityB)
	mg := trilith.EntityMerge{Into: entityA, From: entityB, At: today, Facts: reconcile.Met(into, from)}
	s.do(reconcile.Merge(entityA, entityB, "", into, from, today))
	return mg
}

func (s store) unmerge(mg trilith.EntityMerge) {
	s.do(reconcile.Unmerge(s.of(entityA), mg, "", map[trilith.ID]bool{entityB: true}, today))
}

func (s store) do(p reconcile.Parted) {
	for _, id := range p.Gone {
		delete(s, id)
	}
	s.put(p.Put...)
}

// present says what holds, since when, on which words and how surely; with all also what held and until when.
func present(ms []trilith.Memory, all bool) []string {
	out := []string{}
	for _, m := range ms {
		open := m.State == trilith.StateActive || m.State == trilith.StateCandidate
		if !open && (!all || m.ValidUntil == nil || !m.ValidUntil.After(m.EventTime)) {
			continue
		}
		var words []string
		for _, e := range m.Fact.Evidence {
			if !e.Withdrawn {
				words = append(words, string(e.EpisodeID[:4]))
			}
		}
		slices.Sort(words)
		line := fmt.Sprintf("%s %s %s from %s", m.Fact.Verb, m.Fact.Polarity, m.Fact.Node.Name,
			m.EventTime.Format("01-02"))
		if m.ValidUntil != nil {
			line += " until " + m.ValidUntil.Format("01-02")
		}
		if open {
			line += fmt.Sprintf(" by %s at %.2f", words, math.Round(100*m.Fact.Confidence)/100)
		}
		out = append(out, line)
	}
	slices.Sort(out)
	return out
}

// words draws what is said, one word a day.
func words(t *rapid.T, name string, first int, endings bool) []word {
	n := rapid.IntRange(0, 8).Draw(t, name)
	out := make([]word, n)
	for i := range out {
		out[i] = word{day: first + i, verb: rapid.SampledFrom([]string{"lives_in", "likes"}).Draw(t, "verb"),
			value: rapid.SampledFrom([]string{"oslo", "bergen", "lund"}).Draw(t, "value")}
		if endings {
			switch rapid.IntRange(0, 5).Draw(t, "how") {
			case 0:
				out[i].no = true
			case 1:
				out[i].ends = true
			}
		}
	}
	return out
}

// Merging two entities that are one leaves what would be true if everything had been said of one, with the history in
// between.
func TestMergeIsAsIfSaidOfOne(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		said := words(t, "words", 0, false)
		one, two := store{}, store{}
		for _, w := range said {
			one.say(entityA, "", w)
			two.say(rapid.SampledFrom([]trilith.ID{entityA, entityB}).Draw(t, "of"), "", w)
		}
		two.merge()
		if diff := cmp.Diff(present(one.of(entityA), true), present(two.of(entityA), true)); diff != "" {
			t.Fatalf("%+v: merged is not as one (-one +merged):\n%s", said, diff)
		}
	})
}

// With negations and endings too nothing that was said is lost, no verb that holds one value has two, and every link
// leads somewhere.
func TestMergeLosesNothing(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		said := words(t, "words", 0, true)
		s := store{}
		for _, w := range said {
			s.say(rapid.SampledFrom([]trilith.ID{entityA, entityB}).Draw(t, "of"), "", w)
		}
		before := restsOn(s)
		s.merge()
		if diff := cmp.Diff(before, restsOn(s)); diff != "" {
			t.Fatalf("%+v: the facts rest on other words (-before +after):\n%s", said, diff)
		}
		homes := 0
		for _, m := range s {
			if m.Fact.EntityID != entityA {
				t.Fatalf("%s is not the survivor's", m.Fact.RelationshipKey)
			}
			if m.State == trilith.StateActive && m.Fact.Verb == "lives_in" && m.Fact.Polarity == trilith.Affirmed {
				homes++
			}
			for _, id := range append(slices.Clone(m.Supersedes), m.SupersededBy) {
				if _, ok := s[id]; !ok && id != "" {
					t.Fatalf("%+v: %s leads to a fact that does not exist", said, m.Fact.RelationshipKey)
				}
			}
		}
		if homes > 1 {
			t.Fatalf("%+v: lives in %d places at once: %q", said, homes, present(s.of(entityA), true))
		}
	})
}

// restsOn lists the evidence of facts, by assertion.
func restsOn(s store) []string {
	var out []string
	for _, m := range s {
		for _, e := range m.Fact.Evidence {
			out = append(out, m.Fact.Verb+" "+m.Fact.FactID+" "+string(e.EpisodeID))
		}
	}
	slices.Sort(out)
	return out
}

// Splitting again restores both sides as they were, and gives each what was said of it since.
func TestUnmerge(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		before, since := words(t, "before", 0, true), words(t, "since", 100, false)
		apart, s := store{}, store{}
		for _, w := range before {
			of := rapid.SampledFrom([]trilith.ID{entityA, entityB}).Draw(t, "of")
			apart.say(of, "", w)
			s.say(of, "", w)
		}
		mg := s.merge()
		if rapid.Bool().Draw(t, "at once") {
			s.unmerge(mg)
			for _, e := range []trilith.ID{entityA, entityB} {
				if diff := cmp.Diff(versionless(apart.of(e)), versionless(s.of(e))); diff != "" {
					t.Fatalf("%+v: merge and split is not nothing (-before +after):\n%s", before, diff)
				}
			}
			return
		}
		for _, w := range since {
			if rapid.Bool().Draw(t, "of the survivor") {
				apart.say(entityA, "", w)
				s.say(entityA, "", w)
			} else {
				apart.say(entityB, "", w)
				s.say(entityA, entityB, w)
			}
		}
		for _, w := range append(slices.Clone(before), since...) {
			if rapid.IntRange(0, 5).Draw(t, "forgotten") == 0 {
				apart.withdraw(w, entityA, entityB)
				s.withdraw(w, entityA)
			}
		}
		s.unmerge(mg)
		for _, e := range []trilith.ID{entityA, entityB} {
			if diff := cmp.Diff(present(apart.of(e), false), present(s.of(e), false)); diff != "" {
				t.Fatalf("%+v, then %+v: a side is not what it would be without the merge (-without +with):\n%s",
					before, since, diff)
			}
		}
	})
}

func versionless(ms []trilith.Memory) []trilith.Memory {
	for i := range ms {
		ms[i].Version = 0
	}
	return ms
}

// decide lets a person decide about a fact.
func decide(m *trilith.Memory, status trilith.VerificationStatus, at time.Time) {
	m.Fact.Verification = trilith.Verification{Status: status, By: "tester", At: &at}
	if status == trilith.Rejected {
		m.State, m.SupersededAt = trilith.StateRetracted, &at
	}
}

func home(day int, value string) word { return word{day: day, verb: "lives_in", value: value} }

func (s store) fact(t *testing.T, entity trilith.ID, w word) trilith.Memory {
	t.Helper()
	m, ok := s[w.assertion(entity).Memory.ID]
	if !ok {
		t.Fatalf("the entity has no fact %s %s: %q", w.verb, w.value, present(s.of(entity), true))
	}
	return m
}

// A person's decision stays, whichever of the two facts it was about.
func TestMergeKeepsDecisions(t *testing.T) {
	t.Parallel()
	said := []word{home(1, "oslo"), home(2, "oslo")}
	for _, c := range []struct {
		why    string
		status trilith.VerificationStatus
		state  trilith.State
	}{
		{"a rejection outlasts what was said", trilith.Rejected, trilith.StateRetracted},
		{"a confirmation stays", trilith.Verified, trilith.StateActive},
		{"a doubt stays", trilith.NeedsReview, trilith.StateActive},
	} {
		for _, of := range []trilith.ID{entityA, entityB} {
			s := store{}
			s.say(entityA, "", said[0])
			s.say(entityB, "", said[1])
			m := s.fact(t, of, said[0])
			decide(&m, c.status, today)
			s.put(m)
			mg := s.merge()
			if got := s.fact(t, entityA, said[0]); got.State != c.state || got.Fact.Verification.Status != c.status ||
				len(got.Fact.Evidence) != 2 {
				t.Errorf("%s: merged it is %s, %s, on %d words; want %s, %s, on 2", c.why, got.State,
					got.Fact.Verification.Status, len(got.Fact.Evidence), c.state, c.status)
			}
			s.unmerge(mg)
			for _, e := range []trilith.ID{entityA, entityB} {
				if got := s.fact(t, e, said[0]).Fact.Verification.Status; (got == c.status && e != of) ||
					(got != c.status && e == of) {
					t.Errorf("%s: split again, the decision about %s leaves %s with %s", c.why, of[:4], e[:4], got)
				}
			}
		}
	}
}

// A person's decision about a merged fact holds for both sides that assert it.
func TestUnmergeKeepsDecisionsSince(t *testing.T) {
	t.Parallel()
	said := []word{home(1, "oslo"), home(2, "oslo")}
	s := store{}
	s.say(entityA, "", said[0])
	s.say(entityB, "", said[1])
	mg := s.merge()
	m := s.fact(t, entityA, said[0])
	decide(&m, trilith.Rejected, today.Add(time.Hour))
	m.Tags = []string{"doubtful"}
	s.put(m)
	s.unmerge(mg)
	for _, e := range []trilith.ID{entityA, entityB} {
		if got := s.fact(t, e, said[0]); got.State != trilith.StateRetracted ||
			got.Fact.Verification.Status != trilith.Rejected {
			t.Errorf("split again, a fact that was rejected in between is %s, %s", got.State,
				got.Fact.Verification.Status)
		}
	}
	if got := s.fact(t, entityA, said[0]).Tags; len(got) != 1 {
		t.Errorf("the tag that was put in between is lost: %q", got)
	}
}

// A split after an erasure brings nothing back.
func TestUnmergeBringsNothingBack(t *testing.T) {
	t.Parallel()
	said := []word{home(1, "oslo"), home(2, "bergen"), {day: 3, verb: "likes", value: "tea"}}
	s := store{}
	s.say(entityA, "", said[0])
	s.say(entityB, "", said[1])
	s.say(entityB, "", said[2])
	mg := s.merge()
	delete(s, said[2].assertion(entityA).Memory.ID)
	s.unmerge(mg)
	if got := present(s.of(entityB), false); len(got) != 1 || !strings.Contains(got[0], "bergen") {
		t.Errorf("after an erasure in between the split gives back %q, want what was not erased", got)
	}
}

// A fact closed by one that turns out to be somebody else's is active again, on either side.
func TestSplit(t *testing.T) {
	t.Parallel()
	said := []word{home(1, "oslo"), home(2, "bergen"), home(3, "oslo"), home(4, "lund"),
		{day: 5, verb: "likes", value: "tea"}, {day: 6, verb: "likes", value: "tea", no: true}}
	s := store{}
	for _, w := range said {
		s.say(entityA, "", w)
	}
	chosen := []trilith.ID{said[1].assertion(entityA).Memory.ID, said[4].assertion(entityA).Memory.ID}
	s.do(reconcile.Split(s.of(entityA), chosen, entityB, "", today))
	for entity, want := range map[trilith.ID][]word{entityA: {said[0], said[2], said[3]},
		entityB: {said[1], said[4], said[5]}} {
		alone := store{}
		for _, w := range want {
			alone.say(entity, "", w)
		}
		if diff := cmp.Diff(present(alone.of(entity), false), present(s.of(entity), false)); diff != "" {
			t.Errorf("after the split a side is not what it would be alone (-alone +split):\n%s", diff)
		}
		for _, m := range s.of(entity) {
			for _, id := range append(slices.Clone(m.Supersedes), m.SupersededBy) {
				if o, ok := s[id]; id != "" && (!ok || o.Fact.EntityID != entity) {
					t.Errorf("%s leads to a fact of another entity", m.Fact.RelationshipKey)
				}
			}
		}
	}
}
