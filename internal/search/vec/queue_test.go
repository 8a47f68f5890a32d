package vec

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
)

// A queue gives back what is enough and was put in, once, and nearly by bounds: out of order are at most those of one
// bucket.
func TestQueue(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(8, 8))
	q := new(queue)
	for round := range 50 {
		var in, out []candidate
		for i := range r.IntN(2000) {
			c := candidate{uint32(i), float32(r.NormFloat64() / 3)}
			switch r.IntN(40) {
			case 0:
				c.score = float32(math.Inf(1))
			case 1:
				c.score *= 1e15
			}
			in = append(in, c)
			q.add(int(c.slot), c.score)
		}
		least := float32(r.NormFloat64() / 2)
		if round%5 == 0 {
			least = float32(math.Inf(-1))
		}
		for {
			some := q.take(make([]candidate, 0, 1+r.IntN(300)), least)
			if len(some) == 0 {
				break
			}
			out = append(out, some...)
		}
		for i, c := range out[min(1, len(out)):] {
			if level(c.score) > level(out[i].score) {
				t.Fatalf("after %g comes %g", out[i].score, c.score)
			}
		}
		in = slices.DeleteFunc(in, func(c candidate) bool { return c.score < least })
		slices.SortFunc(out, func(a, b candidate) int { return cmp.Compare(a.slot, b.slot) })
		if diff := gocmp.Diff(in, out, gocmp.AllowUnexported(candidate{}),
			gocmp.Transformer("nil", func(c []candidate) []candidate {
				return append([]candidate{}, c...)
			})); diff != "" {
			t.Fatalf("at least %g: -put +taken\n%s", least, diff)
		}
		q.reset()
	}
}

func TestLevelsAscend(t *testing.T) {
	t.Parallel()
	inf := float32(math.Inf(1))
	bounds := []float32{-inf, -1e30, -2, -1.0001, -1, -0.5, -1e-9, 0, 1e-9, 0.3, 0.999, 1, 1.2, 1e15,
		math.MaxFloat32, inf}
	for i, b := range bounds[1:] {
		if level(b) < level(bounds[i]) || level(b) < 0 || level(b) >= levels {
			t.Errorf("level of %g is %d, of %g it is %d", bounds[i], level(bounds[i]), b, level(b))
		}
	}
}
