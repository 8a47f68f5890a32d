package engine_test

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
)

// versions count the writes of a row; they rise with every change, also with an undo.
var versions = regexp.MustCompile(`"version":\d+`)

// image is what there is: the export without the counts of writes, what was true at some days, and the inbox.
func (r rig) image(tb testing.TB) string {
	tb.Helper()
	out := versions.ReplaceAllString(r.exported(tb, acme), `"version":0`)
	for _, at := range []string{"2025-01-02", "2025-02-15", "2025-12-31"} {
		page, err := r.Facts(tb.Context(), acme, trilith.FactQuery{AsOf: at, Limit: 200})
		if err != nil {
			tb.Fatal(err)
		}
		for _, h := range page.Items {
			out += fmt.Sprintln(at, h.Memory.ID, h.Memory.Text)
		}
	}
	page, err := r.Inbox(tb.Context(), acme, trilith.InboxQuery{Limit: 200})
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
func (r rig) world(t *testing.T) {
	t.Helper()
	for _, said := range [][2]string{{"2025-01-01", "I live in Oslo."}, {"2025-01-10", "I live in Rome."},
		{"2025-01-11", "I love jazz. I work at Siemens."}, {"2025-01-12", "I love opera."}} {
		r.assimilate(t, acme, byMail, said[0], said[1])
	}
	r.assimilate(t, acme, trilith.Identifier{Type: "email", Value: "a.berg@example.com"}, "2025-01-13",
		"I live in Bergen. I love chess.")
	r.note(t, acme, "The cellar key hangs behind the door.")
	r.quarantined(t, acme)
	r.ambiguous(t, "acme", "Ana", day(3))
}

// act does one thing that can be undone, and returns the id of the change; empty if it was refused or changed nothing.
func (r rig) act(t *testing.T, rt *rapid.T) trilith.ID {
	ms := slices.DeleteFunc(r.all(t, acme), func(m trilith.Memory) bool { return m.Kind == trilith.KindWindow })
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
		report, failed := r.Decide(t.Context(), acme, trilith.BulkDecision{IDs: ids, Decision: d})
		note(report.Change, failed)
	case 2:
		text := rapid.SampledFrom([]string{"No, it's Gdańsk now", "stimmt nicht mehr", "never", "I live in Bonn.",
			"that was my sister", "I love jazz."}).Draw(rt, "words")
		pair, failed := r.SupersedeFact(t.Context(), acme, fact.ID, trilith.SupersedeRequest{Text: text})
		note(pair.Change, failed)
	case 3:
		by := rapid.SampledFrom(facts).Draw(rt, "by")
		pair, failed := r.SupersedeFact(t.Context(), acme, fact.ID, trilith.SupersedeRequest{By: by.ID})
		note(pair.Change, failed)
	case 4:
		done, failed := r.Forget(t.Context(), acme, trilith.ForgetRequest{IDs: []trilith.ID{m.ID}})
		note(done.Change, failed)
	case 5:
		q := trilith.UpdateRequest{State: new(trilith.StateActive)}
		if m.Kind == trilith.KindNote {
			q = trilith.UpdateRequest{Text: new("Another wording.")}
		}
		now, failed := r.Update(t.Context(), acme, m.ID, q)
		note(now.Change, failed)
	default:
		var of []trilith.Entity
		page, failed := r.Entities(t.Context(), acme, trilith.EntitiesQuery{Limit: 10})
		for _, v := range page.Items {
			if of = append(of, v); len(v.Merged) > 0 {
				last := v.Merged[len(v.Merged)-1]
				split, failed := r.SplitEntity(t.Context(), acme, v.ID, trilith.SplitRequest{Merged: last})
				note(split.Change, failed)
				return change
			}
		}
		if failed == nil && len(of) > 1 {
			one, failed := r.MergeEntities(t.Context(), acme, of[0].ID, trilith.MergeRequest{From: of[1].ID})
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
		e := inMemory(t, likenesses["without vectors"])
		e.world(t)
		var changes []trilith.ID
		images := []string{e.image(t)}
		for range rapid.IntRange(1, 5).Draw(rt, "actions") {
			if id := e.act(t, rt); id != "" {
				changes, images = append(changes, id), append(images, e.image(t))
			} else if diff := cmp.Diff(images[len(images)-1], e.image(t)); diff != "" {
				rt.Fatalf("what was refused, or changes nothing, has an effect (-before +after):\n%s", diff)
			}
		}
		if n := len(changes); n > 1 {
			before := e.image(t)
			if _, err := e.Undo(t.Context(), acme, changes[0]); err == nil {
				return // they have nothing to do with each other
			} else if trilith.KindOf(err) != trilith.Conflict || e.image(t) != before {
				rt.Fatalf("undoing the first of several = %v", err)
			}
		}
		for i, id := range slices.Backward(changes) {
			done, err := e.Undo(t.Context(), acme, id)
			if err != nil || done.Change != id || done.Action == "" {
				rt.Fatalf("Undo = %+v, %v", done, err)
			}
			if diff := cmp.Diff(strings.Split(images[i], "\n"), strings.Split(e.image(t), "\n")); diff != "" {
				rt.Fatalf("undone %+v (-before +after):\n%s", done, diff)
			}
			if _, err := e.Undo(t.Context(), acme, id); trilith.KindOf(err) != trilith.Conflict {
				rt.Fatalf("undoing it again = %v, want a conflict", err)
			}
		}
	})
}

