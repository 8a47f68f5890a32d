package main

import (
	"bytes"
	"encoding/json"
	"os"
	"slices"
	"testing"

	"github.com/trilith-memory/trilith"
)

const ourSet = "../measure/quality/testdata/set"

// measured runs the tool on the labelled set of the repository, with words alone: these give the same ranks each time.
func measured(t *testing.T, args ...string) (r report) {
	t.Helper()
	tmp := t.TempDir()
	t.Setenv("TMPDIR", tmp)
	var out bytes.Buffer
	args = append([]string{"-json", "-embedder", "none"}, append(args, ourSet)...)
	if err := run(t.Context(), args, func(string) string { return "" }, &out); err != nil {
		t.Fatal(err)
	}
	if left, err := os.ReadDir(tmp); err != nil || len(left) > 0 {
		t.Errorf("%v are left behind, %v", left, err)
	}
	if err := json.Unmarshal(out.Bytes(), &r); err != nil {
		t.Fatal(err)
	}
	return r
}

// A rule that is left out changes what is found, and one that nothing sets off does not.
func TestAblate(t *testing.T) {
	r := measured(t, "-levers", "none,roles,words", "-leave-one-out")
	if len(r.Sets) != 1 || r.Sets[0].Overall.N == 0 || len(r.LeaveOneOut) != 1 {
		t.Fatalf("%d sets and %d asked with what the others keep; want the set and once more",
			len(r.Sets), len(r.LeaveOneOut))
	}
	changes := map[string]float64{}
	for _, row := range r.Ablation.Rows {
		changes[row.Lever] = row.Mean.NDCG10
	}
	if len(changes) != 2 || changes["roles"] >= 0 || changes["words"] != 0 {
		t.Errorf("without roles and words nDCG@10 changes by %v; want a loss by the first, and nothing by the second",
			changes)
	}
	if full := measured(t, "-silence"); full.Sets[0].Overall.NDCG10 <= r.Sets[0].Overall.NDCG10 {
		t.Errorf("nDCG@10 is %g with all rules and %g with two of them",
			full.Sets[0].Overall.NDCG10, r.Sets[0].Overall.NDCG10)
	} else if len(full.Silence) != 1 || len(full.Silence[0].Rows) != len(minScores) {
		t.Errorf("silence is %+v, want a row for each of %v", full.Silence, minScores)
	}
}

// The weight of vectors decides about ranks.
func TestWeigh(t *testing.T) {
	r := measured(t, "-embedder", "builtin:", "-weigh")
	first, last := r.Weighing.Rows[0], r.Weighing.Rows[len(r.Weighing.Rows)-1]
	if len(r.Weighing.Rows) != len(weights) || first.NDCG10[0] == last.NDCG10[0] {
		t.Errorf("weights give %+v, want a row for each of %v, and not all the same", r.Weighing.Rows, weights)
	}
}

func TestRefused(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{
		{}, {ourSet, "b"}, {ourSet + "@-1"}, {"-levers", "everything", ourSet}, {"-no-such", ourSet}, {t.TempDir()},
	} {
		if err := run(t.Context(), args, func(string) string { return "" }, &bytes.Buffer{}); err == nil {
			t.Errorf("%q was accepted", args)
		} else if kind := trilith.KindOf(err); len(args) == 3 && kind != trilith.Invalid {
			t.Errorf("%q: %v, want Invalid", args, err)
		}
	}
}

// One role of a set, and young memories of it, stand beside the set, and decide nothing about themselves.
func TestJudges(t *testing.T) {
	r := measured(t, "-weigh", ourSet+"@user", ourSet+"@user@10")
	var names []string
	var found []float64
	for _, set := range r.Sets {
		names, found = append(names, set.Dataset), append(found, set.Overall.NDCG10)
	}
	if want := []string{"set@user", "set@user@10", "set"}; !slices.Equal(names, want) {
		t.Fatalf("asked are %q, want %q", names, want)
	}
	if found[1] <= found[0] || found[2] >= found[0] {
		t.Errorf("nDCG@10 is %v, want the most for young memories and the least for both roles", found)
	}
	if r.Weighing.Chosen != nil {
		t.Errorf("the sets, which are one, chose %v", r.Weighing.Chosen)
	}
}

func TestParseSet(t *testing.T) {
	t.Parallel()
	for arg, want := range map[string]named{
		"a/chats":         {dir: "a/chats"},
		"a/chats@user":    {dir: "a/chats", role: trilith.RoleUser},
		"a/chats@30":      {dir: "a/chats", young: 30},
		"a/chats@user@30": {dir: "a/chats", role: trilith.RoleUser, young: 30},
		"a@home/chats@x":  {dir: "a@home/chats@x"},
		"@user":           {dir: "@user"},
	} {
		if got := parseSet(arg); got != want {
			t.Errorf("parseSet(%q) = %+v, want %+v", arg, got, want)
		}
	}
}
