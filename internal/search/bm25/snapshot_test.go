package bm25_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trilith-memory/trilith/internal/search/bm25"
	"github.com/trilith-memory/trilith/internal/search/packed"
)

// grown returns an index that has lived: documents put, put over and deleted.
func grown(seed uint64, docs int) *bm25.Index {
	x := bm25.New(bm25.K1, bm25.B)
	random := rand.New(rand.NewPCG(seed, 1))
	for range docs {
		slot := uint32(random.IntN(docs))
		if random.IntN(4) == 0 {
			x.Delete(slot)
			continue
		}
		var terms []string
		for range random.IntN(12) {
			terms = append(terms, fmt.Sprintf("w%d", random.IntN(40)))
		}
		x.Put(slot, terms)
	}
	return x
}

// written is what a frozen index writes.
func written(f *bm25.Frozen) []byte {
	var b bytes.Buffer
	w := packed.NewWriter(&b)
	f.Write(w)
	if err := w.Flush(); err != nil || w.Len() != b.Len() {
		panic(fmt.Sprintf("%d bytes were written, %d counted, %v", b.Len(), w.Len(), err))
	}
	return b.Bytes()
}

func findAll(x *bm25.Index) []bm25.Result {
	var out []bm25.Result
	for w := range 40 {
		query := [][]string{{fmt.Sprintf("w%d", w)}, {fmt.Sprintf("w%d", (w*7)%40)}}
		out = append(out, x.Search(bm25.Words(query), nil, 20, func(a, b uint32) bool { return a < b }))
	}
	return out
}

// An index that was restored answers as the one that was kept, and lives on like it.
func TestSnapshot(t *testing.T) {
	t.Parallel()
	for seed := range uint64(20) {
		x := grown(seed, 200)
		r := packed.Read(string(written(x.Freeze())) + "rest")
		y, err := bm25.Restore(bm25.K1, bm25.B, r)
		if err != nil || r.Rest() != "rest" {
			t.Fatalf("seed %d: Restore = %v, and %q follows; want what follows", seed, err, r.Rest())
		}
		if diff := cmp.Diff(findAll(x), findAll(y)); diff != "" || x.Len() != y.Len() {
			t.Fatalf("seed %d: it answers otherwise (-kept +restored):\n%s", seed, diff)
		}
		for slot := uint32(0); slot < 200; slot += 3 {
			x.Delete(slot)
			y.Delete(slot)
			x.Put(slot+1, []string{"w1", "new", "w1"})
			y.Put(slot+1, []string{"w1", "new", "w1"})
		}
		if diff := cmp.Diff(findAll(x), findAll(y)); diff != "" || x.Len() != y.Len() {
			t.Fatalf("seed %d: after more changes it answers otherwise (-kept +restored):\n%s", seed, diff)
		}
		z, err := bm25.Restore(bm25.K1, bm25.B, packed.Read(string(written(y.Hold()))))
		if err != nil {
			t.Fatalf("seed %d: Restore of what was restored and changed = %v", seed, err)
		}
		for slot := range uint32(200) { // the terms of each document are known too: deleting leaves none
			if slot%50 == 0 {
				if diff := cmp.Diff(findAll(x), findAll(z)); diff != "" {
					t.Fatalf("seed %d: restored twice it answers otherwise (-kept +restored):\n%s", seed, diff)
				}
			}
			x.Delete(slot)
			z.Delete(slot)
		}
	}
}

// A snapshot stays unchanged while the index goes on.
func TestFreeze(t *testing.T) {
	t.Parallel()
	for seed := range uint64(20) {
		x := grown(seed, 200)
		frozen := x.Freeze()
		want := written(frozen)
		count := packed.NewWriter(nil)
		if x.Hold().Write(count); count.Len() != len(want) || !bytes.Equal(want, written(x.Hold())) {
			t.Fatalf("seed %d: what is written without a copy is another, or is %d bytes and not %d", seed,
				count.Len(), len(want))
		}
		for slot := range uint32(200) {
			if slot%3 > 0 {
				x.Delete(slot)
			}
			if slot%2 == 0 {
				x.Put(slot, []string{"w1", fmt.Sprint("new", slot), "w2", "w1"})
			}
		}
		if !bytes.Equal(want, written(frozen)) {
			t.Fatalf("seed %d: after changes of the index the frozen one is another", seed)
		}
	}
}

// BenchmarkRestore is what opening costs for each index.
func BenchmarkRestore(b *testing.B) {
	x := bm25.New(bm25.K1, bm25.B)
	random := rand.New(rand.NewPCG(1, 1))
	zipf := rand.NewZipf(random, 1.1, 4, 30_000)
	for slot := range uint32(100_000) {
		terms := make([]string, 12+random.IntN(20))
		for i := range terms {
			terms[i] = fmt.Sprint("word", zipf.Uint64())
		}
		x.Put(slot, terms)
	}
	data := string(written(x.Freeze()))
	b.Run("100000", func(b *testing.B) {
		b.ReportAllocs()
		b.SetBytes(int64(len(data)))
		for b.Loop() {
			if _, err := bm25.Restore(bm25.K1, bm25.B, packed.Read(data)); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("freeze_100000", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			x.Freeze()
		}
	})
	restored, err := bm25.Restore(bm25.K1, bm25.B, packed.Read(data))
	if err != nil {
		b.Fatal(err)
	}
	for name, index := range map[string]*bm25.Index{"search_built": x, "search_restored": restored} {
		b.Run(name+"_100000", func(b *testing.B) {
			for b.Loop() {
				index.Search(bm25.Words([][]string{{"word0"}, {"word20"}, {"word500"}}), nil, 10,
					func(a, b uint32) bool { return a < b })
			}
		})
	}
}

// A truncated or damaged snapshot is refused or harmless, never a panic.
func FuzzRestore(f *testing.F) {
	whole := written(grown(1, 30).Freeze())
	f.Add(string(whole))
	f.Add(string(whole[:len(whole)/2]))
	f.Add("")
	f.Add("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01")
	f.Fuzz(func(t *testing.T, data string) {
		x, err := bm25.Restore(bm25.K1, bm25.B, packed.Read(data))
		if err != nil {
			return
		}
		x.Put(0, []string{"w1"})
		x.Search(bm25.Words([][]string{{"w1"}}), nil, 5, func(a, b uint32) bool { return a < b })
		x.Delete(0)
	})
}
