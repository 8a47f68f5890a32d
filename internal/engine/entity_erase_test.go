package engine_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/engine"
)

// bergs makes somebody known by an address, Anna Berg, another Anna, and Ben, who spoke of Anna Berg.
func bergs(t *testing.T, e rig) (ana, anna trilith.ID) {
	t.Helper()
	ana = e.assimilate(t, acme, byMail, "2025-01-01", "I live in Oslo.").Entity.ID
	anna = e.assimilate(t, acme, named("Anna Berg"), "2025-01-02", "I love sailing. I live in Bergen.").Entity.ID
	e.assimilate(t, acme, named("Anna"), "2025-01-03", "Hello.")
	e.assimilate(t, acme, named("Ben Holm"), "2025-01-04", "My wife is Anna Berg. I love sailing.")
	e.update(t, anna, trilith.EntityUpdate{AddAliases: []string{"Frau Bergova"},
		SetAttributes: map[string]any{"secret": "persimmon"}})
	return ana, anna
}

// Nothing is left of an erased person: no fact, no name, no history, no question, and none of it comes back.
func TestEraseEntity(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, e rig) {
		ana, anna := bergs(t, e)
		e.merge(t, ana, anna)
		e.split(t, ana, trilith.SplitRequest{Merged: anna})
		export := parseExport(t, e.exported(t, acme))
		erase := trilith.EraseRequest{Entities: []trilith.ID{anna}, Words: true, Reason: "asked"}
		dry := erase
		dry.DryRun = true
		before := e.exported(t, acme)
		would, err := e.Erase(t.Context(), acme, dry)
		if err != nil || would.Entities != 1 || would.Facts != 4 || would.Memories != 2 {
			t.Errorf("a dry erasure = %+v, %v; want an entity, 4 facts (one of Ben rests on the same words), 2 memories", would, err)
		}
		if diff := cmp.Diff(before, e.exported(t, acme)); diff != "" {
			t.Errorf("a dry erasure changed something (-before +after):\n%s", diff)
		}
		got, err := e.Erase(t.Context(), acme, erase)
		if err != nil || got.Entities != 1 || got.Facts != would.Facts || got.Memories != would.Memories ||
			got.Tombstones == 0 {
			t.Errorf("Erase = %+v, %v; want what the dry one said: %+v", got, err, would)
		}
		nothingOf := func(when string) {
			t.Helper()
			file := strings.ToLower(e.exported(t, acme))
			for _, word := range []string{"anna berg", "bergova", "persimmon", "bergen"} {
				if strings.Contains(file, word) {
					t.Errorf("%s %q is left in %s", when, word, file)
				}
			}
		}
		nothingOf("after the erasure")
		if got := e.questions(t); len(got) != 0 {
			t.Errorf("questions are left: %q", got)
		}
		wantFacts(t, "of the other", e.lookup(t, acme, trilith.LookupRequest{Identifier: byMail}), "lives_in Oslo")
		for _, err := range []error{
			second(e.Entity(t.Context(), acme, anna)), second(e.EntityHistory(t.Context(), acme, anna,
				trilith.EntityHistoryQuery{})),
			second(e.Lookup(t.Context(), acme, trilith.LookupRequest{Identifier: named("Anna Berg")})),
			second(e.Erase(t.Context(), acme, erase)),
		} {
			wantError(t, "asking for the erased one", err, trilith.NotFound, "")
		}
		e.restore(t, acme, export)
		nothingOf("after an older export was imported")
		e.settle(t)
		if report, err := e.Doctor(t.Context()); err != nil || !report.OK {
			t.Errorf("Doctor = %+v, %v", report, err)
		}
		if again := e.assimilate(t, acme, named("Anna Berg"), "2025-06-01",
			"I live in Lund.").Entity.ID; again == anna {
			t.Error("who is spoken of anew is the erased one")
		}
	})
}

