package age_test

import (
	"fmt"
	"testing"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/store/age"
	"github.com/trilith-memory/trilith/internal/store/postgres"
	"github.com/trilith-memory/trilith/internal/store/walk"
	"github.com/trilith-memory/trilith/internal/test/pgtest"
)

// Sizes of the benchmarks: every entity has benchEach facts from sources of benchEach facts, the last of which names
// the next entity.
const (
	benchFacts = 20_000
	benchEach  = 20
)

func benchFact(n int) trilith.Memory {
	entity := n / benchEach
	return fact(acme, fmt.Sprint("entity ", entity), "likes", "Thing", fmt.Sprint("thing ", n%5000),
		func(m *trilith.Memory) {
			m.SourceID = trilith.DeriveID("source", fmt.Sprint((n+benchEach/2)/benchEach))
			if n%benchEach == benchEach-1 {
				m.Fact.Node = trilith.Node{Type: "Person", Name: fmt.Sprint("person ", entity+1),
					EntityRef: person(fmt.Sprint("entity ", (entity+1)%(benchFacts/benchEach)))}
			}
		})
}

// BenchmarkGraph_20000 asks a graph of 20,000 facts of 1,000 entities, in the graph of AGE and in the tables of the
// same store.
func BenchmarkGraph_20000(b *testing.B) {
	f := open(b)
	for n := 0; n < benchFacts; n += role.MaxBatch {
		var batch role.Batch
		for i := range role.MaxBatch {
			batch.Memories = append(batch.Memories, benchFact(n+i))
		}
		f.commit(b, acme, batch)
	}
	f.sql(b, `ANALYZE trilith.memories`)
	for name, g := range map[string]role.Graph{"age": f.Graph, "tables": walk.OverStore(f.store)} {
		b.Run(name+"/match", func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				x := benchFact(i * 7919 % benchFacts).Fact
				if _, err := g.Match(b.Context(), acme, x.Owner, x.EntityID, x.Verb, x.FactID); err != nil {
					b.Fatal(err)
				}
			}
		})
		for _, entities := range []int{1, 20} {
			b.Run(fmt.Sprintf("%s/facts_of_%d", name, entities), func(b *testing.B) {
				ids := make([]trilith.ID, entities)
				for i := 0; b.Loop(); i++ {
					for k := range ids {
						ids[k] = person(fmt.Sprint("entity ", (i*7919+k*37)%(benchFacts/benchEach)))
					}
					ms, err := g.Facts(b.Context(), acme, ids, 0)
					if err != nil || len(ms) != entities*benchEach {
						b.Fatalf("Facts = %d facts, %v; want %d", len(ms), err, entities*benchEach)
					}
				}
			})
		}
		b.Run(name+"/walk_2", func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				from := benchFact((i*7919*benchEach + benchEach - 1) % benchFacts)
				ms, err := g.Walk(b.Context(), acme, []trilith.Memory{from}, 2)
				if err != nil || len(ms) <= benchEach {
					b.Fatalf("Walk = %d facts, %v; want more than its source has", len(ms), err)
				}
			}
		})
	}
	b.Run("check", func(b *testing.B) {
		for b.Loop() {
			if r, err := f.Check(b.Context(), "acme"); err != nil || r.Differences > 0 {
				b.Fatalf("Check = %d differences, %v; want none", r.Differences, err)
			}
		}
	})
	b.Run("rebuild", func(b *testing.B) {
		for b.Loop() {
			if _, err := f.Rebuild(b.Context(), "acme"); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkCommit puts facts of 1,000 entities into a store with and without a graph, some in a commit: facts that are
// new, and facts whose state changes.
func BenchmarkCommit(b *testing.B) {
	for name, projections := range map[string][]postgres.Projection{"age": {age.Projection{}}, "tables": nil} {
		for _, each := range []int{1, 10} {
			b.Run(fmt.Sprintf("%s/%d", name, each), func(b *testing.B) {
				store := openStore(b, postgres.Options{URL: pgtest.Database(b, "age"), Projections: projections})
				for i := 0; b.Loop(); i++ {
					var batch role.Batch
					for k := range each {
						m := benchFact(i/2*each + k)
						if i%2 == 1 {
							m.State = trilith.StateSuperseded
						}
						batch.Memories = append(batch.Memories, m)
					}
					if _, err := store.Commit(b.Context(), acme, batch); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