// A change that rests on another one is undone first; what is not undone by id ends what could be undone.
func TestUndoRefuses(t *testing.T) {
	t.Parallel()
	eachStore(t, func(t *testing.T, open func(testing.TB, ...func(*engine.Config)) rig) {
		e := open(t)
		told := e.assimilate(t, ana, byMail, "2025-01-01", "I live in Oslo.").Facts[0]
		decide := func(d trilith.Decision) trilith.ID {
			t.Helper()
			report := e.decideAll(t, ana, trilith.BulkDecision{IDs: []trilith.ID{told.ID}, Decision: d})
			if report.Change == "" {
				t.Fatalf("%s has no id: %+v", d, report)
			}
			return report.Change
		}
		first, second := decide(trilith.DecideDispute), decide(trilith.DecideReject)
		_, err := e.Undo(t.Context(), ana, first)
		wantError(t, "Undo of what was decided about again", err, trilith.Conflict, string(second))
		_, err = e.Undo(t.Context(), ben, second)
		wantError(t, "Undo of another user's", err, trilith.NotFound, "does not exist")
		_, err = e.Undo(t.Context(), trilith.Scope{Tenant: "other"}, second)
		wantError(t, "Undo of another tenant's", err, trilith.NotFound, "does not exist")
		_, err = e.Undo(t.Context(), ana, "nonsense")
		wantError(t, "Undo of nonsense", err, trilith.Invalid, "id")
		for _, id := range []trilith.ID{second, first} {
			if _, err := e.Undo(t.Context(), ana, id); err != nil {
				t.Fatal(err)
			}
		}
		third := decide(trilith.DecideVerify)
		e.assimilate(t, ana, byMail, "2025-02-01", "I live in Rome.")
		_, err = e.Undo(t.Context(), ana, third)
		wantError(t, "Undo after somebody said otherwise", err, trilith.Conflict, "changed again since")
		if log := e.audited(t, acme, "undo"); len(log) != 2 || log[0].Target != second || log[0].Detail["action"] != "fact.verify" {
			t.Errorf("the audit holds %+v, want both undoings", log)
		}
		if log := e.audited(t, acme, "fact.verify"); len(log) != 3 || log[1].Detail["change"] != string(second) {
			t.Errorf("the audit holds %+v, want every decision with its id", log)
		}
	})
}

// Nothing of what was erased is left among the states before changes, and an erasure has no id to undo.
func TestUndoAndErase(t *testing.T) {
	t.Parallel()
	store := newLasting()
	e := open(t, store.config(), likenesses["without vectors"])
	told := e.assimilate(t, ana, byMail, "2025-01-01", "I live in Oslo.").Facts[0]
	note := e.note(t, ana, "Oslo is where the cellar is.")
	report := e.decideAll(t, ana, trilith.BulkDecision{IDs: []trilith.ID{told.ID}, Decision: trilith.DecideDispute})
	edited, err := e.Update(t.Context(), ana, note.ID, trilith.UpdateRequest{Text: new("Somewhere else.")})
	if err != nil {
		t.Fatal(err)
	}
	kept := func() (out string) {
		rs, err := store.Records(t.Context(), acme, role.RecordListing{Kind: role.RecordUndo})
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
		if _, err := e.Erase(t.Context(), ana, trilith.EraseRequest{IDs: []trilith.ID{id}}); err != nil {
			t.Fatal(err)
		}
	}
	if left := kept(); strings.Contains(left, "Oslo") || strings.Contains(left, "example.com") {
		t.Errorf("what was erased is kept: %s", left)
	}
	for _, id := range []trilith.ID{report.Change, edited.Change} {
		_, err := e.Undo(t.Context(), ana, id)
		wantError(t, "Undo of a change of what was erased", err, trilith.Conflict, "erased")
	}
}

// What could be undone before a restart can be undone after it.
func TestUndoAfterRestart(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	e := onFile(t, path)
	told := e.assimilate(t, ana, byMail, "2025-01-01", "I live in Oslo.").Facts[0]
	before := e.image(t)
	pair, err := e.SupersedeFact(t.Context(), ana, told.ID, trilith.SupersedeRequest{Text: "No, it's Gdańsk now"})
	if err != nil {
		t.Fatal(err)
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	e = onFile(t, path)
	if _, err := e.Undo(t.Context(), ana, pair.Change); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, e.image(t)); diff != "" {
		t.Errorf("after an undo in another process (-before +after):\n%s", diff)
	}
}
