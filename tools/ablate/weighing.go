package main

import (
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/trilith-memory/trilith/tools/measure/quality"
)

// weights are the weights of vectors, against 1 for words, that are tried.
var weights = []float64{0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.8, 1}

// Weighing is the results of the weights of vectors on some sets.
type Weighing struct {
	Sets []string   `json:"sets"`
	Rows []Weighted `json:"weights"`
	// Chosen is what choosing by the other sets gives on each set: what somebody would get who had never seen it.
	Chosen []Weighted `json:"chosen"`

	sources []string // of the sets: see [others]
}

// Weighted is the result of a weight, set by set: in [Weighing.Chosen] on one set.
type Weighted struct {
	Weight float64   `json:"weight"`
	NDCG10 []float64 `json:"ndcg@10"`
	R10    []float64 `json:"r@10"`
}

// Add adds the results of a weight, the reports in the order of [Weighing.Sets].
func (w *Weighing) Add(weight float64, reports []quality.Report) {
	row := Weighted{Weight: weight}
	for _, r := range reports {
		row.NDCG10, row.R10 = append(row.NDCG10, r.Overall.NDCG10), append(row.R10, r.Overall.R10)
	}
	w.Rows = append(w.Rows, row)
}

// Choose fills in Chosen: for each set the weight with the best mean nDCG@10 of the others, the lighter of equals.
// Where there are no others nothing is chosen.
func (w *Weighing) Choose() {
	w.Chosen = nil
	for but := range w.Sets {
		left := others(w.sources, but)
		if len(left) == 0 || len(w.Rows) == 0 {
			w.Chosen = nil
			return
		}
		sum := func(row Weighted) (sum float64) {
			for _, i := range left {
				sum += row.NDCG10[i]
			}
			return sum
		}
		best := w.Rows[0]
		for _, row := range w.Rows[1:] {
			if sum(row) > sum(best) {
				best = row
			}
		}
		w.Chosen = append(w.Chosen, Weighted{best.Weight, best.NDCG10[but : but+1], best.R10[but : but+1]})
	}
}

// Table writes the weighing for people: nDCG@10 and R@10 of each weight, and of the weights that the others choose.
func (w *Weighing) Table(to io.Writer) error {
	t := tabwriter.NewWriter(to, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(t, "weight\t")
	for _, set := range w.Sets {
		fmt.Fprintf(t, "%s\t", set)
	}
	fmt.Fprintln(t, "mean\tmean R@10\t")
	for _, row := range w.Rows {
		fmt.Fprintf(t, "%.2f\t", row.Weight)
		for _, v := range row.NDCG10 {
			fmt.Fprintf(t, "%.2f\t", v)
		}
		fmt.Fprintf(t, "%.2f\t%.2f\t\n", average(row.NDCG10), average(row.R10))
	}
	if len(w.Chosen) > 0 {
		fmt.Fprint(t, "by the others\t")
		var ndcg, r10 []float64
		for _, c := range w.Chosen {
			fmt.Fprintf(t, "%.2f (%.2f)\t", c.NDCG10[0], c.Weight)
			ndcg, r10 = append(ndcg, c.NDCG10[0]), append(r10, c.R10[0])
		}
		fmt.Fprintf(t, "%.2f\t%.2f\t\n", average(ndcg), average(r10))
	}
	return t.Flush()
}

func average(values []float64) (sum float64) {
	for _, v := range values {
		sum += v
	}
	return sum / float64(max(len(values), 1))
}
