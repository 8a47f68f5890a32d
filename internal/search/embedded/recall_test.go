package embedded_test

import (
	"errors"
	"math"
	"testing"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/search/embedded"
	"github.com/trilith-memory/trilith/internal/test/indextest"
)

// Quantised vectors find the same in structured data as all vectors, for every scope and filter.
func TestVectorRecall(t *testing.T) {
	t.Parallel()
	const n, questions, k = 4000, 20, 10
	c := newClustered(4)
	x, exact := embedded.NewVector(newBlobs()), indextest.NewVector()
	ps := make([]role.Point, n)
	for i := range ps {
		ps[i] = c.point(i)
	}
	for _, index := range []role.VectorIndex{x, exact} {
		if err := index.Apply(t.Context(), wide, ps); err != nil {
			t.Fatal(err)
		}
	}
	for name, s := range map[string]struct {
		scope  trilith.Scope
		filter trilith.Filter
	}{
		"all":         {},
		"a tenth":     {scope: trilith.Scope{Project: "p3"}},
		"a hundredth": {scope: trilith.Scope{User: "u7"}},
		"an entity":   {filter: trilith.Where("entity_id", trilith.OpEq, trilith.DeriveID("entity", "7"))},
		"no facts":    {filter: trilith.Where("kind", trilith.OpNe, trilith.KindFact)},
		"by sequence": {filter: trilith.Where("seq", trilith.OpLt, 5)},
	} {
		s.scope.Tenant = "ana"
		found, of := 0, 0
		for range questions {
			probe := role.VectorProbe{Vector: c.vector(), K: k, Filter: s.filter}
			want := map[trilith.ID]float64{}
			best, err := indextest.First(exact.Search(t.Context(), s.scope, wide, probe))
			if err != nil {
				t.Fatal(err)
			}
			for _, b := range best {
				want[b.ID] = b.Score
			}
			got, err := indextest.First(x.Search(t.Context(), s.scope, wide, probe))
			if err != nil || len(got) != len(best) {
				t.Fatalf("%s: Search = %d candidates, %v; want %d", name, len(got), err, len(best))
			}
			for _, b := range got {
				if score, ok := want[b.ID]; ok {
					found++
					if math.Abs(score-b.Score) > 2e-4 { // rows hold a component in 12.5 bits
						t.Errorf("%s: the score of %s is %v, want %v", name, b.ID, b.Score, score)
					}
				}
			}
			of += len(best)
		}
		if recall := float64(found) / float64(of); recall < 0.99 {
			t.Errorf("%s: recall %.3f, want 0.99", name, recall)
		}
	}
}

// A recall, which asks for many of each part of a memory and then how near is what words have found, is answered from
// memory and is right to a thousandth; a few nearest are read, and told exactly.
func TestVectorRecallReadsNoRows(t *testing.T) {
	t.Parallel()
	const n = 3000
	c, b, exact := newClustered(6), newBlobs(), indextest.NewVector()
	x := embedded.NewVector(b)
	ps := make([]role.Point, n)
	for i := range ps {
		ps[i] = c.point(i)
	}
	if err := errors.Join(x.Apply(t.Context(), wide, ps), exact.Apply(t.Context(), wide, ps)); err != nil {
		t.Fatal(err)
	}
	b.failing(errors.New("nothing can be read"))
	ana, v := trilith.Scope{Tenant: "ana"}, c.vector()
	some := make([]trilith.ID, 10)
	for i := range some {
		some[i] = ps[77*i].Facets.ID
	}
	probes := []role.VectorProbe{
		{Vector: v, K: 100, Filter: trilith.Where("kind", trilith.OpNe, trilith.KindFact)},
		{Vector: v, K: 100, Filter: trilith.Where("kind", trilith.OpEq, trilith.KindFact)},
		{Vector: v, K: len(some), IDs: some},
	}
	got, err := x.Search(t.Context(), ana, wide, probes...)
	if err != nil {
		t.Fatalf("Search() = %v", err)
	}
	for i, p := range probes {
		p.K = role.MaxCandidates
		want, err := indextest.First(exact.Search(t.Context(), ana, wide, p))
		if err != nil {
			t.Fatal(err)
		}
		scores := map[trilith.ID]float64{}
		for _, c := range want {
			scores[c.ID] = c.Score
		}
		found := 0
		for j, c := range got[i] {
			score, ok := scores[c.ID]
			if j > 0 && got[i][j-1].Score < c.Score || !ok || math.Abs(score-c.Score) > 0.003 {
				t.Errorf("probe %d: place %d has %s with %v, its cosine is %v", i, j, c.ID, c.Score, score)
			}
			if j < len(want) && score >= want[min(len(got[i]), len(want))-1].Score {
				found++
			}
		}
		if len(got[i]) != probes[i].K || float64(found) < 0.97*float64(len(got[i])) {
			t.Errorf("probe %d: %d candidates, %d of them among as many nearest; want %d and nearly all", i,
				len(got[i]), found, probes[i].K)
		}
	}
	few := role.VectorProbe{Vector: v, K: role.ExactCandidates}
	if _, err := x.Search(t.Context(), ana, wide, few); err == nil {
		t.Error("a few nearest were told without reading them")
	}
}
