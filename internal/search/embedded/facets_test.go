package embedded

import (
	"fmt"
	"reflect"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/search/packed"
)

// fill gives every field of a value a value of its own, so that none can be forgotten or exchanged unnoticed.
func fill(t *testing.T, v reflect.Value, n *int) {
	t.Helper()
	*n++
	if at, ok := v.Addr().Interface().(*time.Time); ok {
		*at = time.UnixMicro(int64(*n) * 1e9).UTC()
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(fmt.Sprint("text ", *n))
	case reflect.Int, reflect.Int64:
		v.SetInt(int64(*n))
	case reflect.Float64:
		v.SetFloat(1 / float64(*n))
	case reflect.Bool:
		v.SetBool(*n%2 == 0)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(t, v.Elem(), n)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		for i := range v.Len() {
			fill(t, v.Index(i), n)
		}
	case reflect.Map:
		v.Set(reflect.ValueOf(map[string]any{"n": float64(*n), "deep": map[string]any{"list": []any{"a", true, nil}}}))
	case reflect.Array:
		for i := range v.Len() {
			fill(t, v.Index(i), n)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			fill(t, v.Field(i), n)
		}
	default:
		t.Fatalf("a facet of kind %s: say here how to fill it, and in facets.go how to keep it", v.Kind())
	}
}

// held is the part of facets that filters use: neither the actor, nor the content of a fact, nor its quotes.
func held(f trilith.Facets) trilith.Facets {
	f.Scope = f.Scope.Bare()
	if f.Fact != nil {
		x := *f.Fact
		x.Content, x.Guest = nil, false
		x.Evidence = nil
		for _, e := range f.Fact.Evidence {
			var premises []trilith.Premise
			for _, p := range e.Premises {
				premises = append(premises, trilith.Premise{EpisodeID: p.EpisodeID})
			}
			x.Evidence = append(x.Evidence, trilith.Evidence{EpisodeID: e.EpisodeID, Premises: premises})
		}
		f.Fact = &x
	}
	return f
}

// answers checks that a table with one memory knows the value of each of its fields.
func answers(t *testing.T, name string, table *slots, f *trilith.Facets) {
	t.Helper()
	for _, field := range append(trilith.FilterFields(), "metadata.n", "metadata.deep.list", "metadata.deep",
		"metadata.none") {
		op, value := trilith.OpEq, trilith.FieldOf(field)(f)
		if list, ok := value.([]any); ok {
			op, value = trilith.OpContains, list[0]
		}
		for _, not := range []bool{false, true} {
			equal := trilith.Where(field, op, value)
			filter := equal
			if not {
				filter = trilith.Filter{Not: &equal}
			}
			if err := filter.Validate(); err != nil {
				t.Fatalf("%s: Validate(%+v) = %v", name, filter, err)
			}
			set := table.allow(selection{filter: filter})
			if passes := set == nil || count(set) == 1; passes == not {
				t.Errorf("%s: %s %s %v passes is %t, negated %t", name, field, op, value, passes, not)
			}
		}
	}
}

// Facets that were kept are those that Apply was given, in rows and, as far as filters see, in tables: a field
// that is added is kept, or dropped by held.
func TestFacetsAreKept(t *testing.T) {
	t.Parallel()
	for n := range 2 { // truths and falsehoods change places
		var full trilith.Facets
		fill(t, reflect.ValueOf(&full).Elem(), &n)
		fact := full
		fact.Fact = nil
		for name, f := range map[string]trilith.Facets{"full": full, "without a fact": fact, "bare": {ID: "a"}} {
			want := held(f)
			data, err := appendFacets(nil, &f)
			if err != nil {
				t.Fatalf("%s: appendFacets = %v", name, err)
			}
			got := trilith.Facets{ID: want.ID, Version: want.Version}
			got.Scope.Tenant = want.Scope.Tenant
			r := packed.Read(string(data))
			if readFacets(r, &got); r.Failed() || r.Rest() != "" {
				t.Fatalf("%s: readFacets failed: %v, %d bytes are left", name, r.Failed(), len(r.Rest()))
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s: -kept +read\n%s", name, diff)
			}
			for n := range data {
				r := packed.Read(string(data[:n]))
				if readFacets(r, &trilith.Facets{}); !r.Failed() {
					t.Errorf("%s: the first %d of %d bytes are read without complaint", name, n, len(data))
				}
			}
			table := newSlots(want.Scope.Tenant)
			table.put(&f, time.Time{})
			answers(t, name+", in a table", table, &f)
			range1 := table.appendRange(nil, 0, 1)
			again := newSlots(want.Scope.Tenant)
			if stored, ok := again.readRange(packed.Read(string(range1)), nil); !ok || len(stored) != 1 {
				t.Fatalf("%s: readRange = %v, %v", name, stored, ok)
			}
			answers(t, name+", kept in a range", again, &f)
			other := newSlots(want.Scope.Tenant)
			other.append(again, 0)
			answers(t, name+", in another table", other, &f)
			for n := range range1 {
				if _, ok := newSlots("").readRange(packed.Read(string(range1[:n])), nil); ok {
					t.Errorf("%s: the first %d of %d bytes of a range are read without complaint", name, n, len(range1))
				}
			}
		}
	}
}
