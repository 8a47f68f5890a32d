//go:build unix

package engine_test

import (
	"fmt"
	"syscall"
	"testing"
	"time"

	"github.com/cairn-memory/cairn"
)

// BenchmarkAlerts is what ten thousand changes cost the processor, being stored and indexed included, without saved
// searches and with a thousand. The difference is what the searches cost: reading the log, comparing, and writing
// alerts for a third of the changes.
func BenchmarkAlerts(b *testing.B) {
	for _, searches := range []int{0, 1000} {
		b.Run(fmt.Sprintf("%dx10000", searches), func(b *testing.B) {
			e := inMemory(b)
			for i := range searches {
				s := cairn.Scope{Tenant: "acme"}
				r := cairn.SearchRequest{Name: fmt.Sprint(i), Of: cairn.SearchMemories,
					Query: fmt.Sprintf("crane number%d", i)}
				switch i % 3 {
				case 0:
					s.Project = fmt.Sprint("p", i%20)
				case 1:
					s.User, r.Query = fmt.Sprint("u", i%100), "drainage lost"
				}
				if _, err := e.SaveSearch(b.Context(), s, r); err != nil {
					b.Fatal(err)
				}
			}
			n := 0
			for b.Loop() {
				before := processor(b)
				for session := range 10 {
					var said []cairn.Message
					for range 1000 {
						n++
						said = append(said, cairn.Message{Role: cairn.RoleTool, Content: fmt.Sprintf(
							"On day %d the crane lifted the windows of number%d while the drainage waited.", n, n%1500)})
					}
					if _, err := e.Remember(b.Context(), cairn.Scope{Tenant: "acme", Project: fmt.Sprint("p", session),
						User: fmt.Sprint("u", session), Session: fmt.Sprint("s", n)},
						cairn.RememberRequest{Messages: said, Extract: cairn.ExtractNone}); err != nil {
						b.Fatal(err)
					}
				}
				e.settle(b)
				if err := e.RunSearches(b.Context()); err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(float64((processor(b)-before).Microseconds())/10_000/1000, "ms/change")
			}
			if page, err := e.Alerts(b.Context(), cairn.Scope{Tenant: "acme"}, cairn.AlertQuery{}); err != nil ||
				searches > 0 && len(page.Items) == 0 {
				b.Errorf("alerts = %+v, %v; want some", page, err)
			}
		})
	}
}

func processor(b *testing.B) time.Duration {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
