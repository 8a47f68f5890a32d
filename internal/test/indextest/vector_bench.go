package indextest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
)

// BenchVector measures an index at several sizes: writing, and searching all points, a hundredth of them, and one
// user's.
func BenchVector(b *testing.B, h VectorHarness) {
	const dims = 256
	g := gen("bench", dims)
	s := trilith.Scope{Tenant: "ana"}
	r := rand.New(rand.NewPCG(1, 1))
	b.Run(fmt.Sprintf("Apply/100x%d", dims), func(b *testing.B) {
		x := openVector(b, h)
		ps := benchPoints(r, 100, dims)
		b.ReportAllocs()
		for b.Loop() {
			if err := x.Apply(b.Context(), g, ps); err != nil {
				b.Fatal(err)
			}
		}
	})
	for _, n := range []int{1000, 10_000, 100_000} {
		x := openVector(b, h)
		ps := benchPoints(r, n, dims)
		for len(ps) > 0 {
			batch := ps[:min(1000, len(ps))]
			if err := x.Apply(b.Context(), g, batch); err != nil {
				b.Fatal(err)
			}
			ps = ps[len(batch):]
		}
		user := s
		user.User = "u7"
		for _, c := range []struct {
			name   string
			scope  trilith.Scope
			filter trilith.Filter
		}{
			{"All", s, trilith.Filter{}},
			{"Active", s, trilith.Where("state", trilith.OpEq, trilith.StateActive)},
			{"Hundredth", s, trilith.Where("seq", trilith.OpEq, 7)},
			{"User", user, trilith.Filter{}},
		} {
			b.Run(fmt.Sprintf("Search%s/%dx%d", c.name, n, dims), func(b *testing.B) {
				p := role.VectorProbe{Vector: benchVector(r, dims), K: 100, Filter: c.filter}
				b.ReportAllocs()
				for b.Loop() {
					if _, err := x.Search(b.Context(), c.scope, g, p); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

func benchPoints(r *rand.Rand, n, dims int) []role.Point {
	ps := make([]role.Point, n)
	for i := range ps {
		ps[i] = point("ana", i, 1, benchVector(r, dims))
		ps[i].Facets.Scope.User = fmt.Sprint("u", i/10%100)
		ps[i].Facets.Seq = i % 100
		if i%10 == 0 {
			ps[i].Facets.State = trilith.StateSuperseded
		}
	}
	return ps
}

func benchVector(r *rand.Rand, dims int) trilith.Vector {
	v := make(trilith.Vector, dims)
	var sum float64
	for i := range v {
		x := r.NormFloat64()
		v[i] = float32(x)
		sum += x * x
	}
	for i := range v {
		v[i] /= float32(math.Sqrt(sum))
	}
	return v
}
