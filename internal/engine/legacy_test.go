package engine_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/test/rig"
)

// putFacts stores facts of one person, recorded one second after the other, and returns their ids in this order.
func putFacts(t *testing.T, r rig.Rig, s trilith.Scope, names ...string) []trilith.ID {
	t.Helper()
	var items []trilith.ExportItem
	ids := make([]trilith.ID, len(names))
	for i, name := range names {
		m := factNamed(s, name)
		m.RecordedAt = m.RecordedAt.Add(time.Duration(i) * time.Second)
		ids[i] = m.ID
		items = append(items, trilith.ExportItem{Memory: &m})
	}
	r.MustRestore(t, s, items)
	return ids
}

func factNamed(s trilith.Scope, name string) trilith.Memory {
	at := time.Date(2025, 3, 1, 0, 0, 0, 0, time.UTC)
	f := trilith.Fact{EntityID: trilith.DeriveID("entity"), Verb: "likes", Node: trilith.Node{Type: "Thing", Name: name},
		Type:       trilith.FactPreference,
		Confidence: 0.9, AuthorRole: trilith.RoleUser,
		Evidence: []trilith.Evidence{{EpisodeID: trilith.DeriveID("episode", name)}}}
	f.FactID = f.Node.ID()
	f.RelationshipKey = f.Key()
	return trilith.Memory{ID: trilith.FactMemoryID(f.EntityID, f.Verb, f.FactID), Version: 1, Kind: trilith.KindFact,
		Text: "Ana likes " + name + ".", Scope: s,
		EventTime: at, RecordedAt: at, State: trilith.StateActive, Trust: trilith.TrustUserStated, Fact: &f}
}

// numbers returns the numbers of facts, in the order of ids.
func numbers(t *testing.T, r rig.Rig, s trilith.Scope, ids ...trilith.ID) []int64 {
	t.Helper()
	known, err := r.LegacyIDs(t.Context(), s, ids)
	if err != nil {
		t.Fatalf("LegacyIDs(%v) = %v", ids, err)
	}
	out := make([]int64, len(ids))
	for i, id := range ids {
		out[i] = known[id]
	}
	return out
}

func wantNumbers(t *testing.T, what string, got []int64, want ...int64) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

func TestLegacyIDs(t *testing.T) {
	t.Parallel()
	e := rig.InMemory(t)
	ids := putFacts(t, e, rig.Ana, "tea", "rain", "chess")
	e.MustSettle(t)
	before := e.All(t, rig.Acme)
	wantNumbers(t, "those asked for, the longest recorded first", numbers(t, e, rig.Ana, ids[2], ids[0], ids[2]), 2, 1, 2)
	wantNumbers(t, "all, with the ones given before", numbers(t, e, rig.Ana, ids...), 1, 3, 2)
	if diff := cmp.Diff(before, e.All(t, rig.Acme)); diff != "" {
		t.Errorf("numbering changed the facts (-before +after):\n%s", diff)
	}
	for n, want := range map[int64]trilith.ID{1: ids[0], 2: ids[2], 3: ids[1]} {
		if id, err := e.LegacyFact(t.Context(), rig.Ana, n); err != nil || id != want {
			t.Errorf("LegacyFact(%d) = %s, %v; want %s", n, id, err, want)
		}
	}
	for _, n := range []int64{0, -1, 4} {
		_, err := e.LegacyFact(t.Context(), rig.Ana, n)
		rig.WantError(t, fmt.Sprintf("LegacyFact(%d)", n), err, trilith.NotFound, "fact")
	}
	_, err := e.LegacyFact(t.Context(), rig.Ben, 1)
	rig.WantError(t, "LegacyFact of another user", err, trilith.NotFound, "fact 1 does not exist")
	globex := trilith.Scope{Tenant: "globex"}
	_, err = e.LegacyFact(t.Context(), globex, 1)
	rig.WantError(t, "LegacyFact of another tenant", err, trilith.NotFound, "fact 1 does not exist")
	wantNumbers(t, "another tenant's have none", numbers(t, e, globex, ids...), 0, 0, 0)
	wantNumbers(t, "each tenant counts for itself", numbers(t, e, globex, putFacts(t, e, globex, "wind")...), 1)
	note := e.Note(t, rig.Ana, "No fact.")
	bens := putFacts(t, e, rig.Ben, "snow")
	wantNumbers(t, "what is no fact, nobody's, or another's has none",
		numbers(t, e, rig.Ana, note.ID, trilith.DeriveID("nobody"), bens[0]), 0, 0, 0)
	wantNumbers(t, "and took none", numbers(t, e, rig.Ben, bens...), 4)
	_, err = e.LegacyIDs(t.Context(), rig.Ana, []trilith.ID{"nonsense"})
	rig.WantError(t, "LegacyIDs of nonsense", err, trilith.Invalid, "ids")
	_, err = e.LegacyIDs(t.Context(), rig.Ana, make([]trilith.ID, role.MaxBatch+1))
	rig.WantError(t, "LegacyIDs of too many", err, trilith.Exhausted, "ids")
}

