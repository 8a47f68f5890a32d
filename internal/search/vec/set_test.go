package vec

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"math/bits"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

func search(t testing.TB, s *Set, p Probe) []Scored {
	t.Helper()
	got, err := s.Search(t.Context(), p)
	if err != nil {
		t.Fatalf("Search: %v", err)
	}
	return got[0]
}

// eachKernels runs f with a set for each of the kernels of this processor.
func eachKernels(t *testing.T, dims int, f func(t *testing.T, s *Set)) {
	for _, k := range available() {
		t.Run(k.name, func(t *testing.T) {
			s := NewSet(dims)
			s.kernels = &k
			f(t, s)
		})
	}
}

// TestRecall compares searches of vectors of every shape, with any part of them allowed, with reading all.
func TestRecall(t *testing.T) {
	t.Parallel()
	const n, dims, k = 20_000, 128, 10
	for _, s := range shapes {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			d := newSample(s, n, dims, 40)
			found, of := 0, 0
			for _, passes := range []float64{1, 0.5, 0.1, 0.01, 0.001} {
				allow := random(rand.New(rand.NewPCG(3, 4)), n, passes)
				for _, q := range d.questions {
					got := search(t, d.set, Probe{Vector: q, Allow: allow, K: k, Full: d.full})
					f, o := recall(got, d.exact(q, allow, k))
					found, of = found+f, of+o
				}
			}
			least := 0.99
			if s.structured {
				least = 0.999
			}
			if r := float64(found) / float64(of); r < least {
				t.Errorf("recall@%d is %.4f, want at least %.3f", k, r, least)
			}
		})
	}
}

// Without Full the bytes of the rows decide: recall is a little less, and scores are a little off.
func TestRecallOfRows(t *testing.T) {
	t.Parallel()
	d := newSample(shapes[1], 20_000, 384, 40)
	found, of := 0, 0
	for _, q := range d.questions {
		got := search(t, d.set, Probe{Vector: q, K: 10})
		for _, c := range got {
			if want := Dot(q, d.vector(c.Slot)); math.Abs(float64(c.Score-want)) > 0.005 {
				t.Errorf("score of slot %d = %g, exactly %g", c.Slot, c.Score, want)
			}
		}
		f, o := recall(got, d.exact(q, nil, 10))
		found, of = found+f, of+o
	}
	if r := float64(found) / float64(of); r < 0.98 {
		t.Errorf("recall@10 without full vectors is %.4f, want at least 0.98", r)
	}
}

// filled slots of a model of a set: what each holds, nil for nothing.
type model [][]float32

func (m model) nearest(p Probe) []Scored {
	var all []Scored
	for slot, v := range m {
		if v != nil && (p.Allow == nil || slot/64 < len(p.Allow) && p.Allow[slot/64]>>(slot%64)&1 == 1) {
			all = append(all, Scored{slot, Dot(p.Vector, v)})
		}
	}
	slices.SortFunc(all, func(a, b Scored) int {
		if a.Score > b.Score || a.Score == b.Score && p.Before(a.Slot, b.Slot) {
			return -1
		}
		return 1
	})
	return all[:min(p.K, len(all))]
}

