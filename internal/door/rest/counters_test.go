package rest

import (
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func writtenCounters(t *testing.T, s *counters) string {
	t.Helper()
	var b strings.Builder
	if n, err := s.WriteTo(&b); err != nil || n != int64(b.Len()) {
		t.Fatalf("WriteTo = %d, %v after %d bytes", n, err, b.Len())
	}
	return b.String()
}

func TestTextFormat(t *testing.T) {
	t.Parallel()
	var s counters
	s.Counter("app_starts_total", "Starts.").Add(1)
	s.Counter("app_idle_total", "Never counted.")
	c := s.Counter("app_requests_total", "Requests.", "method", "status")
	c.Add(2, "POST", "200")
	c.Add(1, "GET", "404")
	c.Add(1, "POST", "200")
	s.Gauge("app_odd", "Labels are escaped.", "name").Add(-3, "a \"b\" \\ \n")
	h := s.Histogram("app_seconds", "Time.", []time.Duration{time.Millisecond, time.Second}, "route")
	for _, took := range []time.Duration{time.Microsecond, time.Millisecond, 499 * time.Millisecond, 2 * time.Second} {
		h.Observe(took, "/a")
	}
	want := `# HELP app_starts_total Starts.
# TYPE app_starts_total counter
app_starts_total 1
# HELP app_idle_total Never counted.
# TYPE app_idle_total counter
app_idle_total 0
# HELP app_requests_total Requests.
# TYPE app_requests_total counter
app_requests_total{method="GET",status="404"} 1
app_requests_total{method="POST",status="200"} 3
# HELP app_odd Labels are escaped.
# TYPE app_odd gauge
app_odd{name="a \"b\" \\ \n"} -3
# HELP app_seconds Time.
# TYPE app_seconds histogram
app_seconds_bucket{route="/a",le="0.001"} 2
app_seconds_bucket{route="/a",le="1"} 3
app_seconds_bucket{route="/a",le="+Inf"} 4
app_seconds_sum{route="/a"} 2.500001
app_seconds_count{route="/a"} 4
`
	if diff := cmp.Diff(want, writtenCounters(t, &s)); diff != "" {
		t.Errorf("text differs (-want +got):\n%s", diff)
	}
}

func TestCountingAllocatesNothing(t *testing.T) {
	var s counters
	c := s.Counter("a_total", "A.", "x", "y")
	h := s.Histogram("b_seconds", "B.", []time.Duration{time.Millisecond}, "x")
	if n := testing.AllocsPerRun(100, func() { c.Add(1, "one", "two"); h.Observe(time.Second, "one") }); n != 0 {
		t.Errorf("counting allocates %v times, want never", n)
	}
}

func TestManyCountAtOnce(t *testing.T) {
	t.Parallel()
	var s counters
	c := s.Counter("a_total", "A.", "x")
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 1000 {
				c.Add(1, "same")
			}
		})
	}
	all.Wait()
	if got := writtenCounters(t, &s); !strings.Contains(got, `a_total{x="same"} 8000`) {
		t.Errorf("eight times a thousand are written as\n%s", got)
	}
}
