package engine_test

import (
	"context"
	"slices"
	"testing"

	"github.com/trilith-memory/trilith"
)

// quickly are the ways in which a memory that matches can be changed right after it was stored, and before a search has
// looked at it. Each stores one and leaves one that matches.
var quickly = map[string]func(context.Context, rig, string) error{
	"put by key": func(ctx context.Context, r rig, what string) error {
		for _, end := range []string{"", ", repaired", ", repaired twice"} {
			entry := trilith.Entry{Title: "Crane", Content: "The crane " + what + end}
			if _, err := r.PutEntry(ctx, quay, what, trilith.PutRequest{Entry: entry}); err != nil {
				return err
			}
		}
		return nil
	},
	"edited": func(ctx context.Context, r rig, what string) error {
		return thenChanged(ctx, r, "The crane "+what, func(id trilith.ID) error {
			_, err := r.Update(ctx, quay, id, trilith.UpdateRequest{Text: new("The crane " + what + ", repaired")})
			return err
		})
	},
	"edited after a tag": func(ctx context.Context, r rig, what string) error {
		return thenChanged(ctx, r, "The crane "+what, func(id trilith.ID) error {
			if _, err := r.Update(ctx, quay, id, trilith.UpdateRequest{Tags: &[]string{"steel"}}); err != nil {
				return err
			}
			_, err := r.Update(ctx, quay, id, trilith.UpdateRequest{Text: new("The crane " + what + ", repaired")})
			return err
		})
	},
	"tagged": func(ctx context.Context, r rig, what string) error {
		return thenChanged(ctx, r, "The crane "+what, func(id trilith.ID) error {
			_, err := r.Update(ctx, quay, id, trilith.UpdateRequest{Tags: &[]string{"steel"}})
			return err
		})
	},
	"superseded": func(ctx context.Context, r rig, what string) error {
		return thenChanged(ctx, r, "The crane "+what, func(id trilith.ID) error {
			_, err := r.Remember(ctx, quay, trilith.RememberRequest{Text: "The crane " + what + ", repaired",
				Supersedes: []trilith.ID{id}})
			return err
		})
	},
	"forgotten and restored": func(ctx context.Context, r rig, what string) error {
		return thenChanged(ctx, r, "The crane "+what, func(id trilith.ID) error {
			if _, err := r.Forget(ctx, quay, trilith.ForgetRequest{IDs: []trilith.ID{id}}); err != nil {
				return err
			}
			_, err := r.Update(ctx, quay, id, trilith.UpdateRequest{State: new(trilith.StateActive)})
			return err
		})
	},
}

// thenChanged stores a note and changes it.
func thenChanged(ctx context.Context, r rig, text string, change func(trilith.ID) error) error {
	res, err := r.Remember(ctx, quay, trilith.RememberRequest{Note: &trilith.Note{Content: text}})
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
			e := inMemory(t)
			ids := map[string]trilith.ID{}
			for name, kinds := range ways {
				ids[name] = e.save(t, quay, trilith.SearchRequest{Name: name, Of: trilith.SearchMemories, Query: "crane",
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
					got := e.alerted(t, quay, trilith.AlertQuery{Search: id})
					if len(got) > 0 && got[0].Kind != trilith.AlertMatch {
						t.Errorf("%s %s: the first alert is %s, about what nobody was told of", name, what, got[0].Kind)
					}
					// The loop may have looked between the two changes, and then the second is one.
					got = slices.DeleteFunc(got, func(al trilith.Alert) bool { return al.Kind == trilith.AlertChanged })
					e.wantAlerts(t, name+" "+what, got, want...)
				}
			}
		})
	}
}

// TestAlertsOfQuickFacts: the same with a value that another one replaces at once.
func TestAlertsOfQuickFacts(t *testing.T) {
	t.Parallel()
	e := inMemory(t)
	q := e.save(t, ana, trilith.SearchRequest{Name: "home", Filter: trilith.Where("verb", trilith.OpEq, "lives_in"),
		Alerts: []trilith.AlertKind{trilith.AlertMatch}})
	e.learn(t, ana, "I live in Oslo.", "2025-01-10")
	e.learn(t, ana, "I moved to Bergen.", "2025-06-02")
	e.learn(t, ana, "I moved to Turku.", "2025-07-02")
	e.wantAlerts(t, "of homes", e.alerted(t, ana, trilith.AlertQuery{Search: q.ID}), "match")
}

// TestAlertsOfKnownMemories: a memory from before the search, or one that it has announced, changes and is not new,
// however often it was edited since.
func TestAlertsOfKnownMemories(t *testing.T) {
	t.Parallel()
	e := inMemory(t)
	before := e.note(t, quay, "The crane was ordered long ago.")
	q := e.save(t, quay, trilith.SearchRequest{Name: "cranes", Of: trilith.SearchMemories, Query: "crane"})
	announced := e.note(t, quay, "Another crane.")
	e.wantAlerts(t, "of a note", e.alerted(t, quay, trilith.AlertQuery{Search: q.ID}), "match")
	for _, id := range []trilith.ID{before.ID, announced.ID} {
		for _, text := range []string{"The crane came.", "The crane is here.", "The crane stands."} {
			if _, err := e.Update(t.Context(), quay, id, trilith.UpdateRequest{Text: &text}); err != nil {
				t.Fatal(err)
			}
		}
	}
	// One alert for each memory, or more where the loop has looked between two edits.
	got := kinds(e.alerted(t, quay, trilith.AlertQuery{Search: q.ID}))
	if len(got) < 3 || got[0] != "match" || slices.ContainsFunc(got[1:], func(k string) bool { return k != "changed" }) {
		t.Errorf("alerts of edits = %v, want the match and then changes alone", got)
	}
}

// TestAlertsOfAnEditAway: a memory of which nobody was told, because it is from before the search, ends without an alert.
func TestAlertsOfAnEditAway(t *testing.T) {
	t.Parallel()
	e := inMemory(t)
	before := e.note(t, quay, "The crane was ordered long ago.")
	q := e.save(t, quay, trilith.SearchRequest{Name: "cranes", Of: trilith.SearchMemories, Query: "crane"})
	text := "A digger was ordered long ago."
	if _, err := e.Update(t.Context(), quay, before.ID, trilith.UpdateRequest{Text: &text}); err != nil {
		t.Fatal(err)
	}
	e.wantAlerts(t, "of the edit", e.alerted(t, quay, trilith.AlertQuery{Search: q.ID}))
}
