package bm25_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cairn-memory/cairn/internal/bm25"
	"github.com/cairn-memory/cairn/internal/packed"
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

func findAll(x *bm25.Index) []bm25.Result {
	var out []bm25.Result
	for w := range 40 {
		query := [][]string{{fmt.Sprintf("w%d", w)}, {fmt.Sprintf("w%d", (w*7)%40)}}
		out = append(out, x.Search(query, nil, 20, func(a, b uint32) bool { return a < b }))
	}
	return out
}

// An index that was restored answers as the one that was kept, and lives on like it.
func TestSnapshot(t *testing.T) {
	t.Parallel()
	for seed := range uint64(20) {
		x := grown(seed, 200)
		r := packed.Read(string(x.AppendSnapshot(nil)) + "rest")
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
	}
}

// What is cut off or spoiled is refused or harmless, never a panic.
func FuzzRestore(f *testing.F) {
	whole := grown(1, 30).AppendSnapshot(nil)
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
		x.Search([][]string{{"w1"}}, nil, 5, func(a, b uint32) bool { return a < b })
		x.Delete(0)
	})
}
