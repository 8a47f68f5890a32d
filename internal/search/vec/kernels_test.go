package vec

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func checkDot(t *testing.T, seed uint64) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 1))
	a, b := make([]float32, r.IntN(300)), make([]float32, 300)
	var want, size float64
	for i := range b {
		b[i] = float32(r.NormFloat64())
	}
	for i := range a {
		a[i] = float32(r.NormFloat64())
		want, size = want+float64(a[i])*float64(b[i]), size+math.Abs(float64(a[i])*float64(b[i]))
	}
	for _, k := range available() {
		if got := float64(k.dot(a, b[:len(a)])); math.Abs(got-want) > 1e-6*(1+size) {
			t.Errorf("seed %d: %s: dot of %d components = %g, want %g", seed, k.name, len(a), got, want)
		}
	}
}

func checkDots(t *testing.T, seed uint64) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 2))
	q := make([]int8, lanes*(1+r.IntN(8)))
	stock := make([]uint8, len(q)*(1+r.IntN(40)))
	rows := make([][]uint8, r.IntN(20))
	extremes := r.IntN(4) == 0 // whose products must not overflow
	for i := range q {
		q[i] = int8(r.IntN(2*maxLevel+1) - maxLevel)
		if extremes {
			q[i] = maxLevel
		}
	}
	for i := range stock {
		stock[i] = uint8(r.Uint32())
		if extremes {
			stock[i] = math.MaxUint8
		}
	}
	want := make([]int32, len(rows))
	for i := range rows {
		rows[i] = stock[r.IntN(len(stock)/len(q))*len(q):][:len(q)]
		for j, x := range q {
			want[i] += int32(x) * int32(rows[i][j])
		}
	}
	for _, k := range available() {
		got := make([]int32, len(rows))
		k.dots(q, rows, got)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("seed %d: %s: dots of %d rows of %d: -want +got\n%s", seed, k.name, len(rows), len(q), diff)
		}
	}
}

func checkScan(t *testing.T, seed uint64) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 3))
	table := make([]uint8, lanes/groupDims*groupBytes*(1+r.IntN(64)))
	blocks := r.IntN(5)
	codes := make([]uint8, blocks*len(table))
	s := &lookup{step: r.Float32(), base: r.Float32() - 20}
	for i := range table {
		table[i] = uint8(r.IntN(maxEntry + 1))
		if seed%5 == 0 {
			table[i] = maxEntry
		}
	}
	for i := range codes {
		codes[i] = uint8(r.Uint32())
	}
	gain, shift := make([]float32, blocks*blockSlots), make([]float32, blocks*blockSlots)
	for i := range gain {
		gain[i], shift[i] = r.Float32()/20, r.Float32()-0.5
	}
	if blocks > 0 && seed%2 == 0 { // what is fetched for later makes no difference
		s.codes, s.numbers = &codes[0], &gain[0]
	}
	var want []float32
	for _, k := range available() {
		got := make([]float32, blocks*blockSlots)
		k.scan(s, table, codes, gain, shift, got)
		if k.name == plain.name {
			want = got
			continue
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("seed %d: %s: scan of %d blocks: -in Go +got\n%s", seed, k.name, blocks, diff)
		}
	}
	// One code after the other, as the layout is described.
	for i := range want {
		var sum float64
		for g := range len(table) / groupBytes {
			c := codes[i/blockSlots*len(table)+g*groupBytes+i%16]
			sum += float64(table[g*groupBytes+int(c>>(i%32/16*4)&15)])
		}
		x := float64(gain[i])*(float64(s.step)*sum+float64(s.base)) + float64(shift[i])
		if math.Abs(x-float64(want[i])) > 1e-5*(1+sum*float64(gain[i])) {
			t.Errorf("seed %d: scan of slot %d = %g, want %g", seed, i, want[i], x)
		}
	}
}

func checkAbove(t *testing.T, seed uint64) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 4))
	words := make([]uint64, r.IntN(20))
	bounds := make([]float32, 64*len(words))
	few := []float32{-1, 0, 0.5, 0.75, float32(math.Inf(1)), float32(math.Inf(-1)), float32(math.NaN())}
	least := few[r.IntN(len(few))]
	for i := range bounds {
		if bounds[i] = r.Float32(); seed%2 == 0 {
			bounds[i] = few[r.IntN(len(few))]
		}
	}
	want := make([]uint64, len(words))
	for j := range words {
		words[j] = r.Uint64()
		for i := range 64 {
			if bounds[64*j+i] >= least {
				want[j] |= words[j] & (1 << i)
			}
		}
	}
	for _, k := range available() {
		got := slices.Clone(words)
		k.above(bounds, least, got)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("seed %d: %s: above %g: -want +got\n%s", seed, k.name, least, diff)
		}
	}
}

// checkProduct wants the same bits from all kernels: results must not depend on the processor.
func checkProduct(t *testing.T, seed uint64) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 5))
	a, b := make([]float32, 8*r.IntN(100)), make([]float32, 800)
	for i := range b {
		b[i] = float32(r.NormFloat64())
	}
	for i := range a {
		a[i] = float32(r.NormFloat64())
	}
	want := dot(a, b[:len(a)])
	for _, k := range available() {
		if got := k.product(a, b[:len(a)]); got != want {
			t.Errorf("seed %d: %s: product of %d components = %g, in Go it is %g", seed, k.name, len(a), got, want)
		}
	}
}

func TestKernels(t *testing.T) {
	t.Parallel()
	for seed := range uint64(200) {
		checkDot(t, seed)
		checkDots(t, seed)
		checkScan(t, seed)
		checkAbove(t, seed)
		checkProduct(t, seed)
	}
}

func fuzzSeeds(f *testing.F, check func(t *testing.T, seed uint64)) {
	f.Add(uint64(1000))
	f.Fuzz(check)
}

// The targets below compare what this processor computes with the plain loops.

func FuzzDot(f *testing.F)  { fuzzSeeds(f, checkDot) }
func FuzzDots(f *testing.F) { fuzzSeeds(f, checkDots) }
func FuzzScan(f *testing.F) { fuzzSeeds(f, checkScan) }

func FuzzAbove(f *testing.F)   { fuzzSeeds(f, checkAbove) }
func FuzzProduct(f *testing.F) { fuzzSeeds(f, checkProduct) }

func TestFastestIsTheLastAvailable(t *testing.T) {
	t.Parallel()
	all := available()
	if i := slices.IndexFunc(all, func(k kernels) bool { return k.name == fastest.name }); i != len(all)-1 {
		t.Errorf("fastest kernels are %q, available %d", fastest.name, len(all))
	}
}

func naiveDot(a, b []float32) (sum float64) {
	for i := range a {
		sum += float64(a[i]) * float64(b[i])
	}
	return sum
}

func TestDot(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	for dims := range 70 {
		a, b := unit(r, dims), unit(r, dims)
		if got, want := Dot(a, b), naiveDot(a, b); math.Abs(float64(got)-want) > 1e-6 {
			t.Errorf("Dot of %d dimensions = %v, want %v", dims, got, want)
		}
	}
	if got := Dot([]float32{1, 2, 3}, []float32{4}); got != 4 {
		t.Errorf("Dot over the common length = %v, want 4", got)
	}
}
