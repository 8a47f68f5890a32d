package main

import (
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/trilith-memory/trilith/tools/measure/quality"
)

// The weight for a set is chosen by the results on the other sets, not by the results there.
func TestWeighing(t *testing.T) {
	t.Parallel()
	w := Weighing{Sets: []string{"chats", "requests", "notes"}, sources: []string{"c", "r", "n"}}
	reports := func(ndcg ...float64) (out []quality.Report) {
		for _, v := range ndcg {
			out = append(out, quality.Report{Overall: quality.Metrics{NDCG10: v, R10: v + 10}})
		}
		return out
	}
	w.Add(0.1, reports(60, 40, 50))
	w.Add(0.2, reports(50, 41, 50))
	w.Add(0.3, reports(50, 40, 51))
	w.Choose()
	var b strings.Builder
	if err := w.Table(&b); err != nil {
		t.Fatal(err)
	}
	want := `         weight         chats      requests         notes   mean  mean R@10
           0.10         60.00         40.00         50.00  50.00      60.00
           0.20         50.00         41.00         50.00  47.00      57.00
           0.30         50.00         40.00         51.00  47.00      57.00
  by the others  50.00 (0.20)  40.00 (0.10)  50.00 (0.10)  46.67      56.67
`
	if diff := gocmp.Diff(want, b.String()); diff != "" {
		t.Errorf("Table (-want +got):\n%s", diff)
	}
	alone := Weighing{Sets: []string{"chats", "chats@user"}, sources: []string{"c", "c"}}
	alone.Add(0.1, reports(60, 50))
	if alone.Choose(); alone.Chosen != nil {
		t.Errorf("a set alone is given %v, want no choice", alone.Chosen)
	}
}
