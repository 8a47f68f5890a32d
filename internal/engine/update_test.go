package engine_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/test/rig"
)

func TestGetAnswersForeignAsUnknown(t *testing.T) {
	t.Parallel()
	e := rig.InMemory(t)
	m := e.Note(t, rig.Ana, "Ana's own.")
	for name, c := range map[string]struct {
		scope trilith.Scope
		id    trilith.ID
	}{"another user": {rig.Ben, m.ID}, "another tenant": {trilith.Scope{Tenant: "globex"}, m.ID},
		"unknown": {rig.Ana, trilith.DeriveID("unknown")}} {
		_, err := e.Get(t.Context(), c.scope, c.id)
		rig.WantError(t, name+": Get", err, trilith.NotFound, string(c.id))
		_, err = e.History(t.Context(), c.scope, c.id)
		rig.WantError(t, name+": History", err, trilith.NotFound, string(c.id))
		_, err = e.Update(t.Context(), c.scope, c.id, trilith.UpdateRequest{Tags: &[]string{"x"}})
		rig.WantError(t, name+": Update", err, trilith.NotFound, string(c.id))
		_, err = e.Forget(t.Context(), c.scope, trilith.ForgetRequest{IDs: []trilith.ID{c.id}})
		rig.WantError(t, name+": Forget", err, trilith.NotFound, string(c.id))
		_, err = e.Erase(t.Context(), c.scope, trilith.EraseRequest{IDs: []trilith.ID{c.id}})
		rig.WantError(t, name+": Erase", err, trilith.NotFound, string(c.id))
		_, err = e.Erase(t.Context(), c.scope, trilith.EraseRequest{Sources: []trilith.ID{m.SourceID, c.id}})
		rig.WantError(t, name+": Erase of a source", err, trilith.NotFound, "source")
	}
	if got := e.All(t, rig.Acme); len(got) != 1 || got[0].Version != 1 {
		t.Errorf("a refused request changed %+v", got)
	}
}

func TestUpdateKeepsTheOldWording(t *testing.T) {
	t.Parallel()
	e := rig.InMemory(t)
	m := e.One(t, rig.Ana, trilith.RememberRequest{Note: &trilith.Note{Content: "The door code is 1111."},
		Timestamp: "2025-01-01", ExternalID: "door"})
	for _, code := range []string{"2222", "3333"} {
		text := "The door code is " + code + "."
		updated, err := e.Update(
			t.Context(), rig.Ana, m.ID, trilith.UpdateRequest{Text: &text, Tags: &[]string{"home"},
				Metadata: &map[string]any{"floor": 2}})
		if err != nil || updated.ID != m.ID || updated.Text != text || updated.Version <= m.Version ||
			!updated.EventTime.Equal(m.EventTime) || updated.ExternalID != "door" {
			t.Fatalf("Update(text %q) = %+v, %v; want the same memory, newer", text, updated, err)
		}
		m = updated
	}
	got := e.Found(t, rig.Ana, "What is the door code?")
	if !slices.Equal(got, []string{"The door code is 3333."}) {
		t.Errorf("Recall = %q, want the newest wording only", got)
	}
	h, err := e.History(t.Context(), rig.Ana, m.ID)
	if err != nil || len(h.Versions) != 3 {
		t.Fatalf("History = %d versions, %v, want 3", len(h.Versions), err)
	}
	for i, want := range []string{"3333", "2222", "1111"} {
		v := h.Versions[i]
		if !strings.Contains(v.Text, want) || i > 0 && (v.State != trilith.StateSuperseded || v.SupersededBy != m.ID) {
			t.Errorf("History[%d] = %q (%s by %s), want the code %s", i, v.Text, v.State, v.SupersededBy, want)
		}
		same, err := e.History(t.Context(), rig.Ana, v.ID)
		if diff := cmp.Diff(h, same); err != nil || diff != "" {
			t.Errorf("History of wording %d tells another story (-head +wording): %v\n%s", i, err, diff)
		}
	}
}