// A share is the fact that it refers to, under another scope.
func TestLegacyIDsOfShares(t *testing.T) {
	t.Parallel()
	e := rig.InMemory(t)
	ids := putFacts(t, e, rig.Ana, "tea", "rain")
	share, err := e.Share(t.Context(), rig.Ana, ids[1], trilith.ShareRequest{Scope: trilith.Scope{User: "ben"}})
	if err != nil {
		t.Fatal(err)
	}
	wantNumbers(t, "a share and its origin", numbers(t, e, rig.Acme, share.ID, ids[1], ids[0]), 2, 2, 1)
	wantNumbers(t, "the share alone", numbers(t, e, rig.Ben, share.ID, ids[1]), 2, 0)
	if id, err := e.LegacyFact(t.Context(), rig.Acme, 2); err != nil || id != ids[1] {
		t.Errorf("LegacyFact(2) = %s, %v; want the origin %s", id, err, ids[1])
	}
}

// Concurrent requests get the same numbers, each given once and none left out.
func TestLegacyIDsAtOnce(t *testing.T) {
	t.Parallel()
	e := rig.InMemory(t)
	var names []string
	for i := range 300 {
		names = append(names, fmt.Sprint("thing ", i))
	}
	ids := putFacts(t, e, rig.Ana, names...)
	var mu sync.Mutex
	all := map[trilith.ID]int64{}
	rig.Together(8, func(i int) {
		got, err := e.LegacyIDs(t.Context(), rig.Ana, ids[i*20:i*20+160])
		if err != nil {
			t.Errorf("LegacyIDs = %v", err)
		}
		mu.Lock()
		defer mu.Unlock()
		for id, n := range got {
			if have, ok := all[id]; ok && have != n {
				t.Errorf("fact %s has the numbers %d and %d", id, have, n)
			}
			all[id] = n
		}
	})
	got := slices.Sorted(maps.Values(all))
	if len(got) != 300 || got[0] != 1 || got[299] != 300 || len(slices.Compact(got)) != 300 {
		t.Errorf("%d facts have the numbers %v, want 1 to 300", len(all), got)
	}
}

