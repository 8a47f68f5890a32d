package walk_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/store/walk"
)

// Sizes of the benchmarks: every entity has benchEach facts from sources of benchEach facts, the last of which names
// the next entity.
const (
	benchFacts = 100_000
	benchEach  = 20
)

var bench = trilith.Scope{Tenant: "bench"}

func benchEntity(n int) trilith.ID {
	return trilith.DeriveID("entity", fmt.Sprint(n%(benchFacts/benchEach)))
}

func benchFact(n int) trilith.Memory {
	entity := n / benchEach
	at := time.Date(2025, 3, 1, 12, 0, 0, 0, time.UTC)
	node := trilith.Node{Type: "Thing", Name: fmt.Sprint("thing ", n%5000)}
	if n%benchEach == benchEach-1 {
		node = trilith.Node{Type: "Person", Name: fmt.Sprint("person ", entity+1), EntityRef: benchEntity(entity + 1)}
	}
	f := &trilith.Fact{EntityID: benchEntity(entity), Verb: "likes", FactID: node.ID(), Node: node,
		Type:     trilith.FactPreference,
		Polarity: trilith.Affirmed, Certainty: trilith.Stated, Confidence: 0.9, AuthorRole: trilith.RoleUser,
		Priority: trilith.PriorityNormal,
		Evidence: []trilith.Evidence{
			{EpisodeID: trilith.DeriveID("episode", fmt.Sprint(n)),
				Quote: "I like it, and would like more of it.", End: 37}},
		Verification: trilith.Verification{Status: trilith.Verified}}
	f.RelationshipKey = f.Key()
	return trilith.Memory{ID: trilith.FactMemoryID(f.EntityID, f.Verb, f.FactID), Version: 1, Kind: trilith.KindFact,
		Text: "A person likes a thing of that number.", Scope: bench,
		SourceID:  trilith.DeriveID("source", fmt.Sprint((n+benchEach/2)/benchEach)),
		EventTime: at, RecordedAt: at, State: trilith.StateActive, Trust: trilith.TrustUserStated, Fact: f}
}

// BenchmarkGraph_100000 reads a graph of 100,000 facts of 5,000 entities, kept by SQLite.
func BenchmarkGraph_100000(b *testing.B) {
	store := open(b)
	b.Cleanup(func() { store.Close() })
	for n := 0; n < benchFacts; n += role.MaxBatch {
		batch := role.Batch{Memories: make([]trilith.Memory, role.MaxBatch)}
		for i := range batch.Memories {
			batch.Memories[i] = benchFact(n + i)
		}
		if _, err := store.Commit(b.Context(), bench, batch); err != nil {
			b.Fatal(err)
		}
	}
	g := walk.OverStore(store)
	b.Run("match", func(b *testing.B) {
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			f := benchFact(i * 7919 % benchFacts).Fact
			if _, err := g.Match(b.Context(), bench, f.Owner, f.EntityID, f.Verb, f.FactID); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("facts_20", func(b *testing.B) { benchList(b, 1, g) })
	b.Run("facts_of_20_entities", func(b *testing.B) { benchList(b, 20, g) })
	for hops := 1; hops <= 2; hops++ {
		b.Run(fmt.Sprintf("walk_%d", hops), func(b *testing.B) {
			b.ReportAllocs()
			found := 0
			for i := 0; b.Loop(); i++ {
				from := benchFact((i*7919*benchEach + benchEach - 1) % benchFacts)
				ms, err := g.Walk(b.Context(), bench, []trilith.Memory{from}, hops)
				if err != nil || len(ms) <= benchEach {
					b.Fatalf("Walk = %d facts, %v; want more than its source has", len(ms), err)
				}
				found = len(ms)
			}
			b.ReportMetric(float64(found), "facts")
		})
	}
}

func benchList(b *testing.B, entities int, g walk.Graph) {
	b.ReportAllocs()
	ids := make([]trilith.ID, entities)
	for i := 0; b.Loop(); i++ {
		for k := range ids {
			ids[k] = benchEntity(i*7919 + k*997)
		}
		ms, err := g.Facts(b.Context(), bench, ids, 0)
		if err != nil || len(ms) != entities*benchEach {
			b.Fatalf("Facts = %d facts, %v; want %d", len(ms), err, entities*benchEach)
		}
	}
}
