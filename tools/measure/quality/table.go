package quality

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"text/tabwriter"
)

// Table writes the report for people: plain text in columns, the categories by name under the overall row.
func (r Report) Table(w io.Writer) error {
	title := r.Dataset
	if r.Role != "" {
		title += ", turns of role " + string(r.Role)
	}
	if r.Pool != OwnProject {
		title += ", all groups in one project, questions " + string(r.Pool)
	}
	if r.Config != "" {
		title += ", " + r.Config
	}
	if _, err := fmt.Fprintf(w, "%s (%s)\n\n", title, r.ConfigHash); err != nil {
		return err
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "category\tn\tnDCG@10\tR@1\tR@5\tR@10\tR@20\tR@50\tall@10\tMRR\t")
	row := func(name string, m Metrics) {
		fmt.Fprintf(t, "%s\t%d\t%.1f\t%.1f\t%.1f\t%.1f\t%.1f\t%.1f\t%.1f\t%.1f\t\n",
			name, m.N, m.NDCG10, m.R1, m.R5, m.R10, m.R20, m.R50, m.All10, m.MRR)
	}
	row("overall", r.Overall)
	for _, category := range slices.Sorted(maps.Keys(r.Categories)) {
		name := category
		if category == Apart {
			name += " (apart)"
		}
		row(name, r.Categories[category])
	}
	if err := t.Flush(); err != nil {
		return err
	}
	if err := r.beside(w); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w,
		"\nnDCG@10 95%% interval %.1f to %.1f\nabstained on %.1f%% of %d questions without an answer, wrongly on %.1f%% of the others\nlatency p50 %.2f ms, p95 %.2f ms, p99 %.2f ms; stored %.0f turns per s\n",
		r.Interval[0], r.Interval[1], r.Abstention.Abstained, r.Abstention.N, r.Abstention.Wrongly,
		r.LatencyMS.P50, r.LatencyMS.P95, r.LatencyMS.P99, r.IngestPerS)
	return err
}

// beside writes the results of plain methods.
func (r Report) beside(w io.Writer) error {
	if len(r.Beside) == 0 {
		return nil
	}
	fmt.Fprintln(w)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "beside\tnDCG@10\tR@10\tR@50\trecall is ahead by\t95% interval\t")
	for _, b := range r.Beside {
		fmt.Fprintf(t, "%s\t%.1f\t%.1f\t%.1f\t%+.1f\t%+.1f to %+.1f\t\n",
			b.Name, b.Overall.NDCG10, b.Overall.R10, b.Overall.R50, b.Ahead, b.Interval[0], b.Interval[1])
	}
	return t.Flush()
}
