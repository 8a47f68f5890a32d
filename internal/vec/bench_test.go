package vec

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

var large = flag.Bool("large", false, "search a million vectors, too")

func BenchmarkSearch(b *testing.B) {
	sizes := []struct{ n, dims int }{{100_000, 256}, {100_000, 384}, {100_000, 768}}
	if *large {
		sizes = append(sizes, struct{ n, dims int }{1_000_000, 384})
	}
	for _, size := range sizes {
		for _, s := range shapes {
			if s.name != "medium" && (size.n != 100_000 || size.dims != 384) {
				continue
			}
			b.Run(fmt.Sprintf("%dx%d/%s", size.n, size.dims, s.name), func(b *testing.B) {
				d := newSample(s, size.n, size.dims, 50)
				for _, passes := range []float64{1, 0.1, 0.01, 0.001} {
					b.Run(fmt.Sprintf("%g%%", 100*passes), func(b *testing.B) { benchmarkSearch(b, d, passes) })
				}
			})
		}
	}
}

func benchmarkSearch(b *testing.B, d *sample, passes float64) {
	n := len(d.vectors) / d.dims
	var allow []uint64
	if passes < 1 {
		allow = random(rand.New(rand.NewPCG(3, 4)), n, passes)
	}
	wants := make([][]Scored, len(d.questions))
	found, of := 0, 0
	for i, q := range d.questions {
		wants[i] = d.exact(q, allow, 10)
		got, err := d.set.Search(b.Context(), Probe{Vector: q, Allow: allow, K: 10, Full: d.full})
		if err != nil {
			b.Fatal(err)
		}
		f, o := recall(got[0], wants[i])
		found, of = found+f, of+o
	}
	b.ReportAllocs()
	var took []time.Duration
	i := 0
	for b.Loop() {
		begin := time.Now()
		_, err := d.set.Search(b.Context(), Probe{Vector: d.questions[i%len(d.questions)], Allow: allow, K: 10, Full: d.full})
		if err != nil {
			b.Fatal(err)
		}
		took = append(took, time.Since(begin))
		i++
	}
	slices.Sort(took) // beside other work on the machine the mean says little
	b.ReportMetric(float64(took[len(took)/2].Nanoseconds()), "p50-ns")
	b.ReportMetric(float64(found)/float64(of), "recall@10")
}

func BenchmarkPut(b *testing.B) {
	for _, dims := range []int{256, 384, 768} {
		g := newGenerator(shapes[1], dims, 50)
		const n = 8 * chunkSlots
		vs := g.draws(1, n)
		rows := make([][]byte, n)
		for i := range rows {
			rows[i] = AppendRow(nil, vs[i*dims:(i+1)*dims])
		}
		// Each pass fills a set from its beginning, so that growing and making codes are part of it.
		fill := func(name string, put func(s *Set, i int)) {
			b.Run(fmt.Sprintf("%s/%d", name, dims), func(b *testing.B) {
				b.ReportAllocs()
				var s *Set
				i := n
				for b.Loop() {
					if i == n {
						s, i = NewSet(dims), 0
					}
					put(s, i)
					i++
				}
			})
		}
		fill("vector", func(s *Set, i int) { s.Put(i, vs[i*dims:(i+1)*dims]) })
		fill("row", func(s *Set, i int) {
			if err := s.PutRow(i, rows[i]); err != nil {
				b.Fatal(err)
			}
		})
	}
}
