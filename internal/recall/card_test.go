package recall_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/engine"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/test/pgtest"
	"github.com/trilith-memory/trilith/internal/test/rig"
)

// A card is made of the facts that a plain reading of everything finds: those of the person that hold, of verbs that
// cards know, however the store looks for them, and as they are after each write.
func TestCardReadsWhatHolds(t *testing.T) {
	t.Parallel()
	now := time.Now().UTC()
	still := func(c *engine.Config) { rig.Unswept(t, c.Store, now) } // what rests on nothing is swept away
	for name, e := range map[string]rig.Rig{"memory": rig.InMemory(t, still), "file": rig.OnFile(t, rig.NewPath(t), still),
		"postgres": rig.OnPostgres(t, pgtest.Database(t), still)} {
		t.Run(name, func(t *testing.T) {
			random := rand.New(rand.NewPCG(7, 8))
			states := []trilith.State{trilith.StateActive, trilith.StateActive, trilith.StateCandidate,
				trilith.StateRetracted}
			who := rig.User(rig.Ana)
			e.MustAssimilate(t, rig.Ana, who, "2025-02-01", "I live in Oslo.")
			card, err := e.Card(t.Context(), rig.Ana, trilith.CardRequest{Identifier: who})
			if err != nil || card.Facts != 1 {
				t.Fatalf("the card has %d facts, %v", card.Facts, err)
			}
			for i := range 150 {
				made := now.AddDate(0, 0, random.IntN(40)-30).Add(-time.Minute)
				m := trilith.Memory{ID: trilith.DeriveID("fact", fmt.Sprint(i)), Kind: trilith.KindFact,
					EventTime: made, RecordedAt: now,
					State: states[random.IntN(4)],
					Text:  fmt.Sprintf("Fact %d.", i), Trust: trilith.TrustUserStated,
					Scope: trilith.Scope{Tenant: "acme", User: "ana"},
					Fact: &trilith.Fact{EntityID: card.Entity.ID, Owner: rig.Ana.Owner(),
						Node: trilith.Node{Name: fmt.Sprintf("number %d", i)},
						Verb: []string{"likes", "has_sister", "speaks", "plans", "has_instruction", "lives_in"}[random.IntN(6)]}}
				if random.IntN(3) == 0 {
					until := now.AddDate(0, 0, random.IntN(20)-10).Add(time.Hour)
					m.ValidUntil = &until
				}
				if random.IntN(5) == 0 {
					m.Fact.EntityID = trilith.DeriveID("entity", "another")
				}
				b := role.Batch{Memories: []trilith.Memory{m}}
				if _, err := e.Parts.Store.Commit(t.Context(), rig.Ana, b); err != nil {
					t.Fatal(err)
				}
			}
			holds := 0
			for m, err := range e.Parts.Store.List(t.Context(), rig.Ana, role.Listing{}) {
				if err != nil {
					t.Fatal(err)
				}
				if m.Fact != nil && m.Fact.EntityID == card.Entity.ID &&
					m.StateAt(now) == trilith.StateActive &&
					!trilith.Ahead(m.EventTime, now) && m.Fact.Verb != "likes" && m.Fact.Verb != "plans" {
					holds++
				}
			}
			card, err = e.Card(t.Context(), rig.Ana, trilith.CardRequest{Identifier: who})
			if err != nil || card.Facts != holds || holds < 20 {
				t.Errorf("the card is made of %d facts, %v; %d hold", card.Facts, err, holds)
			}
		})
	}
}
