package answers_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/model/scripted"
	"github.com/trilith-memory/trilith/tools/measure/answers"
	"github.com/trilith-memory/trilith/tools/measure/quality"
)

func TestGrade(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		given, labelled string
		want            answers.Score
	}{
		{"The pond.", "a pond", answers.Score{F1: 1, Contains: 1}},
		{"at the old pond", "old pond", answers.Score{F1: 0.8, Contains: 1}},
		{"pond old", "old pond", answers.Score{F1: 1}},
		{"pond pond", "pond", answers.Score{F1: 2. / 3, Contains: 1}},
		{"2023-12-08", "On Dec 8, 2023.", answers.Score{F1: 6. / 7}},
		{"8 December 2023", "8 Dec 2023", answers.Score{F1: 1, Contains: 1}},
		{"2023-13-40", "13", answers.Score{}},
		{"ponds", "pond", answers.Score{}},
		{"", "pond", answers.Score{}},
		{"the", "pond", answers.Score{}},
	} {
		if got := answers.Grade(c.given, c.labelled); got != c.want {
			t.Errorf("Grade(%q, %q) = %+v, want %+v", c.given, c.labelled, got, c.want)
		}
	}
}

// memory answers with the same hits and the same block.
type memory struct{}

func (memory) Recall(context.Context, trilith.Scope, trilith.RecallRequest) (trilith.RecallResult, error) {
	return trilith.RecallResult{Hits: []trilith.Hit{{Memory: trilith.Memory{Speaker: "Pim", Text: "A swan."}},
		{Memory: trilith.Memory{Speaker: "Pim", Text: strings.Repeat("One two three. ", 20)}}}}, nil
}

func (memory) Context(context.Context, trilith.Scope, trilith.ContextRequest) (trilith.ContextBlock, error) {
	return trilith.ContextBlock{Text: "2025-03-04 Odile: I saw a heron at the pond."}, nil
}

func TestAsk(t *testing.T) {
	t.Parallel()
	set := quality.Set{Name: "own", Docs: []quality.Doc{{ID: "1", Time: "2025-03-04T10:00:00", Speaker: "Odile",
		Text: "The heron is here.", Caption: "a pond"}, {ID: "2", Text: "No."}}}
	ask := func(id string, change func(*quality.Query)) {
		q := quality.Query{ID: id, Category: "single", Text: "Where was the heron?", Answer: "the pond", Evidence: []string{"1"}}
		change(&q)
		set.Queries = append(set.Queries, q)
	}
	ask("a", func(*quality.Query) {})
	ask("b", func(*quality.Query) {})
	ask("without an answer", func(q *quality.Query) { q.Answer = "" })
	ask("with a long one", func(q *quality.Query) { q.Answer = strings.Repeat("so ", 21) })
	ask("without evidence", func(q *quality.Query) { q.Evidence = nil })
	ask("apart", func(q *quality.Query) { q.Category = quality.Apart })
	script := slices.Repeat([]scripted.Entry{ // each question needs its own
		{Match: "2025-03-04 Odile", Answer: "At the pond.\nSo I think."},
		{Match: "[2025-03-04] Odile: The heron is here. [a pond]", Answer: "pond"},
		{Match: "Pim: A swan.", Answer: "on a lake"}}, 4)
	model := scripted.New(scripted.Script{Entries: append(script, scripted.Entry{Answer: "I do not know"})})
	words := func(s string) int { return len(strings.Fields(s)) }
	told := 0
	o := answers.Options{Model: model, Count: words, Progress: func(int, int) { told++ }}
	stored := []answers.Stored{{Set: set, Memory: memory{}}}
	r, err := answers.Ask(t.Context(), stored, o)
	if err != nil || len(r.Asked) != 2 || told != 2 {
		t.Fatalf("Ask = %+v, %v, told %d times; want two questions", r, err, told)
	}
	all := r.Rows["all"].Of
	if all[answers.Block] != (answers.Score{F1: 66.7, Contains: 100}) || all[answers.Plain].F1 != 0 ||
		all[answers.Evidence].F1 != 100 || all[answers.Nothing].F1 != 0 {
		t.Errorf("scores %+v", all)
	}
	if r.Ahead != 66.7 || r.Interval[0] != 66.67 || r.Reached != 66.7 || r.Rows["own single"].Questions != 2 {
		t.Errorf("report %+v", r)
	}
	given := r.Asked[0].Given
	if n := words(given[answers.Plain].Text); n != words(given[answers.Block].Text) {
		t.Errorf("plain hits have %d words: %q", n, given[answers.Plain].Text)
	}
	var table strings.Builder
	if err := r.Table(&table); err != nil || !strings.Contains(table.String(), "ahead of plain hits by +66.7") {
		t.Errorf("Table = %v: %s", err, table.String())
	}
	o.Questions = 1
	if r, err = answers.Ask(t.Context(), stored, o); err != nil || len(r.Asked) != 1 {
		t.Errorf("Ask of one question = %d, %v", len(r.Asked), err)
	}
	o.Model = scripted.New(scripted.Script{Entries: []scripted.Entry{{Fails: true, Kind: trilith.Unavailable}}})
	o.Questions = 0
	if r, err = answers.Ask(t.Context(), stored, o); err != nil || r.Failed != 2 || len(r.Asked) != 0 {
		t.Errorf("Ask of a model that fails = %+v, %v; want two failures", r, err)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if r, err = answers.Ask(ended, stored, o); err != nil || len(r.Asked) != 0 {
		t.Errorf("Ask after the end = %d, %v; want what was asked by then", len(r.Asked), err)
	}
}
