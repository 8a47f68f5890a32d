package review_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/engine"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/test/rig"
)

// versions count the writes of a row; they rise with every change, also with an undo.
var versions = regexp.MustCompile(`"version":\d+`)

// image is what there is: the export without the counts of writes, what was true at some days, and the inbox.
func image(tb testing.TB, r rig.Rig) string {
	tb.Helper()
	out := versions.ReplaceAllString(r.Exported(tb, rig.Acme), `"version":0`)
	for _, at := range []string{"2025-01-02", "2025-02-15", "2025-12-31"} {
		page, err := r.Facts(tb.Context(), rig.Acme, trilith.FactQuery{AsOf: at, Limit: 200})
		if err != nil {
			tb.Fatal(err)
		}
		for _, h := range page.Items {
			out += fmt.Sprintln(at, h.Memory.ID, h.Memory.Text)
		}
	}
	page, err := r.Inbox(tb.Context(), rig.Acme, trilith.InboxQuery{Limit: 200})
	if err != nil {
		tb.Fatal(err)
	}
	for _, it := range page.Items {
		out += fmt.Sprintln(it.Reason, it.ID, it.Actions)
	}
	return out
}

// world is a memory with facts that replace and contradict each other, notes, two entities that are one, and a name that
// could mean several.
func world(t *testing.T, r rig.Rig) {
	t.Helper()
	for _, said := range [][2]string{{"2025-01-01", "I live in Oslo."}, {"2025-01-10", "I live in Rome."},
		{"2025-01-11", "I love jazz. I work at Siemens."}, {"2025-01-12", "I love opera."}} {
		r.MustAssimilate(t, rig.Acme, rig.ByMail, said[0], said[1])
	}
	r.MustAssimilate(t, rig.Acme, trilith.Identifier{Type: "email", Value: "a.berg@example.com"}, "2025-01-13",
		"I live in Bergen. I love chess.")
	r.Note(t, rig.Acme, "The cellar key hangs behind the door.")
	quarantined(t, r, rig.Acme)
	ambiguous(t, r, "acme", "Ana", rig.Day(3))
}

// act does one thing that can be undone, and returns the id of the change; empty if it was refused or changed nothing.
func act(t *testing.T, r rig.Rig, rt *rapid.T) trilith.ID {
	ms := slices.DeleteFunc(r.All(t, rig.Acme), func(m trilith.Memory) bool { return m.Kind == trilith.KindWindow })
	var facts []trilith.Memory
	for _, m := range ms {
		if m.Fact != nil {
			facts = append(facts, m)
		}
	}
	m, fact := rapid.SampledFrom(ms).Draw(rt, "memory"), rapid.SampledFrom(facts).Draw(rt, "fact")
	var change trilith.ID
	var err error
	note := func(id trilith.ID, failed error) { change, err = id, failed }
	switch kind := rapid.IntRange(0, 6).Draw(rt, "action"); kind {
	case 0, 1:
		d := rapid.SampledFrom([]trilith.Decision{trilith.DecideVerify, trilith.DecideReject, trilith.DecideEnded,
			trilith.DecideDone, trilith.DecideNotAbout, trilith.DecideDismiss, trilith.DecideDispute}).Draw(rt, "decision")
		ids := []trilith.ID{m.ID, fact.ID, trilith.DeriveID("name", "Ana")}[:rapid.IntRange(1, 3).Draw(rt, "items")]
		report, failed := r.Decide(t.Context(), rig.Acme, trilith.BulkDecision{IDs: ids, Decision: d})
		note(report.Change, failed)
	case 2:
		text := rapid.SampledFrom([]string{"No, it's Gdańsk now", "stimmt nicht mehr", "never", "I live in Bonn.",
			"that was my sister", "I love jazz."}).Draw(rt, "words")
		pair, failed := r.SupersedeFact(t.Context(), rig.Acme, fact.ID, trilith.SupersedeRequest{Text: text})
		note(pair.Change, failed)
	case 3:
		by := rapid.SampledFrom(facts).Draw(rt, "by")
		pair, failed := r.SupersedeFact(t.Context(), rig.Acme, fact.ID, trilith.SupersedeRequest{By: by.ID})
		note(pair.Change, failed)
	case 4:
		done, failed := r.Forget(t.Context(), rig.Acme, trilith.ForgetRequest{IDs: []trilith.ID{m.ID}})
		note(done.Change, failed)
	case 5:
		q := trilith.UpdateRequest{State: new(trilith.StateActive)}
		if m.Kind == trilith.KindNote {
			q = trilith.UpdateRequest{Text: new("Another wording.")}
		}
		now, failed := r.Update(t.Context(), rig.Acme, m.ID, q)
		note(now.Change, failed)
	default:
		var of []trilith.Entity
		page, failed := r.Entities(t.Context(), rig.Acme, trilith.EntitiesQuery{Limit: 10})
		for _, v := range page.Items {
			if of = append(of, v); len(v.Merged) > 0 {
				last := v.Merged[len(v.Merged)-1]
				split, failed := r.SplitEntity(t.Context(), rig.Acme, v.ID, trilith.SplitRequest{Merged: last})
				note(split.Change, failed)
				return change
			}
		}
		if failed == nil && len(of) > 1 {
			one, failed := r.MergeEntities(t.Context(), rig.Acme, of[0].ID, trilith.MergeRequest{From: of[1].ID})
			note(one.Change, failed)
		}
	}
	if k := trilith.KindOf(err); err != nil && k != trilith.Invalid && k != trilith.NotFound {
		rt.Fatalf("an action fails: %v", err)
	}
	return change
}

