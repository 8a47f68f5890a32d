package embedded_test

import (
	"math"
	"testing"

	"github.com/cairn-memory/cairn"
	"github.com/cairn-memory/cairn/internal/embedded"
	"github.com/cairn-memory/cairn/internal/indextest"
	"github.com/cairn-memory/cairn/internal/inmem"
)

// What quantised vectors find of structured data is what all vectors find, whatever scope and filter let through.
func TestVectorRecall(t *testing.T) {
	t.Parallel()
	const n, questions, k = 4000, 20, 10
	c := newClustered(4)
	x, exact := embedded.NewVector(newBlobs()), inmem.NewVector()
	ps := make([]cairn.Point, n)
	for i := range ps {
		ps[i] = c.point(i)
	}
	for _, index := range []cairn.VectorIndex{x, exact} {
		if err := index.Apply(t.Context(), wide, ps); err != nil {
			t.Fatal(err)
		}
	}
	for name, s := range map[string]struct {
		scope  cairn.Scope
		filter cairn.Filter
	}{
		"all":         {},
		"a tenth":     {scope: cairn.Scope{Project: "p3"}},
		"a hundredth": {scope: cairn.Scope{User: "u7"}},
		"an entity":   {filter: cairn.Where("entity_id", cairn.OpEq, cairn.DeriveID("entity", "7"))},
		"no facts":    {filter: cairn.Where("kind", cairn.OpNe, cairn.KindFact)},
		"by sequence": {filter: cairn.Where("seq", cairn.OpLt, 5)},
	} {
		s.scope.Tenant = "ana"
		found, of := 0, 0
		for range questions {
			probe := cairn.VectorProbe{Vector: c.vector(), K: k, Filter: s.filter}
			want := map[cairn.ID]float64{}
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
					if math.Abs(score-b.Score) > 1e-5 {
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
