package migrate_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/transfer/migrate"
)

// BenchmarkRun_20000 copies and compares turns of a usual length.
func BenchmarkRun_20000(b *testing.B) {
	const n = 20_000
	for name, to := range drivers {
		b.Run("sqlite to "+name, func(b *testing.B) {
			from := drivers["sqlite"](b)
			ms := make([]trilith.Memory, n)
			for i := range ms {
				ms[i] = note(i, acme, fmt.Sprintf(
					"I moved to Bergen last spring, mostly for the mountains; the rain is as bad as everybody said, but the light in June is worth it, %d times.", i))
			}
			old := from.at(b)
			for part := range slices.Chunk(ms, role.MaxBatch) {
				commit(b, old, acme, role.Batch{Memories: part})
			}
			done := 0
			for b.Loop() {
				r, err := migrate.Run(b.Context(), old, to(b).at(b), migrate.Options{})
				if err != nil || !r.Equal {
					b.Fatalf("Run = %+v, %v", r, err)
				}
				done += r.Copied
			}
			b.ReportMetric(float64(done)/b.Elapsed().Seconds(), "memories/s")
		})
	}
}
