package vec

import (
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSetFindsWhatIsNearest(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 1))
	for _, dims := range []int{2, 65, 384} {
		s := NewSet(dims)
		vs := make([][]float32, 300)
		for i := range vs {
			vs[i] = unit(r, dims)
			s.Put(i, vs[i])
		}
		got, err := s.Search(t.Context(), Probe{Vector: vs[17], K: 3, Full: func(slots []int, yield func(int, []float32)) error {
			for _, slot := range slots {
				yield(slot, vs[slot])
			}
			return nil
		}})
		if err != nil || len(got) != 1 || len(got[0]) != 3 || got[0][0].Slot != 17 {
			t.Errorf("%d dimensions: Search = %v, %v, want slot 17 first of three", dims, got, err)
		}
		row := s.AppendRowOf(nil, 17)
		if diff := cmp.Diff(AppendRow(nil, vs[17]), row); diff != "" {
			t.Errorf("%d dimensions: AppendRowOf: -want +got\n%s", dims, diff)
		}
		if err := NewSet(dims).PutRow(3, row); err != nil {
			t.Errorf("%d dimensions: PutRow: %v", dims, err)
		}
	}
}
