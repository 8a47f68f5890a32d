package recall_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/test/rig"
)

// TestExplainAccounts: every candidate of every arm is a hit, is nested in one, or is dropped for a reason, and none
// twice.
func TestExplainAccounts(t *testing.T) {
	t.Parallel()
	e := rig.InMemory(t, withBuiltin)
	e.MustRemember(t, rig.Ana, trilith.RememberRequest{Messages: rig.Conversation(300), Extract: trilith.ExtractRules,
		Wait: trilith.WaitExtracted})
	for i := range 15 {
		e.MustAssimilate(t, rig.Ana, rig.ByMail, "2025-01-10", fmt.Sprintf("I love garden number %d.", i))
	}
	e.MustSettle(t)
	for _, req := range []trilith.RecallRequest{
		{Query: "garden bicycle kitchen", K: 5}, {Query: "garden bicycle kitchen", K: 50}, {Query: "xylophone", K: 5},
		{Query: "xylophone", K: 5, StrongOnly: true}, {Query: "garden", K: 5, MinScore: 0.9},
		{Query: "love", K: 3, Filter: trilith.Where("kind", trilith.OpEq, trilith.KindFact)},
	} {
		req.Explain = true
		res := e.MustRecall(t, rig.Ana, req)
		told := map[trilith.ID]int{}
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
			if a.Arm != trilith.ArmFact {
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
	e := rig.InMemory(t, withBuiltin)
	hit := e.Note(t, rig.Ana, "The spare key lies under the third stone.")
	low := e.Note(t, rig.Ana, "The key of the cellar is lost, and so are many other things that nobody has looked for in years.")
	tagged := e.One(t, rig.Ana, trilith.RememberRequest{Note: &trilith.Note{Content: "A spare key hangs in the shed."},
		Tags: []string{"shed"}})
	gone := e.Note(t, rig.Ana, "The spare key was under the second stone.")
	if _, err := e.Forget(t.Context(), rig.Ana, trilith.ForgetRequest{IDs: []trilith.ID{gone.ID}}); err != nil {
		t.Fatal(err)
	}
	other := e.Note(t, rig.Ana, "Wednesday.")
	foreign := e.Note(t, rig.Ben, "The spare key is mine.")
	e.MustSettle(t)
	ids := []trilith.ID{hit.ID, low.ID, tagged.ID, gone.ID, other.ID, foreign.ID, trilith.DeriveID("nobody")}
	req := trilith.RecallRequest{Query: "Where is the spare key?", K: 1, StrongOnly: true, Trace: ids,
		Arms:   []trilith.Arm{trilith.ArmLexical},
		Filter: trilith.Filter{Not: &trilith.Filter{Field: "tags", Op: trilith.OpContains, Value: "shed"}}}
	res := e.MustRecall(t, rig.Ana, req)
	want := []string{"", trilith.DropRank, trilith.DropFilter, trilith.DropState, trilith.DropUnfound, trilith.DropMissing,
		trilith.DropMissing}
	if len(res.Trace) != len(ids) || res.Explain != nil || res.Dropped != nil || res.Hits[0].Parts != nil {
		t.Fatalf("Recall traces %+v and explains %v, %v; want the trace alone", res.Trace, res.Explain, res.Dropped)
	}
	for i, x := range res.Trace {
		if x.ID != ids[i] || x.Reason != want[i] || (x.Place == 1) != (want[i] == "") {
			t.Errorf("trace %d = %+v, want the reason %q", i, x, want[i])
		}
		if found := want[i] == "" || want[i] == trilith.DropRank; found != (x.Parts[trilith.ArmLexical].Rank > 0) ||
			found != (x.Score > 0) {
			t.Errorf("trace %d = %+v, want what words gave it: %t", i, x, found)
		}
	}
	req.Arms, req.K, req.StrongOnly = nil, 10, false
	res = e.MustRecall(t, rig.Ana, req)
	at := slices.IndexFunc(res.Hits, func(h trilith.Hit) bool { return h.Memory.ID == other.ID })
	if x := res.Trace[4]; at < 0 || x.Place != at+1 || x.Weak != res.Hits[at].Weak {
		t.Errorf("the trace of a weak hit is %+v, its place %d", x, at+1)
	}
	if x := res.Trace[5]; x.Similarity != nil || x.Parts != nil {
		t.Errorf("the trace of another user's memory tells %+v", x)
	}
	for names, ids := range map[string][]trilith.ID{"not the id": {"x"}, "at most": make([]trilith.ID, trilith.MaxTraced+1)} {
		_, err := e.Recall(t.Context(), rig.Ana, trilith.RecallRequest{Query: "key", Trace: ids})
		rig.WantError(t, "Recall with a bad trace", err, trilith.Invalid, names)
	}
}