// checkModel puts, overwrites and removes vectors in any order and searches as a model does that looks at all. Slots
// are multiples of stride. Few kinds of vectors make ties the rule; the order among them is a permutation that has
// nothing to do with slots.
func checkModel(t interface{ Fatalf(string, ...any) }, k *kernels, seed uint64, dims, slots, stride, kinds int) {
	r := rand.New(rand.NewPCG(seed, 4))
	vs := make([][]float32, kinds)
	for i := range vs {
		vs[i] = unit(r, dims)
	}
	s, m := NewSet(dims), make(model, slots*stride)
	s.kernels = k
	for range 3 * slots {
		slot := r.IntN(slots) * stride
		switch v := vs[r.IntN(kinds)]; r.IntN(8) {
		case 0:
			s.Remove(slot)
			m[slot] = nil
		case 1:
			if err := s.PutRow(slot, AppendRow(nil, v)); err != nil {
				t.Fatalf("PutRow: %v", err)
			}
			m[slot] = v
		default:
			s.Put(slot, v)
			m[slot] = v
		}
	}
	rank := r.Perm(len(m))
	full := func(slots []int, yield func(int, []float32)) error {
		for _, slot := range slots {
			yield(slot, m[slot])
		}
		return nil
	}
	for _, passes := range []float64{1, 0.3, 0.03} {
		p := Probe{Vector: unit(r, dims), K: 1 + r.IntN(60),
			Before: func(a, b int) bool { return rank[a] < rank[b] }, Full: full}
		if passes < 1 {
			p.Allow = random(r, 1+r.IntN(len(m)+100), passes)
		}
		got, err := s.Search(context.Background(), p)
		if err != nil {
			t.Fatalf("Search: %v", err)
		}
		if diff := cmp.Diff(m.nearest(p), got[0], cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("%s: Search(%d slots of %d dimensions, %g pass, k %d): -want +got\n%s", k.name, slots, dims,
				passes, p.K, diff)
		}
	}
	for slot, v := range m {
		var want []byte
		if v != nil {
			want = AppendRow(nil, v)
		}
		if got := s.AppendRowOf(nil, slot); !bytes.Equal(got, want) {
			t.Fatalf("AppendRowOf(%d) = %v, want %v", slot, got, want)
		}
	}
}

// Sets without codes find what is nearest and nothing else.
func TestSetEqualsModel(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		all := available()
		checkModel(t, &all[rapid.IntRange(0, len(all)-1).Draw(t, "kernels")], rapid.Uint64().Draw(t, "seed"),
			rapid.IntRange(2, 200).Draw(t, "dims"), rapid.IntRange(1, codedFrom/3).Draw(t, "slots"),
			rapid.SampledFrom([]int{1, 37, chunkSlots / 10}).Draw(t, "stride"), rapid.IntRange(1, 40).Draw(t, "kinds"))
	})
}

// Sets with codes nearly always find all: what they miss, they miss on every machine, so these tests never fail by
// chance.
func TestCodedSetEqualsModel(t *testing.T) {
	t.Parallel()
	for _, k := range available() {
		for seed, dims := range []int{2, 30, 64, 100, 384} {
			checkModel(t, &k, uint64(seed), dims, 2*chunkSlots+100, 1, 30)
			checkModel(t, &k, uint64(seed), dims, 2*chunkSlots+100, 1, 2000)
		}
	}
}

// Results depend neither on the processor, nor on how many of its cores take part, nor on other questions: be it of
// other vectors, or with the same one of other parts of the set, of overlapping ones, of a few slots, for more or for
// fewer.
func TestSearchIsTheSameEverywhere(t *testing.T) {
	const n, dims = 60*chunkSlots + 17, 384
	d := newSample(shapes[7], n, dims, 4)
	r := rand.New(rand.NewPCG(5, 5))
	most := random(r, n, 0.6)
	rest := make([]uint64, len(most))
	for i, word := range most {
		rest[i] = ^word
	}
	var ps []Probe
	for i, q := range d.questions {
		ps = append(ps,
			Probe{Vector: q, K: 20},
			Probe{Vector: q, Allow: most, K: 100},
			Probe{Vector: slices.Clone(q), Allow: rest, K: 30},
			Probe{Vector: q, Allow: random(r, n, 0.4), K: 1 + 50*i},
			Probe{Vector: q, Allow: random(r, n, 0.031), K: 40}, // about as many of a chunk as are scored one by one
			Probe{Vector: q, Allow: random(r, n, 0.002), K: 500},
			Probe{Vector: q, Allow: rest, K: 0},
			Probe{Vector: q, Allow: most[:100], K: 7, Before: func(a, b int) bool { return a > b }})
	}
	var want [][]Scored
	for _, p := range ps {
		want = append(want, search(t, d.set, p))
	}
	for _, k := range available() {
		d.set.kernels = &k
		for _, cores := range []int{1, 4} {
			before := runtime.GOMAXPROCS(cores)
			got, err := d.set.Search(t.Context(), ps...)
			runtime.GOMAXPROCS(before)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s on %d cores: -alone +together\n%s", k.name, cores, diff)
			}
		}
	}
}

