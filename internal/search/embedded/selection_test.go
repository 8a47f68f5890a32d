package embedded

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/search/packed"
)

var (
	someTexts = []string{"", "a", "b", "ab", "c"}
	someTimes = []time.Time{time.Date(1969, 12, 31, 23, 59, 59, 999_999_000, time.UTC), time.Unix(0, 0).UTC(),
		time.Date(2025, 3, 4, 5, 6, 7, 0, time.UTC),
		time.Date(2025, 3, 4, 5, 6, 7, 1000, time.UTC), time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)}
	someMeta = rapid.Custom(func(t *rapid.T) any {
		return rapid.SampledFrom(
			[]any{nil, true, false, 0, 1, 1.5, math.Copysign(0, -1), "", "a", "ab", "1", int64(1) << 60, float32(0.1),
				json.Number("2"), "\xff",
				[]string{"a"}, []any{}, []any{"a", 1.0}, []any{nil}, []any{1}, []any{map[string]any{"c": "a"}},
				[]any{[]any{"a"}}, []int{1},
				map[string]any{"c": "a"}, map[string]any{"c": map[string]any{"d": 1.0}, "": "b"},
				map[string]string{"c": "b"}}).Draw(t, "value of metadata")
	})
	someFacets = rapid.Custom(func(t *rapid.T) trilith.Facets {
		text := func(name string) string { return rapid.SampledFrom(someTexts).Draw(t, name) }
		at := func(name string) time.Time { return rapid.SampledFrom(someTimes).Draw(t, name) }
		maybe := func(name string) *time.Time {
			if rapid.Bool().Draw(t, name+" is there") {
				v := at(name)
				return &v
			}
			return nil
		}
		f := trilith.Facets{Kind: trilith.Kind(text("kind")), Role: trilith.Role(text("role")),
			State: trilith.State(text("state")), Speaker: text("speaker"),
			Scope: trilith.Scope{Tenant: "ana", Project: text("project"), Domain: text("domain"), User: text("user"),
				Agent: text("agent"), Session: text("session"), Channel: text("channel")},
			Type: text("type"), SourceID: trilith.ID(text("source")), SharedFrom: trilith.ID(text("shared")),
			Seq: rapid.IntRange(-2, 3).Draw(t, "seq"), EventTime: at("event"), RecordedAt: at("recorded"),
			ValidUntil: maybe("until"), SupersededAt: maybe("superseded"), Trust: trilith.Trust(text("trust")),
			SupersededBy: trilith.ID(text("next")), Category: text("category"), Title: text("title"),
			ExternalID: text("external"),
			Tags:       rapid.SliceOfN(rapid.SampledFrom(someTexts), 0, 3).Draw(t, "tags")}
		if rapid.Bool().Draw(t, "has metadata") {
			f.Metadata = rapid.MapOfN(rapid.SampledFrom([]string{"a", "b", "c", ""}), someMeta, 0, 3).Draw(
				t, "metadata")
		}
		if rapid.Bool().Draw(t, "is a fact") {
			f.Fact = &trilith.Fact{EntityID: trilith.ID(text("entity")), Verb: text("verb"), FactID: text("fact"),
				Node: trilith.Node{EntityRef: trilith.ID(text("ref"))}, Type: trilith.FactType(text("fact type")),
				Polarity: trilith.Polarity(text("polarity")), Certainty: trilith.Certainty(text("certainty")),
				AuthorRole: trilith.Role(text("author")), Priority: trilith.Priority(text("priority")),
				Verification:   trilith.Verification{Status: trilith.VerificationStatus(text("status"))},
				Confidence:     rapid.SampledFrom([]float64{0, 0.5, 1}).Draw(t, "confidence"),
				RequiresAction: rapid.Bool().Draw(t, "requires action"), ActionDeadline: maybe("deadline")}
			if rapid.Bool().Draw(t, "has money") {
				f.Fact.Financial = &trilith.Financial{
					Amount:   rapid.SampledFrom([]string{"", "1", "2.50", "no number"}).Draw(t, "amount"),
					Currency: text("currency"), Type: text("money type"), Category: text("money category")}
			}
			for range rapid.IntRange(0, 2).Draw(t, "evidence") {
				e := trilith.Evidence{EpisodeID: trilith.ID(text("episode"))}
				for range rapid.IntRange(0, 1).Draw(t, "premises") {
					e.Premises = append(e.Premises, trilith.Premise{EpisodeID: trilith.ID(text("premise"))})
				}
				f.Fact.Evidence = append(f.Fact.Evidence, e)
			}
		}
		return f
	})
	someComparison = rapid.Custom(func(t *rapid.T) trilith.Filter {
		metadata := []string{"metadata.a", "metadata.b", "metadata.a.c", "metadata.a.c.d", "metadata.b.",
			"metadata.none"}
		field := rapid.SampledFrom(append(trilith.FilterFields(), metadata...)).Draw(t, "field")
		values := []any{nil, "", "a", "b", "ab", "unknown", trilith.Kind("a"), trilith.Role("b"), trilith.State("a"),
			trilith.ID("b"), trilith.Trust("c"), trilith.Priority("a"), 0, 1, 2.5, -1.0, 1e300, math.NaN(), math.Inf(1),
			float32(0.5), json.Number("1"), true, false, "2025-03-04", "2025-03-04T05:06:07.0000005Z", someTimes[0],
			someTimes[2], someTimes[3], someTimes[2].In(time.FixedZone("", 3600))}
		ops := []trilith.Op{trilith.OpEq, trilith.OpNe, trilith.OpIn, trilith.OpNin, trilith.OpGt, trilith.OpGte,
			trilith.OpLt,
			trilith.OpLte, trilith.OpContains, trilith.OpRegex}
		fits := func(f trilith.Filter) bool { return f.Validate() == nil }
		op := rapid.SampledFrom(ops).Filter(func(op trilith.Op) bool {
			return slices.ContainsFunc(
				values, func(v any) bool {
					return fits(trilith.Where(field, op, v)) ||
						fits(trilith.Where(field, op, []any{v}))
				})
		}).Draw(t, "op")
		if op == trilith.OpIn || op == trilith.OpNin {
			lists := []any{[]string{"a", "unknown"}, []trilith.ID{"a"}, []trilith.Kind{"b", "a"}, []trilith.State{"c"},
				rapid.SliceOfN(rapid.SampledFrom(values).Filter(
					func(v any) bool { return fits(trilith.Where(field, op, []any{v})) }), 1, 4).Draw(t, "list")}
			return trilith.Where(field, op,
				rapid.SampledFrom(lists).Filter(func(l any) bool { return fits(trilith.Where(field, op, l)) }).Draw(
					t, "values"))
		}
		return trilith.Where(field, op,
			rapid.SampledFrom(values).Filter(func(v any) bool { return fits(trilith.Where(field, op, v)) }).Draw(
				t, "value"))
	})
)

