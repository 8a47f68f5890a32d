package inmem

import (
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
)

func TestTableListsLikeASortedMap(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var tab table[int]
		model := make(map[trilith.ID]int)
		for step := range rapid.IntRange(0, 60).Draw(t, "steps") {
			id := trilith.ID(rapid.StringMatching(`[a-e]{1,2}`).Draw(t, "id"))
			switch rapid.IntRange(0, 3).Draw(t, "act") {
			case 0, 1:
				tab.put(id, step)
				model[id] = step
			case 2:
				tab.delete(id)
				delete(model, id)
			case 3:
				var got, want []string
				for _, r := range following(tab.list(), id) {
					got = append(got, fmt.Sprint(r.id, r.value))
				}
				for _, k := range slices.Sorted(maps.Keys(model)) {
					if k > id {
						want = append(want, fmt.Sprint(k, model[k]))
					}
				}
				if !slices.Equal(got, want) {
					t.Fatalf("list after %s = %v, want %v", id, got, want)
				}
			}
		}
	})
}

func TestTableListIsASnapshot(t *testing.T) {
	t.Parallel()
	var tab table[int]
	for n, id := range []trilith.ID{"a", "c", "e"} {
		tab.put(id, n)
	}
	before := tab.list()
	tab.put("b", 9)
	tab.put("c", 9)
	tab.delete("a")
	tab.list()
	if got, want := fmt.Sprint(before), "[{a 0} {c 1} {e 2}]"; got != want {
		t.Errorf("a list taken before writes became %s, want %s", got, want)
	}
}

func TestChangeLogStaysShort(t *testing.T) {
	t.Parallel()
	var l changeLog
	for n := range 50_000 {
		l.add(change{tenant: "t", id: trilith.ID(fmt.Sprint(n % 100)), version: int64(n)})
	}
	if len(l.changes) > 2*minLog {
		t.Errorf("log of 100 memories holds %d changes, want at most %d", len(l.changes), 2*minLog)
	}
	named := make(map[trilith.ID]bool)
	for _, c := range l.after(50_000-100, 0) {
		named[c.id] = true
	}
	if len(named) != 100 {
		t.Errorf("the last 100 changes name %d memories, want 100", len(named))
	}
}

// BenchmarkPage_100000 lists a page of a large tenant, at rest and with a write before each.
func BenchmarkPage_100000(b *testing.B) {
	scope := trilith.Scope{Tenant: "t"}
	memory := func(n int) trilith.Memory {
		return trilith.Memory{ID: trilith.DeriveID(fmt.Sprint(n)), Kind: trilith.KindNote, Text: "x", Scope: scope}
	}
	s := New(time.Now)
	for from := 0; from < 100_000; from += role.MaxBatch {
		var batch role.Batch
		for n := range role.MaxBatch {
			batch.Memories = append(batch.Memories, memory(from+n))
		}
		if _, err := s.Commit(b.Context(), scope, batch); err != nil {
			b.Fatal(err)
		}
	}
	for _, writes := range []bool{false, true} {
		b.Run(map[bool]string{false: "at_rest", true: "after_a_write"}[writes], func(b *testing.B) {
			b.ReportAllocs()
			for n := 0; b.Loop(); n++ {
				if writes {
					if _, err := s.Commit(b.Context(), scope,
						role.Batch{Memories: []trilith.Memory{memory(n % 100_000)}}); err != nil {
						b.Fatal(err)
					}
				}
				l := role.Listing{After: memory(n % 1000).ID, Limit: 50}
				for _, err := range s.List(b.Context(), scope, l) {
					if err != nil {
						b.Fatal(err)
					}
				}
			}
		})
	}
}
