package extraction

import (
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"text/tabwriter"

	"github.com/trilith-memory/trilith"
)

// Report compares rules, the model and both on a set.
type Report struct {
	Model  string `json:"model"`
	Turns  int    `json:"turns"`
	Labels int    `json:"labels"` // facts that are not optional
	Rows   []Row  `json:"rows"`
	Runs   []Run  `json:"runs"`
	Steps  []Step `json:"steps,omitempty"`
}

// Row are the counts of some facts. A fact may make several labels true.
type Row struct {
	Name  string `json:"name"`
	True  int    `json:"true"`
	False int    `json:"false"`
	Thin  int    `json:"thin"`
	Found int    `json:"found"`  // labels
	Of    int    `json:"labels"` // of the turns that were read
	// Percent: of the facts that are true, of the labels that were found.
	Precision float64 `json:"precision"`
	Recall    float64 `json:"recall"`
}

// Make makes the report of a run by rules and one by both.
func Make(model string, set Set, runs ...Run) Report {
	r := Report{Model: model, Turns: len(set.Turns), Labels: labels(set, nil), Runs: runs}
	active := func(f *Fact) bool { return f.State == trilith.StateActive }
	for _, run := range runs {
		name := "rules"
		if run.Extract != trilith.ExtractRules {
			name = "both"
			byModel := func(f *Fact) bool { return f.Model }
			r.Rows = append(r.Rows, row("model", set, run, byModel),
				row("model, active", set, run, func(f *Fact) bool { return f.Model && active(f) }))
		}
		r.Rows = append(r.Rows, row(name, set, run, func(*Fact) bool { return true }), row(name+", active", set, run, active))
	}
	return r
}

// labels counts the facts to be found in some turns, or in all.
func labels(set Set, in []string) (n int) {
	for _, t := range set.Turns {
		for _, l := range t.Facts {
			if !l.Optional && (in == nil || slices.Contains(in, t.ID)) {
				n++
			}
		}
	}
	return n
}

func row(name string, set Set, run Run, counts func(*Fact) bool) Row {
	row := Row{Name: name, Of: labels(set, run.Read)}
	found := map[*Label]bool{}
	for i := range run.Facts {
		f := &run.Facts[i]
		if !counts(f) {
			continue
		}
		switch f.Verdict {
		case True:
			row.True++
		case False:
			row.False++
		default:
			row.Thin++
		}
		for _, l := range f.found {
			if !l.Optional {
				found[l] = true
			}
		}
	}
	row.Found = len(found)
	row.Precision = percent(row.True, row.True+row.False+row.Thin)
	row.Recall = percent(row.Found, row.Of)
	return row
}

func percent(n, of int) float64 { return math.Round(1000*float64(n)/float64(max(of, 1))) / 10 }

// Table writes the report for people.
func (r *Report) Table(w io.Writer) error {
	fmt.Fprintf(w, "%s: facts of %d turns with %d labelled ones\n\n", r.Model, r.Turns, r.Labels)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "\ttrue\tfalse\tthin\tprecision\tfound\tof\trecall\t")
	for _, row := range r.Rows {
		fmt.Fprintf(t, "%s\t%d\t%d\t%d\t%.1f\t%d\t%d\t%.1f\t\n", row.Name, row.True, row.False, row.Thin, row.Precision, row.Found,
			row.Of, row.Recall)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for i := range r.Runs {
		r.Runs[i].table(w)
	}
	for _, s := range r.Steps {
		fmt.Fprintln(w, s)
	}
	return nil
}

func (r *Run) table(w io.Writer) {
	fmt.Fprintf(w, "\n%s: %.0f s, %d calls, %d and %d tokens; false ends of others' %d, in %d pairs, with a known fact in %d\n",
		r.Extract, r.Seconds, r.Calls, r.Usage.InputTokens, r.Usage.OutputTokens, len(r.Ends), r.Pairs, r.Known)
	if r.Partial {
		fmt.Fprintf(w, "It was ended early, after %d turns.\n", len(r.Read))
	}
	for _, reason := range slices.Sorted(maps.Keys(r.Refused)) {
		fmt.Fprintf(w, "  refused, %s: %d\n", reason, r.Refused[reason])
	}
	for _, reason := range slices.Sorted(maps.Keys(r.Failed)) {
		fmt.Fprintf(w, "  failed, %d times: %s\n", r.Failed[reason], reason)
	}
	for _, f := range r.Facts {
		if f.Verdict == False {
			fmt.Fprintf(w, "  false, %s (%s), of %v: %v %s %s\n", f.State, f.Why, f.Turns, f.Whose, f.Verb, f.Value)
		}
	}
	for _, e := range r.Ends {
		fmt.Fprintf(w, "  ended, %s: %s\n", e.Pair, e.Text)
	}
}