// If three parts of a set are searched for the same question, hardly more rows are read than have bounds that reach
// the last result.
func TestSearchReadsFewRows(t *testing.T) {
	t.Parallel()
	const n, k = 60 * chunkSlots, 50
	d := newSample(shapes[1], n, 128, 5)
	parts := split(n, 0.45, 0.45, 0.1)
	for _, q := range d.questions {
		var ps []Probe
		for _, allow := range parts {
			ps = append(ps, Probe{Vector: q, Allow: allow, K: k})
		}
		rows, restore := countRows(d.set)
		found, err := d.set.Search(t.Context(), ps...)
		restore()
		if err != nil {
			t.Fatal(err)
		}
		needed, decided := 0, 0
		for i, p := range ps {
			needed += d.set.reach(t, p, found[i][k-1].Score)
			decided += 2 * (k + k/spareShare + spare) // at most, by both parts of the question
		}
		if got := int(rows.Load()); got > needed*5/4+decided {
			t.Errorf("Search read %d rows, %d have bounds that reach, and up to %d were read to decide", got,
				needed, decided)
		}
	}
}

// reach returns how many of the slots that a probe allows have bounds of at least so much.
func (s *Set) reach(t *testing.T, p Probe, least float32) (n int) {
	t.Helper()
	all, _, err := s.ask([]Probe{p})
	if err != nil {
		t.Fatal(err)
	}
	w := newWorker(0)
	for i, c := range s.chunks {
		var slots slotSet
		slots.allowed(c, i, p.Allow)
		along := w.bound(s.kernels, c, nil, all[0], &slots)
		s.kernels.above(w.bounds[:], least-along, slots[:])
		for _, word := range slots {
			n += bits.OnesCount64(word)
		}
	}
	return n
}

// Of a chunk that no probe allows nothing is read, and of no chunk twice.
func TestPlans(t *testing.T) {
	t.Parallel()
	const dims = 64
	s := NewSet(dims)
	v := unit(rand.New(rand.NewPCG(13, 1)), dims)
	for i := range 6 * chunkSlots {
		if i/chunkSlots != 2 { // a chunk without vectors
			s.Put(i, v)
		}
	}
	allow := make([]uint64, 6*chunkWords-1)
	allow[1] = 7                  // a few of the first: no codes
	allow[3*chunkWords] = 1 << 40 // one of the fourth, and many
	allow[3*chunkWords+5] = math.MaxUint64
	allow[len(allow)-1] = math.MaxUint64 // of the last, whose end is not allowed
	allow[2*chunkWords] = math.MaxUint64
	few := make([]uint64, 5*chunkWords)
	few[4*chunkWords+2] = 1
	type planned struct {
		First         int
		Coded         bool
		Slots, Slots2 int
	}
	asked, _, err := s.ask([]Probe{{Vector: v, K: 1, Allow: allow}, {Vector: v, K: 1, Allow: few}})
	if err != nil {
		t.Fatal(err)
	}
	count := func(s *slotSet) (n int) {
		for _, word := range s {
			n += bits.OnesCount64(word)
		}
		return n
	}
	var got []planned
	var next atomic.Int64
	var p plan
	for p.make(s, asked, &next); p.chunk != nil; p.make(s, asked, &next) {
		got = append(got, planned{p.first / chunkSlots, p.coded, count(&p.shares[0].slots), count(&p.shares[1].slots)})
		if c := p.codes(); (c != nil) != p.coded {
			t.Errorf("chunk %d: codes are needed: %t", p.first/chunkSlots, c != nil)
		}
	}
	want := []planned{{0, false, 3, 0}, {3, true, 65, 0}, {4, false, 0, 1}, {5, true, 64, 0}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("chunks that are searched: -want +got\n%s", diff)
	}
}

func TestSearchesShareASet(t *testing.T) {
	t.Parallel()
	d := newSample(shapes[1], 12*chunkSlots, 64, 8)
	var wg sync.WaitGroup
	for _, q := range d.questions {
		want := search(t, d.set, Probe{Vector: q, K: 5})
		wg.Go(func() {
			got, err := d.set.Search(t.Context(), Probe{Vector: q, K: 5})
			if diff := cmp.Diff(want, got[0]); err != nil || diff != "" {
				t.Errorf("Search: %v, -alone +beside others\n%s", err, diff)
			}
		})
	}
	wg.Wait()
}