// Without the words the facts go and the words stay; with a merge, both of whom one was made go.
func TestEraseMergedEntity(t *testing.T) {
	t.Parallel()
	e := inMemory(t)
	ana, anna := bergs(t, e)
	e.merge(t, ana, anna)
	_, err := e.Erase(t.Context(), acme, trilith.EraseRequest{Entities: []trilith.ID{anna}})
	wantError(t, "Erase of a merged entity", err, trilith.Conflict, "merged into")
	got, err := e.Erase(t.Context(), acme, trilith.EraseRequest{Entities: []trilith.ID{ana}})
	if err != nil || got.Entities != 2 || got.Memories != 0 {
		t.Errorf("Erase = %+v, %v; want both entities and no memory but facts", got, err)
	}
	for _, it := range e.items(t, acme) {
		if it.Merge != nil || it.Change != nil && (it.Change.EntityID == ana || it.Change.EntityID == anna) ||
			it.Memory != nil && it.Memory.Fact != nil && it.Memory.Fact.EntityID == ana {
			t.Errorf("%+v is left", it)
		}
	}
	if hits := e.found(t, acme, "sailing"); len(hits) == 0 {
		t.Error("the words are gone too")
	}
}

// Erased data is not kept for undoing a merge either.
func TestErasureReachesMerges(t *testing.T) {
	t.Parallel()
	e := inMemory(t)
	ana := e.assimilate(t, acme, byMail, "2025-01-01", "I live in Oslo.").Entity.ID
	told := e.assimilate(t, acme, named("Anna Berg"), "2025-01-02", "I love ripe cheese. I live in Bergen.")
	e.assimilate(t, acme, named("Anna Berg"), "2025-01-03", "I live in Bergen.")
	e.merge(t, ana, told.Entity.ID)
	if _, err := e.Erase(t.Context(), acme, trilith.EraseRequest{Sources: []trilith.ID{told.SourceID}}); err != nil {
		t.Fatal(err)
	}
	if file := e.exported(t, acme); strings.Contains(file, "cheese") {
		t.Errorf("an erased word is left in %s", file)
	}
	e.split(t, ana, trilith.SplitRequest{Merged: told.Entity.ID})
	wantFacts(t, "after the split", e.lookup(t, acme, trilith.LookupRequest{Identifier: named("Anna Berg")}),
		"lives_in Bergen")
	if file := e.exported(t, acme); strings.Contains(file, "cheese") {
		t.Errorf("the split brought an erased word back: %s", file)
	}
}

func TestEraseEntityRefuses(t *testing.T) {
	t.Parallel()
	e := inMemory(t)
	id := e.assimilate(t, acme, byMail, "2025-01-01", "I live in Oslo.").Entity.ID
	for _, c := range []struct {
		scope trilith.Scope
		r     trilith.EraseRequest
		kind  trilith.ErrorKind
		names string
	}{
		{ana, trilith.EraseRequest{Entities: []trilith.ID{id}}, trilith.Invalid, "tenant"},
		{acme, trilith.EraseRequest{Entities: []trilith.ID{id}, IDs: []trilith.ID{id}}, trilith.Invalid, "entities"},
		{acme, trilith.EraseRequest{Entities: []trilith.ID{"x"}}, trilith.Invalid, "id"},
		{acme, trilith.EraseRequest{IDs: []trilith.ID{id}, Words: true}, trilith.Invalid, "words"},
		{trilith.Scope{Tenant: "globex"}, trilith.EraseRequest{Entities: []trilith.ID{id}}, trilith.NotFound, "does not exist"},
	} {
		_, err := e.Erase(t.Context(), c.scope, c.r)
		wantError(t, fmt.Sprintf("Erase(%+v)", c.r), err, c.kind, c.names)
	}
}

