package operate_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/engine"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/test/inmem"
	"github.com/trilith-memory/trilith/internal/test/rig"
)

// TestRepair: repair fixes what the doctor finds in the indexes and the queue, and says what it did, and a second one
// finds nothing to do.
func TestRepair(t *testing.T) {
	t.Parallel()
	for name, e := range map[string]rig.Rig{"inmem": rig.Furnished(t, rig.InMemory(t)),
		"sqlite": rig.Furnished(t, rig.OnFile(t, rig.NewPath(t)))} {
		lost, orphan := e.Note(t, rig.Ana, "The lighthouse keeper reads Latin."), trilith.DeriveID("orphan")
		dead := trilith.Job{ID: trilith.DeriveID("dead"), Kind: "embed", Payload: []byte(`{"ids":[]}`),
			State: trilith.JobDead}
		costly := trilith.Job{ID: trilith.DeriveID("costly"), Kind: "distil", Payload: []byte(`{}`), State: trilith.JobDead}
		if _, err := e.Parts.Store.Commit(t.Context(), rig.Acme, role.Batch{Jobs: []trilith.Job{dead, costly}}); err != nil {
			t.Fatal(err)
		}
		e.MustSettle(t)
		if err := e.Parts.Text.Delete(t.Context(), rig.Acme, []trilith.ID{lost.ID}); err != nil {
			t.Fatal(err)
		}
		if err := e.Parts.Vectors.Delete(t.Context(), rig.Acme, []trilith.ID{lost.ID}); err != nil {
			t.Fatal(err)
		}
		e.Plant(t, trilith.Facets{ID: orphan, Version: 1, State: trilith.StateActive, Scope: rig.Ana}, "An orphan.")
		got, err := e.Repair(t.Context())
		if err != nil {
			t.Fatalf("%s: Repair = %v", name, err)
		}
		for _, want := range []string{"2 texts made to agree", "2 vectors made to agree", "1 dead jobs given"} {
			if !slices.ContainsFunc(got.Repaired, func(s string) bool { return strings.HasPrefix(s, want) }) {
				t.Errorf("%s: Repair says it did %q, want %q among it", name, got.Repaired, want)
			}
		}
		for _, c := range got.Checks {
			if c.OK == (c.Name == "jobs") {
				t.Errorf("%s: after the repair the doctor says %+v; only the job of a model waits for a person", name,
					c)
			}
		}
		if texts := e.Found(t, rig.Ana, "lighthouse keeper"); len(texts) == 0 || texts[0] != lost.Text {
			t.Errorf("%s: Recall after the repair = %q, want what was lost first", name, texts)
		}
		if again, err := e.Repair(t.Context()); err != nil || len(again.Repaired) != 0 {
			t.Errorf("%s: a second Repair did %q, %v, want nothing", name, again.Repaired, err)
		}
	}
}

// TestRepairWithoutEmbedder: vectors that nobody can make now stay missing, and the report says so.
func TestRepairWithoutEmbedder(t *testing.T) {
	t.Parallel()
	embedder := rig.NewFussy(t, nil)
	e := rig.InMemory(t, func(c *engine.Config) { c.Embedder = embedder })
	m := e.Note(t, rig.Ana, "The harbour master reads charts.")
	e.MustSettle(t)
	if err := e.Parts.Vectors.Delete(t.Context(), rig.Acme, []trilith.ID{m.ID}); err != nil {
		t.Fatal(err)
	}
	embedder.RefuseNow(rig.Refusing("harbour", trilith.Unavailable))
	if got, err := e.Repair(t.Context()); err != nil || got.OK {
		t.Errorf("Repair without an embedder = %+v, %v, want a report that all is not well", got, err)
	}
	embedder.RefuseNow(nil)
	if got, err := e.Repair(t.Context()); err != nil || !got.OK {
		t.Errorf("Repair with the embedder back = %+v, %v, want a report that all is well", got, err)
	}
}

// TestCanary: a store that reads and does not write is not well, and a canary leaves nothing behind.
func TestCanary(t *testing.T) {
	t.Parallel()
	var store *inmem.Store
	e := rig.InMemory(t, func(c *engine.Config) { store = c.Store.(*inmem.Store) })
	e.Note(t, rig.Ana, "A note.")
	if c := rig.Check(t, e, "canary"); !c.OK {
		t.Errorf("Doctor says %+v of a sound memory", c)
	}
	system := trilith.Scope{Tenant: trilith.SystemTenant}
	for m, err := range store.List(t.Context(), system, role.Listing{}) {
		t.Errorf("the doctor leaves %+v behind, %v", m, err)
	}
	if stamps, err := e.Parts.Text.Stamps(t.Context(), system, nil); err != nil || len(stamps) != 0 {
		t.Errorf("the doctor leaves %+v in the text index, %v", stamps, err)
	}
	if stamps, err := e.Parts.Vectors.Stamps(t.Context(), system, e.Generation(), nil); err != nil || len(stamps) != 0 {
		t.Errorf("the doctor leaves %+v among the vectors, %v", stamps, err)
	}
	store.Inject(inmem.Fault{Before: func(_ context.Context, op string) error {
		if op == "Commit" {
			return trilith.Errorf(trilith.Unavailable, "the disk is full")
		}
		return nil
	}})
	if c := rig.Check(t, e, "canary"); c.OK || !strings.Contains(c.Detail, "disk is full") {
		t.Errorf("Doctor says %+v of a store that does not write", c)
	}
	store.Inject(inmem.Fault{})
}

// TestRepairMarksWhatIsOver: the sweep is part of it.
func TestRepairMarksWhatIsOver(t *testing.T) {
	t.Parallel()
	now := time.Date(2025, 6, 1, 0, 0, 0, 0, time.UTC)
	e := rig.InMemory(t, func(c *engine.Config) { c.Now = func() time.Time { return now } })
	m := e.Note(t, rig.Ana, "The ferry is cancelled.")
	m.ValidUntil = &now
	if _, err := e.Parts.Store.Commit(t.Context(), rig.Acme, role.Batch{Memories: []trilith.Memory{m}}); err != nil {
		t.Fatal(err)
	}
	if got, err := e.Repair(t.Context()); err != nil ||
		!slices.Contains(got.Repaired, "1 memories marked that were over") {
		t.Errorf("Repair = %+v, %v, want one memory marked", got, err)
	}
}
