package main

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/transfer"
	"github.com/trilith-memory/trilith/tools/measure/labelled"
	"github.com/trilith-memory/trilith/tools/measure/quality"
)

// languageFloors are the minimum recall@5 by words alone, one question below the current value: in a store of the
// language, and in one with all of these languages.
var languageFloors = []struct {
	code         string
	alone, mixed float64
}{
	{"ar", 90, 90}, {"da", 90, 90}, {"de", 83, 83}, {"en", 90, 90}, {"es", 90, 90}, {"fi", 50, 50}, {"fr", 90, 90},
	{"it", 83, 83},
	{"ja", 90, 90}, {"ko", 90, 90}, {"nl", 90, 90}, {"pt", 90, 90}, {"ru", 83, 83}, {"sv", 83, 83}, {"zh", 90, 90},
}

// A question in any language finds what was said in it, with any other content of the store.
func TestLanguages(t *testing.T) {
	t.Parallel()
	mixed := openAs(t, "mem:", "none")
	sets := map[string]quality.Set{}
	for _, l := range languageFloors {
		dir := filepath.Join("../../tools/measure/quality/testdata/languages", l.code)
		set, err := quality.LoadSet(dir)
		if err != nil {
			t.Fatal(err)
		}
		sets[l.code] = set
		alone := openAs(t, "mem:", "none")
		for _, m := range []*opened{alone, mixed} {
			if _, err := transfer.Run(context.Background(), m, labelled.Turns(set),
				transfer.Options{Scope: trilith.Scope{Tenant: "default"}, Strict: true}); err != nil {
				t.Fatal(err)
			}
		}
		wantRecall(t, alone, set, "alone", l.alone)
	}
	for _, l := range languageFloors {
		wantRecall(t, everywhere{mixed}, sets[l.code], "among all", l.mixed)
	}
}

func wantRecall(t *testing.T, r quality.Recaller, set quality.Set, where string, floor float64) {
	t.Helper()
	rep, err := quality.Evaluate(context.Background(), r, set, quality.Options{Scope: trilith.Scope{Tenant: "default"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%s %s: R@1 %.1f, R@5 %.1f", set.Name, where, rep.Overall.R1, rep.Overall.R5)
	for i, q := range rep.Questions {
		if q.Rank != 1 {
			t.Logf("%s %s: the answer to %q is at %d", set.Name, where, set.Queries[i].Text, q.Rank)
		}
	}
	if rep.Overall.R5 < floor {
		t.Errorf("%s %s: recall@5 is %.1f, want at least %.1f", set.Name, where, rep.Overall.R5, floor)
	}
}

// everywhere asks in the whole tenant, not in the project of the question.
type everywhere struct{ quality.Recaller }

func (e everywhere) Recall(ctx context.Context, s trilith.Scope, q trilith.RecallRequest) (trilith.RecallResult, error) {
	s.Project = ""
	return e.Recaller.Recall(ctx, s, q)
}
