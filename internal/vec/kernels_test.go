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
	s := &lookup{step: r.Float32(), base: r.Float32() - 20, least: r.Float32() * 30}
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
	type result struct {
		Out    []float32
		Passed []uint32
	}
	var want result
	for _, k := range available() {
		got := result{make([]float32, blocks*blockSlots), make([]uint32, blocks)}
		k.scan(s, table, codes, gain, shift, got.Out, got.Passed)
		if k.name == plain.name {
			want = got
			continue
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("seed %d: %s: scan of %d blocks: -in Go +got\n%s", seed, k.name, blocks, diff)
		}
	}
	// One code after the other, as the layout is described.
	for i := range want.Out {
		var sum float64
		for g := range len(table) / groupBytes {
			c := codes[i/blockSlots*len(table)+g*groupBytes+i%16]
			sum += float64(table[g*groupBytes+int(c>>(i%32/16*4)&15)])
		}
		x := float64(gain[i])*(float64(s.step)*sum+float64(s.base)) + float64(shift[i])
		if math.Abs(x-float64(want.Out[i])) > 1e-5*(1+sum*float64(gain[i])) {
			t.Errorf("seed %d: scan of slot %d = %g, want %g", seed, i, want.Out[i], x)
		}
		if passed := want.Passed[i/32]>>(i%32)&1 == 1; passed != (want.Out[i] >= s.least) {
			t.Errorf("seed %d: scan of slot %d: %g against %g, passed: %t", seed, i, want.Out[i], s.least, passed)
		}
	}
}

func TestKernels(t *testing.T) {
	t.Parallel()
	for seed := range uint64(200) {
		checkDot(t, seed)
		checkDots(t, seed)
		checkScan(t, seed)
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
