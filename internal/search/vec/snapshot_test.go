package vec

import (
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// stocked returns a set in which some slots are held: all of a chunk and more, few, none, and some that others lay in
// before.
func stocked(r *rand.Rand, dims int) *Set {
	s := NewSet(dims)
	put := func(from, to int, passes float64) {
		for i := from; i < to; i++ {
			if r.Float64() < passes {
				s.Put(i, unit(r, dims))
			}
		}
	}
	put(0, chunkSlots+100, 1)
	put(3*chunkSlots, 4*chunkSlots, 0.3)
	put(4*chunkSlots, 5*chunkSlots+700, 0.8)
	put(0, chunkSlots, 0.2)
	for i := range 300 {
		s.Remove(chunkSlots/2 + i)
	}
	return s
}

// A set that is written and read again answers as before, however it is cut, down to which rows are scored.
func TestRangesAreTheSet(t *testing.T) {
	t.Parallel()
	for _, dims := range []int{3, 64, 100, codedWidth + 1} {
		r := rand.New(rand.NewPCG(3, uint64(dims)))
		s, probes := stocked(r, dims), []Probe{}
		for range 5 {
			probes = append(probes, Probe{Vector: unit(r, dims), K: 50})
		}
		want, err := s.Search(t.Context(), probes...)
		if err != nil {
			t.Fatal(err)
		}
		const slots = 6 * chunkSlots
		for _, part := range []int{chunkSlots, 2 * chunkSlots, slots, 16, 700} {
			again := NewSet(dims)
			for from := 0; from < slots; from += part {
				n := min(part, slots-from)
				of, err := RestoreRange(dims, n, s.AppendRange(nil, from, from+n), nil)
				if err != nil {
					t.Fatalf("%d dimensions: RestoreRange of slots from %d to %d = %v", dims, from, from+n, err)
				}
				again.Append(from, of)
			}
			for slot := range slots {
				if !slices.Equal(s.AppendRowOf(nil, slot), again.AppendRowOf(nil, slot)) {
					t.Fatalf("%d dimensions in parts of %d: slot %d holds something else", dims, part, slot)
				}
			}
			got, err := again.Search(t.Context(), probes...)
			if err != nil {
				t.Fatal(err)
			}
			if part%chunkSlots == 0 {
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("%d dimensions in parts of %d: it finds others (-set +again):\n%s", dims, part, diff)
				}
				for i, c := range s.chunks {
					if coded := i < len(again.chunks) && again.chunks[i] != nil &&
						again.chunks[i].codes != nil; coded != (c != nil && c.codes != nil) {
						t.Errorf("%d dimensions in parts of %d: chunk %d has codes: %v", dims, part, i, coded)
					}
				}
			}
			again.Put(slots-1, unit(r, dims)) // it goes on
			again.Remove(0)
		}
	}
}

// Codes of today have to mean the same tomorrow, on any machine.
func TestRangeFormat(t *testing.T) {
	t.Parallel()
	r, s := rand.New(rand.NewPCG(8, 1)), NewSet(100)
	for i := range chunkSlots + 10 {
		v := make([]float32, 100)
		for j := range v {
			v[j] = float32(r.IntN(2001)-1000) / 32768
		}
		s.Put(i, v)
	}
	got := fmt.Sprintf("%08x", crc32.ChecksumIEEE(s.AppendRange(nil, 0, 2*chunkSlots)))
	if want := "6ba4a8f1"; RowFormat != 1 || got != want {
		t.Errorf("ranges have changed: raise RowFormat, or undo it. Checksum %s, want %s", got, want)
	}
}

// After a set was renewed, nothing is left of removed or replaced vectors: it is as if they had never been there.
func TestRenew(t *testing.T) {
	t.Parallel()
	const dims, n = 64, chunkSlots
	r := rand.New(rand.NewPCG(9, 1))
	one, other := NewSet(dims), NewSet(dims)
	for i := range n {
		v := unit(r, dims)
		one.Put(i, v)
		if i%10 < 2 { // some of it is removed below, some replaced
			other.Put(i, unit(r, dims))
		}
		if i%10 > 0 {
			other.Put(i, v)
		}
	}
	for i := 0; i < n; i += 10 {
		one.Remove(i)
		other.Remove(i)
	}
	if slices.Equal(one.AppendRange(nil, 0, n), other.AppendRange(nil, 0, n)) {
		t.Fatal("what was removed leaves no trace in a centre: this test looks for the wrong thing")
	}
	one.Renew(0, n)
	other.Renew(0, n)
	if !slices.Equal(one.AppendRange(nil, 0, n), other.AppendRange(nil, 0, n)) {
		t.Error("what was removed or replaced leaves a trace")
	}
	for _, s := range []*Set{one, other} {
		before := s.AppendRange(nil, 0, n)
		s.Renew(0, n)
		if !slices.Equal(before, s.AppendRange(nil, 0, n)) {
			t.Error("renewed again it is another set")
		}
	}
}

// FuzzRestoreRange takes ranges that anybody might have written, and searches what it has taken.
func FuzzRestoreRange(f *testing.F) {
	const dims, n = 10, 2 * chunkSlots
	s := stocked(rand.New(rand.NewPCG(3, 3)), dims)
	whole := s.AppendRange(nil, 0, n)
	f.Add(whole, 0, byte(0))
	f.Add(whole, 1, byte(255))
	f.Add(s.AppendRange(nil, 3*chunkSlots, 3*chunkSlots+n), 130, byte(7))
	f.Fuzz(func(t *testing.T, data []byte, at int, with byte) {
		data = slices.Clone(data)
		if at >= 0 && at < len(data) {
			data[at] ^= with
		}
		got, err := RestoreRange(dims, n, data, nil)
		if err != nil {
			return
		}
		search(t, got, Probe{Vector: unit(rand.New(rand.NewPCG(1, 1)), dims), K: 10})
		for slot := range n {
			got.Remove(slot)
		}
	})
}

func TestRestoreRangeRefuses(t *testing.T) {
	t.Parallel()
	const dims, n = 100, 2 * chunkSlots
	s := stocked(rand.New(rand.NewPCG(3, 4)), dims)
	good := s.AppendRange(nil, 0, n)
	for name, of := range map[string]struct {
		dims, n int
		data    []byte
	}{
		"nothing":             {dims, n, nil},
		"cut off":             {dims, n, good[:len(good)-1]},
		"half of it":          {dims, n, good[:len(good)/2]},
		"too long":            {dims, n, append(slices.Clone(good), 0)},
		"of other dimensions": {dims + 64, n, good},
		"of fewer slots":      {dims, chunkSlots, good},
		"of more slots":       {dims, 3 * chunkSlots, good},
		"another form":        {dims, n, append([]byte{9}, good[1:]...)},
		"steps of nothing":    {dims, n, slices.Concat(good[:1+128+2], []byte{0, 0, 0xc0, 0x7f}, good[1+128+6:])},
		"less memory":         {dims, n, slices.Concat(good[:1+128], []byte{32, 0}, good[1+128+2:])},
	} {
		if _, err := RestoreRange(of.dims, of.n, of.data, nil); err == nil {
			t.Errorf("RestoreRange of what is %s succeeded", name)
		}
	}
	if _, err := RestoreRange(dims, n, good, nil); err != nil {
		t.Errorf("RestoreRange = %v", err)
	}
}
