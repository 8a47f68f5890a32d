package embedded

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/cairn-memory/cairn"
	"pgregory.net/rapid"
)

var (
	someValues = []string{"", "a", "b", "c"}
	someScope  = rapid.Custom(func(t *rapid.T) cairn.Scope {
		value := func(name string) string { return rapid.SampledFrom(someValues).Draw(t, name) }
		return cairn.Scope{Tenant: "ana", Project: value("project"), Domain: value("domain"), User: value("user"),
			Agent: value("agent"), Session: value("session"), Channel: value("channel")}
	})
	someFilter = rapid.Custom(func(t *rapid.T) cairn.Filter {
		field := rapid.SampledFrom(append([]string{"category", "id"}, columnFields[:]...)).Draw(t, "field")
		values := []any{nil, "", "a", "b", "unknown", cairn.Kind("a"), cairn.Role("b"), cairn.State("a"), cairn.ID("b"), cairn.Trust("c")}
		switch op := rapid.SampledFrom([]cairn.Op{cairn.OpEq, cairn.OpNe, cairn.OpIn, cairn.OpNin, cairn.OpGte, cairn.OpContains}).Draw(t, "op"); op {
		case cairn.OpEq, cairn.OpNe:
			return cairn.Where(field, op, rapid.SampledFrom(values).Draw(t, "value"))
		case cairn.OpIn, cairn.OpNin:
			lists := []any{[]string{"a", "unknown"}, []cairn.ID{"a"}, []cairn.Kind{"b", "a"}, []cairn.State{"c"},
				rapid.SliceOfN(rapid.SampledFrom(values), 1, 4).Draw(t, "list")}
			return cairn.Where(field, op, rapid.SampledFrom(lists).Draw(t, "values"))
		default:
			return cairn.Where(field, op, rapid.SampledFrom([]any{"a", "b"}).Draw(t, "value"))
		}
	})
)

// After any puts and removals a selection lets through what its scope covers and its matcher accepts.
func TestAllowEqualsMatcher(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		table, held := newSlots("ana"), map[uint32]cairn.Facets{}
		for range rapid.IntRange(0, 200).Draw(t, "operations") {
			id := cairn.ID(rapid.SampledFrom([]string{"a", "b", "c", fmt.Sprint(rapid.IntRange(0, 90).Draw(t, "number"))}).Draw(t, "id"))
			if rapid.IntRange(0, 3).Draw(t, "remove") == 0 {
				if slot, ok := table.remove(id); ok {
					delete(held, slot)
				}
				continue
			}
			value := func(name string) string { return rapid.SampledFrom(someValues).Draw(t, name) }
			f := cairn.Facets{ID: id, Scope: someScope.Draw(t, "scope"), Kind: cairn.Kind(value("kind")), Role: cairn.Role(value("role")),
				State: cairn.State(value("state")), Speaker: value("speaker"), Category: value("category")}
			if entity := value("entity"); entity != "" {
				f.Fact = &cairn.Fact{EntityID: cairn.ID(entity)}
			}
			slot, ok := table.put(&f, time.Time{})
			if !ok {
				t.Fatalf("put of an equal version was refused")
			}
			held[slot] = f
		}
		scope := cairn.Scope{Tenant: "ana"}
		if rapid.Bool().Draw(t, "narrow") {
			scope.User, scope.Session = "a", rapid.SampledFrom(someValues).Draw(t, "session")
		}
		filter := cairn.AllOf(rapid.SliceOfN(someFilter, 0, 3).Draw(t, "conditions")...)
		if !filter.IsZero() && rapid.IntRange(0, 4).Draw(t, "negated") == 0 {
			inner := filter
			filter = cairn.Filter{Not: &inner}
		}
		sel, err := compile(scope, filter)
		if err != nil {
			t.Fatalf("compile(%+v) = %v", filter, err)
		}
		var want []uint32
		for slot, f := range held {
			if scope.Covers(f.Scope) && (sel.match == nil || sel.match(&f)) {
				want = append(want, slot)
			}
		}
		slices.Sort(want)
		set := table.allow(sel)
		if set == nil {
			if len(want) != len(held) {
				t.Fatalf("allow(%+v) lets all %d through, want %d", filter, len(held), len(want))
			}
			return
		}
		if got := slices.Collect(members(set)); !slices.Equal(got, want) {
			t.Fatalf("allow(%+v) = %v, want %v", filter, got, want)
		}
	})
}

// Slots and codes of values are used again, so that a table does not grow with what has passed through it.
func TestSlotsAreUsedAgain(t *testing.T) {
	t.Parallel()
	table := newSlots("ana")
	for i := range 1000 {
		f := cairn.Facets{ID: cairn.ID(fmt.Sprint(i)), Scope: cairn.Scope{Tenant: "ana", Session: fmt.Sprint("s", i)}}
		table.put(&f, time.Time{})
		if i >= 10 {
			table.remove(cairn.ID(fmt.Sprint(i - 10)))
		}
	}
	if n, codes := table.len(), len(table.columns[4].names); n > 11 || codes > 12 {
		t.Errorf("10 memories at a time, 1000 in all, leave %d slots and %d codes of sessions, want at most 11 and 12", n, codes)
	}
}

func BenchmarkAllow(b *testing.B) {
	for _, n := range []int{10_000, 100_000} {
		table := newSlots("ana")
		for i := range n {
			f := cairn.Facets{ID: cairn.ID(fmt.Sprint(i)), Kind: cairn.KindEpisode, State: cairn.States()[i%7/6],
				Scope:    cairn.Scope{Tenant: "ana", User: fmt.Sprint("u", i%50), Session: fmt.Sprint("s", i%5000)},
				Metadata: map[string]any{"n": float64(i % 10)}}
			table.put(&f, time.Time{})
		}
		active := cairn.Where("state", cairn.OpEq, cairn.StateActive)
		for _, c := range []struct {
			name   string
			scope  cairn.Scope
			filter cairn.Filter
		}{
			{"active", cairn.Scope{Tenant: "ana"}, active},
			{"user_active", cairn.Scope{Tenant: "ana", User: "u7"}, active},
			{"kinds_active", cairn.Scope{Tenant: "ana"}, cairn.AllOf(active, cairn.Where("kind", cairn.OpIn, []string{"episode", "note"}))},
			{"user_metadata", cairn.Scope{Tenant: "ana", User: "u7"}, cairn.Where("metadata.n", cairn.OpGte, 5)},
			{"metadata", cairn.Scope{Tenant: "ana"}, cairn.Where("metadata.n", cairn.OpGte, 5)},
		} {
			sel, err := compile(c.scope, c.filter)
			if err != nil {
				b.Fatal(err)
			}
			b.Run(fmt.Sprintf("%s_%d", c.name, n), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					table.allow(sel)
				}
			})
		}
	}
}
