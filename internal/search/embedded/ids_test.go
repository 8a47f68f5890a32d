package embedded

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/search/packed"
)

func TestKeys(t *testing.T) {
	t.Parallel()
	for _, id := range []trilith.ID{trilith.NewID(time.Unix(1, 0)), trilith.DeriveID("a"),
		"ffffffff-ffff-ffff-ffff-ffffffffffff"} {
		if k, ok := keyOf(id); !ok || k.id() != id {
			t.Errorf("the key of %s is that of %s, %v", id, k.id(), ok)
		}
	}
	for _, id := range []trilith.ID{"", "a", trilith.ID(strings.ToUpper(string(trilith.DeriveID("a")))),
		trilith.DeriveID("a")[1:] + "g",
		trilith.DeriveID("a")[1:] + "-", trilith.DeriveID("a") + "0"} {
		if k, ok := keyOf(id); ok {
			t.Errorf("%q has the key of %s, want none", id, k.id())
		}
	}
}

func TestShortTexts(t *testing.T) {
	t.Parallel()
	for _, s := range []string{"", "a", strings.Repeat("x", 36), string(trilith.DeriveID("a")),
		strings.Repeat("long ", 100)} {
		b := appendShort(nil, s)
		r := packed.Read(string(b))
		if got := shortFrom(r); got != s || r.Failed() || r.Rest() != "" {
			t.Errorf("%q is read as %q, failed %v", s, got, r.Failed())
		}
		for n := range b {
			if r := packed.Read(string(b[:n])); shortFrom(r) != "" || !r.Failed() {
				t.Errorf("the first %d of %d bytes of %q are read without complaint", n, len(b), s)
			}
		}
	}
}

// An id table behaves like a map after any additions and removals.
func TestIDTableEqualsMap(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		table, want, free := newIDTable(), map[trilith.ID]uint32{}, []uint32{}
		for range rapid.IntRange(0, 400).Draw(t, "operations") {
			n := rapid.IntRange(0, 60).Draw(t, "n")
			id := trilith.DeriveID(fmt.Sprint(n))
			if n%7 == 0 {
				id = trilith.ID(fmt.Sprint("odd ", n))
			}
			slot, held := want[id]
			if got, ok := table.find(id); ok != held || got != slot {
				t.Fatalf("find(%s) = %d, %v; want %d, %v", id, got, ok, slot, held)
			}
			switch {
			case !held:
				slot = uint32(len(want) + len(free))
				if k := len(free); k > 0 {
					slot, free = free[k-1], free[:k-1]
				}
				table.add(id, slot)
				want[id] = slot
			case rapid.Bool().Draw(t, "drop"):
				if got, ok := table.drop(id); !ok || got != slot {
					t.Fatalf("drop(%s) = %d, %v; want %d", id, got, ok, slot)
				}
				delete(want, id)
				free = append(free, slot)
			}
		}
		asked := []trilith.ID{"unknown", trilith.DeriveID("unknown")}
		for n := range 61 {
			asked = append(asked, trilith.DeriveID(fmt.Sprint(n)), trilith.ID(fmt.Sprint("odd ", n)))
		}
		found := map[trilith.ID]uint32{}
		slots, places := table.findAll(asked)
		for i, slot := range slots {
			found[asked[places[i]]] = slot
		}
		if !maps.Equal(found, want) || !slices.IsSorted(places) {
			t.Fatalf("findAll = %v, at %v; want %v", found, places, want)
		}
		for id, slot := range want {
			if got, ok := table.find(id); !ok || got != slot || table.id(slot) != id {
				t.Fatalf("find(%s) = %d, %v and id(%d) = %s; want %d", id, got, ok, slot, table.id(slot), slot)
			}
			for other, b := range want {
				if got := table.compare(slot, b); got != strings.Compare(string(id), string(other)) {
					t.Fatalf("compare(%s, %s) = %d", id, other, got)
				}
			}
		}
		if table.held != len(want) {
			t.Fatalf("it holds %d, want %d", table.held, len(want))
		}
	})
}
