package engine_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trilith-memory/trilith"
)

// TestBatch: operations are run in their order, each in its scope, and one that fails keeps none from being run.
func TestBatch(t *testing.T) {
	t.Parallel()
	e, ctx, s := onNewFile(t), t.Context(), trilith.Scope{Tenant: "acme", User: "ana"}
	ben := trilith.Scope{User: "ben"}
	put := func(text string) *trilith.KeyedPut {
		return &trilith.KeyedPut{Key: "home", PutRequest: trilith.PutRequest{Entry: trilith.Entry{Content: text}}}
	}
	home := &trilith.KeyedRef{Key: "home"}
	results, err := e.Batch(ctx, s, []trilith.Operation{
		{Put: put("Oslo")},
		{Get: home},
		{Scope: ben, Get: home},
		{Put: put("Bergen")},
		{Remember: &trilith.RememberRequest{Text: "I sail on Fridays."}},
		{Search: &trilith.RecallRequest{Query: "sail", K: 1}},
		{Remember: &trilith.RememberRequest{}},
		{Delete: home},
		{Get: home},
		{Update: &trilith.MemoryUpdate{ID: trilith.DeriveID("nothing"),
			UpdateRequest: trilith.UpdateRequest{Tags: &[]string{"x"}}}},
		{Forget: &trilith.ForgetRequest{Filter: trilith.Where("kind", trilith.OpEq, trilith.KindEpisode)}},
	})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range results {
		switch {
		case r.Error != nil:
			got = append(got, r.Error.Kind)
		case r.Memory != nil:
			got = append(got, r.Memory.Text)
		case r.Remembered != nil:
			got = append(got, r.Remembered.Memories[0].Text)
		case r.Found != nil:
			got = append(got, "found "+r.Found.Hits[0].Memory.Text)
		case r.Forgotten != nil && len(r.Forgotten.IDs) == 1:
			got = append(got, "forgotten")
		}
	}
	want := []string{"Oslo", "Oslo", "not_found", "Bergen", "I sail on Fridays.", "found I sail on Fridays.", "invalid",
		"forgotten", "not_found", "not_found", "forgotten"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Batch: %s", diff)
	}
	for name, ops := range map[string][]trilith.Operation{"nothing": nil, "too many": make([]trilith.Operation, 101),
		"an empty one": {{}}, "two in one": {{Get: home, Delete: home}}} {
		if _, err := e.Batch(ctx, s, ops); trilith.KindOf(err) != trilith.Invalid {
			t.Errorf("Batch of %s = %v, want invalid", name, err)
		}
	}
}
