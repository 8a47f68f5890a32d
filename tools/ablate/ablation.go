package main

import (
	"fmt"
	"io"
	"math"
	"text/tabwriter"

	"github.com/trilith-memory/trilith/internal/search/lexical"
	"github.com/trilith-memory/trilith/tools/measure/quality"
)

// KeepFrom is the least worth of a rule that is kept, in points of nDCG@10: the loss on the mean of other sets
// without it.
const KeepFrom = 0.5

// Ablation is what each rule is worth on some sets.
type Ablation struct {
	Sets []string  `json:"sets"`
	Rows []Without `json:"without"`

	sources []string // of the sets: see [others]
}

// Without is what leaving a rule out changes, set by set in the order of [Ablation.Sets].
type Without struct {
	Lever string       `json:"lever"`
	Sets  []Difference `json:"sets"`
	Mean  Difference   `json:"mean"` // of the sets; its error is that of the mean
}

// Difference is how a report differs from another of the same questions, in points; less than 0 is worse. Questions of
// the category [quality.Apart] stand apart.
type Difference struct {
	NDCG10 float64 `json:"ndcg@10"`
	Error  float64 `json:"error"` // the standard error of NDCG10, over the questions
	R10    float64 `json:"r@10"`
}

// Differ compares two reports of the same set, question by question.
func Differ(base, other quality.Report) Difference {
	var d []float64
	var r float64
	for i, q := range base.Questions {
		if q.Category != quality.Apart {
			d = append(d, 100*(other.Questions[i].NDCG10-q.NDCG10))
			r += 100 * (other.Questions[i].R10 - q.R10)
		}
	}
	if len(d) == 0 {
		return Difference{}
	}
	n := float64(len(d))
	var mean, square float64
	for _, x := range d {
		mean += x / n
	}
	for _, x := range d {
		square += (x - mean) * (x - mean)
	}
	return Difference{NDCG10: round(mean), Error: round(math.Sqrt(square) / n), R10: round(r / n)}
}

// Add adds what leaving a rule out changes on the sets.
func (a *Ablation) Add(l lexical.Rules, sets []Difference) {
	w := Without{Lever: l.String(), Sets: sets}
	n := float64(max(len(sets), 1))
	var square float64
	for _, d := range sets {
		w.Mean.NDCG10 += d.NDCG10 / n
		w.Mean.R10 += d.R10 / n
		square += d.Error * d.Error
	}
	w.Mean = Difference{round(w.Mean.NDCG10), round(math.Sqrt(square) / n), round(w.Mean.R10)}
	a.Rows = append(a.Rows, w)
}

// Kept returns the rules that are worth [KeepFrom] on the mean of the sets but one, given by its place: what somebody
// would have kept who had never seen that set.
func (a *Ablation) Kept(but int) (kept lexical.Rules, err error) {
	left := others(a.sources, but)
	for _, w := range a.Rows {
		var sum float64
		for _, i := range left {
			sum += w.Sets[i].NDCG10
		}
		if l, err := lexical.ParseRules(w.Lever); err != nil {
			return 0, err
		} else if n := float64(len(left)); n > 0 && -sum/n >= KeepFrom {
			kept |= l
		}
	}
	return kept, nil
}

// others returns the places of the sets that come from elsewhere than one of them: the same questions to the turns of
// one role, or to young memories, would decide about themselves.
func others(sources []string, but int) (left []int) {
	for i, source := range sources {
		if source != sources[but] {
			left = append(left, i)
		}
	}
	return left
}

// Table writes the ablation for people: a row for each rule, a column for each set.
func (a *Ablation) Table(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(t, "without\t")
	for _, set := range a.Sets {
		fmt.Fprintf(t, "%s\t", set)
	}
	fmt.Fprintln(t, "mean\tmean R@10\t")
	for _, row := range a.Rows {
		fmt.Fprintf(t, "%s\t", row.Lever)
		for _, d := range row.Sets {
			fmt.Fprintf(t, "%+.2f±%.2f\t", d.NDCG10, d.Error)
		}
		fmt.Fprintf(t, "%+.2f±%.2f\t%+.2f\t\n", row.Mean.NDCG10, row.Mean.Error, row.Mean.R10)
	}
	return t.Flush()
}

// round rounds to hundredths.
func round(x float64) float64 { return math.Round(100*x) / 100 }
