package engine_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/cairn-memory/cairn"
)

// TestExplainAccounts: every candidate of every arm is a hit, is nested in one, or is dropped for a reason, and none
// twice.
func TestExplainAccounts(t *testing.T) {
	t.Parallel()
	e := inMemory(t, withBuiltin)
	e.remember(t, ana, cairn.RememberRequest{Messages: conversation(300), Extract: cairn.ExtractRules,
		Wait: cairn.WaitExtracted})
	for i := range 15 {
		e.assimilate(t, ana, byMail, "2025-01-10", fmt.Sprintf("I love garden number %d.", i))
	}
	e.settle(t)
	for _, req := range []cairn.RecallRequest{
		{Query: "garden bicycle kitchen", K: 5}, {Query: "garden bicycle kitchen", K: 50}, {Query: "xylophone", K: 5},
		{Query: "xylophone", K: 5, StrongOnly: true}, {Query: "garden", K: 5, MinScore: 0.9},
		{Query: "love", K: 3, Filter: cairn.Where("kind", cairn.OpEq, cairn.KindFact)},
	} {
		req.Explain = true
		res := e.recall(t, ana, req)
		told := map[cairn.ID]int{}
		for _, h := range res.Hits {
			told[h.Memory.ID]++
			for _, f := range h.Facts {
				told[f.ID]++
			}
		}
		for _, d := range res.Dropped {
			told[d.ID]++
			if d.Reason == "" {
				t.Errorf("%+v: %s was dropped without a reason", req, d.ID)
			}
		}
		most, candidates := 0, 0
		for id, n := range told {
			if n != 1 {
				t.Errorf("%+v: %s is told of %d times", req, id, n)
			}
		}
		for _, a := range res.Explain.Arms {
			if a.Arm != cairn.ArmFact {
				most, candidates = max(most, a.Candidates), candidates+a.Candidates
			}
		}
		if len(told) < most || len(told) > candidates+len(res.Hits) {
			t.Errorf("%+v: %d memories are accounted for, the arms found %d, the best of them %d", req, len(told),
				candidates, most)
		}
	}
}

// TestTrace: of a memory that is named the answer says what became of it, and nothing of what the scope does not see.
func TestTrace(t *testing.T) {
	t.Parallel()
	e := inMemory(t, withBuiltin)
	hit := e.note(t, ana, "The spare key lies under the third stone.")
	low := e.note(t, ana, "The key of the cellar is lost, and so are many other things that nobody has looked for in years.")
	tagged := e.one(t, ana, cairn.RememberRequest{Note: &cairn.Note{Content: "A spare key hangs in the shed."},
		Tags: []string{"shed"}})
	gone := e.note(t, ana, "The spare key was under the second stone.")
	if _, err := e.Forget(t.Context(), ana, cairn.ForgetRequest{IDs: []cairn.ID{gone.ID}}); err != nil {
		t.Fatal(err)
	}
	other := e.note(t, ana, "Wednesday.")
	foreign := e.note(t, ben, "The spare key is mine.")
	e.settle(t)
	ids := []cairn.ID{hit.ID, low.ID, tagged.ID, gone.ID, other.ID, foreign.ID, cairn.DeriveID("nobody")}
	req := cairn.RecallRequest{Query: "Where is the spare key?", K: 1, StrongOnly: true, Trace: ids,
		Arms:   []cairn.Arm{cairn.ArmLexical},
		Filter: cairn.Filter{Not: &cairn.Filter{Field: "tags", Op: cairn.OpContains, Value: "shed"}}}
	res := e.recall(t, ana, req)
	want := []string{"", cairn.DropRank, cairn.DropFilter, cairn.DropState, cairn.DropUnfound, cairn.DropMissing,
		cairn.DropMissing}
	if len(res.Trace) != len(ids) || res.Explain != nil || res.Dropped != nil || res.Hits[0].Parts != nil {
		t.Fatalf("Recall traces %+v and explains %v, %v; want the trace alone", res.Trace, res.Explain, res.Dropped)
	}
	for i, x := range res.Trace {
		if x.ID != ids[i] || x.Reason != want[i] || (x.Place == 1) != (want[i] == "") {
			t.Errorf("trace %d = %+v, want the reason %q", i, x, want[i])
		}
		if found := want[i] == "" || want[i] == cairn.DropRank; found != (x.Parts[cairn.ArmLexical].Rank > 0) ||
			found != (x.Score > 0) {
			t.Errorf("trace %d = %+v, want what words gave it: %t", i, x, found)
		}
	}
	req.Arms, req.K, req.StrongOnly = nil, 10, false
	res = e.recall(t, ana, req)
	at := slices.IndexFunc(res.Hits, func(h cairn.Hit) bool { return h.Memory.ID == other.ID })
	if x := res.Trace[4]; at < 0 || x.Place != at+1 || x.Weak != res.Hits[at].Weak {
		t.Errorf("the trace of a weak hit is %+v, its place %d", x, at+1)
	}
	if x := res.Trace[5]; x.Similarity != nil || x.Parts != nil {
		t.Errorf("the trace of another user's memory tells %+v", x)
	}
	for names, ids := range map[string][]cairn.ID{"not the id": {"x"}, "at most": make([]cairn.ID, cairn.MaxTraced+1)} {
		_, err := e.Recall(t.Context(), ana, cairn.RecallRequest{Query: "key", Trace: ids})
		wantError(t, "Recall with a bad trace", err, cairn.Invalid, names)
	}
}