func TestSearchBounds(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(6, 6))
	s, full := NewSet(4), NewSet(4)
	for i := range 70 {
		full.Put(3*i, unit(r, 4))
	}
	for _, c := range []struct {
		name  string
		s     *Set
		allow []uint64
		k     int
		want  int
	}{
		{"empty set", s, nil, 3, 0},
		{"k of zero", full, nil, 0, 0},
		{"negative k", full, nil, -1, 0},
		{"k past the end", full, nil, math.MaxInt, 70},
		{"nothing allowed", full, []uint64{}, 3, 0},
		{"only empty slots allowed", full, []uint64{2}, 3, 0},
		{"allowed shorter than the set", full, []uint64{^uint64(0)}, 100, 22},
		{"allowed longer than the set", full, slices.Repeat([]uint64{^uint64(0)}, 100), 100, 70},
	} {
		if got := search(t, c.s, Probe{Vector: []float32{1, 0, 0, 0}, Allow: c.allow, K: c.k}); len(got) != c.want {
			t.Errorf("%s: Search returned %d slots, want %d", c.name, len(got), c.want)
		}
	}
	if _, err := full.Search(t.Context(), Probe{Vector: []float32{1}, K: 1}); err == nil {
		t.Error("Search with a vector of another length succeeded")
	}
	none := NewSet(0)
	none.Put(0, nil)
	if got := search(t, none, Probe{K: 1}); len(got) != 1 || got[0].Score != 0 {
		t.Errorf("Search of a vector without components = %v", got)
	}
	if got, err := full.Search(t.Context()); err != nil || len(got) != 0 {
		t.Errorf("Search for nothing = %v, %v", got, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := full.Search(ctx, Probe{Vector: make([]float32, 4), K: 1}); !errors.Is(err, context.Canceled) {
		t.Errorf("Search with a context that has ended = %v", err)
	}
}

// Full may know only some of the slots, return others, return something that is no vector, or fail.
func TestFull(t *testing.T) {
	t.Parallel()
	s := NewSet(2)
	s.Put(1, []float32{1, 0})
	s.Put(2, []float32{0.8, 0.6})
	s.Put(3, []float32{0.6, 0.8})
	failed := errors.New("unreadable")
	for _, c := range []struct {
		name string
		full func(slots []int, yield func(int, []float32)) error
		want []int
		err  error
	}{
		{"none known", func([]int, func(int, []float32)) error { return nil }, []int{1, 2, 3}, nil},
		{"one known", func(_ []int, yield func(int, []float32)) error { yield(3, []float32{2, 0}); return nil },
			[]int{3, 1, 2}, nil},
		{"others told of", func(_ []int, yield func(int, []float32)) error { yield(7, []float32{9, 0}); return nil },
			[]int{1, 2, 3}, nil},
		{"not a number", func(_ []int, yield func(int, []float32)) error {
			yield(1, []float32{float32(math.NaN()), 0})
			return nil
		}, []int{2, 3, 1}, nil},
		{"failure", func([]int, func(int, []float32)) error { return failed }, nil, failed},
	} {
		got, err := s.Search(t.Context(), Probe{Vector: []float32{1, 0}, K: 3, Full: c.full})
		if !errors.Is(err, c.err) {
			t.Errorf("%s: error %v, want %v", c.name, err, c.err)
		}
		var slots []int
		for _, found := range slices.Concat(got...) {
			slots = append(slots, found.Slot)
		}
		if diff := cmp.Diff(c.want, slots); diff != "" {
			t.Errorf("%s: -want +got\n%s", c.name, diff)
		}
	}
}

func TestOddVectors(t *testing.T) {
	t.Parallel()
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	for _, dims := range []int{2, 3, 64, 65, 1000, 4096, 5000} {
		odd := [][]float32{make([]float32, dims), make([]float32, dims), make([]float32, dims), make([]float32, dims),
			make([]float32, dims)}
		odd[1][0], odd[2][1], odd[3][1], odd[4][0] = nan, inf, math.MaxFloat32, math.SmallestNonzeroFloat32
		eachKernels(t, dims, func(t *testing.T, s *Set) {
			r := rand.New(rand.NewPCG(7, 7))
			for i := range codedFrom + 100 {
				s.Put(i, odd[i%len(odd)])
			}
			v := unit(r, dims)
			s.Put(3, v)
			if got := search(t, s, Probe{Vector: v, K: 1}); got[0].Slot != 3 ||
				math.Abs(float64(got[0].Score-1)) > 0.02 {
				t.Errorf("%d dimensions: nearest of a vector among zeros is %v, want slot 3 with 1", dims, got)
			}
			for i, q := range odd {
				for _, c := range search(t, s, Probe{Vector: q, K: 5}) {
					if math.Abs(float64(c.Score)) > 1e-6 {
						t.Errorf("%d dimensions: odd vector %d has the score %g with slot %d, want 0", dims, i,
							c.Score, c.Slot)
					}
				}
			}
		})
	}
}

// A row of today has to mean the same tomorrow, on any machine.
func TestRowFormat(t *testing.T) {
	t.Parallel()
	got := map[int]string{}
	for _, dims := range []int{2, 64, 100, 384, 768} {
		r := rand.New(rand.NewPCG(8, uint64(dims)))
		var rows []byte
		for range 20 {
			v := make([]float32, dims)
			for i := range v {
				v[i] = float32(r.IntN(2001)-1000) / 32768 // the same on every machine, too
			}
			rows = AppendRow(rows, v)
		}
		got[dims] = fmt.Sprintf("%08x", crc32.ChecksumIEEE(rows))
	}
	want := map[int]string{2: "4a6442b4", 64: "a8959b37", 100: "351f06b5", 384: "6a4d0cf4", 768: "de99f81b"}
	if diff := cmp.Diff(want, got); RowFormat != 1 || diff != "" {
		t.Errorf("rows have changed: raise RowFormat, or undo it. Checksums by dimensions: -want +got\n%s", diff)
	}
}

func TestRowsKeepInnerProducts(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(9, 9))
	for _, dims := range []int{2, 50, 64, 100, 384, 1536, 4096} {
		s := NewSet(dims)
		a, b := unit(r, dims), unit(r, dims)
		s.Put(0, a)
		want := Dot(a, b)
		if got := search(t, s, Probe{Vector: b, K: 1})[0].Score; math.Abs(float64(got-want)) > 0.01 {
			t.Errorf("%d dimensions: the product is %g, exactly %g", dims, got, want)
		}
		if got, want := len(AppendRow(nil, a)), RowBytes(dims); got != want {
			t.Errorf("%d dimensions: AppendRow has written %d bytes, RowBytes says %d", dims, got, want)
		}
	}
}

