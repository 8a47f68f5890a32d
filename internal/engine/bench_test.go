package engine_test

import (
	"fmt"
	"testing"

	"github.com/cairn-memory/cairn"
)

func BenchmarkRemember_1caller(b *testing.B) { benchmarkRemember(b, 1) }

func BenchmarkRemember_8callers(b *testing.B) { benchmarkRemember(b, 8) }

// benchmarkRemember has every caller store one durable text; an operation is all of them.
func benchmarkRemember(b *testing.B, callers int) {
	e := onFile(b, newPath(b))
	n := 0
	b.ReportAllocs()
	for b.Loop() {
		n++
		together(callers, func(i int) {
			if _, err := e.Remember(b.Context(), ana, cairn.RememberRequest{Text: fmt.Sprintf("Remark %d of caller %d about the garden.", n, i)}); err != nil {
				b.Error(err)
			}
		})
	}
	b.ReportMetric(float64(n*callers)/b.Elapsed().Seconds(), "writes/s")
}

func BenchmarkRecall_10000(b *testing.B) {
	e := inMemory(b)
	turns := conversation(10_000)
	for at := 0; at < len(turns); at += cairn.MaxItems {
		e.remember(b, ana, cairn.RememberRequest{Messages: turns[at : at+cairn.MaxItems]})
	}
	e.settle(b)
	b.ReportAllocs()
	for b.Loop() {
		if hits := e.recall(b, ana, cairn.RecallRequest{Query: "Which garden bicycle stood at the harbour?"}).Hits; len(hits) != cairn.DefaultK {
			b.Fatalf("%d hits", len(hits))
		}
	}
}

// BenchmarkImport_batches sends a conversation in requests of a thousand turns, as an import does.
func BenchmarkImport_batches(b *testing.B) {
	e := onFile(b, newPath(b))
	turns := conversation(cairn.MaxItems)
	n := 0
	b.ReportAllocs()
	for b.Loop() {
		n++
		session := cairn.Scope{Tenant: "acme", User: "ana", Session: fmt.Sprintf("s%d", n)}
		if res := e.remember(b, session, cairn.RememberRequest{Messages: turns, Imported: true}); len(res.Memories) != len(turns) {
			b.Fatalf("%d of %d turns stored", len(res.Memories), len(turns))
		}
	}
	b.ReportMetric(float64(n*len(turns))/b.Elapsed().Seconds(), "turns/s")
}
