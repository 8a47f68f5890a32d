package engine_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/test/rig"
)

// TestBatch: operations are run in their order, each in its scope, and one that fails keeps none from being run.
func TestBatch(t *testing.T) {
	t.Parallel()
	e, ctx, s := rig.OnNewFile(t), t.Context(), trilith.Scope{Tenant: "acme", User: "ana"}
	ben := trilith.Scope{User: "ben"}
	put := func(text string) *trilith.KeyedPut {
		return &trilith.KeyedPut{Key: "home", PutRequest: trilith.PutRequest{Entry: trilith.Entry{Content: text}}}
	}
	home := &trilith.KeyedRef{Key: "home"}
	results, err := e.Batch(ctx, s, trilith.BatchRequest{Operations: []trilith.Operation{
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
	}})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range results.Results {
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
	for name, ops := range map[string][]trilith.Operation{"nothing": nil, "too many": make([]trilith.Operation, 1001),
		"an empty one": {{}}, "two in one": {{Get: home, Delete: home}}} {
		if _, err := e.Batch(ctx, s, trilith.BatchRequest{Operations: ops}); trilith.KindOf(err) != trilith.Invalid {
			t.Errorf("Batch of %s = %v, want invalid", name, err)
		}
	}
}

// TestBatchTogether: the writes of an atomic batch are all done, after its reads, or none is; a delete of what is not
// there is no error, and what is there already is replaced, brought back or left alone as by a put of its own.
func TestBatchTogether(t *testing.T) {
	t.Parallel()
	e, ctx, s := rig.OnNewFile(t), t.Context(), trilith.Scope{Tenant: "acme", User: "ana"}
	put := func(key, text string, n int) trilith.Operation {
		return trilith.Operation{Put: &trilith.KeyedPut{Key: key, PutRequest: trilith.PutRequest{
			Entry: trilith.Entry{Content: text}, Metadata: map[string]any{"n": n}}}}
	}
	ref := func(key string) *trilith.KeyedRef { return &trilith.KeyedRef{Key: key} }
	together := func(ops ...trilith.Operation) (trilith.BatchResults, error) {
		return e.Batch(ctx, s, trilith.BatchRequest{Operations: ops, Atomic: true})
	}
	held := func() map[string]string {
		t.Helper()
		page, err := e.KeyedEntries(ctx, s, trilith.KeyedRequest{})
		if err != nil {
			t.Fatal(err)
		}
		out := map[string]string{}
		for _, m := range page.Items {
			out[m.ExternalID] = fmt.Sprint(m.Text, m.Metadata["n"], m.Version)
		}
		return out
	}
	if _, err := together(put("a", "Oslo", 1), put("b", "Bergen", 1), put("gone", "Moss", 1)); err != nil {
		t.Fatal(err)
	}
	if _, err := together(trilith.Operation{Delete: ref("gone")}); err != nil {
		t.Fatal(err)
	}
	results, err := together(put("a", "Molde", 1), put("b", "Bergen", 2), trilith.Operation{Get: ref("a")},
		trilith.Operation{Delete: ref("nothing")}, put("c", "Bodø", 1), put("gone", "Moss", 2),
		trilith.Operation{List: &trilith.ListRequest{Filter: trilith.Where("metadata.n", trilith.OpEq, 1)}})
	if err != nil {
		t.Fatal(err)
	}
	if results.Results[2].Memory.Text != "Oslo" || len(results.Results[3].Forgotten.IDs) != 0 ||
		len(results.Results[6].Listed.Items) != 2 {
		t.Errorf("Batch = %+v, want reads of what was before, and nothing deleted", results)
	}
	want := map[string]string{"a": "Molde1 2", "b": "Bergen2 2", "c": "Bodø1 1", "gone": "Moss2 3"}
	if diff := cmp.Diff(want, held()); diff != "" {
		t.Errorf("after an atomic batch: %s", diff)
	}
	for i, m := range map[int]string{0: "Molde", 1: "Bergen", 4: "Bodø", 5: "Moss"} {
		got := results.Results[i].Memory
		if fmt.Sprint(got.Text, got.Metadata["n"], got.Version) != want[got.ExternalID] || got.Text != m {
			t.Errorf("result %d = %+v, want %s in its new version", i, got, m)
		}
	}
	absent := put("a", "Vardø", 1)
	absent.Put.IfAbsent = true
	remember := trilith.Operation{Remember: &trilith.RememberRequest{Text: "I sail."}}
	for name, c := range map[string]struct {
		last trilith.Operation
		kind trilith.ErrorKind
	}{
		"too long":      {put("d", strings.Repeat("x", trilith.MaxTextBytes+1), 1), trilith.Invalid},
		"a condition":   {absent, trilith.Conflict},
		"no key":        {put("", "x", 1), trilith.Invalid},
		"one key twice": {put("b", "Alta", 1), trilith.Invalid},
		"another write": {remember, trilith.Invalid},
	} {
		_, err := together(put("b", "Skien", 1), trilith.Operation{Delete: ref("c")}, c.last)
		if trilith.KindOf(err) != c.kind {
			t.Errorf("%s: %v, want %v", name, err, c.kind)
		}
		if diff := cmp.Diff(want, held()); diff != "" {
			t.Errorf("after a refused batch (%s): %s", name, diff)
		}
	}
}
