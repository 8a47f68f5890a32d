package bm25_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/trilith-memory/trilith/internal/search/bm25"
)

// BenchmarkFilteredSearch searches for a rare word among half of the documents: what a search costs before it scores
// anything.
func BenchmarkFilteredSearch(b *testing.B) {
	for _, n := range []int{100_000, 1_000_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			random := rand.New(rand.NewPCG(1, 2))
			x := bm25.New(bm25.K1, bm25.B)
			allow := make([]uint64, (n+63)/64)
			for i := range allow {
				allow[i] = random.Uint64()
			}
			for slot := range uint32(n) {
				x.Put(slot, []string{fmt.Sprint(slot % 5000), "a", "b"}[:1+random.IntN(3)])
			}
			b.ReportAllocs()
			for b.Loop() {
				if r := x.Search(bm25.Words([][]string{{"7"}}), allow, 10,
					func(a, b uint32) bool { return a < b }); len(r.Hits) == 0 {
					b.Fatal("nothing is found")
				}
			}
		})
	}
}