func TestUpdateRefuses(t *testing.T) {
	t.Parallel()
	e := rig.InMemory(t)
	note := e.Note(t, rig.Ana, "A note.")
	episode := e.Say(t, rig.Ana, "A turn.")
	old := e.Note(t, rig.Ana, "An old note.")
	e.One(t, rig.Ana, trilith.RememberRequest{Note: &trilith.Note{Content: "A new note."}, Supersedes: []trilith.ID{old.ID}})
	before := e.Exported(t, rig.Acme)
	for _, c := range []struct {
		why   string
		id    trilith.ID
		req   trilith.UpdateRequest
		kind  trilith.ErrorKind
		names string
	}{
		{"a change of nothing is a mistake", note.ID, trilith.UpdateRequest{}, trilith.Invalid, "update"},
		{"what was said is verbatim", episode.ID, trilith.UpdateRequest{Text: new("Another turn.")},
			trilith.Invalid, "text"},
		{"two editors must not overwrite each other", note.ID, trilith.UpdateRequest{Text: new("x"), Version: 7},
			trilith.Conflict, "version"},
		{"only forgetting and bringing back are edits", note.ID, trilith.UpdateRequest{State: new(trilith.StateExpired)},
			trilith.Invalid, "state"},
		{"a corrected value stays corrected", old.ID, trilith.UpdateRequest{State: new(trilith.StateActive)},
			trilith.Invalid, "state"},
		{"the past is not edited", old.ID, trilith.UpdateRequest{Text: new("x")}, trilith.Invalid, "text"},
		{"an empty note is none", note.ID, trilith.UpdateRequest{Text: new(" ")}, trilith.Invalid, "text"},
		{"tags have limits in an edit too", note.ID, trilith.UpdateRequest{Tags: &[]string{""}}, trilith.Invalid, "tags"},
		{"so has metadata", note.ID, trilith.UpdateRequest{Metadata: &map[string]any{"a.b": 1}},
			trilith.Invalid, "metadata"},
	} {
		_, err := e.Update(t.Context(), rig.Ana, c.id, c.req)
		rig.WantError(t, c.why+": Update", err, c.kind, c.names)
	}
	if diff := cmp.Diff(before, e.Exported(t, rig.Acme)); diff != "" {
		t.Errorf("a refused edit changed something (-before +after):\n%s", diff)
	}
}

func TestUpdateMasksSecrets(t *testing.T) {
	t.Parallel()
	e := rig.InMemory(t)
	entry := e.One(t, rig.Ana, trilith.RememberRequest{Entry: &trilith.Entry{Title: "Keys", Content: "None yet."}})
	m, err := e.Update(t.Context(), rig.Ana, entry.ID, trilith.UpdateRequest{Text: new("Use " + rig.AWSKey)})
	if err != nil || m.Entry.Title != "Keys" || !strings.HasPrefix(m.Text, "Keys\nUse [secret:") {
		t.Errorf("Update(content with a secret) = %q, %+v, %v", m.Text, m.Entry, err)
	}
	if file := e.Exported(t, rig.Acme); strings.Contains(file, rig.AWSKey) {
		t.Errorf("the store holds the secret in plain: %s", file)
	}
}

func TestEditorsAtOnce(t *testing.T) {
	t.Parallel()
	e := rig.InMemory(t)
	m := e.Note(t, rig.Ana, "Wording 0.")
	rig.Together(8, func(i int) {
		if _, err := e.Update(t.Context(), rig.Ana, m.ID,
			trilith.UpdateRequest{Text: new(fmt.Sprintf("Wording %d.", i+1))}); err != nil {
			t.Errorf("editor %d: Update = %v", i, err)
		}
	})
	h, err := e.History(t.Context(), rig.Ana, m.ID)
	var got []string
	for _, v := range h.Versions {
		got = append(got, v.Text)
	}
	if err != nil || len(rig.Sorted(got)) != 9 || len(slices.Compact(rig.Sorted(got))) != 9 {
		t.Errorf("History after 8 edits at once = %q, %v: a wording was lost", got, err)
	}
}

func TestForget(t *testing.T) {
	t.Parallel()
	e := rig.InMemory(t)
	ms := e.MustRemember(t, rig.Ana, trilith.RememberRequest{Messages: rig.Conversation(6)}).Memories
	bens := e.Note(t, rig.Ben, "Ben's garden.")
	filter := trilith.Where("tags", trilith.OpContains, "tag-1")
	dry, err := e.Forget(t.Context(), rig.Ana, trilith.ForgetRequest{Filter: filter, DryRun: true})
	if want := rig.Sorted([]trilith.ID{ms[1].ID, ms[5].ID}); err != nil ||
		!slices.Equal(rig.Sorted(dry.IDs), want) || !dry.DryRun {
		t.Fatalf("Forget(dry) = %+v, %v, want %v", dry, err, want)
	}
	if len(e.Found(t, rig.Ana, ms[1].Text)) != 6 {
		t.Error("a dry run forgot something")
	}
	res, err := e.Forget(t.Context(), rig.Ana, trilith.ForgetRequest{Filter: filter})
	if err != nil || !slices.Equal(res.IDs, dry.IDs) {
		t.Fatalf("Forget = %+v, %v, want what the dry run told: %v", res, err, dry.IDs)
	}
	if got := e.Found(t, rig.Ana, ms[1].Text); slices.Contains(got, ms[1].Text) || len(got) != 4 {
		t.Errorf("Recall = %q, want the four that are left", got)
	}
	if again, err := e.Forget(t.Context(), rig.Ana, trilith.ForgetRequest{IDs: res.IDs}); err != nil || len(again.IDs) != 0 {
		t.Errorf("Forget again = %+v, %v, want nothing to do", again, err)
	}
	back, err := e.Update(t.Context(), rig.Ana, ms[1].ID, trilith.UpdateRequest{State: new(trilith.StateActive)})
	if err != nil || back.Text != ms[1].Text || !slices.Contains(e.Found(t, rig.Ana, ms[1].Text), ms[1].Text) {
		t.Errorf("what was forgotten by mistake does not come back: %+v, %v", back, err)
	}
	for names, req := range map[string]trilith.ForgetRequest{
		"ids":    {},
		"filter": {IDs: res.IDs, Filter: filter},
		"":       {Filter: trilith.Where("usr", trilith.OpEq, "ana")},
	} {
		_, err := e.Forget(t.Context(), rig.Ana, req)
		rig.WantError(t, fmt.Sprintf("Forget(%+v)", req), err, trilith.Invalid, names)
	}
	if _, err := e.Forget(t.Context(), rig.Ana, trilith.ForgetRequest{IDs: []trilith.ID{ms[2].ID, bens.ID}}); trilith.KindOf(
		err) != trilith.NotFound {
		t.Errorf("Forget(one of ours, one of Ben's) = %v, want not_found", err)
	}
	if m, err := e.Get(t.Context(), rig.Ana, ms[2].ID); err != nil || m.State != trilith.StateActive {
		t.Errorf("a refused call forgot half: %s, %v", m.State, err)
	}
}

