package operate_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/engine"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/test/rig"
	"github.com/trilith-memory/trilith/internal/truth/gate"
)

func TestDoctor(t *testing.T) {
	t.Parallel()
	for name, e := range map[string]rig.Rig{"inmem": rig.Furnished(t, rig.InMemory(t)),
		"sqlite": rig.Furnished(t, rig.OnFile(t, rig.NewPath(t)))} {
		e.MustSettle(t)
		report, err := e.Doctor(t.Context())
		if err != nil || !report.OK || len(report.Checks) < 5 {
			t.Errorf("%s: Doctor of a sound memory = %+v, %v", name, report, err)
		}
		for _, c := range report.Checks {
			if c.Detail == "" || c.Fix != "" {
				t.Errorf("%s: Doctor says %+v, want a detail and nothing to mend", name, c)
			}
		}
		m := e.Note(t, rig.Ana, "A memory whose text gets lost.")
		e.MustSettle(t)
		if err := e.Parts.Text.Delete(t.Context(), rig.Acme, []trilith.ID{m.ID}); err != nil {
			t.Fatal(err)
		}
		if c := rig.Check(t, e, "text index"); c.OK || !strings.Contains(c.Detail, "1 missing") ||
			c.Fix != "trilith doctor --repair" {
			t.Errorf("%s: Doctor says %+v about a missing text", name, c)
		}
		e.Plant(t, trilith.Facets{ID: trilith.DeriveID("orphan"), Version: 1, State: trilith.StateActive, Scope: rig.Ana},
			"An orphan.")
		if c := rig.Check(t, e, "vectors"); c.OK || !strings.Contains(c.Detail, "1 without") ||
			c.Fix != "trilith doctor --repair" {
			t.Errorf("%s: Doctor says %+v about an orphan", name, c)
		}
		last := 0
		res, err := e.Reindex(t.Context(), func(done, total int) {
			if done < last || done > total || total == 0 {
				t.Errorf("%s: Reindex reports %d of %d after %d", name, done, total, last)
			}
			last = done
		})
		if err != nil || res.Texts == 0 || last == 0 {
			t.Fatalf("%s: Reindex = %+v, %v, last progress %d", name, res, err, last)
		}
		if report, err := e.Doctor(t.Context()); err != nil || !report.OK {
			t.Errorf("%s: Doctor after the reindex = %+v, %v", name, report, err)
		}
	}
}

// forged is a log whose first entry of the audit somebody has changed.
type forged struct{ role.Log }

func (f forged) Audit(ctx context.Context, s trilith.Scope, after int64, limit int) ([]trilith.AuditEntry, error) {
	entries, err := f.Log.Audit(ctx, s, after, limit)
	if len(entries) > 0 && entries[0].Seq == 1 {
		entries[0].Actor = "somebody else"
	}
	return entries, err
}

func TestDoctorReadsTheAudit(t *testing.T) {
	t.Parallel()
	e := rig.InMemory(t, func(c *engine.Config) { c.Log = forged{c.Log} })
	e.Note(t, rig.Ana, "A note.")
	if c := rig.Check(t, e, "audit"); c.OK || !strings.Contains(c.Detail, "acme") {
		t.Errorf("Doctor says %+v about a forged entry, want the tenant named", c)
	}
}

// TestReindexCountsMemories: the report counts memories, not changes.
func TestReindexCountsMemories(t *testing.T) {
	t.Parallel()
	for name, e := range map[string]rig.Rig{"inmem": rig.InMemory(t), "sqlite": rig.OnFile(t, rig.NewPath(t))} {
		m := e.Note(t, rig.Ana, "The first wording.")
		for _, text := range []string{"The second wording.", "The third wording."} {
			if _, err := e.Update(t.Context(), rig.Ana, m.ID, trilith.UpdateRequest{Text: new(text)}); err != nil {
				t.Fatal(err)
			}
		}
		gone := e.Note(t, rig.Ana, "Will be erased, and is long enough.")
		if _, err := e.Erase(t.Context(), rig.Ana, trilith.EraseRequest{IDs: []trilith.ID{gone.ID}}); err != nil {
			t.Fatal(err)
		}
		res, err := e.Reindex(t.Context(), nil)
		if err != nil || res.Texts != 3 || res.Vectors != 3 {
			t.Errorf("%s: Reindex = %+v, %v; want 3 texts and 3 vectors of a note with three wordings", name, res, err)
		}
	}
}

// TestDoctorOfTextsWithoutWords: a text in which the embedder finds nothing needs no vector, whatever kind of memory it
// is and however many there are, and a repair finds nothing to do.
func TestDoctorOfTextsWithoutWords(t *testing.T) {
	t.Parallel()
	e := rig.InMemory(t, func(c *engine.Config) {
		c.Policy = gate.DefaultPolicy()
		c.Policy.Store[trilith.RoleTool] = true
	})
	const many = 30 // of each, more than the doctor asks about at once
	for i, text := range []string{"{}", "👍", "...", "—", "[]", "?!", "\u200d\u2764\ufe0f"} {
		for n := range many {
			id := fmt.Sprintf("%d-%d", i, n)
			for _, r := range []trilith.RememberRequest{
				{Messages: []trilith.Message{
					{Role: trilith.RoleTool, Speaker: "ExitPlanMode", Content: text, ExternalID: id}}},
				{Text: text, Speaker: "Ana", ExternalID: "s" + id},
				{Note: &trilith.Note{Content: text}, ExternalID: "n" + id},
				{Entry: &trilith.Entry{Content: text}, ExternalID: "e" + id},
				{Document: &trilith.Document{Name: "a.txt", Content: text}, ExternalID: "d" + id},
			} {
				if _, err := e.Remember(t.Context(), rig.Ana, r); err != nil {
					t.Fatalf("Remember(%+v) = %v", r, err)
				}
			}
		}
	}
	e.MustSettle(t)
	report, err := e.Doctor(t.Context())
	if err != nil || !report.OK {
		t.Errorf("Doctor = %+v, %v", report.Checks, err)
	}
	report, err = e.Repair(t.Context())
	if err != nil || !report.OK || len(report.Repaired) > 0 {
		t.Errorf("Repair = %+v, %v, want nothing to do", report, err)
	}
}

// TestDoctorJudgesRoomByTheStore: what has to be free follows from the size of the store.
func TestDoctorJudgesRoomByTheStore(t *testing.T) {
	t.Parallel()
	const mib = 1 << 20
	for _, c := range []struct {
		used, free int64
		ok         bool
	}{{5 * mib, 58 * mib, true}, {5 * mib, 15 * mib, true}, {5 * mib, 5 * mib, false}, {0, 4 * mib, false},
		{1000 * mib, 1100 * mib, false}, {1000 * mib, 1300 * mib, true}} {
		var checks role.Checks
		checks.Space(c.used, c.free, nil)
		if got := checks[0]; got.OK != c.ok {
			t.Errorf("with %d MiB free beside a store of %d: %+v, want it OK: %t", c.free/mib, c.used/mib, got, c.ok)
		}
	}
}
