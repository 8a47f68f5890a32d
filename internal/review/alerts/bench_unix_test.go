//go:build unix

package alerts

import (
	"syscall"
	"testing"
	"time"
)

// BenchmarkSearches_1000 is what a change costs the processor with a thousand saved searches: comparing, without
// reading and storing. Wall time says little on a machine that does something else too.
func BenchmarkSearches_1000(b *testing.B) {
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	s := benchSet(b, at)
	later := at.Add(time.Hour)
	raised, i := 0, 0
	b.ReportAllocs()
	before := processor(b)
	for b.Loop() {
		x := newSubject(benchMemory(i%10_000, later), later, s.words, s.salt)
		i++
		for _, q := range s.near(x) {
			alerts, _ := q.compare(x, nil, around{}, later)
			raised += len(alerts)
		}
	}
	b.ReportMetric(float64((processor(b)-before).Microseconds())/1000/float64(b.N), "cpu-ms/op")
	b.ReportMetric(float64(raised)/float64(b.N), "alerts/op")
}

func processor(b *testing.B) time.Duration {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
