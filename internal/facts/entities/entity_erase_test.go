package entities_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/engine"
	"github.com/trilith-memory/trilith/internal/test/rig"
)

// bergs makes somebody known by an address, Anna Berg, another Anna, and Ben, who spoke of Anna Berg.
func bergs(t *testing.T, e rig.Rig) (ana, anna trilith.ID) {
	t.Helper()
	ana = e.MustAssimilate(t, rig.Acme, rig.ByMail, "2025-01-01", "I live in Oslo.").Entity.ID
	anna = e.MustAssimilate(t, rig.Acme, named("Anna Berg"), "2025-01-02", "I love sailing. I live in Bergen.").Entity.ID
	e.MustAssimilate(t, rig.Acme, named("Anna"), "2025-01-03", "Hello.")
	e.MustAssimilate(t, rig.Acme, named("Ben Holm"), "2025-01-04", "My wife is Anna Berg. I love sailing.")
	update(t, e, anna, trilith.EntityUpdate{AddAliases: []string{"Frau Bergova"},
		SetAttributes: map[string]any{"secret": "persimmon"}})
	return ana, anna
}

// Nothing is left of an erased person: no fact, no name, no history, no question, and none of it comes back.
func TestEraseEntity(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, e rig.Rig) {
		ana, anna := bergs(t, e)
		merge(t, e, ana, anna)
		splitEntity(t, e, ana, trilith.SplitRequest{Merged: anna})
		export := rig.ParseExport(t, e.Exported(t, rig.Acme))
		erase := trilith.EraseRequest{Entities: []trilith.ID{anna}, Words: true, Reason: "asked"}
		dry := erase
		dry.DryRun = true
		before := e.Exported(t, rig.Acme)
		would, err := e.Erase(t.Context(), rig.Acme, dry)
		if err != nil || would.Entities != 1 || would.Facts != 4 || would.Memories != 2 {
			t.Errorf("a dry erasure = %+v, %v; want an entity, 4 facts (one of Ben rests on the same words), 2 memories", would, err)
		}
		if diff := cmp.Diff(before, e.Exported(t, rig.Acme)); diff != "" {
			t.Errorf("a dry erasure changed something (-before +after):\n%s", diff)
		}
		got, err := e.Erase(t.Context(), rig.Acme, erase)
		if err != nil || got.Entities != 1 || got.Facts != would.Facts || got.Memories != would.Memories ||
			got.Tombstones == 0 {
			t.Errorf("Erase = %+v, %v; want what the dry one said: %+v", got, err, would)
		}
		nothingOf := func(when string) {
			t.Helper()
			file := strings.ToLower(e.Exported(t, rig.Acme))
			for _, word := range []string{"anna berg", "bergova", "persimmon", "bergen"} {
				if strings.Contains(file, word) {
					t.Errorf("%s %q is left in %s", when, word, file)
				}
			}
		}
		nothingOf("after the erasure")
		if got := questions(t, e); len(got) != 0 {
			t.Errorf("questions are left: %q", got)
		}
		rig.WantFacts(t, "of the other", e.MustLookup(t, rig.Acme, trilith.LookupRequest{Identifier: rig.ByMail}), "lives_in Oslo")
		for _, err := range []error{
			rig.ErrorOf(e.Entity(t.Context(), rig.Acme, anna)), rig.ErrorOf(e.EntityHistory(t.Context(), rig.Acme, anna,
				trilith.EntityHistoryQuery{})),
			rig.ErrorOf(e.Lookup(t.Context(), rig.Acme, trilith.LookupRequest{Identifier: named("Anna Berg")})),
			rig.ErrorOf(e.Erase(t.Context(), rig.Acme, erase)),
		} {
			rig.WantError(t, "asking for the erased one", err, trilith.NotFound, "")
		}
		e.MustRestore(t, rig.Acme, export)
		nothingOf("after an older export was imported")
		e.MustSettle(t)
		if report, err := e.Doctor(t.Context()); err != nil || !report.OK {
			t.Errorf("Doctor = %+v, %v", report, err)
		}
		if again := e.MustAssimilate(t, rig.Acme, named("Anna Berg"), "2025-06-01",
			"I live in Lund.").Entity.ID; again == anna {
			t.Error("who is spoken of anew is the erased one")
		}
	})
}

