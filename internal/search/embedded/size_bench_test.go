package embedded

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/search/bm25"
	"github.com/trilith-memory/trilith/internal/search/lexical"
	"github.com/trilith-memory/trilith/internal/search/packed"
)

// BenchmarkWords measures the memory for the words of a million turns of 20 words and the notes about turns, without
// the table of slots, and the time to load them from a snapshot and to search them for the first time.
func BenchmarkWords(b *testing.B) {
	const n = 1_000_000
	heap := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	random := rand.New(rand.NewPCG(1, 2))
	zipf := rand.NewZipf(random, 1.1, 4, 499_999)
	s := newSlots("ana")
	for i := range s.columns {
		s.columns[i].codes.add(make([]int64, n)...)
	}
	before := heap()
	x, identifiers, t := bm25.New(bm25.K1, bm25.B), bm25.New(0, 0), newTurns(s)
	words := make([]string, 20)
	for slot := range uint32(n) {
		for i := range words {
			words[i] = fmt.Sprint("w", zipf.Uint64())
		}
		x.Put(slot, words)
		identifiers.Put(slot, nil)
		t.put(slot, &trilith.Facets{}, lexical.Impersonal)
	}
	b.Run(fmt.Sprint("grow_", n), func(b *testing.B) {
		for b.Loop() {
		}
		b.ReportMetric(float64(heap()-before)/1e6, "heap-MB")
	})
	var written bytes.Buffer
	w := packed.NewWriter(&written)
	if x.Freeze().Write(w); w.Flush() != nil {
		b.Fatal("it is not written")
	}
	data := written.String()
	b.Run(fmt.Sprint("restore_", n), func(b *testing.B) {
		b.SetBytes(int64(len(data)))
		for b.Loop() {
			y, err := bm25.Restore(bm25.K1, bm25.B, packed.Read(data))
			if err != nil {
				b.Fatal(err)
			}
			y.Search(bm25.Words([][]string{{"w1000"}, {"w30"}}), nil, 10, func(a, b uint32) bool { return a < b })
		}
	})
	b.Run(fmt.Sprint("freeze_", n), func(b *testing.B) {
		for b.Loop() {
			x.Freeze()
		}
	})
	runtime.KeepAlive(identifiers)
}
