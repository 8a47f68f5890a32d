package alerts_test

import (
	"context"
	"slices"
	"testing"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/test/rig"
)

// quickly are the ways in which a memory that matches can be changed right after it was stored, and before a search has
// looked at it. Each stores one and leaves one that matches.
var quickly = map[string]func(context.Context, rig.Rig, string) error{
	"put by key": func(ctx context.Context, r rig.Rig, what string) error {
		for _, end := range []string{"", ", repaired", ", repaired twice"} {
			entry := trilith.Entry{Title: "Crane", Content: "The crane " + what + end}
			if _, err := r.PutEntry(ctx, rig.Quay, what, trilith.PutRequest{Entry: entry}); err != nil {
				return err
			}
		}
		return nil
	},
	"edited": func(ctx context.Context, r rig.Rig, what string) error {
		return thenChanged(ctx, r, "The crane "+what, func(id trilith.ID) error {
			_, err := r.Update(ctx, rig.Quay, id, trilith.UpdateRequest{Text: new("The crane " + what + ", repaired")})
			return err
		})
	},
	"edited after a tag": func(ctx context.Context, r rig.Rig, what string) error {
		return thenChanged(ctx, r, "The crane "+what, func(id trilith.ID) error {
			if _, err := r.Update(ctx, rig.Quay, id, trilith.UpdateRequest{Tags: &[]string{"steel"}}); err != nil {
				return err
			}
			_, err := r.Update(ctx, rig.Quay, id, trilith.UpdateRequest{Text: new("The crane " + what + ", repaired")})
			return err
		})
	},
	"tagged": func(ctx context.Context, r rig.Rig, what string) error {
		return thenChanged(ctx, r, "The crane "+what, func(id trilith.ID) error {
			_, err := r.Update(ctx, rig.Quay, id, trilith.UpdateRequest{Tags: &[]string{"steel"}})
			return err
		})
	},
	"superseded": func(ctx context.Context, r rig.Rig, what string) error {
		return thenChanged(ctx, r, "The crane "+what, func(id trilith.ID) error {
			_, err := r.Remember(ctx, rig.Quay, trilith.RememberRequest{Text: "The crane " + what + ", repaired",
				Supersedes: []trilith.ID{id}})
			return err
		})
	},
	"forgotten and restored": func(ctx context.Context, r rig.Rig, what string) error {
		return thenChanged(ctx, r, "The crane "+what, func(id trilith.ID) error {
			if _, err := r.Forget(ctx, rig.Quay, trilith.ForgetRequest{IDs: []trilith.ID{id}}); err != nil {
				return err
			}
			_, err := r.Update(ctx, rig.Quay, id, trilith.UpdateRequest{State: new(trilith.StateActive)})
			return err
		})
	},
}

// thenChanged stores a note and changes it.
func thenChanged(ctx context.Context, r rig.Rig, text string, change func(trilith.ID) error) error {
	res, err := r.Remember(ctx, rig.Quay, trilith.RememberRequest{Note: &trilith.Note{Content: text}})
	if err != nil {
		return err
	}
	return change(res.Memories[0].ID)
}

