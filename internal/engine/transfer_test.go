package engine_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/test/rig"
)

func TestExportRestores(t *testing.T) {
	t.Parallel()
	for name, pair := range map[string][2]rig.Rig{
		"inmem to sqlite": {rig.InMemory(t), rig.OnFile(t, rig.NewPath(t))},
		"sqlite to inmem": {rig.OnFile(t, rig.NewPath(t)), rig.InMemory(t)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			from, to := rig.Furnished(t, pair[0]), pair[1]
			want := from.Exported(t, rig.Acme)
			items := rig.ParseExport(t, want)
			stored, skipped := to.MustRestore(t, rig.Acme, items)
			if stored != len(items)-1 || skipped != 0 {
				t.Errorf("Restore stored %d and skipped %d of %d items, want all but the header stored", stored,
					skipped, len(items))
			}
			if diff := cmp.Diff(want, to.Exported(t, rig.Acme)); diff != "" {
				t.Fatalf("who leaves loses something: the export of the restored differs (-from +to):\n%s", diff)
			}
			if again, skipped := to.MustRestore(t, rig.Acme, items); again != 0 || skipped != len(items)-1 {
				t.Errorf("Restore again stored %d and skipped %d, want 0 and all", again, skipped)
			}
			if diff := cmp.Diff(want, to.Exported(t, rig.Acme)); diff != "" {
				t.Errorf("restoring twice is not restoring once (-once +twice):\n%s", diff)
			}
			for _, query := range []string{"garden bicycle", "note wording heir", "Second part", "known"} {
				a, b := from.MustRecall(t, rig.Acme, trilith.RecallRequest{Query: query,
					Arms: []trilith.Arm{trilith.ArmLexical}}),
					to.MustRecall(t, rig.Acme, trilith.RecallRequest{Query: query, Arms: []trilith.Arm{trilith.ArmLexical}})
				if diff := cmp.Diff(rig.ScoresBy(func(m *trilith.Memory) string { return string(m.ID) }, a.Hits),
					rig.ScoresBy(func(m *trilith.Memory) string { return string(m.ID) }, b.Hits)); diff != "" {
					t.Errorf("Recall(%q) differs after the move (-from +to):\n%s", query, diff)
				}
			}
			session := trilith.Scope{Tenant: "acme", User: "ana", Session: "s1", Channel: "chat"}
			if next := to.Say(t, session, "The session goes on."); next.Seq != 10 {
				t.Errorf("the restored session goes on with number %d, want 10", next.Seq)
			}
			res := to.MustRemember(t, session, trilith.RememberRequest{Messages: rig.Conversation(9), RequestKey: "k1"})
			if !res.Replayed {
				t.Errorf("a request that was made before the move is stored again: %d memories", len(res.Memories))
			}
			if res := to.MustRemember(t, rig.Ana,
				trilith.RememberRequest{Note: &trilith.Note{Content: "To be erased, and is long enough."}}); len(
				res.Memories) != 0 {
				t.Errorf("what was erased before the move can be remembered after it: %+v", res)
			}
		})
	}
}

func TestExportOfAScope(t *testing.T) {
	t.Parallel()
	e := rig.Furnished(t, rig.InMemory(t))
	for _, it := range e.Items(t, rig.Ben) {
		if it.Memory != nil && it.Memory.Scope.User != "ben" || it.Source != nil && it.Source.Scope.User != "ben" {
			t.Errorf("the export of Ben holds %+v", it)
		}
	}
	if got := e.Items(t, trilith.Scope{Tenant: "globex"}); len(got) != 1 || got[0].Header == nil {
		t.Errorf("the export of an empty tenant holds %+v, want the header only", got)
	}
	for _, err := range e.Export(t.Context(), trilith.Scope{}) {
		rig.WantError(t, "Export without a tenant", err, trilith.Invalid, "tenant")
	}
}