// someFilter nests comparisons.
func someFilter(t *rapid.T, depth int) trilith.Filter {
	some := func(name string) (fs []trilith.Filter) {
		for range rapid.IntRange(1, 3).Draw(t, name) {
			fs = append(fs, someFilter(t, depth-1))
		}
		return fs
	}
	switch form := rapid.IntRange(0, 5).Draw(t, "form"); {
	case depth == 0 || form < 3:
		return someComparison.Draw(t, "comparison")
	case form == 3:
		return trilith.Filter{And: some("and")}
	case form == 4:
		return trilith.Filter{Or: some("or")}
	default:
		f := someFilter(t, depth-1)
		return trilith.Filter{Not: &f}
	}
}

// asJSON returns facets as an index keeps them: with metadata that JSON holds.
func asJSON(t *rapid.T, f trilith.Facets) trilith.Facets {
	if len(f.Metadata) > 0 {
		text, err := json.Marshal(f.Metadata)
		if err != nil {
			t.Fatal(err)
		}
		f.Metadata = nil
		if err := json.Unmarshal(text, &f.Metadata); err != nil {
			t.Fatal(err)
		}
	}
	return f
}

// After any sequence of puts, removals and snapshots, a selection contains exactly what its scope covers and its
// filter accepts.
func TestAllowEqualsFilter(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		table, held := newSlots("ana"), map[trilith.ID]trilith.Facets{}
		var asked []selection
		for range rapid.IntRange(1, 8).Draw(t, "rounds") {
			for range rapid.IntRange(0, 40).Draw(t, "operations") {
				id := trilith.ID(fmt.Sprint(rapid.IntRange(0, 60).Draw(t, "id")))
				if rapid.IntRange(0, 3).Draw(t, "remove") == 0 {
					table.remove(id)
					delete(held, id)
					continue
				}
				f := someFacets.Draw(t, "facets")
				f.ID = id
				if _, ok := table.put(&f, time.Time{}); !ok {
					t.Fatalf("put(%+v) was refused", f)
				}
				held[id] = asJSON(t, f)
			}
			switch rapid.IntRange(0, 5).Draw(t, "kept") {
			case 0:
				again, err := restoreSlots(
					"ana", string(table.freeze().appendRange(packed.AppendUint(nil, uint64(table.len())), 0,
						table.len())))
				if err != nil {
					t.Fatal(err)
				}
				table = again
			case 1:
				table = inRanges(t, table, held)
			}
			for range rapid.IntRange(0, 3).Draw(t, "questions") {
				scope := trilith.Scope{Tenant: "ana"}
				if rapid.IntRange(0, 3).Draw(t, "narrow") == 0 {
					scope.User, scope.Session = "a", rapid.SampledFrom(someTexts).Draw(t, "session")
				}
				sel, err := compile(scope, someFilter(t, 3))
				if err != nil {
					t.Fatalf("compile = %v", err)
				}
				asked = append(asked, sel)
			}
			for _, sel := range asked { // those of earlier rounds too, of which something may be remembered
				checkAllow(t, table, held, sel)
			}
		}
	})
}

