package reconcile_test

import (
	"slices"
	"testing"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/reconcile"
)

// Two owners' words about one entity, as they met before there were owners: u1 lives in Oslo, u2 moved to Bergen.
func TestAssign(t *testing.T) {
	t.Parallel()
	day := func(n int) time.Time { return time.Date(2025, 1, n, 0, 0, 0, 0, time.UTC) }
	now := day(28)
	who := trilith.DeriveID("who")
	f := reconcile.New(nil, now)
	say := func(user, town string, at int) {
		x := &trilith.Fact{EntityID: who, Verb: "lives_in", Node: trilith.Node{Type: "Location", Name: town},
			Type: trilith.FactProfile, SingleValued: true,
			Polarity: trilith.Affirmed, Certainty: trilith.Stated, Confidence: 0.9,
			Evidence: []trilith.Evidence{{EpisodeID: trilith.DeriveID(user, town), Quote: town, End: len(town)}}}
		x.FactID = x.Node.ID()
		x.RelationshipKey = x.Key()
		f.Apply(reconcile.Assertion{
			Memory: trilith.Memory{ID: x.MemoryID(), Version: 1, Kind: trilith.KindFact, Text: town, EventTime: day(at),
				RecordedAt: day(at),
				State:      trilith.StateActive, Trust: trilith.TrustUserStated, Fact: x}})
	}
	say("u1", "Oslo", 1)
	say("u2", "Bergen", 2)
	say("u1", "Oslo", 3)
	say("u2", "Oslo", 4)
	known := f.Changed()
	of := map[trilith.ID]trilith.Owner{}
	for _, town := range []string{"Oslo", "Bergen"} {
		of[trilith.DeriveID("u1", town)], of[trilith.DeriveID("u2", town)] = "user:u1", "user:u2"
	}
	to := func(m *trilith.Memory, e *trilith.Evidence) (reconcile.Assignee, trilith.Scope) {
		return reconcile.Assignee{Entity: who, Owner: of[e.EpisodeID]}, m.Scope
	}
	a := reconcile.Assign(known, to, nil, now)
	active := map[trilith.Owner][]string{}
	ids := map[trilith.ID]bool{}
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
		if m.State == trilith.StateActive {
			active[m.Fact.Owner] = append(active[m.Fact.Owner], m.Text)
		}
	}
	if !slices.Equal(active["user:u1"], []string{"Oslo"}) || !slices.Equal(active["user:u2"], []string{"Oslo"}) {
		t.Errorf("what holds = %v, want Oslo for both", active)
	}
	if plain := trilith.FactMemoryID(who, "lives_in", "Location:Oslo"); !ids[plain] || slices.Contains(a.Gone, plain) {
		t.Errorf("nobody kept the id of what was known")
	}
	// Facts with only one owner's statements as evidence stay as they are.
	a = reconcile.Assign(known, func(m *trilith.Memory, _ *trilith.Evidence) (reconcile.Assignee, trilith.Scope) {
		return reconcile.Assignee{Entity: who, Owner: "user:u1"}, m.Scope
	}, nil, now)
	if len(a.Gone) != 0 || len(a.Moved) != 0 || len(a.Put) != len(known) {
		t.Errorf("of one owner: %d put, gone %v, moved %v; want every fact under its id", len(a.Put), a.Gone, a.Moved)
	}
}