func TestPutRowRejectsNonsense(t *testing.T) {
	t.Parallel()
	row := AppendRow(nil, unit(rand.New(rand.NewPCG(10, 1)), 10))
	changed := func(at int, b ...byte) []byte {
		c := slices.Clone(row)
		copy(c[at:], b)
		return c
	}
	for name, bad := range map[string][]byte{
		"empty":               {},
		"short":               row[:len(row)-1],
		"long":                append(slices.Clone(row), zeroLevel),
		"of other dimensions": AppendRow(nil, make([]float32, 100)),
		"negative step":       changed(3, row[3]|0x80),
		"infinite step":       changed(0, 0, 0, 0x80, 0x7f),
		"step not a number":   changed(0, 0, 0, 0xc0, 0x7f),
		"huge step":           changed(0, 0, 0, 0, 0x60),
		"no step":             changed(0, 0, 0, 0, 0),
		"level out of range":  changed(20, 0),
		"step too large":      append(slices.Clone(row[:4]), bytes.Repeat([]byte{zeroLevel + 1}, 64)...),
	} {
		s := NewSet(10)
		if err := s.PutRow(0, bad); err == nil {
			t.Errorf("PutRow of a row that is %s succeeded", name)
		}
		if got := s.AppendRowOf(nil, 0); got != nil {
			t.Errorf("after PutRow of a row that is %s slot 0 holds %v", name, got)
		}
	}
}