// After any actions, undoing them one after the other gives the states before, word for word. Undoing one on which a
// later one rests is refused and changes nothing.
func TestUndo(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		e := rig.InMemory(t, rig.Likenesses["without vectors"])
		world(t, e)
		var changes []trilith.ID
		images := []string{image(t, e)}
		for range rapid.IntRange(1, 5).Draw(rt, "actions") {
			if id := act(t, e, rt); id != "" {
				changes, images = append(changes, id), append(images, image(t, e))
			} else if diff := cmp.Diff(images[len(images)-1], image(t, e)); diff != "" {
				rt.Fatalf("what was refused, or changes nothing, has an effect (-before +after):\n%s", diff)
			}
		}
		if n := len(changes); n > 1 {
			before := image(t, e)
			if _, err := e.Undo(t.Context(), rig.Acme, changes[0]); err == nil {
				return // they have nothing to do with each other
			} else if trilith.KindOf(err) != trilith.Conflict || image(t, e) != before {
				rt.Fatalf("undoing the first of several = %v", err)
			}
		}
		for i, id := range slices.Backward(changes) {
			done, err := e.Undo(t.Context(), rig.Acme, id)
			if err != nil || done.Change != id || done.Action == "" {
				rt.Fatalf("Undo = %+v, %v", done, err)
			}
			if diff := cmp.Diff(strings.Split(images[i], "\n"), strings.Split(image(t, e), "\n")); diff != "" {
				rt.Fatalf("undone %+v (-before +after):\n%s", done, diff)
			}
			if _, err := e.Undo(t.Context(), rig.Acme, id); trilith.KindOf(err) != trilith.Conflict {
				rt.Fatalf("undoing it again = %v, want a conflict", err)
			}
		}
	})
}

