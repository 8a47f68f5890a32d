package quality_test

import (
	"context"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/tools/measure/quality"
)

// blocks answers with the same hits and the same block.
type blocks struct {
	hits []trilith.Hit
	text func(budget int) string
}

func (b blocks) Recall(context.Context, trilith.Scope, trilith.RecallRequest) (trilith.RecallResult, error) {
	return trilith.RecallResult{Hits: b.hits}, nil
}

func (b blocks) Context(_ context.Context, _ trilith.Scope, r trilith.ContextRequest) (trilith.ContextBlock, error) {
	return trilith.ContextBlock{Text: b.text(r.Budget)}, nil
}

func TestMeasureContext(t *testing.T) {
	t.Parallel()
	long := "It was a long day in Oslo " + strings.Repeat("and then some more ", 10) + "until we slept."
	set := quality.Set{Name: "own",
		Docs: []quality.Doc{{ID: "1", Text: "I moved to Bergen!"}, {ID: "2", Text: long}, {ID: "3", Text: "😀"}},
		Queries: []quality.Query{{ID: "a", Text: "where?", Evidence: []string{"1", "2"}},
			{ID: "b", Text: "who?", Evidence: []string{"3"}},
			{ID: "c", Category: quality.Apart, Text: "?", Evidence: []string{"1"}}}}
	hit := func(text string) trilith.Hit {
		return trilith.Hit{Memory: trilith.Memory{Speaker: "Ana", Text: text}}
	}
	m := blocks{hits: []trilith.Hit{hit("Hello."), hit(strings.Repeat("x", 400)), hit("I moved to Bergen!")},
		text: func(budget int) string {
			if budget < 1000 {
				return "## 2025-06-01\n- Ana: I moved\nto BERGEN\n"
			}
			return "- Ana: I moved to Bergen!\n- Ana: " + long[:150] + "…\n"
		}}
	got, err := quality.MeasureContext(t.Context(), m, set, func(s string) int { return len(s) }, quality.Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := quality.Evidence{Dataset: "own", Questions: 1, Rows: []quality.InBudget{
		{Budget: 300, Block: 50, Whole: 50, Plain: 0, Tokens: 39, Most: 39},
		{Budget: 600, Block: 50, Whole: 50, Plain: 50, Tokens: 39, Most: 39},
		{Budget: 1200, Block: 100, Whole: 50, Plain: 50, Tokens: 187, Most: 187},
		{Budget: 2400, Block: 100, Whole: 50, Plain: 50, Tokens: 187, Most: 187},
	}}
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Errorf("MeasureContext (-want +got):\n%s", diff)
	}
	var table strings.Builder
	if err := got.Table(&table); err != nil || !strings.Contains(table.String(), "plain hits") {
		t.Errorf("Table = %v: %s", err, table.String())
	}
}