// TestForgetByFilter: a filter forgets what a listing with it shows: neither earlier wordings nor what it does not match now.
func TestForgetByFilter(t *testing.T) {
	t.Parallel()
	e := rig.InMemory(t)
	m := e.One(t, rig.Ana, trilith.RememberRequest{Note: &trilith.Note{Content: "The door is red."}, Tags: []string{"red"}})
	edit := func(r trilith.UpdateRequest) {
		t.Helper()
		if _, err := e.Update(t.Context(), rig.Ana, m.ID, r); err != nil {
			t.Fatal(err)
		}
	}
	forgets := func(filter trilith.Filter, want int) {
		t.Helper()
		res, err := e.Forget(t.Context(), rig.Ana, trilith.ForgetRequest{Filter: filter, DryRun: true})
		if err != nil || len(res.IDs) != want {
			t.Errorf("Forget(%+v, dry) = %v, %v; want %d", filter, res.IDs, err, want)
		}
	}
	red := trilith.Where("tags", trilith.OpContains, "red")
	edit(trilith.UpdateRequest{Text: new("The door is dark red.")})
	forgets(red, 1)
	edit(trilith.UpdateRequest{Text: new("The door is green."), Tags: &[]string{"green"}})
	forgets(red, 0)
	forgets(trilith.AllOf(red, trilith.Where("state", trilith.OpEq, trilith.StateSuperseded)), 2)
}

// TestForgettingRevivesNothing: forgetting a replaced memory and bringing it back must not revive the old value.
func TestForgettingRevivesNothing(t *testing.T) {
	t.Parallel()
	e := rig.InMemory(t)
	oslo := e.Say(t, rig.Ana, "I live in Oslo.")
	e.One(t, rig.Ana, trilith.RememberRequest{Text: "I live in Bergen.", Supersedes: []trilith.ID{oslo.ID}})
	if _, err := e.Forget(t.Context(), rig.Ana, trilith.ForgetRequest{IDs: []trilith.ID{oslo.ID}}); err != nil {
		t.Fatal(err)
	}
	m, err := e.Update(t.Context(), rig.Ana, oslo.ID, trilith.UpdateRequest{State: new(trilith.StateActive)})
	if got := e.Found(t, rig.Ana, "Where do I live?"); slices.Contains(got, oslo.Text) {
		t.Errorf("Update(state active) = %s superseded by %q, %v; Recall = %q: the corrected value is back", m.State,
			m.SupersededBy, err, got)
	}
}

// TestUpdateQuarantines: an edit goes through the gate as a new memory would.
func TestUpdateQuarantines(t *testing.T) {
	t.Parallel()
	e := rig.InMemory(t)
	req := trilith.RememberRequest{Note: &trilith.Note{Content: rig.OrderText}, Imported: true}
	if m := e.One(t, rig.Ana, req); m.State != trilith.StateQuarantined {
		t.Fatalf("an imported order is %s, want quarantined", m.State)
	}
	req.Note.Content = "An imported note."
	m := e.One(t, rig.Ana, req)
	m, err := e.Update(t.Context(), rig.Ana, m.ID, trilith.UpdateRequest{Text: new(rig.OrderText)})
	if err == nil && m.State != trilith.StateQuarantined {
		t.Errorf("the same order is %s when it comes by an edit, want quarantined", m.State)
	}
}