// inRanges keeps a table in short ranges and takes it up without some memories.
func inRanges(t *rapid.T, table *slots, held map[trilith.ID]trilith.Facets) *slots {
	skip := map[trilith.ID]bool{}
	for _, id := range rapid.SliceOfN(rapid.IntRange(0, 60), 0, 3).Draw(t, "skipped") {
		skip[trilith.ID(fmt.Sprint(id))] = true
	}
	to := newSlots("ana")
	for from := 0; from < table.len(); from += 7 {
		r := packed.Read(string(table.appendRange(nil, from, min(from+7, table.len()))))
		if _, ok := to.readRange(r, skip); !ok || r.Rest() != "" {
			t.Fatal("a range that was kept is not read")
		}
	}
	to.settle()
	for id := range skip {
		delete(held, id)
	}
	return to
}

func checkAllow(t *rapid.T, table *slots, held map[trilith.ID]trilith.Facets, sel selection) {
	match, err := sel.filter.Compile()
	if err != nil {
		t.Fatal(err)
	}
	var want, got []string
	for id, f := range held {
		if sel.scope.Covers(f.Scope) && (match == nil || match(&f)) {
			want = append(want, string(id))
		}
	}
	set := table.allow(sel)
	if set == nil {
		set = copySet(table.live)
	}
	for slot := range members(set) {
		got = append(got, string(table.ids.id(slot)))
	}
	freeSet(set)
	if !sel.filter.IsZero() { // about few it is asked another way
		cond := planner{table}.all(planner{table}.appendConditions(nil, sel.filter))
		for id, f := range held {
			if slot, _ := table.slot(id); cond.meets(slot) != match(&f) {
				t.Fatalf("%s meets %+v: %t, want %t", id, sel.filter, !match(&f), match(&f))
			}
		}
	}
	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(got, want) {
		text, _ := json.Marshal(sel.filter)
		t.Fatalf("allow(%+v, %s) = %v, want %v", sel.scope, text, strings.Join(got, " "), strings.Join(want, " "))
	}
}

