package quality

import (
	"math"
	"math/rand/v2"
	"slices"
	"time"
)

// Metrics are means over N questions, in percent, rounded to hundredths. Each is a number between 0 and 100; more is
// better.
type Metrics struct {
	N int `json:"n"`
	// how high in the first ten the evidence is: gain 1, discount log2(rank+1), over the best possible
	NDCG10 float64 `json:"ndcg@10"`
	R1     float64 `json:"r@1"` // R@k: share of the evidence among the first k
	R5     float64 `json:"r@5"`
	R10    float64 `json:"r@10"`
	R20    float64 `json:"r@20"`
	R50    float64 `json:"r@50"`
	All10  float64 `json:"all@10"` // questions whose whole evidence is among the first ten
	MRR    float64 `json:"mrr"`    // 1 over the rank of the first evidence, 0 if there is none among the hits
}

// Latency is how long recalls took, in milliseconds: the value that the share of them did not exceed.
type Latency struct {
	P50 float64 `json:"p50"`
	P95 float64 `json:"p95"`
	P99 float64 `json:"p99"`
}

// score measures one question: ranked are the ids of the hits in their order, evidence holds no id twice and at least
// one. A hit that repeats an id counts as a place, not as evidence found again. The result is in shares of 1.
func score(ranked, evidence []string) Metrics {
	wanted := make(map[string]bool, len(evidence))
	for _, id := range evidence {
		wanted[id] = true
	}
	m := Metrics{N: 1}
	var gain, best float64
	found := 0
	for i, id := range ranked {
		if !wanted[id] {
			continue
		}
		delete(wanted, id)
		found++
		if found == 1 {
			m.MRR = 1 / float64(i+1)
		}
		if i < 10 {
			gain += discount(i)
		}
		share := 1 / float64(len(evidence))
		for _, at := range []struct {
			k int
			r *float64
		}{{1, &m.R1}, {5, &m.R5}, {10, &m.R10}, {20, &m.R20}, {50, &m.R50}} {
			if i < at.k {
				*at.r += share
			}
		}
		if found == len(evidence) && i < 10 {
			m.All10 = 1
		}
	}
	for i := range min(len(evidence), 10) {
		best += discount(i)
	}
	m.NDCG10 = gain / best
	return m
}

func discount(i int) float64 { return 1 / math.Log2(float64(i+2)) }

// mean returns the means of scores in percent; the zero value for none.
func mean(scores []Metrics) Metrics {
	if len(scores) == 0 {
		return Metrics{}
	}
	var sum Metrics
	for _, m := range scores {
		sum.NDCG10 += m.NDCG10
		sum.R1 += m.R1
		sum.R5 += m.R5
		sum.R10 += m.R10
		sum.R20 += m.R20
		sum.R50 += m.R50
		sum.All10 += m.All10
		sum.MRR += m.MRR
	}
	n := len(scores)
	percent := func(x float64) float64 { return round(100*x/float64(n), 2) }
	return Metrics{N: n, NDCG10: percent(sum.NDCG10), R1: percent(sum.R1), R5: percent(sum.R5), R10: percent(sum.R10),
		R20: percent(sum.R20), R50: percent(sum.R50), All10: percent(sum.All10), MRR: percent(sum.MRR)}
}

// Beside is the result of another method for the same questions, and recall's lead over it.
type Beside struct {
	Name       string             `json:"name"`
	Overall    Metrics            `json:"overall"`
	Categories map[string]Metrics `json:"categories"`
	Ahead      float64            `json:"ahead_ndcg@10"` // of recall, in points: less than 0 is behind
	Interval   [2]float64         `json:"ahead_ci95"`    // 95 % bootstrap interval of Ahead, over pairs of answers
}

// Compare compares a report with another method's results for the questions of the same set. Those of the category
// [Apart] do not count.
func (r Report) Compare(name string, other Report) Beside {
	b := Beside{Name: name, Overall: other.Overall, Categories: other.Categories}
	var ahead []float64
	for i, q := range r.Questions {
		if q.Category != Apart {
			ahead = append(ahead, q.NDCG10-other.Questions[i].NDCG10)
			b.Ahead += 100 * ahead[len(ahead)-1]
		}
	}
	b.Ahead, b.Interval = round(b.Ahead/float64(max(len(ahead), 1)), 2), Interval(ahead)
	return b
}

// resamples is how often the interval resamples the questions; with 1000 its ends are stable to about a tenth of a
// point.
const resamples = 1000

// Interval returns the 95 % bootstrap interval of the mean of values, in percent. Equal values give equal intervals.
func Interval(values []float64) [2]float64 {
	if len(values) == 0 {
		return [2]float64{}
	}
	rng := rand.New(rand.NewPCG(1, uint64(len(values))))
	means := make([]float64, resamples)
	for i := range means {
		sum := 0.0
		for range values {
			sum += values[rng.IntN(len(values))]
		}
		means[i] = 100 * sum / float64(len(values))
	}
	slices.Sort(means)
	return [2]float64{round(quantile(means, 0.025), 2), round(quantile(means, 0.975), 2)}
}

// latency sorts took.
func latency(took []time.Duration) Latency {
	if len(took) == 0 {
		return Latency{}
	}
	slices.Sort(took)
	at := func(p float64) float64 { return round(float64(quantile(took, p))/float64(time.Millisecond), 3) }
	return Latency{P50: at(0.5), P95: at(0.95), P99: at(0.99)}
}

func round(x float64, digits int) float64 {
	p := math.Pow10(digits)
	return math.Round(x*p) / p
}

// quantile is the smallest of sorted that a share p of it does not exceed.
func quantile[T any](sorted []T, p float64) T {
	return sorted[max(int(math.Ceil(p*float64(len(sorted))))-1, 0)]
}
