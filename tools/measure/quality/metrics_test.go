package quality

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

// places puts the named ids at 1-based ranks of a list of n hits that are nobody's evidence otherwise.
func places(n int, at map[int]string) []string {
	ids := make([]string, n)
	for i := range ids {
		ids[i] = fmt.Sprint("other", i)
		if id, ok := at[i+1]; ok {
			ids[i] = id
		}
	}
	return ids
}

func TestScore(t *testing.T) {
	t.Parallel()
	var (
		second = 1 / math.Log2(3) // discount of rank 2
		third  = 0.5              // 1/log2(4)
	)
	for _, c := range []struct {
		name     string
		ranked   []string
		evidence []string
		want     Metrics
	}{
		{"first", places(5, map[int]string{1: "a"}), []string{"a"},
			Metrics{N: 1, NDCG10: 1, R1: 1, R5: 1, R10: 1, R20: 1, R50: 1, All10: 1, MRR: 1}},
		{"third", places(5, map[int]string{3: "a"}), []string{"a"},
			Metrics{N: 1, NDCG10: third, R5: 1, R10: 1, R20: 1, R50: 1, All10: 1, MRR: 1.0 / 3}},
		{"two, at 1 and 3", places(5, map[int]string{1: "a", 3: "b"}), []string{"b", "a"},
			Metrics{N: 1, NDCG10: (1 + third) / (1 + second), R1: 0.5, R5: 1, R10: 1, R20: 1, R50: 1,
				All10: 1, MRR: 1}},
		{"two, one outside the ten", places(50, map[int]string{2: "a", 11: "b"}), []string{"a", "b"},
			Metrics{N: 1, NDCG10: second / (1 + second), R5: 0.5, R10: 0.5, R20: 1, R50: 1, MRR: 0.5}},
		{"last place of each cut", places(60, map[int]string{5: "a", 10: "b", 20: "c", 50: "d"}),
			[]string{"a", "b", "c", "d"},
			Metrics{N: 1, NDCG10: (1/math.Log2(6) + 1/math.Log2(11)) / (1 + second + third + 1/math.Log2(5)),
				R5: 0.25, R10: 0.5, R20: 0.75, R50: 1, MRR: 0.2}},
		{"one past the deepest cut", places(60, map[int]string{51: "a"}), []string{"a"}, Metrics{N: 1, MRR: 1.0 / 51}},
		{"found twice counts once", []string{"a", "a", "b"}, []string{"a", "b"},
			Metrics{N: 1, NDCG10: (1 + third) / (1 + second), R1: 0.5, R5: 1, R10: 1, R20: 1, R50: 1,
				All10: 1, MRR: 1}},
		{"more evidence than places",
			places(10, map[int]string{1: "e0", 2: "e1", 3: "e2", 4: "e3", 5: "e4", 6: "e5", 7: "e6", 8: "e7",
				9: "e8", 10: "e9"}),
			[]string{"e0", "e1", "e2", "e3", "e4", "e5", "e6", "e7", "e8", "e9", "e10", "e11"},
			Metrics{N: 1, NDCG10: 1, R1: 1.0 / 12, R5: 5.0 / 12, R10: 10.0 / 12, R20: 10.0 / 12,
				R50: 10.0 / 12, MRR: 1}},
		{"nothing found", places(5, nil), []string{"a"}, Metrics{N: 1}},
		{"no hits", nil, []string{"a"}, Metrics{N: 1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got := score(c.ranked, c.evidence)
			if diff := cmp.Diff(c.want, got, cmpopts.EquateApprox(0, 1e-12)); diff != "" {
				t.Errorf("score(%v, %v) (-want +got):\n%s", c.ranked, c.evidence, diff)
			}
		})
	}
}

