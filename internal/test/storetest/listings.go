package storetest

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
)

// NamedListing is one of the listings that [role.Store.List] promises to answer without reading the tenant.
type NamedListing struct {
	Name    string
	Listing role.Listing
	Finds   int // memories of [Bench] that it finds
}

// The sizes of the tenant of [NamedListings]: facts, and one in how many is held for a person.
const (
	listedFacts = 10_000
	listedHeld  = 100
	listedSame  = 10 // facts of an entity, a node, a named entity, a source, and an episode
)

// NamedListings returns one of each listing that the contract names.
func NamedListings() []NamedListing {
	fact := trilith.Where("kind", trilith.OpEq, trilith.KindFact)
	one := func(field string, n int) trilith.Filter {
		return trilith.AllOf(fact, trilith.Where(field, trilith.OpEq, id(n)))
	}
	rests := func(n int) trilith.Filter { return trilith.Where("evidence", trilith.OpContains, id(n)) }
	held := []trilith.State{trilith.StateCandidate, trilith.StateQuarantined}
	contested := []string{string(trilith.NeedsReview), string(trilith.Disputed)}
	return []NamedListing{
		{"entity", role.Listing{Filter: one("entity_id", 100_007)}, listedSame},
		{"entities", role.Listing{
			Filter: trilith.AllOf(fact, trilith.Where("entity_id", trilith.OpIn, []trilith.ID{id(100_007), id(100_008)}))},
			2 * listedSame},
		{"named_entity", role.Listing{Filter: one("entity_ref", 200_007)}, listedSame},
		{"source", role.Listing{Filter: one("source_id", 300_007)}, listedSame},
		{"evidence", role.Listing{Filter: rests(400_007)}, listedSame},
		{"evidence_of_several", role.Listing{Filter: trilith.Filter{Or: []trilith.Filter{rests(400_007), rests(400_008)}}},
			2 * listedSame},
		{"wordings", role.Listing{Filter: trilith.Where("superseded_by", trilith.OpEq, id(500_007))}, listedSame},
		{"session", role.Listing{Filter: trilith.Where("session", trilith.OpEq, "session 7"), Order: role.OrderSeq},
			listedSame},
		{"session_from", role.Listing{
			Filter: trilith.AllOf(trilith.Where("session", trilith.OpEq, "session 7"),
				trilith.Where("seq", trilith.OpGte, listedSame/2)), Order: role.OrderSeq}, listedSame / 2},
		{"held", role.Listing{Filter: trilith.Where("state", trilith.OpIn, held)}, listedFacts / listedHeld},
		{"contested", role.Listing{
			Filter: trilith.AllOf(fact,
				trilith.Where("state", trilith.OpIn, []trilith.State{trilith.StateActive, trilith.StateCandidate}),
				trilith.Where("verification_status", trilith.OpIn, contested))}, listedFacts / listedHeld},
		{"newest", role.Listing{Order: role.OrderRecorded, Limit: listedSame}, listedSame},
		{"page", role.Listing{After: id(listedFacts / 2), Limit: listedSame}, listedSame},
	}
}

// listed returns one of the facts among which the named listings search.
func listed(n int) trilith.Memory {
	group := n / listedSame
	return assertion(n, func(m *trilith.Memory) {
		m.Fact.EntityID, m.Fact.Node.EntityRef, m.SourceID = id(100_000+group), id(200_000+group), id(300_000+group)
		m.Fact.Evidence = []trilith.Evidence{{EpisodeID: id(400_000 + group), Quote: "lives in Paris"}}
		m.Scope.Session, m.Seq = fmt.Sprint("session ", group), n%listedSame
		m.SupersededBy = id(500_000 + group)
		switch n % listedHeld {
		case 0:
			m.State = trilith.StateCandidate
		case 1:
			m.Fact.Verification.Status = trilith.Disputed
		}
	})
}

func (f *fixture) fillListed(tb testing.TB, facts int) {
	tb.Helper()
	for from := 0; from < facts; from += role.MaxBatch {
		var b role.Batch
		for n := from; n < min(facts, from+role.MaxBatch); n++ {
			b.Memories = append(b.Memories, listed(n))
		}
		f.commit(tb, b)
	}
}

// benchListings measures the named listings among 10,000 facts, and the ratio of each to a full listing.
func benchListings(b *testing.B, f *fixture) {
	f.fillListed(b, listedFacts)
	full := time.Duration(0)
	read := func(b *testing.B, l role.Listing, want int) {
		if ms, err := collect(f.List(context.Background(), acme, l)); err != nil || len(ms) != want {
			b.Fatalf("List = %d memories, %v; want %d, nil", len(ms), err, want)
		}
	}
	const rounds = 3
	for range rounds {
		start := time.Now()
		read(b, role.Listing{}, listedFacts)
		full += time.Since(start) / rounds
	}
	for _, l := range NamedListings() {
		b.Run(l.Name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				read(b, l.Listing, l.Finds)
			}
			b.ReportMetric(100*float64(b.Elapsed())/float64(b.N)/float64(full), "%of_all")
		})
	}
}

func testNamedListings(t *testing.T, f *fixture) {
	f.fillListed(t, role.MaxBatch)
	all, err := collect(f.List(t.Context(), acme, role.Listing{}))
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range NamedListings() {
		match, err := l.Listing.Filter.Compile()
		if err != nil {
			t.Fatal(err)
		}
		if l.Listing.Limit > 0 { // the cases of orders and pages check these
			continue
		}
		var want []trilith.ID
		for i := range all {
			if facets := role.FacetsOf(&all[i]); match(&facets) {
				want = append(want, all[i].ID)
			}
		}
		if len(want) == 0 {
			t.Errorf("%s finds nothing among the facts of the suite", l.Name)
		}
		wantEqual(t, "List of "+l.Name, f.list(t, acme, l.Listing), want)
	}
}
