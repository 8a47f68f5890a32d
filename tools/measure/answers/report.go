package answers

import (
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"text/tabwriter"

	"github.com/trilith-memory/trilith/tools/measure/quality"
)

// Report holds the grades of the answers. All numbers are percent.
type Report struct {
	Model string         `json:"model"`
	Rows  map[string]Row `json:"rows"` // of each set and of each category of it, and "all"
	// Ahead is how far answers from the block are ahead of those from plain hits, in points of F1.
	Ahead    float64    `json:"ahead_f1"`
	Interval [2]float64 `json:"ahead_f1_ci95"`    // 95 % bootstrap interval of Ahead, over questions
	Reached  float64    `json:"reached"`          // F1 of the block, as a share of that of the evidence
	Failed   int        `json:"failed,omitempty"` // questions that the model did not answer, which do not count
	Asked    []Asked    `json:"asked"`
}

// Row is the mean of some questions.
type Row struct {
	Questions int              `json:"questions"`
	Of        map[string]Score `json:"of"` // by the text of the questions
}

const allRows = "all"

func report(model string, all []Asked) Report {
	r := Report{Model: model, Rows: map[string]Row{allRows: row(all)}, Asked: all}
	of := map[string][]Asked{}
	var ahead []float64
	for _, a := range all {
		of[a.Dataset] = append(of[a.Dataset], a)
		category := a.Dataset + " " + a.Category
		of[category] = append(of[category], a)
		ahead = append(ahead, a.Given[Block].F1-a.Given[Plain].F1)
	}
	for name, asked := range of {
		r.Rows[name] = row(asked)
	}
	f1 := func(with string) float64 { return r.Rows[allRows].Of[with].F1 }
	r.Ahead, r.Interval = tenth(f1(Block)-f1(Plain)), quality.Interval(ahead)
	if f1(Evidence) > 0 {
		r.Reached = tenth(100 * f1(Block) / f1(Evidence))
	}
	return r
}

func row(asked []Asked) Row {
	r := Row{Questions: len(asked), Of: map[string]Score{}}
	for _, with := range Texts() {
		var sum Score
		for _, a := range asked {
			sum.F1 += a.Given[with].F1
			sum.Contains += a.Given[with].Contains
		}
		n := float64(max(len(asked), 1)) / 100
		r.Of[with] = Score{F1: tenth(sum.F1 / n), Contains: tenth(sum.Contains / n)}
	}
	return r
}

func tenth(x float64) float64 { return math.Round(10*x) / 10 }

// Table writes the report for people.
func (r *Report) Table(w io.Writer) error {
	fmt.Fprintf(w, "%s: F1 of short answers, and the share that contains the labelled one, in percent\n\n", r.Model)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(t, "\tquestions\t")
	for _, with := range Texts() {
		fmt.Fprintf(t, "%s\t", with)
	}
	fmt.Fprintln(t)
	names := slices.DeleteFunc(slices.Sorted(maps.Keys(r.Rows)), func(name string) bool { return name == allRows })
	for _, name := range append(names, allRows) {
		row := r.Rows[name]
		fmt.Fprintf(t, "%s\t%d\t", name, row.Questions)
		for _, with := range Texts() {
			fmt.Fprintf(t, "%.1f, %.1f\t", row.Of[with].F1, row.Of[with].Contains)
		}
		fmt.Fprintln(t)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	if r.Failed > 0 {
		fmt.Fprintf(w, "\n%d questions failed and do not count.\n", r.Failed)
	}
	_, err := fmt.Fprintf(w, "\nThe block is ahead of plain hits by %+.1f [%.1f, %.1f], and reaches %.0f %% of the evidence alone.\n",
		r.Ahead, r.Interval[0], r.Interval[1], r.Reached)
	return err
}