// FuzzPutRow takes rows that anybody might have written.
func FuzzPutRow(f *testing.F) {
	f.Add(AppendRow(nil, []float32{0.6, 0.8}))
	f.Add(AppendRow(nil, []float32{0, 0}))
	f.Add(make([]byte, RowBytes(2)))
	f.Fuzz(func(t *testing.T, row []byte) {
		s := NewSet(2)
		if s.PutRow(5, row) != nil {
			return
		}
		if got := s.AppendRowOf(nil, 5); !bytes.Equal(got, row) {
			t.Errorf("AppendRowOf = %v after PutRow of %v", got, row)
		}
		if got := search(t, s, Probe{Vector: []float32{0.6, 0.8}, K: 2}); len(got) != 1 ||
			!(math.Abs(float64(got[0].Score)) < 3) {
			t.Errorf("Search after PutRow of %v = %v", row, got)
		}
	})
}

// A removed vector lies nowhere any more, and an empty set holds nothing.
func TestRemove(t *testing.T) {
	t.Parallel()
	const dims = 64
	r := rand.New(rand.NewPCG(11, 1))
	s := NewSet(dims)
	s.Remove(0)
	s.Remove(-1)
	for i := range chunkSlots {
		s.Put(i, unit(r, dims))
	}
	s.Remove(37)
	s.Remove(37)
	c := s.chunks[0]
	code, shift := c.code(37)
	var signs uint8
	for g := range dims / groupDims {
		signs |= code[g*groupBytes] >> shift & 15
	}
	if signs != 0 || c.gain[37] != 0 || c.shift[37] != 0 || c.steps[37] != 0 || slices.Max(c.row(37)) != 0 {
		t.Errorf("slot 37 was removed, and its code or its row is still there")
	}
	if got := s.AppendRowOf(nil, 37); got != nil {
		t.Errorf("AppendRowOf of a removed slot = %v", got)
	}
	if got := search(t, s, Probe{Vector: unit(r, dims), K: chunkSlots}); len(got) != chunkSlots-1 {
		t.Errorf("Search found %d slots, want all but the removed one", len(got))
	}
	for i := range chunkSlots {
		s.Remove(i)
	}
	if got := s.Bytes(); got > 100 {
		t.Errorf("a set whose slots are all empty holds %d bytes", got)
	}
}

func TestBytes(t *testing.T) {
	t.Parallel()
	const dims = 384
	v := unit(rand.New(rand.NewPCG(12, 1)), dims)
	s := NewSet(dims)
	for i := range 10 * chunkSlots {
		s.Put(i, v)
		if i == 9 {
			if got := s.Bytes(); got > int64(64*RowBytes(dims)) {
				t.Errorf("10 vectors take %d bytes", got)
			}
		}
	}
	// A byte and a bit for each component, the step of the row, two numbers of its code.
	if got, most := s.Bytes()/(10*chunkSlots), int64(dims+dims/8+4+8+2); got > most {
		t.Errorf("a vector takes %d bytes, want at most %d", got, most)
	}
}

// allocations is the least of several measurements: what else runs in the process allocates too, and under the race
// detector a pool drops some of what is put into it.
func allocations(f func()) float64 {
	least := testing.AllocsPerRun(20, f)
	for range 4 {
		least = min(least, testing.AllocsPerRun(20, f))
	}
	return least
}

func TestAllocations(t *testing.T) {
	d := newSample(shapes[1], 8*chunkSlots, 64, 1)
	p := Probe{Vector: d.questions[0], K: 10, Full: d.full}
	if got := allocations(func() { search(t, d.set, p) }); got > 20 {
		t.Errorf("Search of %d vectors allocates %v times, want a handful", 8*chunkSlots, got)
	}
	row := AppendRow(nil, d.vector(0))
	if got := allocations(func() { d.set.Put(3, d.vector(1)) }); got > 1 {
		t.Errorf("Put allocates %v times", got)
	}
	if got := allocations(func() { row = d.set.AppendRowOf(row[:0], 3) }); got > 0 {
		t.Errorf("AppendRowOf allocates %v times", got)
	}
}