// Without the words the facts go and the words stay; with a merge, both of whom one was made go.
func TestEraseMergedEntity(t *testing.T) {
	t.Parallel()
	e := rig.InMemory(t)
	ana, anna := bergs(t, e)
	merge(t, e, ana, anna)
	_, err := e.Erase(t.Context(), rig.Acme, trilith.EraseRequest{Entities: []trilith.ID{anna}})
	rig.WantError(t, "Erase of a merged entity", err, trilith.Conflict, "merged into")
	got, err := e.Erase(t.Context(), rig.Acme, trilith.EraseRequest{Entities: []trilith.ID{ana}})
	if err != nil || got.Entities != 2 || got.Memories != 0 {
		t.Errorf("Erase = %+v, %v; want both entities and no memory but facts", got, err)
	}
	for _, it := range e.Items(t, rig.Acme) {
		if it.Merge != nil || it.Change != nil && (it.Change.EntityID == ana || it.Change.EntityID == anna) ||
			it.Memory != nil && it.Memory.Fact != nil && it.Memory.Fact.EntityID == ana {
			t.Errorf("%+v is left", it)
		}
	}
	if hits := e.Found(t, rig.Acme, "sailing"); len(hits) == 0 {
		t.Error("the words are gone too")
	}
}

// Erased data is not kept for undoing a merge either.
func TestErasureReachesMerges(t *testing.T) {
	t.Parallel()
	e := rig.InMemory(t)
	ana := e.MustAssimilate(t, rig.Acme, rig.ByMail, "2025-01-01", "I live in Oslo.").Entity.ID
	told := e.MustAssimilate(t, rig.Acme, named("Anna Berg"), "2025-01-02", "I love ripe cheese. I live in Bergen.")
	e.MustAssimilate(t, rig.Acme, named("Anna Berg"), "2025-01-03", "I live in Bergen.")
	merge(t, e, ana, told.Entity.ID)
	if _, err := e.Erase(t.Context(), rig.Acme, trilith.EraseRequest{Sources: []trilith.ID{told.SourceID}}); err != nil {
		t.Fatal(err)
	}
	if file := e.Exported(t, rig.Acme); strings.Contains(file, "cheese") {
		t.Errorf("an erased word is left in %s", file)
	}
	splitEntity(t, e, ana, trilith.SplitRequest{Merged: told.Entity.ID})
	rig.WantFacts(t, "after the split", e.MustLookup(t, rig.Acme, trilith.LookupRequest{Identifier: named("Anna Berg")}),
		"lives_in Bergen")
	if file := e.Exported(t, rig.Acme); strings.Contains(file, "cheese") {
		t.Errorf("the split brought an erased word back: %s", file)
	}
}

func TestEraseEntityRefuses(t *testing.T) {
	t.Parallel()
	e := rig.InMemory(t)
	id := e.MustAssimilate(t, rig.Acme, rig.ByMail, "2025-01-01", "I live in Oslo.").Entity.ID
	for _, c := range []struct {
		scope trilith.Scope
		r     trilith.EraseRequest
		kind  trilith.ErrorKind
		names string
	}{
		{rig.Ana, trilith.EraseRequest{Entities: []trilith.ID{id}}, trilith.Invalid, "tenant"},
		{rig.Acme, trilith.EraseRequest{Entities: []trilith.ID{id}, IDs: []trilith.ID{id}}, trilith.Invalid, "entities"},
		{rig.Acme, trilith.EraseRequest{Entities: []trilith.ID{"x"}}, trilith.Invalid, "id"},
		{rig.Acme, trilith.EraseRequest{IDs: []trilith.ID{id}, Words: true}, trilith.Invalid, "words"},
		{trilith.Scope{Tenant: "globex"}, trilith.EraseRequest{Entities: []trilith.ID{id}}, trilith.NotFound, "does not exist"},
	} {
		_, err := e.Erase(t.Context(), c.scope, c.r)
		rig.WantError(t, fmt.Sprintf("Erase(%+v)", c.r), err, c.kind, c.names)
	}
}

// Facts that are said while somebody is erased do not survive it.
func TestEraseWhileAssimilating(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, e rig.Rig) {
		id := e.MustAssimilate(t, rig.Acme, rig.ByMail, "2025-01-01", "I live in Oslo.").Entity.ID
		rig.Together(5, func(i int) {
			if i == 4 {
				if _, err := e.Erase(t.Context(), rig.Acme, trilith.EraseRequest{Entities: []trilith.ID{id}}); err != nil {
					t.Errorf("Erase = %v", err)
				}
				return
			}
			for k := range 4 {
				if _, err := e.Assimilate(
					t.Context(), rig.Acme, trilith.AssimilateRequest{
						Identifier: rig.ByMail, Content: fmt.Sprintf("I love hobby%c%c.", 'a'+i, 'a'+k)}); err != nil {
					t.Errorf("Assimilate = %v", err)
				}
			}
		})
		if err := e.Work(t.Context()); err != nil {
			t.Fatal(err)
		}
		for _, m := range e.All(t, rig.Acme) {
			if m.Fact != nil && m.Fact.EntityID == id {
				t.Errorf("%s outlived its entity", m.Fact.RelationshipKey)
			}
		}
	})
}

// keeper keeps the ledger in memory.
type keeper []trilith.ExportItem

