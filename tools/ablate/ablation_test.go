package main

import (
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/trilith-memory/trilith/internal/search/lexical"
	"github.com/trilith-memory/trilith/tools/measure/quality"
)

func TestDiffer(t *testing.T) {
	t.Parallel()
	report := func(ndcg ...float64) quality.Report {
		r := quality.Report{Questions: []quality.Question{{Category: quality.Apart, NDCG10: ndcg[0]}}}
		for _, v := range ndcg[1:] {
			r.Questions = append(r.Questions, quality.Question{NDCG10: v, R10: v})
		}
		return r
	}
	want := Difference{NDCG10: -25, Error: 17.68, R10: -25} // 0 and -50, each 25 from their mean
	if diff := gocmp.Diff(want, Differ(report(1, 0.5, 1), report(0, 0.5, 0.5))); diff != "" {
		t.Errorf("Differ, with a question apart that counts nothing (-want +got):\n%s", diff)
	}
	if got := Differ(quality.Report{}, quality.Report{}); got != (Difference{}) {
		t.Errorf("Differ of no questions = %+v", got)
	}
}

// A rule is kept for a set by its value on the other sets, not by its value there.
func TestKept(t *testing.T) {
	t.Parallel()
	a := Ablation{Sets: []string{"chats", "requests", "notes"}, sources: []string{"c", "r", "n"}}
	points := func(ndcg ...float64) (out []Difference) {
		for _, v := range ndcg {
			out = append(out, Difference{NDCG10: v, Error: 0.3})
		}
		return out
	}
	a.Add(lexical.RuleNames, points(-6, 0, 0))
	a.Add(lexical.RuleNearby, points(-1, -1, -1))
	a.Add(lexical.RuleWhen, points(1, 0.5, 0))
	both := lexical.RuleNames | lexical.RuleNearby
	for but, want := range []lexical.Rules{lexical.RuleNearby, both, both} {
		if got, err := a.Kept(but); err != nil || got != want {
			t.Errorf("Kept without a look at %s = %v, %v, want %v", a.Sets[but], got, err, want)
		}
	}
	twice := Ablation{Rows: a.Rows, sources: []string{"c", "r", "r"}}
	if got, err := twice.Kept(1); err != nil || got != both {
		t.Errorf("Kept by the chats alone = %v, %v, want %v: the notes ask the same questions", got, err, both)
	}
	var b strings.Builder
	if err := a.Table(&b); err != nil {
		t.Fatal(err)
	}
	want := `  without       chats    requests       notes        mean  mean R@10
    names  -6.00±0.30  +0.00±0.30  +0.00±0.30  -2.00±0.17      +0.00
   nearby  -1.00±0.30  -1.00±0.30  -1.00±0.30  -1.00±0.17      +0.00
     when  +1.00±0.30  +0.50±0.30  +0.00±0.30  +0.50±0.17      +0.00
`
	if diff := gocmp.Diff(want, b.String()); diff != "" {
		t.Errorf("Table (-want +got):\n%s", diff)
	}
}