// A change that rests on another one is undone first; what is not undone by id ends what could be undone.
func TestUndoRefuses(t *testing.T) {
	t.Parallel()
	rig.EachStore(t, func(t *testing.T, open func(testing.TB, ...func(*engine.Config)) rig.Rig) {
		e := open(t)
		told := e.MustAssimilate(t, rig.Ana, rig.ByMail, "2025-01-01", "I live in Oslo.").Facts[0]
		decide := func(d trilith.Decision) trilith.ID {
			t.Helper()
			report := decideAll(t, e, rig.Ana, trilith.BulkDecision{IDs: []trilith.ID{told.ID}, Decision: d})
			if report.Change == "" {
				t.Fatalf("%s has no id: %+v", d, report)
			}
			return report.Change
		}
		first, second := decide(trilith.DecideDispute), decide(trilith.DecideReject)
		_, err := e.Undo(t.Context(), rig.Ana, first)
		rig.WantError(t, "Undo of what was decided about again", err, trilith.Conflict, string(second))
		_, err = e.Undo(t.Context(), rig.Ben, second)
		rig.WantError(t, "Undo of another user's", err, trilith.NotFound, "does not exist")
		_, err = e.Undo(t.Context(), trilith.Scope{Tenant: "other"}, second)
		rig.WantError(t, "Undo of another tenant's", err, trilith.NotFound, "does not exist")
		_, err = e.Undo(t.Context(), rig.Ana, "nonsense")
		rig.WantError(t, "Undo of nonsense", err, trilith.Invalid, "id")
		for _, id := range []trilith.ID{second, first} {
			if _, err := e.Undo(t.Context(), rig.Ana, id); err != nil {
				t.Fatal(err)
			}
		}
		third := decide(trilith.DecideVerify)
		e.MustAssimilate(t, rig.Ana, rig.ByMail, "2025-02-01", "I live in Rome.")
		_, err = e.Undo(t.Context(), rig.Ana, third)
		rig.WantError(t, "Undo after somebody said otherwise", err, trilith.Conflict, "changed again since")
		if log := e.Audited(t, rig.Acme, "undo"); len(log) != 2 || log[0].Target != second ||
			log[0].Detail["action"] != "fact.verify" {
			t.Errorf("the audit holds %+v, want both undoings", log)
		}
		if log := e.Audited(t, rig.Acme, "fact.verify"); len(log) != 3 || log[1].Detail["change"] != string(second) {
			t.Errorf("the audit holds %+v, want every decision with its id", log)
		}
	})
}

// Nothing of what was erased is left among the states before changes, and an erasure has no id to undo.
func TestUndoAndErase(t *testing.T) {
	t.Parallel()
	store := rig.NewLasting()
	e := rig.Open(t, store.Config(), rig.Likenesses["without vectors"])
	told := e.MustAssimilate(t, rig.Ana, rig.ByMail, "2025-01-01", "I live in Oslo.").Facts[0]
	note := e.Note(t, rig.Ana, "Oslo is where the cellar is.")
	report := decideAll(t, e, rig.Ana, trilith.BulkDecision{IDs: []trilith.ID{told.ID}, Decision: trilith.DecideDispute})
	edited, err := e.Update(t.Context(), rig.Ana, note.ID, trilith.UpdateRequest{Text: new("Somewhere else.")})
	if err != nil {
		t.Fatal(err)
	}
	kept := func() (out string) {
		rs, err := store.Records(t.Context(), rig.Acme, role.RecordListing{Kind: role.RecordUndo})
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range rs {
			out += string(r.Body) + "\n"
		}
		return out
	}
	if !strings.Contains(kept(), "Oslo") {
		t.Fatal("the states before are nowhere, so this test shows nothing")
	}
	for _, id := range []trilith.ID{told.Fact.Evidence[0].EpisodeID, note.ID} {
		if _, err := e.Erase(t.Context(), rig.Ana, trilith.EraseRequest{IDs: []trilith.ID{id}}); err != nil {
			t.Fatal(err)
		}
	}
	if left := kept(); strings.Contains(left, "Oslo") || strings.Contains(left, "example.com") {
		t.Errorf("what was erased is kept: %s", left)
	}
	for _, id := range []trilith.ID{report.Change, edited.Change} {
		_, err := e.Undo(t.Context(), rig.Ana, id)
		rig.WantError(t, "Undo of a change of what was erased", err, trilith.Conflict, "erased")
	}
}

// What could be undone before a restart can be undone after it.
func TestUndoAfterRestart(t *testing.T) {
	t.Parallel()
	path := rig.NewPath(t)
	e := rig.OnFile(t, path)
	told := e.MustAssimilate(t, rig.Ana, rig.ByMail, "2025-01-01", "I live in Oslo.").Facts[0]
	before := image(t, e)
	pair, err := e.SupersedeFact(t.Context(), rig.Ana, told.ID, trilith.SupersedeRequest{Text: "No, it's Gdańsk now"})
	if err != nil {
		t.Fatal(err)
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	e = rig.OnFile(t, path)
	if _, err := e.Undo(t.Context(), rig.Ana, pair.Change); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, image(t, e)); diff != "" {
		t.Errorf("after an undo in another process (-before +after):\n%s", diff)
	}
}
