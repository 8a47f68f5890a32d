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
)

// putFacts stores facts of one person, recorded one second after the other, and returns their ids in this order.
func (r rig) putFacts(t *testing.T, s trilith.Scope, names ...string) []trilith.ID {
	t.Helper()
	var items []trilith.ExportItem
	ids := make([]trilith.ID, len(names))
	for i, name := range names {
		m := factNamed(s, name)
		m.RecordedAt = m.RecordedAt.Add(time.Duration(i) * time.Second)
		ids[i] = m.ID
		items = append(items, trilith.ExportItem{Memory: &m})
	}
	r.restore(t, s, items)
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
func (r rig) numbers(t *testing.T, s trilith.Scope, ids ...trilith.ID) []int64 {
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
	e := inMemory(t)
	ids := e.putFacts(t, ana, "tea", "rain", "chess")
	e.settle(t)
	before := e.all(t, acme)
	wantNumbers(t, "those asked for, the longest recorded first", e.numbers(t, ana, ids[2], ids[0], ids[2]), 2, 1, 2)
	wantNumbers(t, "all, with the ones given before", e.numbers(t, ana, ids...), 1, 3, 2)
	if diff := cmp.Diff(before, e.all(t, acme)); diff != "" {
		t.Errorf("numbering changed the facts (-before +after):\n%s", diff)
	}
	for n, want := range map[int64]trilith.ID{1: ids[0], 2: ids[2], 3: ids[1]} {
		if id, err := e.LegacyFact(t.Context(), ana, n); err != nil || id != want {
			t.Errorf("LegacyFact(%d) = %s, %v; want %s", n, id, err, want)
		}
	}
	for _, n := range []int64{0, -1, 4} {
		_, err := e.LegacyFact(t.Context(), ana, n)
		wantError(t, fmt.Sprintf("LegacyFact(%d)", n), err, trilith.NotFound, "fact")
	}
	_, err := e.LegacyFact(t.Context(), ben, 1)
	wantError(t, "LegacyFact of another user", err, trilith.NotFound, "fact 1 does not exist")
	globex := trilith.Scope{Tenant: "globex"}
	_, err = e.LegacyFact(t.Context(), globex, 1)
	wantError(t, "LegacyFact of another tenant", err, trilith.NotFound, "fact 1 does not exist")
	wantNumbers(t, "another tenant's have none", e.numbers(t, globex, ids...), 0, 0, 0)
	wantNumbers(t, "each tenant counts for itself", e.numbers(t, globex, e.putFacts(t, globex, "wind")...), 1)
	note := e.note(t, ana, "No fact.")
	bens := e.putFacts(t, ben, "snow")
	wantNumbers(t, "what is no fact, nobody's, or another's has none",
		e.numbers(t, ana, note.ID, trilith.DeriveID("nobody"), bens[0]), 0, 0, 0)
	wantNumbers(t, "and took none", e.numbers(t, ben, bens...), 4)
	_, err = e.LegacyIDs(t.Context(), ana, []trilith.ID{"nonsense"})
	wantError(t, "LegacyIDs of nonsense", err, trilith.Invalid, "ids")
	_, err = e.LegacyIDs(t.Context(), ana, make([]trilith.ID, role.MaxBatch+1))
	wantError(t, "LegacyIDs of too many", err, trilith.Exhausted, "ids")
}

// A share is the fact that it refers to, under another scope.
func TestLegacyIDsOfShares(t *testing.T) {
	t.Parallel()
	e := inMemory(t)
	ids := e.putFacts(t, ana, "tea", "rain")
	share, err := e.Share(t.Context(), ana, ids[1], trilith.Scope{User: "ben"})
	if err != nil {
		t.Fatal(err)
	}
	wantNumbers(t, "a share and its origin", e.numbers(t, acme, share.ID, ids[1], ids[0]), 2, 2, 1)
	wantNumbers(t, "the share alone", e.numbers(t, ben, share.ID, ids[1]), 2, 0)
	if id, err := e.LegacyFact(t.Context(), acme, 2); err != nil || id != ids[1] {
		t.Errorf("LegacyFact(2) = %s, %v; want the origin %s", id, err, ids[1])
	}
}

// Concurrent requests get the same numbers, each given once and none left out.
func TestLegacyIDsAtOnce(t *testing.T) {
	t.Parallel()
	e := inMemory(t)
	var names []string
	for i := range 300 {
		names = append(names, fmt.Sprint("thing ", i))
	}
	ids := e.putFacts(t, ana, names...)
	var mu sync.Mutex
	all := map[trilith.ID]int64{}
	together(8, func(i int) {
		got, err := e.LegacyIDs(t.Context(), ana, ids[i*20:i*20+160])
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
	e := inMemory(t)
	ids := e.putFacts(t, ana, "tea", "rain", "chess")
	wantNumbers(t, "at first", e.numbers(t, ana, ids...), 1, 2, 3)
	if _, err := e.Erase(t.Context(), ana, trilith.EraseRequest{IDs: ids[1:]}); err != nil {
		t.Fatal(err)
	}
	_, err := e.LegacyFact(t.Context(), ana, 3)
	wantError(t, "LegacyFact of what was erased", err, trilith.NotFound, "fact 3")
	again := e.putFacts(t, ana, "chess", "snow")
	wantNumbers(t, "said again, and another", e.numbers(t, ana, again...), 4, 5)

	other := factNamed(ana, "wind")
	other.Fact.LegacyID = 2
	e.restore(t, ana, []trilith.ExportItem{{Memory: &other}})
	wantNumbers(t, "an import with a number that was taken", e.numbers(t, ana, other.ID), 6)

	// Elsewhere the numbers go on where they ended, those of the erased among them.
	if _, err := e.Erase(t.Context(), ana, trilith.EraseRequest{IDs: []trilith.ID{other.ID}}); err != nil {
		t.Fatal(err)
	}
	to := inMemory(t)
	file := e.exported(t, acme)
	to.restore(t, acme, parseExport(t, file))
	if diff := cmp.Diff(file, to.exported(t, acme)); diff != "" {
		t.Errorf("the import is not equal (-exported +imported):\n%s", diff)
	}
	wantNumbers(t, "imported", to.numbers(t, ana, ids[0], again[0], again[1]), 1, 4, 5)
	wantNumbers(t, "the next", to.numbers(t, ana, to.putFacts(t, ana, "hail")...), 7)
}

// An import brings its numbers along as far as they are free, and stores them nowhere else.
func TestLegacyIDsTravel(t *testing.T) {
	t.Parallel()
	e := inMemory(t)
	tea, rain, snow := factNamed(ana, "tea"), factNamed(ana, "rain"), factNamed(ana, "snow")
	tea.Fact.LegacyID, rain.Fact.LegacyID, snow.Fact.LegacyID = 7, 7, 40
	e.restore(t, acme, []trilith.ExportItem{{Memory: &tea}, {Memory: &rain}, {Memory: &snow}})
	wantNumbers(t, "one of two with the same number", e.numbers(t, acme, tea.ID, snow.ID, rain.ID), 7, 40, 41)
	if m, err := e.Get(t.Context(), acme, tea.ID); err != nil || m.Fact.LegacyID != 0 || tea.Fact.LegacyID != 7 {
		t.Errorf("the stored fact has the number %d, the imported item %d; %v", m.Fact.LegacyID, tea.Fact.LegacyID, err)
	}
	for _, item := range e.items(t, acme) {
		if item.Memory != nil && item.Memory.Fact.LegacyID == 0 || item.Header != nil && item.Header.LegacyIDs != 41 {
			body, _ := json.Marshal(item)
			t.Errorf("the export lacks a number: %s", body)
		}
	}
	e.restore(t, acme, []trilith.ExportItem{{Header: &trilith.ExportHeader{Format: 1, LegacyIDs: 99}}})
	wantNumbers(t, "after a header alone", e.numbers(t, acme, e.putFacts(t, acme, "hail")...), 100)

	for _, n := range []int64{-1, trilith.MaxLegacyID + 1} {
		bad := factNamed(ana, "fog")
		bad.Fact.LegacyID = n
		_, _, err := e.Restore(t.Context(), acme, []trilith.ExportItem{{Memory: &bad}})
		wantError(t, "Restore of a number", err, trilith.Invalid, "legacy_id")
		_, _, err = e.Restore(t.Context(), acme,
			[]trilith.ExportItem{{Header: &trilith.ExportHeader{Format: 1, LegacyIDs: n}}})
		wantError(t, "Restore of a header", err, trilith.Invalid, "legacy_ids")
	}
	e.restore(t, acme, []trilith.ExportItem{{Header: &trilith.ExportHeader{Format: 1, LegacyIDs: trilith.MaxLegacyID}}})
	_, err := e.LegacyIDs(t.Context(), acme, e.putFacts(t, acme, "dew"))
	wantError(t, "LegacyIDs after the last", err, trilith.Exhausted, "legacy_id")
}
