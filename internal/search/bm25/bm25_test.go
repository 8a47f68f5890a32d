package bm25

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

func ascending(a, b uint32) bool { return a < b }

// naive answers a search by the definition, from nothing but the documents.
func naive(docs map[uint32][]string, k1, b float64, query [][]string, allow []uint64, k int) Result {
	var in []uint32
	length := 0.
	for slot, terms := range docs {
		if allow == nil || has(allow, slot) {
			in = append(in, slot)
			length += float64(len(terms))
		}
	}
	n := float64(len(in))
	count := func(slot uint32, form string) float64 {
		f := 0.
		for _, t := range docs[slot] {
			if t == form {
				f++
			}
		}
		return f
	}
	var r Result
	scores := map[uint32]float64{}
	for _, forms := range query {
		best := map[uint32]float64{}
		for _, slot := range in {
			for _, form := range forms {
				if f := count(slot, form); f > 0 {
					best[slot] = max(best[slot], f*(k1+1)/(f+k1*(1-b+b*float64(len(docs[slot]))/(length/n))))
				}
			}
		}
		df := float64(len(best))
		idf := math.Log(1 + (n-df+.5)/(df+.5))
		r.Attainable += idf * (k1 + 1)
		for slot, weight := range best {
			scores[slot] += idf * weight
		}
	}
	for slot, score := range scores {
		r.Hits = append(r.Hits, Hit{slot, score})
	}
	slices.SortFunc(r.Hits, func(a, b Hit) int {
		if math.Abs(a.Score-b.Score) > 1e-9 {
			return cmp.Compare(b.Score, a.Score)
		}
		return cmp.Compare(a.Slot, b.Slot)
	})
	r.Hits = r.Hits[:min(k, len(r.Hits))]
	return r
}

// After any sequence of puts and deletes a search in any set of slots answers as if only the documents of the set
// existed.
func TestSearchEqualsDefinition(t *testing.T) {
	t.Parallel()
	words := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c", "d", "e", "f"}), 0, 8)
	rapid.Check(t, func(t *rapid.T) {
		x := New(K1, B)
		docs := map[uint32][]string{}
		for range rapid.IntRange(0, 120).Draw(t, "operations") {
			slot := rapid.Uint32Range(0, 90).Draw(t, "slot")
			if rapid.IntRange(0, 2).Draw(t, "delete") == 0 {
				x.Delete(slot)
				delete(docs, slot)
			} else {
				docs[slot] = words.Draw(t, "terms")
				x.Put(slot, docs[slot])
			}
		}
		if x.Len() != len(docs) {
			t.Fatalf("Len() = %d, want %d", x.Len(), len(docs))
		}
		for range 3 {
			var allow []uint64
			if rapid.Bool().Draw(t, "confined") {
				allow = rapid.SliceOfN(rapid.Uint64(), 0, 3).Draw(t, "allow")
			}
			names := rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"a", "b", "c", "d", "e", "f", "unknown"}), 0, 6,
				rapid.ID[string]).Draw(t, "query")
			var query [][]string
			for len(names) > 0 {
				forms := rapid.IntRange(1, min(3, len(names))).Draw(t, "forms")
				query = append(query, names[:forms])
				names = names[forms:]
			}
			k := rapid.IntRange(0, 100).Draw(t, "k")
			got, all := x.Search(Words(query), allow, k, ascending), naive(docs, K1, B, query, allow, len(docs))
			want := all
			want.Hits = want.Hits[:min(k, len(want.Hits))]
			// Equal sums may differ in their last bits by the order of adding, and then are in another order: the
			// scores must be those of the definition, rank by rank and slot by slot.
			if diff := gocmp.Diff(scoresOf(want), scoresOf(got), cmpopts.EquateEmpty(),
				cmpopts.EquateApprox(0, 1e-9)); diff != "" {
				t.Fatalf("Search(%q, %x, %d) of %v: scores -want +got\n%s", query, allow, k, docs, diff)
			}
			for _, h := range got.Hits {
				i := slices.IndexFunc(all.Hits, func(w Hit) bool { return w.Slot == h.Slot })
				if i < 0 || math.Abs(all.Hits[i].Score-h.Score) > 1e-9 {
					t.Fatalf("Search(%q, %x, %d) of %v: slot %d has the score %v, want that of %+v", query, allow, k,
						docs, h.Slot, h.Score, all.Hits)
				}
			}
		}
	})
}

// scoresOf is what a result says without whom it is about.
func scoresOf(r Result) []float64 {
	out := []float64{r.Attainable}
	for _, h := range r.Hits {
		out = append(out, h.Score)
	}
	return out
}

func TestWithoutSaturation(t *testing.T) {
	t.Parallel()
	x := New(0, 0)
	x.Put(0, []string{"a", "a", "a", "b"})
	x.Put(1, []string{"a"})
	x.Put(2, nil)
	r := x.Search(Words([][]string{{"a"}, {"b"}}), nil, 10, ascending)
	idf := func(df float64) float64 { return math.Log(1 + (3-df+.5)/(df+.5)) }
	want := Result{Hits: []Hit{{0, idf(2) + idf(1)}, {1, idf(2)}}, Attainable: idf(2) + idf(1), Weight: idf(2) + idf(1)}
	if diff := gocmp.Diff(want, r, cmpopts.EquateApprox(0, 1e-12)); diff != "" {
		t.Errorf("New(0, 0).Search: -want +got\n%s", diff)
	}
}