// Facts that are said while somebody is erased do not survive it.
func TestEraseWhileAssimilating(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, e rig) {
		id := e.assimilate(t, acme, byMail, "2025-01-01", "I live in Oslo.").Entity.ID
		together(5, func(i int) {
			if i == 4 {
				if _, err := e.Erase(t.Context(), acme, trilith.EraseRequest{Entities: []trilith.ID{id}}); err != nil {
					t.Errorf("Erase = %v", err)
				}
				return
			}
			for k := range 4 {
				if _, err := e.Assimilate(
					t.Context(), acme, trilith.AssimilateRequest{
						Identifier: byMail, Content: fmt.Sprintf("I love hobby%c%c.", 'a'+i, 'a'+k)}); err != nil {
					t.Errorf("Assimilate = %v", err)
				}
			}
		})
		if err := e.Work(t.Context()); err != nil {
			t.Fatal(err)
		}
		for _, m := range e.all(t, acme) {
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
	e := onFile(t, path, func(c *engine.Config) { c.Ledger = &ledger })
	_, anna := bergs(t, e)
	backup := parseExport(t, e.exported(t, acme))
	if _, err := e.Erase(t.Context(), acme, trilith.EraseRequest{Entities: []trilith.ID{anna}}); err != nil {
		t.Fatal(err)
	}
	old := inMemory(t)
	old.restore(t, acme, backup)
	old.restore(t, acme, ledger)
	_, err := old.Entity(t.Context(), acme, anna)
	wantError(t, "Entity in the old backup", err, trilith.NotFound, "")
	for _, m := range old.all(t, acme) {
		if m.Fact != nil && (m.Fact.EntityID == anna || m.Fact.Node.EntityRef == anna) {
			t.Errorf("%s is back", m.Fact.RelationshipKey)
		}
	}
	old.restore(t, acme, ledger) // again: nothing left to do
}

// An export carries merged entities, histories, questions and what undoing a merge needs.
func TestEntitiesTravel(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, to rig) {
		from := inMemory(t)
		ana, anna := bergs(t, from)
		from.merge(t, ana, anna)
		from.assimilate(t, acme, named("Anna Berg"), "2025-03-01", "I love chess.")
		file := from.exported(t, acme)
		items := parseExport(t, file)
		for i, step := 0, 3; i < len(items); i += step { // in parts, as a long one is
			to.restore(t, acme, items[i:min(i+step, len(items))])
		}
		if diff := cmp.Diff(file, to.exported(t, acme)); diff != "" {
			t.Errorf("the import is not equal (-exported +imported):\n%s", diff)
		}
		if stored, _ := to.restore(t, acme, items); stored != 0 {
			t.Errorf("importing again stored %d items", stored)
		}
		for _, id := range []trilith.Identifier{byMail, named("Anna Berg"), named("Frau Bergova")} {
			if got := to.whois(t, id).ID; got != ana {
				t.Errorf("after the import %v leads to %s, want %s", id, got, ana)
			}
		}
		to.assimilate(t, acme, named("Anna Berg"), "2025-04-01", "I love bridge.")
		to.split(t, ana, trilith.SplitRequest{Merged: anna})
		wantFacts(t, "of one after the split", to.lookup(t, acme, trilith.LookupRequest{Identifier: byMail}),
			"lives_in Oslo")
		wantFacts(t, "of the other after the split",
			to.lookup(t, acme, trilith.LookupRequest{Identifier: named("Anna Berg")}),
			"likes bridge", "likes chess", "likes sailing", "lives_in Bergen")
	})
}

// An entity whose identifier is somebody's already comes without it, and whether the two are one is asked.
func TestImportOfATakenIdentifier(t *testing.T) {
	t.Parallel()
	from, to := inMemory(t), inMemory(t)
	theirs := from.assimilate(t, acme, byMail, "2025-01-01", "I live in Oslo.").Entity.ID
	from.update(t, theirs, trilith.EntityUpdate{AddIdentifiers: []trilith.Identifier{byPhone}})
	ours := to.assimilate(t, acme, byMail, "2025-01-02", "I love sailing.").Entity.ID
	to.restore(t, acme, parseExport(t, from.exported(t, acme)))
	wantFacts(t, "of ours", to.lookup(t, acme, trilith.LookupRequest{Identifier: byMail}), "likes sailing")
	wantFacts(t, "of theirs", to.lookup(t, acme, trilith.LookupRequest{Identifier: byPhone}), "lives_in Oslo")
	if got := to.questions(t); len(got) != 1 {
		t.Errorf("questions = %q, want whether the two are one", got)
	}
	to.merge(t, ours, theirs)
	wantFacts(t, "of both", to.lookup(t, acme, trilith.LookupRequest{Identifier: byMail}), "likes sailing",
		"lives_in Oslo")
	if got := to.questions(t); len(got) != 0 {
		t.Errorf("questions = %q, want none after the merge", got)
	}
}
