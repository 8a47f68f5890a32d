package reconcile_test

import (
	"slices"
	"testing"
	"time"

	"github.com/cairn-memory/cairn"
	"github.com/cairn-memory/cairn/internal/reconcile"
)

// Two owners' words about one entity, as they met before there were owners: u1 lives in Oslo, u2 moved to Bergen.
func TestAssign(t *testing.T) {
	t.Parallel()
	day := func(n int) time.Time { return time.Date(2025, 1, n, 0, 0, 0, 0, time.UTC) }
	now := day(28)
	who := cairn.DeriveID("who")
	f := reconcile.New(nil, now)
	say := func(user, town string, at int) {
		x := &cairn.Fact{EntityID: who, Verb: "lives_in", Node: cairn.Node{Type: "Location", Name: town},
			Type: cairn.FactProfile, SingleValued: true,
			Polarity: cairn.Affirmed, Certainty: cairn.Stated, Confidence: 0.9,
			Evidence: []cairn.Evidence{{EpisodeID: cairn.DeriveID(user, town), Quote: town, End: len(town)}}}
		x.FactID = x.Node.ID()
		x.RelationshipKey = x.Key()
		f.Apply(reconcile.Assertion{
			Memory: cairn.Memory{ID: x.MemoryID(), Version: 1, Kind: cairn.KindFact, Text: town, EventTime: day(at),
				RecordedAt: day(at),
				State:      cairn.StateActive, Trust: cairn.TrustUserStated, Fact: x}})
	}
	say("u1", "Oslo", 1)
	say("u2", "Bergen", 2)
	say("u1", "Oslo", 3)
	say("u2", "Oslo", 4)
	known := f.Changed()
	of := map[cairn.ID]cairn.Owner{}
	for _, town := range []string{"Oslo", "Bergen"} {
		of[cairn.DeriveID("u1", town)], of[cairn.DeriveID("u2", town)] = "user:u1", "user:u2"
	}
	to := func(m *cairn.Memory, e *cairn.Evidence) (reconcile.Assignee, cairn.Scope) {
		return reconcile.Assignee{Entity: who, Owner: of[e.EpisodeID]}, m.Scope
	}
	a := reconcile.Assign(known, to, nil, now)
	active := map[cairn.Owner][]string{}
	ids := map[cairn.ID]bool{}
	for _, m := range a.Put {
		if ids[m.ID] {
			t.Errorf("two facts have the id %s", m.ID)
		}
		ids[m.ID] = true
		for _, e := range m.Fact.Evidence {
			if of[e.EpisodeID] != m.Fact.Owner {
				t.Errorf("%s of %s rests on words of %s", m.Text, m.Fact.Owner, of[e.EpisodeID])
			}
		}
		if m.State == cairn.StateActive {
			active[m.Fact.Owner] = append(active[m.Fact.Owner], m.Text)
		}
	}
	if !slices.Equal(active["user:u1"], []string{"Oslo"}) || !slices.Equal(active["user:u2"], []string{"Oslo"}) {
		t.Errorf("what holds = %v, want Oslo for both", active)
	}
	if plain := cairn.FactMemoryID(who, "lives_in", "Location:Oslo"); !ids[plain] || slices.Contains(a.Gone, plain) {
		t.Errorf("nobody kept the id of what was known")
	}
	// Facts with only one owner's statements as evidence stay as they are.
	a = reconcile.Assign(known, func(m *cairn.Memory, _ *cairn.Evidence) (reconcile.Assignee, cairn.Scope) {
		return reconcile.Assignee{Entity: who, Owner: "user:u1"}, m.Scope
	}, nil, now)
	if len(a.Gone) != 0 || len(a.Moved) != 0 || len(a.Put) != len(known) {
		t.Errorf("of one owner: %d put, gone %v, moved %v; want every fact under its id", len(a.Put), a.Gone, a.Moved)
	}
}
