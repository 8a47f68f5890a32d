package main

import (
	"context"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/tools/measure/quality"
)

// The test distinguishes results of a question in its own set, results of a question without an answer, and results of
// strangers.
func TestMeasureSilence(t *testing.T) {
	t.Parallel()
	set := quality.Set{Name: "talks", Docs: []quality.Doc{{ID: "1", Group: "a"}, {ID: "2", Group: "b"}},
		Queries: []quality.Query{
			{ID: "q1", Group: "a", Text: "one", Evidence: []string{"1"}},
			{ID: "q2", Group: "b", Text: "two", Evidence: []string{"2"}},
			{ID: "q3", Group: "a", Text: "swapped", Evidence: []string{"1"}, Category: quality.Apart},
			{ID: "q4", Group: "b", Text: "never said", Abstention: true},
			{ID: "q5", Group: "b", Text: "without a label"}}}
	scores := map[string]float64{"a one": 0.5, "b one": 0.1, "b two": 0.22, "a swapped": 0.28}
	r := recaller(func(s trilith.Scope, r trilith.RecallRequest) (res trilith.RecallResult, err error) {
		if score := scores[s.Project+" "+r.Query]; score > 0 {
			res.Hits = []trilith.Hit{{Score: score}, {Score: 0.01}}
		}
		return res, nil
	})
	got, err := measureSilence(t.Context(), r, set, quality.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := got.Table(&b); err != nil {
		t.Fatal(err)
	}
	want := `talks: percent without a hit, of 2 questions with an answer, 2 without, 2 asked elsewhere

  min_score  with answer  without  elsewhere
       0.02          0.0     50.0       50.0
       0.05          0.0     50.0       50.0
       0.08          0.0     50.0       50.0
       0.10          0.0     50.0       50.0
       0.12          0.0     50.0      100.0
       0.15          0.0     50.0      100.0
       0.20          0.0     50.0      100.0
       0.25         50.0     50.0      100.0
       0.30         50.0    100.0      100.0
`
	if diff := gocmp.Diff(want, b.String()); diff != "" {
		t.Errorf("Table (-want +got):\n%s", diff)
	}
}

// recaller answers questions.
type recaller func(trilith.Scope, trilith.RecallRequest) (trilith.RecallResult, error)

func (f recaller) Recall(_ context.Context, s trilith.Scope, r trilith.RecallRequest) (trilith.RecallResult, error) {
	return f(s, r)
}
