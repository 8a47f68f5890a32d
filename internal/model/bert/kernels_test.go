package bert

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// near reports whether two results of the same sums differ only by rounding, relative to the size of the summands.
func near(got, want, size float64) bool { return math.Abs(got-want) <= 2e-6*(1+size) }

func randomFloats(r *rand.Rand, n int, spread float64) []float32 {
	x := make([]float32, n)
	for i := range x {
		x[i] = float32(spread * r.NormFloat64())
	}
	return x
}

// matrices are drawn from a seed: rows, inputs and outputs too.
func randomMatrix(seed uint64) (r *rand.Rand, rows, in, out int, weights, bias, a []float32) {
	r = rand.New(rand.NewPCG(seed, 7))
	rows, in, out = 1+r.IntN(20), lanes*(1+r.IntN(6)), lanes*(1+r.IntN(3))
	spread := math.Exp(2 * r.NormFloat64())
	weights, bias, a = randomFloats(r, in*out, spread), randomFloats(r, out, 1), randomFloats(r, rows*in, 1)
	if r.IntN(2) == 0 { // as after GELU: on one side of zero
		for i := range a {
			a[i] = max(a[i], -0.1)
		}
	}
	if r.IntN(4) == 0 {
		clear(a[:in])
		clear(weights[:in])
	}
	return r, rows, in, out, weights, bias, a
}

// workspaceFor has room for the rows of a matrix.
func workspaceFor(in, rows int) *Workspace {
	const slack = 8
	return &Workspace{quantized: make([]uint8, (rows+slack)*in), quantizations: make([]quantization, rows+slack)}
}

// padded gives a matrix the rows that a tile may reach beyond.
func padded(x []float32, columns int) []float32 {
	return append(slices.Clone(x), make([]float32, 8*columns)...)
}

func checkFloatProduct(t *testing.T, seed uint64) {
	t.Helper()
	_, rows, in, out, weights, bias, a := randomMatrix(seed)
	for _, k := range available() {
		c := make([]float32, (rows+8)*out)
		newFloatMatrix(&k.float, in, out, weights, bias).apply(nil, c, padded(a, in), rows)
		for i := range rows {
			for o := range out {
				want, size := float64(bias[o]), math.Abs(float64(bias[o]))
				for j := range in {
					p := float64(a[i*in+j]) * float64(weights[o*in+j])
					want, size = want+p, size+math.Abs(p)
				}
				if got := float64(c[i*out+o]); !near(got, want, size) {
					t.Fatalf("seed %d, %s: %d×%d·%d: [%d,%d] = %g, want %g", seed, k.float.name, rows, in, out,
						i, o, got, want)
				}
			}
		}
	}
}

func checkInt8Product(t *testing.T, seed uint64) {
	t.Helper()
	_, rows, in, out, weights, bias, a := randomMatrix(seed)
	var reference []float32
	for _, k := range available() {
		c, w := make([]float32, (rows+8)*out), workspaceFor(in, rows)
		k.vectors = plain.vectors // rounding is looked at elsewhere
		newInt8Matrix(&k, in, out, weights, bias).apply(w, c, padded(a, in), rows)
		if reference == nil {
			reference = c
		}
		for i := range rows * out {
			if got, want := float64(c[i]), float64(reference[i]); !near(got, want, math.Abs(want)) {
				t.Fatalf("seed %d, %s: %d×%d·%d: [%d,%d] = %g, in Go %g", seed, k.int8.name, rows, in, out, i/out,
					i%out, got, want)
			}
		}
	}
	for i := range rows {
		for o := range out {
			// A step of either side, times the other, is what rounding may cost.
			stepA, stepW := greatestOf(a[i*in:(i+1)*in])/120, greatestOf(weights[o*in:(o+1)*in])/60
			var exact, most float64
			for j := range in {
				x, y := float64(a[i*in+j]), float64(weights[o*in+j])
				exact, most = exact+x*y, most+math.Abs(x)*stepW+math.Abs(y)*stepA
			}
			if got := float64(reference[i*out+o] - bias[o]); math.Abs(got-exact) > most+1e-4 {
				t.Fatalf("seed %d: %d×%d·%d: [%d,%d] = %g, exactly %g", seed, rows, in, out, i, o, got, exact)
			}
		}
	}
}

func greatestOf(x []float32) float64 { return float64(max(slices.Max(x), -slices.Min(x))) }

func checkVectors(t *testing.T, seed uint64) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 8))
	n := 8 * (1 + r.IntN(60))
	x := randomFloats(r, n, math.Exp(1.5*r.NormFloat64()))
	y, scale, shift := randomFloats(r, n, 1), randomFloats(r, n, 1), randomFloats(r, n, 1)
	switch r.IntN(6) {
	case 0:
		clear(x)
	case 1:
		x[r.IntN(n)] = -math.MaxFloat32 // what fills up a row of attention
	case 2:
		x[r.IntN(n)] = 1e4
	}
	compare := func(what, name string, got, want []float32, size float64) {
		t.Helper()
		for i := range want {
			if !near(float64(got[i]), float64(want[i]), size*math.Abs(float64(want[i]))) {
				t.Fatalf("seed %d: %s of %d by %s: [%d] = %g, in Go %g", seed, what, n, name, i, got[i], want[i])
			}
		}
	}
	for _, k := range available()[1:] {
		v := k.vectors
		got, want := slices.Clone(x), slices.Clone(x)
		v.gelu(got)
		gelu(want)
		compare("gelu", v.name, got, want, 1)

		got, want = slices.Clone(x), slices.Clone(x)
		v.softmax(got)
		softmax(want)
		compare("softmax", v.name, got, want, 1)

		if greatestOf(x) < 1e6 {
			got, want = slices.Clone(x), slices.Clone(x)
			v.addNorm(got, y, scale, shift, 1e-12)
			addNorm(want, y, scale, shift, 1e-12)
			compare("addNorm", v.name, got, want, 10)

			p, q := make([]uint8, n), make([]uint8, n)
			a, b := v.quantize(p, x), quantize(q, x)
			if a != b || !slices.Equal(p, q) {
				t.Fatalf("seed %d: quantize of %v by %s:\n%v %v, in Go\n%v %v", seed, x, v.name, a, p, b, q)
			}
		}
	}
}

func TestKernels(t *testing.T) {
	t.Parallel()
	for seed := range uint64(100) {
		checkFloatProduct(t, seed)
		checkInt8Product(t, seed)
		checkVectors(t, seed)
	}
}

// FuzzKernels compares what this processor computes with the plain loops.
func FuzzKernels(f *testing.F) {
	f.Add(uint64(1000))
	f.Fuzz(func(t *testing.T, seed uint64) {
		checkFloatProduct(t, seed)
		checkInt8Product(t, seed)
		checkVectors(t, seed)
	})
}

// AVX2 adds two products up in 16 bits: the greatest that may meet there have to fit.
func TestNeighboursDoNotOverflow(t *testing.T) {
	t.Parallel()
	const in, out = 64, lanes
	weights, a := make([]float32, in*out), make([]float32, in)
	for i := range weights {
		weights[i] = 1
	}
	for i := range a {
		a[i] = 1
	}
	a[0] = 0
	for _, k := range available() {
		c := make([]float32, 9*out)
		newInt8Matrix(&k, in, out, weights, make([]float32, out)).apply(workspaceFor(in, 1), c, padded(a, in), 1)
		if got := float64(c[0]); math.Abs(got-(in-1)) > 0.01*in {
			t.Errorf("%s: the sum of %d ones is %g", k.int8.name, in-1, got)
		}
	}
}