func (k *keeper) Append(_ string, it trilith.ExportItem) error { *k = append(*k, it); return nil }

// A backup from before the erasure forgets what the ledger says.
func TestErasedEntityInALedger(t *testing.T) {
	t.Parallel()
	var ledger keeper
	path := filepath.Join(t.TempDir(), "trilith.db")
	e := rig.OnFile(t, path, func(c *engine.Config) { c.Ledger = &ledger })
	_, anna := bergs(t, e)
	backup := rig.ParseExport(t, e.Exported(t, rig.Acme))
	if _, err := e.Erase(t.Context(), rig.Acme, trilith.EraseRequest{Entities: []trilith.ID{anna}}); err != nil {
		t.Fatal(err)
	}
	old := rig.InMemory(t)
	old.MustRestore(t, rig.Acme, backup)
	old.MustRestore(t, rig.Acme, ledger)
	_, err := old.Entity(t.Context(), rig.Acme, anna)
	rig.WantError(t, "Entity in the old backup", err, trilith.NotFound, "")
	for _, m := range old.All(t, rig.Acme) {
		if m.Fact != nil && (m.Fact.EntityID == anna || m.Fact.Node.EntityRef == anna) {
			t.Errorf("%s is back", m.Fact.RelationshipKey)
		}
	}
	old.MustRestore(t, rig.Acme, ledger) // again: nothing left to do
}

// An export carries merged entities, histories, questions and what undoing a merge needs.
func TestEntitiesTravel(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, to rig.Rig) {
		from := rig.InMemory(t)
		ana, anna := bergs(t, from)
		merge(t, from, ana, anna)
		from.MustAssimilate(t, rig.Acme, named("Anna Berg"), "2025-03-01", "I love chess.")
		file := from.Exported(t, rig.Acme)
		items := rig.ParseExport(t, file)
		for i, step := 0, 3; i < len(items); i += step { // in parts, as a long one is
			to.MustRestore(t, rig.Acme, items[i:min(i+step, len(items))])
		}
		if diff := cmp.Diff(file, to.Exported(t, rig.Acme)); diff != "" {
			t.Errorf("the import is not equal (-exported +imported):\n%s", diff)
		}
		if stored, _ := to.MustRestore(t, rig.Acme, items); stored != 0 {
			t.Errorf("importing again stored %d items", stored)
		}
		for _, id := range []trilith.Identifier{rig.ByMail, named("Anna Berg"), named("Frau Bergova")} {
			if got := whois(t, to, id).ID; got != ana {
				t.Errorf("after the import %v leads to %s, want %s", id, got, ana)
			}
		}
		to.MustAssimilate(t, rig.Acme, named("Anna Berg"), "2025-04-01", "I love bridge.")
		splitEntity(t, to, ana, trilith.SplitRequest{Merged: anna})
		rig.WantFacts(t, "of one after the split", to.MustLookup(t, rig.Acme, trilith.LookupRequest{Identifier: rig.ByMail}),
			"lives_in Oslo")
		rig.WantFacts(t, "of the other after the split",
			to.MustLookup(t, rig.Acme, trilith.LookupRequest{Identifier: named("Anna Berg")}),
			"likes bridge", "likes chess", "likes sailing", "lives_in Bergen")
	})
}

// An entity whose identifier is somebody's already comes without it, and whether the two are one is asked.
func TestImportOfATakenIdentifier(t *testing.T) {
	t.Parallel()
	from, to := rig.InMemory(t), rig.InMemory(t)
	theirs := from.MustAssimilate(t, rig.Acme, rig.ByMail, "2025-01-01", "I live in Oslo.").Entity.ID
	update(t, from, theirs, trilith.EntityUpdate{AddIdentifiers: []trilith.Identifier{byPhone}})
	ours := to.MustAssimilate(t, rig.Acme, rig.ByMail, "2025-01-02", "I love sailing.").Entity.ID
	to.MustRestore(t, rig.Acme, rig.ParseExport(t, from.Exported(t, rig.Acme)))
	rig.WantFacts(t, "of ours", to.MustLookup(t, rig.Acme, trilith.LookupRequest{Identifier: rig.ByMail}), "likes sailing")
	rig.WantFacts(t, "of theirs", to.MustLookup(t, rig.Acme, trilith.LookupRequest{Identifier: byPhone}), "lives_in Oslo")
	if got := questions(t, to); len(got) != 1 {
		t.Errorf("questions = %q, want whether the two are one", got)
	}
	merge(t, to, ours, theirs)
	rig.WantFacts(t, "of both", to.MustLookup(t, rig.Acme, trilith.LookupRequest{Identifier: rig.ByMail}), "likes sailing",
		"lives_in Oslo")
	if got := questions(t, to); len(got) != 0 {
		t.Errorf("questions = %q, want none after the merge", got)
	}
}
