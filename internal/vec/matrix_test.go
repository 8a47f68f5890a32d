package vec

import (
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

func filled(seed uint64, rows, dims int) *Matrix {
	r := rand.New(rand.NewPCG(seed, 1))
	m := New(dims)
	for range rows {
		m.Append(unit(r, dims))
	}
	return m
}

// naiveTopK scores every allowed row with [Dot] and sorts them all.
func naiveTopK(m *Matrix, query []float32, allow []uint64, k int, before func(a, b int) bool) []Scored {
	var all []Scored
	for slot := range m.Len() {
		if allow == nil || slot/64 < len(allow) && allow[slot/64]>>(slot%64)&1 == 1 {
			all = append(all, Scored{slot, Dot(query, m.Row(slot))})
		}
	}
	slices.SortFunc(all, func(a, b Scored) int {
		switch {
		case a.Score > b.Score, a.Score == b.Score && before(a.Slot, b.Slot):
			return -1
		}
		return 1
	})
	return all[:min(k, len(all))]
}

func TestMatrix(t *testing.T) {
	t.Parallel()
	m := New(3)
	for i := range 3 * blockRows {
		if got := m.Append([]float32{float32(i), 1, 2}); got != i {
			t.Fatalf("Append number %d = slot %d", i, got)
		}
	}
	m.Replace(blockRows, []float32{7, 8, 9})
	m.Zero(blockRows + 1)
	for slot, want := range map[int][]float32{
		0: {0, 1, 2}, blockRows - 1: {blockRows - 1, 1, 2}, blockRows: {7, 8, 9}, blockRows + 1: {0, 0, 0},
		3*blockRows - 1: {3*blockRows - 1, 1, 2},
	} {
		if diff := cmp.Diff(want, m.Row(slot)); diff != "" {
			t.Errorf("Row(%d): -want +got\n%s", slot, diff)
		}
	}
	if m.Len() != 3*blockRows || m.Dims() != 3 {
		t.Errorf("Len, Dims = %d, %d, want %d, 3", m.Len(), m.Dims(), 3*blockRows)
	}
}

func TestTopKBounds(t *testing.T) {
	t.Parallel()
	m := filled(3, 70, 4)
	query := m.Row(5)
	for _, c := range []struct {
		name  string
		m     *Matrix
		allow []uint64
		k     int
		want  int
	}{
		{"empty matrix", New(4), nil, 3, 0},
		{"k of zero", m, nil, 0, 0},
		{"negative k", m, nil, -1, 0},
		{"k past the end", m, nil, 100, 70},
		{"nothing allowed", m, []uint64{}, 3, 0},
		{"set shorter than the matrix", m, []uint64{^uint64(0)}, 100, 64},
		{"set longer than the matrix", m, []uint64{0, ^uint64(0), ^uint64(0)}, 100, 6},
	} {
		if got := TopK(c.m, query, c.allow, c.k, nil); len(got) != c.want {
			t.Errorf("%s: TopK returned %d slots, want %d", c.name, len(got), c.want)
		}
	}
}

// Few distinct rows make ties the rule; the order among them is a permutation that has nothing to do with slots.
func TestTopKEqualsSorting(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		rows := rapid.IntRange(0, 2*blockRows+70).Draw(t, "rows")
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 4))
		kinds := make([][]float32, rapid.IntRange(1, 40).Draw(t, "kinds"))
		for i := range kinds {
			kinds[i] = unit(r, 5)
		}
		m := New(5)
		for range rows {
			m.Append(kinds[r.IntN(len(kinds))])
		}
		var allow []uint64
		if rapid.Bool().Draw(t, "filtered") {
			allow = make([]uint64, rows/64+1)
			for i := range allow {
				allow[i] = r.Uint64() & r.Uint64()
			}
		}
		rank := r.Perm(rows + 1)
		before := func(a, b int) bool { return rank[a] < rank[b] }
		k := rapid.IntRange(1, 60).Draw(t, "k")
		query := unit(r, 5)
		got, want := TopK(m, query, allow, k, before), naiveTopK(m, query, allow, k, before)
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("TopK(%d rows, k %d): -want +got\n%s", rows, k, diff)
		}
	})
}

func TestTopKParallelEqualsSerial(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	m := filled(5, parallelRows+3*blockRows+17, 8)
	for slot := range m.Len() / 2 { // ties across blocks
		m.Replace(m.Len()-1-slot, m.Row(slot))
	}
	before := func(a, b int) bool { return a > b }
	allow := make([]uint64, m.Len()/64+1)
	for i := range allow {
		allow[i] = ^uint64(0) << (i % 3)
	}
	for _, set := range [][]uint64{nil, allow} {
		query := m.Row(17)
		got, want := TopK(m, query, set, 50, before), naiveTopK(m, query, set, 50, before)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("TopK of %d rows (filtered %t): -want +got\n%s", m.Len(), set != nil, diff)
		}
	}
}

func TestTopKAllocatesPerSearch(t *testing.T) {
	m := filled(6, 5000, 16)
	query := m.Row(0)
	if got := testing.AllocsPerRun(20, func() { TopK(m, query, nil, 10, nil) }); got > 8 {
		t.Errorf("TopK of 5000 rows allocates %v times, want a handful", got)
	}
}

var sizes = []struct {
	name       string
	rows, dims int
}{{"10000x256", 10_000, 256}, {"10000x384", 10_000, 384}, {"100000x256", 100_000, 256}, {"100000x384", 100_000, 384}}

func BenchmarkTopK(b *testing.B) {
	for _, s := range sizes {
		b.Run(s.name, func(b *testing.B) {
			m := filled(7, s.rows, s.dims)
			query := unit(rand.New(rand.NewPCG(8, 8)), s.dims)
			b.SetBytes(int64(4 * s.rows * s.dims))
			b.ReportAllocs()
			for b.Loop() {
				TopK(m, query, nil, 10, nil)
			}
		})
	}
}

func BenchmarkTopKFiltered(b *testing.B) {
	m := filled(7, 100_000, 256)
	query := unit(rand.New(rand.NewPCG(8, 8)), 256)
	allow := make([]uint64, m.Len()/64+1)
	for slot := 0; slot < m.Len(); slot += 100 {
		allow[slot/64] |= 1 << (slot % 64)
	}
	b.Run("1%of100000x256", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			TopK(m, query, allow, 10, nil)
		}
	})
}