// Remembered answers hold for their slots only, and not for those that have changed.
func TestAllowRemembers(t *testing.T) {
	t.Parallel()
	table := newSlots("ana")
	put := func(i int, n float64) {
		table.put(&trilith.Facets{ID: trilith.ID(fmt.Sprint(i)), Scope: trilith.Scope{Tenant: "ana"},
			Metadata: map[string]any{"n": n}}, time.Time{})
	}
	for i := range 1000 {
		put(i, float64(i%2))
	}
	sel, err := compile(trilith.Scope{Tenant: "ana"}, trilith.Where("metadata.n", trilith.OpEq, 1))
	if err != nil {
		t.Fatal(err)
	}
	expect := func(want int) {
		t.Helper()
		if got := count(table.allow(sel)); got != want {
			t.Errorf("%d memories pass, want %d", got, want)
		}
	}
	expect(500)
	expect(500)
	put(0, 1)
	put(1, 0)
	put(1000, 1)
	table.remove("3")
	expect(500)
	put(3, 0)
	expect(500)
}

// A thousand slots and more have their values in places of every kind.
func TestAllowAmongMany(t *testing.T) {
	t.Parallel()
	table, held := newSlots("ana"), map[trilith.ID]trilith.Facets{}
	for i := range 5000 {
		f := turnOf(i)
		held[f.ID] = f
		table.put(&f, time.Time{})
	}
	for round := range 3 {
		for _, sel := range manySelections {
			scope, filter := sel.scope, sel.filter
			scope.Tenant = "ana"
			s, err := compile(scope, filter)
			if err != nil {
				t.Fatal(err)
			}
			match, _ := filter.Compile()
			want := 0
			for _, f := range held {
				if scope.Covers(f.Scope) && (match == nil || match(&f)) {
					want++
				}
			}
			got := table.allow(s)
			if got == nil {
				got = table.live
			}
			if n := count(got); n != want {
				t.Errorf("round %d: %s lets %d through, want %d", round, sel.name, n, want)
			}
		}
		for i := round; i < 5000; i += 3 + 20*round { // changes of values that have lists, and of those that have sets
			f := turnOf(i + 10_000)
			f.ID = trilith.DeriveID(fmt.Sprint(i))
			held[f.ID] = f
			table.put(&f, time.Time{})
		}
	}
}

// Searches that ask the same at the same time find the same.
func TestAllowAtTheSameTime(t *testing.T) {
	t.Parallel()
	table := newSlots("ana")
	for i := range 2000 {
		f := turnOf(i)
		table.put(&f, time.Time{})
	}
	counts := make([][]int, 8)
	var searches sync.WaitGroup
	for i := range counts {
		searches.Go(func() {
			for _, sel := range manySelections {
				set := table.allow(selection{scope: sel.scope, filter: sel.filter})
				counts[i] = append(counts[i], count(set))
				freeSet(set)
			}
		})
	}
	searches.Wait()
	for i := range counts {
		if !slices.Equal(counts[i], counts[0]) {
			t.Errorf("one search after the other lets through %v, another one %v", counts[i], counts[0])
		}
	}
}

// A range that is accepted as a range can be searched, with any content.
func FuzzRestoreSlots(f *testing.F) {
	table := newSlots("ana")
	for i := range 30 {
		x := turnOf(i)
		table.put(&x, time.Time{})
	}
	table.remove(trilith.DeriveID("7"))
	f.Add(table.appendRange(packed.AppendUint(nil, 30), 0, 30))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, data []byte) {
		table, err := restoreSlots("ana", string(data))
		if err != nil {
			return
		}
		for _, sel := range manySelections {
			freeSet(table.allow(selection{scope: sel.scope, filter: sel.filter}))
		}
		for _, field := range trilith.FilterFields() {
			freeSet(table.allow(selection{filter: trilith.Where(field, trilith.OpNe, nil)}))
		}
		x := turnOf(8)
		table.put(&x, time.Time{})
		table.freeze().appendRange(nil, 0, table.len())
	})
}
