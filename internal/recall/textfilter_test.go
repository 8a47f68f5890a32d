package recall_test

import (
	"slices"
	"testing"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/test/rig"
)

// TestTextFilter: conditions on what memories say, alone, denied, and beside others, wherever a filter is taken.
func TestTextFilter(t *testing.T) {
	t.Parallel()
	e := rig.InMemory(t)
	for _, text := range []string{"The roof costs 6,400 EUR.", "The gutters cost 900 EUR.",
		"The roof is made of slate.", "Ana sails."} {
		e.Note(t, rig.Ana, text)
	}
	e.Note(t, rig.Ben, "The roof of Ben costs 1 EUR.")
	e.MustSettle(t)
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
		var f trilith.Filter
		if err := f.UnmarshalJSON([]byte(c.filter)); err != nil {
			t.Errorf("%s = %v", c.filter, err)
			continue
		}
		page, err := e.List(t.Context(), rig.Ana, trilith.ListRequest{Filter: f})
		if got := wordingsOf(page.Items); err != nil || !slices.Equal(got, c.want) {
			t.Errorf("List with %s = %q, %v; want %q", c.filter, got, err, c.want)
		}
		res, err := e.Recall(t.Context(), rig.Ana,
			trilith.RecallRequest{Query: "the roof of slate, the gutters, Ana sails: what does it cost?", Filter: f})
		got := make([]trilith.Memory, len(res.Hits))
		for i, h := range res.Hits {
			got[i] = h.Memory
		}
		if found, want := slices.Sorted(slices.Values(wordingsOf(got))),
			slices.Sorted(slices.Values(c.want)); err != nil || !slices.Equal(found, want) {
			t.Errorf("Recall with %s = %q, %v; want %q", c.filter, found, err, want)
		}
	}
	var f trilith.Filter
	for _, bad := range []string{`{"text": {"regex": "("}}`, `{"text": 7}`, `{"text": {"like": "x"}}`,
		`{"texts": "x"}`} {
		if err := f.UnmarshalJSON([]byte(bad)); trilith.KindOf(err) != trilith.Invalid || err == nil {
			t.Errorf("%s = %v, want invalid", bad, err)
		}
	}
	gone, err := e.Forget(t.Context(), rig.Ana,
		trilith.ForgetRequest{Filter: trilith.Where(trilith.FilterText, trilith.OpContains, "gutters")})
	if err != nil || len(gone.IDs) != 1 {
		t.Errorf("Forget by text = %+v, %v; want one", gone, err)
	}
	for i := range trilith.MaxFilterList + 1 {
		if i%500 == 0 {
			e.MustRemember(t, rig.Ben, trilith.RememberRequest{Messages: many("tick", min(500, trilith.MaxFilterList+1-i))})
		}
	}
	_, err = e.List(t.Context(), rig.Ben,
		trilith.ListRequest{Filter: trilith.Where(trilith.FilterText, trilith.OpContains, "tick")})
	rig.WantError(t, "a text that too many hold", err, trilith.Exhausted, "more than 1000 memories")
}

// TestGreatestFilter: a filter as deep, or of as many conditions, as callers may send is taken by every recall, though
// trilith adds conditions of its own.
func TestGreatestFilter(t *testing.T) {
	t.Parallel()
	e := rig.InMemory(t)
	e.Note(t, rig.Ana, "The roof is made of slate.")
	e.MustSettle(t)
	deep := trilith.Where("kind", trilith.OpEq, trilith.KindNote)
	for range trilith.MaxFilterDepth - 1 {
		deep = trilith.Filter{Or: []trilith.Filter{deep}}
	}
	wide := trilith.Filter{Or: []trilith.Filter{trilith.Where("kind", trilith.OpEq, trilith.KindNote)}}
	for range trilith.MaxFilterNodes - 2 {
		wide.Or = append(wide.Or, trilith.Where("kind", trilith.OpEq, trilith.KindEntry))
	}
	for name, f := range map[string]trilith.Filter{"deep": deep, "wide": wide} {
		res, err := e.Recall(t.Context(), rig.Ana, trilith.RecallRequest{Query: "What is the roof made of?", Filter: f,
			AsOf: "2999-01-01", KnownAt: "2999-01-01"})
		if err != nil || len(res.Hits) != 1 || res.Partial {
			t.Errorf("Recall with a %s filter finds %d hits, partial: %v, %v; want one, and the whole", name,
				len(res.Hits), res.Partial, err)
		}
		if _, err := e.Context(t.Context(), rig.Ana, trilith.ContextRequest{RecallRequest: trilith.RecallRequest{
			Query: "What is the roof made of?", Filter: f}}); err != nil {
			t.Errorf("Context with a %s filter = %v", name, err)
		}
	}
}

func wordingsOf(ms []trilith.Memory) (out []string) {
	for _, m := range ms {
		out = append(out, m.Text)
	}
	return out
}

func many(text string, n int) []trilith.Message {
	out := make([]trilith.Message, n)
	for i := range out {
		out[i].Content = text
	}
	return out
}
