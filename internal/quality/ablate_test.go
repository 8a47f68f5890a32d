package quality_test

import (
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/cairn-memory/cairn"
	"github.com/cairn-memory/cairn/internal/quality"
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
	want := quality.Difference{NDCG10: -25, Error: 17.68, R10: -25} // 0 and -50, each 25 from their mean
	if diff := gocmp.Diff(want, quality.Differ(report(1, 0.5, 1), report(0, 0.5, 0.5))); diff != "" {
		t.Errorf("Differ, with a question apart that counts nothing (-want +got):\n%s", diff)
	}
	if got := quality.Differ(quality.Report{}, quality.Report{}); got != (quality.Difference{}) {
		t.Errorf("Differ of no questions = %+v", got)
	}
}

// A lever is kept on a set by what it is worth on the others, whatever it is worth there.
func TestKept(t *testing.T) {
	t.Parallel()
	a := quality.Ablation{Sets: []string{"chats", "requests", "notes"}}
	points := func(ndcg ...float64) (out []quality.Difference) {
		for _, v := range ndcg {
			out = append(out, quality.Difference{NDCG10: v, Error: 0.3})
		}
		return out
	}
	a.Add(cairn.LeverNames, points(-6, 0, 0))
	a.Add(cairn.LeverNearby, points(-1, -1, -1))
	a.Add(cairn.LeverWhen, points(1, 0.5, 0))
	for but, want := range []cairn.Levers{cairn.LeverNearby, cairn.LeverNames | cairn.LeverNearby, cairn.LeverNames | cairn.LeverNearby} {
		if got, err := a.Kept(but); err != nil || got != want {
			t.Errorf("Kept without a look at %s = %v, %v, want %v", a.Sets[but], got, err, want)
		}
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

// Where groups are kept apart is where a question looks.
func TestEvaluatePools(t *testing.T) {
	t.Parallel()
	set := quality.Set{Docs: []quality.Doc{{ID: "u1", Role: cairn.RoleUser}},
		Queries: []quality.Query{{ID: "q", Group: "g", Text: "one", Evidence: []string{"u1"}}}}
	for pool, want := range map[quality.Pool]struct{ project, tag string }{
		quality.OwnProject: {project: "g"}, quality.Restricted: {tag: "g"}, quality.Shared: {},
	} {
		asked := 0
		r := recaller(func(s cairn.Scope, r cairn.RecallRequest) (cairn.RecallResult, error) {
			asked++
			match, err := r.Filter.Compile()
			if err != nil {
				return cairn.RecallResult{}, err
			}
			passes := func(tags ...string) bool { return match == nil || match(&cairn.Facets{Tags: tags}) }
			if s.Project != want.project || !passes("g") || passes() != (want.tag == "") {
				t.Errorf("pool %q asks in project %q with %v", pool, s.Project, r.Filter)
			}
			return cairn.RecallResult{}, nil
		})
		if rep, err := quality.Evaluate(t.Context(), r, set, quality.Options{Pool: pool}); err != nil || asked != 1 || rep.Pool != pool {
			t.Errorf("Evaluate in pool %q = %q, %v, asked %d times", pool, rep.Pool, err, asked)
		}
	}
}
