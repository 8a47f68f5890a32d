package engine_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trilith-memory/trilith"
)

// furnished is an engine that holds something of every sort.
func furnished(t *testing.T, e rig) rig {
	t.Helper()
	session := trilith.Scope{Tenant: "acme", User: "ana", Session: "s1", Channel: "chat"}
	e.remember(t, session, trilith.RememberRequest{Messages: conversation(9), RequestKey: "k1"})
	e.remember(t, session, trilith.RememberRequest{
		Messages: []trilith.Message{{Content: " "}, {Content: order, Role: trilith.RoleAssistant}},
		Metadata: map[string]any{"n": 1.5, "list": []any{"a", nil, true}}})
	e.remember(t, ben, trilith.RememberRequest{
		ExternalID: "doc", Document: &trilith.Document{Name: "d.md", Content: section("One", "First part.") + "\n\n" +
			section("Two", "Second part.")}})
	e.one(t, ana, trilith.RememberRequest{
		Entry: &trilith.Entry{Category: "c", Title: "t", Content: "known",
			Structured: map[string]any{"a": map[string]any{"b": 1.0}}, Confidence: 0.5}})
	note := e.note(t, ana, "The first wording of the note.")
	if _, err := e.Update(t.Context(), ana, note.ID,
		trilith.UpdateRequest{Text: new("The second wording of the note.")}); err != nil {
		t.Fatal(err)
	}
	e.one(t, ana, trilith.RememberRequest{Text: "An heir.", Supersedes: []trilith.ID{note.ID}})
	gone := e.note(t, ana, "To be forgotten, not erased.")
	if _, err := e.Forget(t.Context(), ana, trilith.ForgetRequest{IDs: []trilith.ID{gone.ID}}); err != nil {
		t.Fatal(err)
	}
	erased := e.note(t, ana, "To be erased, and is long enough.")
	if _, err := e.Erase(t.Context(), ana, trilith.EraseRequest{IDs: []trilith.ID{erased.ID}}); err != nil {
		t.Fatal(err)
	}
	return e
}

func TestExportRestores(t *testing.T) {
	t.Parallel()
	for name, pair := range map[string][2]rig{
		"inmem to sqlite": {inMemory(t), onFile(t, newPath(t))},
		"sqlite to inmem": {onFile(t, newPath(t)), inMemory(t)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			from, to := furnished(t, pair[0]), pair[1]
			want := from.exported(t, acme)
			items := parseExport(t, want)
			stored, skipped := to.restore(t, acme, items)
			if stored != len(items)-1 || skipped != 0 {
				t.Errorf("Restore stored %d and skipped %d of %d items, want all but the header stored", stored,
					skipped, len(items))
			}
			if diff := cmp.Diff(want, to.exported(t, acme)); diff != "" {
				t.Fatalf("who leaves loses something: the export of the restored differs (-from +to):\n%s", diff)
			}
			if again, skipped := to.restore(t, acme, items); again != 0 || skipped != len(items)-1 {
				t.Errorf("Restore again stored %d and skipped %d, want 0 and all", again, skipped)
			}
			if diff := cmp.Diff(want, to.exported(t, acme)); diff != "" {
				t.Errorf("restoring twice is not restoring once (-once +twice):\n%s", diff)
			}
			for _, query := range []string{"garden bicycle", "note wording heir", "Second part", "known"} {
				a, b := from.recall(t, acme, trilith.RecallRequest{Query: query, Arms: []trilith.Arm{trilith.ArmLexical}}),
					to.recall(t, acme, trilith.RecallRequest{Query: query, Arms: []trilith.Arm{trilith.ArmLexical}})
				if diff := cmp.Diff(scoresBy(func(m *trilith.Memory) string { return string(m.ID) }, a.Hits),
					scoresBy(func(m *trilith.Memory) string { return string(m.ID) }, b.Hits)); diff != "" {
					t.Errorf("Recall(%q) differs after the move (-from +to):\n%s", query, diff)
				}
			}
			session := trilith.Scope{Tenant: "acme", User: "ana", Session: "s1", Channel: "chat"}
			if next := to.say(t, session, "The session goes on."); next.Seq != 10 {
				t.Errorf("the restored session goes on with number %d, want 10", next.Seq)
			}
			res := to.remember(t, session, trilith.RememberRequest{Messages: conversation(9), RequestKey: "k1"})
			if !res.Replayed {
				t.Errorf("a request that was made before the move is stored again: %d memories", len(res.Memories))
			}
			if res := to.remember(t, ana,
				trilith.RememberRequest{Note: &trilith.Note{Content: "To be erased, and is long enough."}}); len(
				res.Memories) != 0 {
				t.Errorf("what was erased before the move can be remembered after it: %+v", res)
			}
		})
	}
}

func TestExportOfAScope(t *testing.T) {
	t.Parallel()
	e := furnished(t, inMemory(t))
	for _, it := range e.items(t, ben) {
		if it.Memory != nil && it.Memory.Scope.User != "ben" || it.Source != nil && it.Source.Scope.User != "ben" {
			t.Errorf("the export of Ben holds %+v", it)
		}
	}
	if got := e.items(t, trilith.Scope{Tenant: "globex"}); len(got) != 1 || got[0].Header == nil {
		t.Errorf("the export of an empty tenant holds %+v, want the header only", got)
	}
	for _, err := range e.Export(t.Context(), trilith.Scope{}) {
		wantError(t, "Export without a tenant", err, trilith.Invalid, "tenant")
	}
}