func TestTies(t *testing.T) {
	t.Parallel()
	x := New(K1, B)
	for slot := range uint32(20) {
		x.Put(slot, []string{"same"})
	}
	descending := func(a, b uint32) bool { return a > b }
	var got []uint32
	for _, h := range x.Search(Words([][]string{{"same"}}), nil, 3, descending).Hits {
		got = append(got, h.Slot)
	}
	if want := []uint32{19, 18, 17}; !slices.Equal(got, want) {
		t.Errorf("Search among equals, before = descending, k = 3: %v, want %v", got, want)
	}
}

// A slot used more often than there are lives forgets its earlier ones.
func TestLivesWrapAround(t *testing.T) {
	t.Parallel()
	x := New(K1, B)
	for slot := range uint32(200) {
		x.Put(slot, []string{"common"})
	}
	for range 1 << 16 {
		x.Put(7, []string{"other"})
	}
	if got := x.Search(Words([][]string{{"common"}}), nil, 300, ascending).Hits; len(got) != 199 {
		t.Errorf("Search(common) after 65536 lives of a slot that no longer holds it: %d hits, want 199", len(got))
	}
}

// Postings of deleted documents do not pile up.
func TestSpaceIsGivenBack(t *testing.T) {
	t.Parallel()
	x := New(K1, B)
	for i := range 20_000 {
		x.Put(uint32(i%100), []string{"common", fmt.Sprintf("rare%d", i)})
	}
	if common := x.terms[x.numbers["common"]]; common.all > 2*100+sweepSlack+1 || len(common.list) > 8*int(common.all) {
		t.Errorf("100 documents, put 200 times each, have %d postings of their common term, %d bytes", common.all,
			len(common.list))
	}
	if n := len(x.numbers); n != 101 {
		t.Errorf("100 documents with one term of their own and one in common have %d terms in the dictionary, want 101",
			n)
	}
	for slot := range uint32(100) {
		x.Delete(slot)
	}
	if x.Len() != 0 || len(x.numbers) != 0 || x.length != 0 {
		t.Errorf("after deleting everything: %d documents, %d terms, length %d, want 0", x.Len(),
			len(x.numbers), x.length)
	}
}

// zipf returns n documents of 22 words and a hundred queries of 4 words, as frequent as words of a language are.
func zipf(n int) (docs [][]string, queries [][][]string) {
	r := rand.New(rand.NewPCG(1, 2))
	words := rand.NewZipf(r, 1.1, 4, 29_999)
	vocabulary := make([]string, 30_000)
	for i := range vocabulary {
		vocabulary[i] = fmt.Sprintf("word%d", i)
	}
	docs = make([][]string, n)
	for i := range docs {
		for range 22 {
			docs[i] = append(docs[i], vocabulary[words.Uint64()])
		}
	}
	queries = make([][][]string, 100)
	for i := range queries {
		for range 4 {
			queries[i] = append(queries[i], []string{vocabulary[r.IntN(2000)]})
		}
	}
	return docs, queries
}

var sizes = []int{10_000, 100_000}

func BenchmarkPut(b *testing.B) {
	for _, n := range sizes {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			docs, _ := zipf(n)
			b.ReportAllocs()
			for b.Loop() {
				var before, after runtime.MemStats
				runtime.GC()
				runtime.ReadMemStats(&before)
				x := New(K1, B)
				for slot, terms := range docs {
					x.Put(uint32(slot), terms)
				}
				runtime.GC()
				runtime.ReadMemStats(&after)
				b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/float64(n), "heapB/doc")
				runtime.KeepAlive(x)
			}
			b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds(), "docs/s")
		})
	}
}

func BenchmarkReplace(b *testing.B) {
	for _, n := range sizes {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			docs, _ := zipf(n)
			x := New(K1, B)
			for slot, terms := range docs {
				x.Put(uint32(slot), terms)
			}
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				x.Put(uint32(i*7919%n), docs[i%n])
			}
		})
	}
}

func BenchmarkSearch(b *testing.B) {
	for _, n := range sizes {
		docs, queries := zipf(n)
		x := New(K1, B)
		for slot, terms := range docs {
			x.Put(uint32(slot), terms)
		}
		tenth := make([]uint64, n/64+1)
		for slot := 3; slot < n; slot += 10 {
			tenth[slot/64] |= 1 << (slot % 64)
		}
		for _, c := range []struct {
			name  string
			allow []uint64
		}{{"all", nil}, {"tenth", tenth}} {
			b.Run(fmt.Sprintf("%s_%d", c.name, n), func(b *testing.B) {
				b.ReportAllocs()
				for i := 0; b.Loop(); i++ {
					x.Search(Words(queries[i%len(queries)]), c.allow, 10, ascending)
				}
			})
		}
	}
}
