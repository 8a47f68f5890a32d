package bm25_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/trilith-memory/trilith/internal/search/bm25"
)

// An index gathered from lists answers as the one that the documents were put into, to the last bit.
func TestGather(t *testing.T) {
	t.Parallel()
	for seed := range uint64(20) {
		x := bm25.New(bm25.K1, bm25.B)
		var lengths []bm25.Posting
		terms := map[string][]bm25.Posting{"w3": {{Slot: 4_000_000, Count: 1}}} // of no document
		random := rand.New(rand.NewPCG(seed, 1))
		for slot := range uint32(200) {
			if random.IntN(4) == 0 {
				continue
			}
			var doc []string
			counts := map[string]uint32{}
			for range random.IntN(12) {
				doc = append(doc, fmt.Sprintf("w%d", random.IntN(40)))
				counts[doc[len(doc)-1]]++
			}
			x.Put(slot, doc)
			lengths = append(lengths, bm25.Posting{Slot: slot, Count: uint32(len(doc))})
			for term, n := range counts {
				terms[term] = append(terms[term], bm25.Posting{Slot: slot, Count: n})
			}
		}
		if diff := cmp.Diff(findAll(x), findAll(bm25.Gather(bm25.K1, bm25.B, lengths, terms))); diff != "" {
			t.Fatalf("seed %d: -put +gathered\n%s", seed, diff)
		}
	}
}

// A search for ties returns the best and everything that scores as much as the last of them.
func TestSearchTied(t *testing.T) {
	t.Parallel()
	ascending := func(a, b uint32) bool { return a < b }
	for seed := range uint64(20) {
		x := grown(seed, 200)
		for _, query := range [][][]string{{{"w1"}}, {{"w1"}, {"w2", "w3"}}, {{"unknown"}}} {
			all := x.Search(bm25.Words(query), nil, 200, ascending)
			for _, k := range []int{0, 1, 5, 50, 300} {
				want := all
				want.Hits = all.Hits[:min(k, len(all.Hits))]
				for n := len(want.Hits); n > 0 && n < len(all.Hits) &&
					all.Hits[n].Score == want.Hits[len(want.Hits)-1].Score; n++ {
					want.Hits = all.Hits[:n+1]
				}
				if diff := cmp.Diff(want, x.SearchTied(bm25.Words(query), nil, k)); diff != "" {
					t.Fatalf("seed %d: SearchTied(%v, %d): -want +got\n%s", seed, query, k, diff)
				}
			}
		}
	}
}

// BenchmarkGather is what a search costs whose postings lie elsewhere: 100,000 documents, of which terms are held by
// most, some and few.
func BenchmarkGather(b *testing.B) {
	var lengths []bm25.Posting
	terms := map[string][]bm25.Posting{}
	random := rand.New(rand.NewPCG(1, 1))
	for slot := range uint32(100_000) {
		lengths = append(lengths, bm25.Posting{Slot: slot, Count: uint32(12 + random.IntN(20))})
		for i, one := range []int{2, 5, 30, 200, 1000} {
			if random.IntN(one) == 0 {
				terms[fmt.Sprint("w", i)] = append(terms[fmt.Sprint("w", i)], bm25.Posting{Slot: slot, Count: 1})
			}
		}
	}
	query := [][]string{{"w0"}, {"w1"}, {"w2"}, {"w3"}, {"w4"}}
	b.ReportAllocs()
	for b.Loop() {
		bm25.Gather(bm25.K1, bm25.B, lengths, terms).SearchTied(bm25.Words(query), nil, 200)
	}
}

// Lists come back as they were packed, and of nonsense something ends.
func TestPostings(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		slots := rapid.SliceOfDistinct(rapid.Uint32(), rapid.ID[uint32]).Draw(t, "slots")
		slices.Sort(slots)
		var want []bm25.Posting
		for _, slot := range slots {
			want = append(want, bm25.Posting{Slot: slot, Count: rapid.Uint32().Draw(t, "count")})
		}
		data := string(bm25.AppendPostings(nil, want))
		if got := slices.Collect(bm25.Postings(data)); !slices.Equal(got, want) {
			t.Fatalf("Postings(AppendPostings(%v)) = %v", want, got)
		}
		nonsense := rapid.String().Draw(t, "nonsense")
		if got := slices.Collect(bm25.Postings(nonsense)); len(got) > len(nonsense) {
			t.Fatalf("Postings(%q) = %v", nonsense, got)
		}
	})
}
