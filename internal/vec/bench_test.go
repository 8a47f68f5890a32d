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