// The number of an erased fact is never given to another one, after any statements, imports and restores.
func TestLegacyIDsOfTheErased(t *testing.T) {
	t.Parallel()
	e := rig.InMemory(t)
	ids := putFacts(t, e, rig.Ana, "tea", "rain", "chess")
	wantNumbers(t, "at first", numbers(t, e, rig.Ana, ids...), 1, 2, 3)
	if _, err := e.Erase(t.Context(), rig.Ana, trilith.EraseRequest{IDs: ids[1:]}); err != nil {
		t.Fatal(err)
	}
	_, err := e.LegacyFact(t.Context(), rig.Ana, 3)
	rig.WantError(t, "LegacyFact of what was erased", err, trilith.NotFound, "fact 3")
	again := putFacts(t, e, rig.Ana, "chess", "snow")
	wantNumbers(t, "said again, and another", numbers(t, e, rig.Ana, again...), 4, 5)

	other := factNamed(rig.Ana, "wind")
	other.Fact.LegacyID = 2
	e.MustRestore(t, rig.Ana, []trilith.ExportItem{{Memory: &other}})
	wantNumbers(t, "an import with a number that was taken", numbers(t, e, rig.Ana, other.ID), 6)

	// Elsewhere the numbers go on where they ended, those of the erased among them.
	if _, err := e.Erase(t.Context(), rig.Ana, trilith.EraseRequest{IDs: []trilith.ID{other.ID}}); err != nil {
		t.Fatal(err)
	}
	to := rig.InMemory(t)
	file := e.Exported(t, rig.Acme)
	to.MustRestore(t, rig.Acme, rig.ParseExport(t, file))
	if diff := cmp.Diff(file, to.Exported(t, rig.Acme)); diff != "" {
		t.Errorf("the import is not equal (-exported +imported):\n%s", diff)
	}
	wantNumbers(t, "imported", numbers(t, to, rig.Ana, ids[0], again[0], again[1]), 1, 4, 5)
	wantNumbers(t, "the next", numbers(t, to, rig.Ana, putFacts(t, to, rig.Ana, "hail")...), 7)
}

// An import brings its numbers along as far as they are free, and stores them nowhere else.
func TestLegacyIDsTravel(t *testing.T) {
	t.Parallel()
	e := rig.InMemory(t)
	tea, rain, snow := factNamed(rig.Ana, "tea"), factNamed(rig.Ana, "rain"), factNamed(rig.Ana, "snow")
	tea.Fact.LegacyID, rain.Fact.LegacyID, snow.Fact.LegacyID = 7, 7, 40
	e.MustRestore(t, rig.Acme, []trilith.ExportItem{{Memory: &tea}, {Memory: &rain}, {Memory: &snow}})
	wantNumbers(t, "one of two with the same number", numbers(t, e, rig.Acme, tea.ID, snow.ID, rain.ID), 7, 40, 41)
	if m, err := e.Get(t.Context(), rig.Acme, tea.ID); err != nil || m.Fact.LegacyID != 0 || tea.Fact.LegacyID != 7 {
		t.Errorf("the stored fact has the number %d, the imported item %d; %v", m.Fact.LegacyID, tea.Fact.LegacyID, err)
	}
	for _, item := range e.Items(t, rig.Acme) {
		if item.Memory != nil && item.Memory.Fact.LegacyID == 0 || item.Header != nil && item.Header.LegacyIDs != 41 {
			body, _ := json.Marshal(item)
			t.Errorf("the export lacks a number: %s", body)
		}
	}
	e.MustRestore(t, rig.Acme, []trilith.ExportItem{{Header: &trilith.ExportHeader{Format: 1, LegacyIDs: 99}}})
	wantNumbers(t, "after a header alone", numbers(t, e, rig.Acme, putFacts(t, e, rig.Acme, "hail")...), 100)

	for _, n := range []int64{-1, trilith.MaxLegacyID + 1} {
		bad := factNamed(rig.Ana, "fog")
		bad.Fact.LegacyID = n
		_, _, err := e.Restore(t.Context(), rig.Acme, []trilith.ExportItem{{Memory: &bad}})
		rig.WantError(t, "Restore of a number", err, trilith.Invalid, "legacy_id")
		_, _, err = e.Restore(t.Context(), rig.Acme,
			[]trilith.ExportItem{{Header: &trilith.ExportHeader{Format: 1, LegacyIDs: n}}})
		rig.WantError(t, "Restore of a header", err, trilith.Invalid, "legacy_ids")
	}
	e.MustRestore(t, rig.Acme, []trilith.ExportItem{{Header: &trilith.ExportHeader{Format: 1,
		LegacyIDs: trilith.MaxLegacyID}}})
	_, err := e.LegacyIDs(t.Context(), rig.Acme, putFacts(t, e, rig.Acme, "dew"))
	rig.WantError(t, "LegacyIDs after the last", err, trilith.Exhausted, "legacy_id")
}
