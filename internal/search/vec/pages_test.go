package vec

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
)

// What pages give is zero and belongs to one caller, whoever else asks.
func TestPages(t *testing.T) {
	t.Parallel()
	for name, p := range map[string]*Pages{"large": PagesFor(pagedFrom), "none": PagesFor(pagedFrom - 1)} {
		if (p == nil) != (name == "none") {
			t.Fatalf("pages of a set that needs %s: %v", name, p)
		}
		given := make([][][]uint8, 3)
		var wg sync.WaitGroup
		for i := range given {
			wg.Go(func() {
				for _, n := range []int{0, 1, 1000, pieceBytes / 8, pieceBytes/8 + 1, pieceBytes, pieceBytes + 1, 5} {
					b := p.bytes(n)
					if len(b) != n || cap(b) != n && n > 0 && p != nil && n <= pieceBytes/8 {
						t.Errorf("%s: %d bytes have the length %d and room for %d", name, n, len(b), cap(b))
					}
					for j := range b {
						if b[j] != 0 {
							t.Fatalf("%s: byte %d of %d is in use", name, j, n)
						}
						b[j] = uint8(i + 1)
					}
					given[i] = append(given[i], b)
				}
			})
		}
		wg.Wait()
		for i, all := range given {
			for _, b := range all {
				if len(b) > 0 && (slices.Min(b) != uint8(i+1) || slices.Max(b) != uint8(i+1)) {
					t.Errorf("%s: %d bytes were given twice", name, len(b))
				}
			}
		}
	}
}

// Chunks of a large set lie in pages when they are full, and hold what chunks elsewhere do.
func TestLargeSetLiesInPages(t *testing.T) {
	t.Parallel()
	const dims, n = 64, 3*chunkSlots + 100
	r := rand.New(rand.NewPCG(14, 1))
	small, large := NewSet(dims), NewSet(dims)
	for i := range n {
		v := unit(r, dims)
		small.Put(i, v)
		large.Put(pagedFrom+i, v)
	}
	want := small.AppendRange(nil, 0, n)
	if got := large.AppendRange(nil, pagedFrom, pagedFrom+n); !bytes.Equal(got, want) {
		t.Error("a large set holds something else than a small one")
	}
	pages := new(Pages)
	restored, err := RestoreRange(dims, n, want, pages)
	if err != nil {
		t.Fatal(err)
	}
	if got := restored.AppendRange(nil, 0, n); !bytes.Equal(got, want) {
		t.Error("a set that was restored into pages holds something else")
	}
	const full = chunkSlots * (dims + dims/8)
	for name, p := range map[string]*Pages{"grown": large.pages, "restored": pages} {
		if p == nil || pieceBytes-len(p.rest) != 3*full {
			t.Errorf("%s: three full chunks of %d bytes are not what lies in pages", name, full)
		}
	}
	if small.pages != nil {
		t.Error("a small set has pages")
	}
}
