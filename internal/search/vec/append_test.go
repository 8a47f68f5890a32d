package vec

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A set that was put together answers as one that was filled.
func TestAppend(t *testing.T) {
	t.Parallel()
	const n, dims = 3000, 70
	r := rand.New(rand.NewPCG(1, 9))
	rows := make([][]byte, n)
	for i := range rows {
		rows[i] = AppendRow(nil, unit(r, dims))
	}
	for _, part := range []int{100, chunkSlots, 2 * chunkSlots, 5000} {
		one, whole := NewSet(dims), NewSet(dims)
		for first := 0; first < n; first += part {
			some := NewSet(dims)
			for i := first; i < min(first+part, n); i++ {
				if i%7 == 0 {
					continue
				}
				if one.PutRow(i, rows[i]) != nil || some.PutRow(i-first, rows[i]) != nil {
					t.Fatal("a row is refused")
				}
			}
			whole.Append(first, some)
			if b := some.Bytes(); b > 1024 {
				t.Errorf("a set that was taken over still has %d bytes", b)
			}
		}
		for i := range n {
			if !bytes.Equal(one.AppendRowOf(nil, i), whole.AppendRowOf(nil, i)) {
				t.Fatalf("parts of %d: slot %d holds another row", part, i)
			}
		}
		probe := Probe{Vector: unit(r, dims), K: 20}
		want, err := one.Search(t.Context(), probe)
		if err != nil {
			t.Fatal(err)
		}
		got, err := whole.Search(t.Context(), probe)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("parts of %d: it finds others (-one +together):\n%s", part, diff)
		}
	}
}