// TestAlertsOfQuickChanges: a memory that was changed before the searches looked at it is new to them, whatever has
// changed it, and one that they know is not.
func TestAlertsOfQuickChanges(t *testing.T) {
	t.Parallel()
	ways := map[string][]trilith.AlertKind{"default": nil, "match": {trilith.AlertMatch}}
	for way, change := range quickly {
		t.Run(way, func(t *testing.T) {
			t.Parallel()
			e := rig.InMemory(t)
			ids := map[string]trilith.ID{}
			for name, kinds := range ways {
				ids[name] = e.Save(t, rig.Quay, trilith.SearchRequest{Name: name, Of: trilith.SearchMemories, Query: "crane",
					Alerts: kinds}).ID
			}
			for _, what := range []string{"one", "two"} { // the second time the searches have looked at the first
				if err := change(t.Context(), e, what); err != nil {
					t.Fatal(err)
				}
				want := []string{"match"}
				if what == "two" {
					want = append(want, "match")
				}
				for name, id := range ids {
					got := e.Alerted(t, rig.Quay, trilith.AlertQuery{Search: id})
					if len(got) > 0 && got[0].Kind != trilith.AlertMatch {
						t.Errorf("%s %s: the first alert is %s, about what nobody was told of", name, what, got[0].Kind)
					}
					// The loop may have looked between the two changes, and then the second is one.
					got = slices.DeleteFunc(got, func(al trilith.Alert) bool { return al.Kind == trilith.AlertChanged })
					wantAlerts(t, e, name+" "+what, got, want...)
				}
			}
		})
	}
}

// TestAlertsOfQuickFacts: the same with a value that another one replaces at once.
func TestAlertsOfQuickFacts(t *testing.T) {
	t.Parallel()
	e := rig.InMemory(t)
	q := e.Save(t, rig.Ana, trilith.SearchRequest{Name: "home", Filter: trilith.Where("verb", trilith.OpEq, "lives_in"),
		Alerts: []trilith.AlertKind{trilith.AlertMatch}})
	learn(t, e, rig.Ana, "I live in Oslo.", "2025-01-10")
	learn(t, e, rig.Ana, "I moved to Bergen.", "2025-06-02")
	learn(t, e, rig.Ana, "I moved to Turku.", "2025-07-02")
	wantAlerts(t, e, "of homes", e.Alerted(t, rig.Ana, trilith.AlertQuery{Search: q.ID}), "match")
}

// TestAlertsOfKnownMemories: a memory from before the search, or one that it has announced, changes and is not new,
// however often it was edited since.
func TestAlertsOfKnownMemories(t *testing.T) {
	t.Parallel()
	e := rig.InMemory(t)
	before := e.Note(t, rig.Quay, "The crane was ordered long ago.")
	q := e.Save(t, rig.Quay, trilith.SearchRequest{Name: "cranes", Of: trilith.SearchMemories, Query: "crane"})
	announced := e.Note(t, rig.Quay, "Another crane.")
	wantAlerts(t, e, "of a note", e.Alerted(t, rig.Quay, trilith.AlertQuery{Search: q.ID}), "match")
	for _, id := range []trilith.ID{before.ID, announced.ID} {
		for _, text := range []string{"The crane came.", "The crane is here.", "The crane stands."} {
			if _, err := e.Update(t.Context(), rig.Quay, id, trilith.UpdateRequest{Text: &text}); err != nil {
				t.Fatal(err)
			}
		}
	}
	// One alert for each memory, or more where the loop has looked between two edits.
	got := kinds(e.Alerted(t, rig.Quay, trilith.AlertQuery{Search: q.ID}))
	if len(got) < 3 || got[0] != "match" || slices.ContainsFunc(got[1:], func(k string) bool { return k != "changed" }) {
		t.Errorf("alerts of edits = %v, want the match and then changes alone", got)
	}
}

// TestAlertsOfAnEditAway: a memory of which nobody was told, because it is from before the search, ends without an alert.
func TestAlertsOfAnEditAway(t *testing.T) {
	t.Parallel()
	e := rig.InMemory(t)
	before := e.Note(t, rig.Quay, "The crane was ordered long ago.")
	q := e.Save(t, rig.Quay, trilith.SearchRequest{Name: "cranes", Of: trilith.SearchMemories, Query: "crane"})
	text := "A digger was ordered long ago."
	if _, err := e.Update(t.Context(), rig.Quay, before.ID, trilith.UpdateRequest{Text: &text}); err != nil {
		t.Fatal(err)
	}
	wantAlerts(t, e, "of the edit", e.Alerted(t, rig.Quay, trilith.AlertQuery{Search: q.ID}))
}
