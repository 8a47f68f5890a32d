package engine_test

import (
	"slices"
	"testing"

	"github.com/cairn-memory/cairn"
)

// TestTextFilter: conditions on what memories say, alone, denied, and beside others, wherever a filter is taken.
func TestTextFilter(t *testing.T) {
	t.Parallel()
	e := inMemory(t)
	for _, text := range []string{"The roof costs 6,400 EUR.", "The gutters cost 900 EUR.",
		"The roof is made of slate.", "Ana sails."} {
		e.note(t, ana, text)
	}
	e.note(t, ben, "The roof of Ben costs 1 EUR.")
	e.settle(t)
	for _, c := range []struct {
		filter string
		want   []string
	}{
		{`{"text": {"regex": "[0-9]+ EUR"}}`, []string{"The roof costs 6,400 EUR.", "The gutters cost 900 EUR."}},
		{`{"text": {"contains": "roof"}}`, []string{"The roof costs 6,400 EUR.", "The roof is made of slate."}},
		{`{"text": {"regex": "(?i)ROOF"}, "kind": "note"}`,
			[]string{"The roof costs 6,400 EUR.", "The roof is made of slate."}},
		{`{"text": "Ana sails."}`, []string{"Ana sails."}},
		{`{"text": {"ne": "Ana sails."}, "not": {"text": {"contains": "EUR"}}}`,
			[]string{"The roof is made of slate."}},
		{`{"or": [{"text": {"contains": "slate"}}, {"text": {"contains": "sails"}}]}`,
			[]string{"The roof is made of slate.", "Ana sails."}},
		{`{"text": {"contains": "zinc"}}`, nil},
		{`{"text": {"contains": "roof"}, "kind": "episode"}`, nil},
	} {
		var f cairn.Filter
		if err := f.UnmarshalJSON([]byte(c.filter)); err != nil {
			t.Errorf("%s = %v", c.filter, err)
			continue
		}
		page, err := e.List(t.Context(), ana, cairn.ListRequest{Filter: f})
		if got := wordingsOf(page.Items); err != nil || !slices.Equal(got, c.want) {
			t.Errorf("List with %s = %q, %v; want %q", c.filter, got, err, c.want)
		}
		res, err := e.Recall(t.Context(), ana,
			cairn.RecallRequest{Query: "the roof of slate, the gutters, Ana sails: what does it cost?", Filter: f})
		got := make([]cairn.Memory, len(res.Hits))
		for i, h := range res.Hits {
			got[i] = h.Memory
		}
		if found, want := slices.Sorted(slices.Values(wordingsOf(got))),
			slices.Sorted(slices.Values(c.want)); err != nil || !slices.Equal(found, want) {
			t.Errorf("Recall with %s = %q, %v; want %q", c.filter, found, err, want)
		}
	}
	var f cairn.Filter
	for _, bad := range []string{`{"text": {"regex": "("}}`, `{"text": 7}`, `{"text": {"like": "x"}}`,
		`{"texts": "x"}`} {
		if err := f.UnmarshalJSON([]byte(bad)); cairn.KindOf(err) != cairn.Invalid || err == nil {
			t.Errorf("%s = %v, want invalid", bad, err)
		}
	}
	gone, err := e.Forget(t.Context(), ana,
		cairn.ForgetRequest{Filter: cairn.Where(cairn.FilterText, cairn.OpContains, "gutters")})
	if err != nil || len(gone.IDs) != 1 {
		t.Errorf("Forget by text = %+v, %v; want one", gone, err)
	}
	for i := range cairn.MaxFilterList + 1 {
		if i%500 == 0 {
			e.remember(t, ben, cairn.RememberRequest{Messages: many("tick", min(500, cairn.MaxFilterList+1-i))})
		}
	}
	_, err = e.List(t.Context(), ben,
		cairn.ListRequest{Filter: cairn.Where(cairn.FilterText, cairn.OpContains, "tick")})
	wantError(t, "a text that too many hold", err, cairn.Exhausted, "more than 1000 memories")
}

// TestGreatestFilter: a filter as deep, or of as many conditions, as callers may send is taken by every recall, though
// cairn adds conditions of its own.
func TestGreatestFilter(t *testing.T) {
	t.Parallel()
	e := inMemory(t)
	e.note(t, ana, "The roof is made of slate.")
	e.settle(t)
	deep := cairn.Where("kind", cairn.OpEq, cairn.KindNote)
	for range cairn.MaxFilterDepth - 1 {
		deep = cairn.Filter{Or: []cairn.Filter{deep}}
	}
	wide := cairn.Filter{Or: []cairn.Filter{cairn.Where("kind", cairn.OpEq, cairn.KindNote)}}
	for range cairn.MaxFilterNodes - 2 {
		wide.Or = append(wide.Or, cairn.Where("kind", cairn.OpEq, cairn.KindEntry))
	}
	for name, f := range map[string]cairn.Filter{"deep": deep, "wide": wide} {
		res, err := e.Recall(t.Context(), ana, cairn.RecallRequest{Query: "What is the roof made of?", Filter: f,
			AsOf: "2999-01-01", KnownAt: "2999-01-01"})
		if err != nil || len(res.Hits) != 1 || res.Partial {
			t.Errorf("Recall with a %s filter finds %d hits, partial: %v, %v; want one, and the whole", name,
				len(res.Hits), res.Partial, err)
		}
		if _, err := e.Context(t.Context(), ana, cairn.ContextRequest{RecallRequest: cairn.RecallRequest{
			Query: "What is the roof made of?", Filter: f}}); err != nil {
			t.Errorf("Context with a %s filter = %v", name, err)
		}
	}
}

func wordingsOf(ms []cairn.Memory) (out []string) {
	for _, m := range ms {
		out = append(out, m.Text)
	}
	return out
}

func many(text string, n int) []cairn.Message {
	out := make([]cairn.Message, n)
	for i := range out {
		out[i].Content = text
	}
	return out
}
