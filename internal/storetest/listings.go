package storetest

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/cairn-memory/cairn"
)

// NamedListing is one of the listings that [cairn.Store.List] promises to answer without reading the tenant.
type NamedListing struct {
	Name    string
	Listing cairn.Listing
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
	fact := cairn.Where("kind", cairn.OpEq, cairn.KindFact)
	one := func(field string, n int) cairn.Filter {
		return cairn.AllOf(fact, cairn.Where(field, cairn.OpEq, id(n)))
	}
	rests := func(n int) cairn.Filter { return cairn.Where("evidence", cairn.OpContains, id(n)) }
	held := []cairn.State{cairn.StateCandidate, cairn.StateQuarantined}
	contested := []string{string(cairn.NeedsReview), string(cairn.Disputed)}
	return []NamedListing{
		{"entity", cairn.Listing{Filter: one("entity_id", 100_007)}, listedSame},
		{"entities", cairn.Listing{
			Filter: cairn.AllOf(fact, cairn.Where("entity_id", cairn.OpIn, []cairn.ID{id(100_007), id(100_008)}))},
			2 * listedSame},
		{"named_entity", cairn.Listing{Filter: one("entity_ref", 200_007)}, listedSame},
		{"source", cairn.Listing{Filter: one("source_id", 300_007)}, listedSame},
		{"evidence", cairn.Listing{Filter: rests(400_007)}, listedSame},
		{"evidence_of_several", cairn.Listing{Filter: cairn.Filter{Or: []cairn.Filter{rests(400_007), rests(400_008)}}},
			2 * listedSame},
		{"wordings", cairn.Listing{Filter: cairn.Where("superseded_by", cairn.OpEq, id(500_007))}, listedSame},
		{"session", cairn.Listing{Filter: cairn.Where("session", cairn.OpEq, "session 7"), Order: cairn.OrderSeq},
			listedSame},
		{"session_from", cairn.Listing{
			Filter: cairn.AllOf(cairn.Where("session", cairn.OpEq, "session 7"),
				cairn.Where("seq", cairn.OpGte, listedSame/2)), Order: cairn.OrderSeq}, listedSame / 2},
		{"held", cairn.Listing{Filter: cairn.Where("state", cairn.OpIn, held)}, listedFacts / listedHeld},
		{"contested", cairn.Listing{
			Filter: cairn.AllOf(fact,
				cairn.Where("state", cairn.OpIn, []cairn.State{cairn.StateActive, cairn.StateCandidate}),
				cairn.Where("verification_status", cairn.OpIn, contested))}, listedFacts / listedHeld},
		{"newest", cairn.Listing{Order: cairn.OrderRecorded, Limit: listedSame}, listedSame},
		{"page", cairn.Listing{After: id(listedFacts / 2), Limit: listedSame}, listedSame},
	}
}

// listed returns one of the facts among which the named listings search.
func listed(n int) cairn.Memory {
	group := n / listedSame
	return assertion(n, func(m *cairn.Memory) {
		m.Fact.EntityID, m.Fact.Node.EntityRef, m.SourceID = id(100_000+group), id(200_000+group), id(300_000+group)
		m.Fact.Evidence = []cairn.Evidence{{EpisodeID: id(400_000 + group), Quote: "lives in Paris"}}
		m.Scope.Session, m.Seq = fmt.Sprint("session ", group), n%listedSame
		m.SupersededBy = id(500_000 + group)
		switch n % listedHeld {
		case 0:
			m.State = cairn.StateCandidate
		case 1:
			m.Fact.Verification.Status = cairn.Disputed
		}
	})
}

func (f *fixture) fillListed(tb testing.TB, facts int) {
	tb.Helper()
	for from := 0; from < facts; from += cairn.MaxBatch {
		var b cairn.Batch
		for n := from; n < min(facts, from+cairn.MaxBatch); n++ {
			b.Memories = append(b.Memories, listed(n))
		}
		f.commit(tb, b)
	}
}

// benchListings measures the named listings among 10,000 facts, and the ratio of each to a full listing.
func benchListings(b *testing.B, f *fixture) {
	f.fillListed(b, listedFacts)
	full := time.Duration(0)
	read := func(b *testing.B, l cairn.Listing, want int) {
		if ms, err := collect(f.List(context.Background(), acme, l)); err != nil || len(ms) != want {
			b.Fatalf("List = %d memories, %v; want %d, nil", len(ms), err, want)
		}
	}
	const rounds = 3
	for range rounds {
		start := time.Now()
		read(b, cairn.Listing{}, listedFacts)
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
	f.fillListed(t, cairn.MaxBatch)
	all, err := collect(f.List(t.Context(), acme, cairn.Listing{}))
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
		var want []cairn.ID
		for i := range all {
			if facets := cairn.FacetsOf(&all[i]); match(&facets) {
				want = append(want, all[i].ID)
			}
		}
		if len(want) == 0 {
			t.Errorf("%s finds nothing among the facts of the suite", l.Name)
		}
		wantEqual(t, "List of "+l.Name, f.list(t, acme, l.Listing), want)
	}
}
