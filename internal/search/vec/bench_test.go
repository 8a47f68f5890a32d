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

// BenchmarkSearch looks for the nearest ten of vectors like those of models: by the loop that one would write first, by
// looking at all in vector instructions, in a set, and in a set without vector instructions.
func BenchmarkSearch(b *testing.B) {
	sizes := []struct{ n, dims int }{{100_000, 256}, {100_000, 384}, {100_000, 768}}
	if *large {
		sizes = append(sizes, struct{ n, dims int }{1_000_000, 384})
	}
	for _, size := range sizes {
		b.Run(fmt.Sprintf("%dx%d", size.n, size.dims), func(b *testing.B) {
			d := newSample(shapes[1], size.n, size.dims, 50)
			for _, passes := range []float64{1, 0.1, 0.01, 0.001} {
				b.Run(fmt.Sprintf("%g%%", 100*passes), func(b *testing.B) {
					allow := d.allowed(passes)
					look := func(dot func(a, b []float32) float32) func(q []float32) []Scored {
						return func(q []float32) []Scored { return d.lookAtAll(dot, q, allow, 10) }
					}
					d.benchmark(b, "naive", allow, look(naiveFloatDot))
					d.benchmark(b, "f32", allow, look(Dot))
					find := func(q []float32) []Scored {
						return search(b, d.set, Probe{Vector: q, Allow: allow, K: 10, Full: d.full})
					}
					d.benchmark(b, "set", allow, find)
					d.set.kernels = &plain
					d.benchmark(b, "plain", allow, find)
					d.set.kernels = fastest
				})
			}
		})
	}
}

// BenchmarkShapes is the search of a set for every shape of vectors.
func BenchmarkShapes(b *testing.B) {
	for _, s := range shapes {
		d := newSample(s, 100_000, 384, 50)
		for _, passes := range []float64{1, 0.1} {
			allow := d.allowed(passes)
			d.benchmark(b, fmt.Sprintf("100000x384/%s/%g%%", s.name, 100*passes), allow, func(q []float32) []Scored {
				return search(b, d.set, Probe{Vector: q, Allow: allow, K: 10, Full: d.full})
			})
		}
	}
}

// BenchmarkRecall asks one question of three parts of a memory, what people have said, what the assistant has and
// facts, side by side in every chunk, for so many each as a deep recall wants, or fewer as most do, and in an order
// that bytes decide: in one search, in three, and by the loops that look at all. Rows are those that one search reads,
// some of them twice to decide.
func BenchmarkRecall(b *testing.B) {
	sizes := []int{100_000}
	if *large {
		sizes = append(sizes, 1_000_000)
	}
	for _, n := range sizes {
		const dims, k, fewer = 384, 200, 20
		d := newSample(shapes[1], n, dims, 50)
		parts := split(n, 0.45, 0.5, 0.05)
		measure := func(name string, ask func(q []float32)) {
			rows, restore := countRows(d.set)
			for _, q := range d.questions {
				ask(q)
			}
			restore()
			i := 0
			timed(b, fmt.Sprintf("%dx%d/%s", n, dims, name), func() {
				ask(d.questions[i%len(d.questions)])
				i++
			}, func(b *testing.B) {
				b.ReportMetric(float64(rows.Load())/float64(len(d.questions)), "rows")
			})
		}
		probesFor := func(q []float32, k int) (ps []Probe) {
			for _, allow := range parts {
				ps = append(ps, Probe{Vector: q, Allow: allow, K: k})
			}
			return ps
		}
		probes := func(q []float32) []Probe { return probesFor(q, k) }
		together := func(k int) func(q []float32) {
			return func(q []float32) {
				if _, err := d.set.Search(b.Context(), probesFor(q, k)...); err != nil {
					b.Fatal(err)
				}
			}
		}
		measure("together", together(k))
		measure("fewer", together(fewer))
		measure("alone", func(q []float32) {
			for _, p := range probes(q) {
				search(b, d.set, p)
			}
		})
		measure("facts", func(q []float32) { search(b, d.set, probes(q)[2]) })
		measure("all", func(q []float32) { search(b, d.set, Probe{Vector: q, K: k}) })
		measure("ten", func(q []float32) { search(b, d.set, Probe{Vector: q, K: 10}) })
		for name, dot := range map[string]func(a, b []float32) float32{"naive": naiveFloatDot, "f32": Dot} {
			measure(name, func(q []float32) {
				for _, allow := range parts {
					d.lookAtAll(dot, q, allow, k)
				}
			})
		}
		some := random(rand.New(rand.NewPCG(3, 6)), n, 200/float64(n))
		measure("named", func(q []float32) { search(b, d.set, Probe{Vector: q, Allow: some, K: 300}) })
	}
}

// BenchmarkTogether is eight questions in one search and in eight searches.
func BenchmarkTogether(b *testing.B) {
	d := newSample(shapes[1], 100_000, 384, 8)
	var ps []Probe
	for _, q := range d.questions {
		ps = append(ps, Probe{Vector: q, K: 10, Full: d.full})
	}
	timed(b, "together", func() {
		if _, err := d.set.Search(b.Context(), ps...); err != nil {
			b.Fatal(err)
		}
	})
	timed(b, "alone", func() {
		for _, p := range ps {
			search(b, d.set, p)
		}
	})
}

// allowed is the slots of a filter that lets a part pass; nil for all.
func (d *sample) allowed(passes float64) []uint64 {
	if passes == 1 {
		return nil
	}
	return random(rand.New(rand.NewPCG(3, 4)), len(d.vectors)/d.dims, passes)
}

// benchmark measures find, and its recall against looking at all.
func (d *sample) benchmark(b *testing.B, name string, allow []uint64, find func(q []float32) []Scored) {
	found, of := 0, 0
	for _, q := range d.questions {
		f, o := recall(find(q), d.exact(q, allow, 10))
		found, of = found+f, of+o
	}
	i := 0
	timed(b, name, func() {
		find(d.questions[i%len(d.questions)])
		i++
	}, func(b *testing.B) { b.ReportMetric(float64(found)/float64(of), "recall@10") })
}

// timed reports the middle of the times that f takes and the least, too: beside other work on the machine the mean says
// little.
func timed(b *testing.B, name string, f func(), more ...func(b *testing.B)) {
	b.Run(name, func(b *testing.B) {
		b.ReportAllocs()
		var took []time.Duration
		for b.Loop() {
			begin := time.Now()
			f()
			took = append(took, time.Since(begin))
		}
		slices.Sort(took)
		b.ReportMetric(float64(took[0].Microseconds()), "min-µs")
		b.ReportMetric(float64(took[len(took)/2].Microseconds()), "p50-µs")
		for _, report := range more {
			report(b)
		}
	})
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