// Moving an answer up never lowers a number, and no number leaves 0 to 1.
func TestScoreRisesWithTheAnswer(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 60).Draw(t, "hits")
		low := rapid.IntRange(2, n).Draw(t, "low")
		high := rapid.IntRange(1, low-1).Draw(t, "high")
		rest := rapid.IntRange(0, 3).Draw(t, "not found")
		evidence := []string{"a"}
		for i := range rest {
			evidence = append(evidence, fmt.Sprint("missing", i))
		}
		up, down := score(places(n, map[int]string{high: "a"}), evidence),
			score(places(n, map[int]string{low: "a"}), evidence)
		a, b := values(up), values(down)
		for i := range a {
			if a[i] < b[i] || a[i] < 0 || a[i] > 1+1e-12 {
				t.Fatalf("score with the answer at %d = %+v, at %d = %+v, want the first nowhere lower", high,
					up, low, down)
			}
		}
	})
}

func values(m Metrics) []float64 {
	return []float64{m.NDCG10, m.R1, m.R5, m.R10, m.R20, m.R50, m.All10, m.MRR}
}

func TestMean(t *testing.T) {
	t.Parallel()
	got := mean([]Metrics{{NDCG10: 1, R1: 1, R5: 1, R10: 1, R20: 1, R50: 1, All10: 1, MRR: 1}, {},
		{NDCG10: 0.5, R50: 1}})
	want := Metrics{N: 3, NDCG10: 50, R1: 33.33, R5: 33.33, R10: 33.33, R20: 33.33, R50: 66.67,
		All10: 33.33, MRR: 33.33}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("mean of three (-want +got):\n%s", diff)
	}
	if got := mean(nil); got != (Metrics{}) {
		t.Errorf("mean(nil) = %+v, want zeros", got)
	}
}

func TestInterval(t *testing.T) {
	t.Parallel()
	half := make([]float64, 400)
	for i := range half {
		half[i] = float64(i % 2)
	}
	got := Interval(half)
	// The standard error of 400 coin throws is 2.5 points, so the interval is about 45.1 to 54.9.
	if got[0] < 44 || got[0] > 46.5 || got[1] < 53.5 || got[1] > 56 {
		t.Errorf("interval of 400 halves and halves = %v, want about 45.1 to 54.9", got)
	}
	if again := Interval(half); again != got {
		t.Errorf("interval twice = %v and %v, want equal", got, again)
	}
	for _, c := range []struct {
		values []float64
		want   [2]float64
	}{{nil, [2]float64{}}, {[]float64{0.25}, [2]float64{25, 25}}} {
		if got := Interval(c.values); got != c.want {
			t.Errorf("Interval(%v) = %v, want %v", c.values, got, c.want)
		}
	}
}

func TestLatency(t *testing.T) {
	t.Parallel()
	var took []time.Duration
	for i := range 200 {
		took = append(took, time.Duration(200-i)*time.Millisecond)
	}
	if got, want := latency(took), (Latency{P50: 100, P95: 190, P99: 198}); got != want {
		t.Errorf("latency of 1 to 200 ms = %+v, want %+v", got, want)
	}
	if got, want := latency([]time.Duration{1500 * time.Microsecond}), (Latency{1.5, 1.5, 1.5}); got != want {
		t.Errorf("latency of one = %+v, want %+v", got, want)
	}
	if got := latency(nil); got != (Latency{}) {
		t.Errorf("latency(nil) = %+v, want zeros", got)
	}
}

// TestCompare: answers are compared with the answers to the same questions, and those that are apart do not count.
func TestCompare(t *testing.T) {
	t.Parallel()
	ours := Report{Questions: []Question{{NDCG10: 1}, {NDCG10: 0.5}, {NDCG10: 0, Category: Apart}}}
	theirs := Report{Overall: Metrics{N: 2, NDCG10: 50},
		Questions: []Question{{NDCG10: 0.5}, {NDCG10: 0.5}, {NDCG10: 1, Category: Apart}}}
	b := ours.Compare("plain", theirs)
	if b.Name != "plain" || b.Overall.NDCG10 != 50 || b.Ahead != 25 {
		t.Errorf("Compare: %+v, want recall ahead by 25 points", b)
	}
	if b.Interval != [2]float64{0, 50} {
		t.Errorf("the interval is %v, want 0 to 50: one question of two differs by 50", b.Interval)
	}
}
