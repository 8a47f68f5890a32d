package words_test

import (
	"reflect"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
)

func TestClonesShareNothing(t *testing.T) {
	t.Parallel()
	var m trilith.Memory
	populate(reflect.ValueOf(&m).Elem())
	facets := role.FacetsOf(&m)
	for _, c := range []struct{ of, clone any }{
		{m, m.Clone()},
		{facets, facets.Clone()},
		{trilith.Memory{}, new(trilith.Memory).Clone()},
		{trilith.Facets{}, new(trilith.Facets).Clone()},
		{(*trilith.Fact)(nil), (*trilith.Fact)(nil).Clone()},
		{trilith.Memory{Tags: []string{},
			Metadata: map[string]any{"a": map[string]any(nil), "b": []any(nil), "c": []any{}}},
			(&trilith.Memory{Tags: []string{},
				Metadata: map[string]any{"a": map[string]any(nil), "b": []any(nil), "c": []any{}}}).Clone()},
	} {
		if diff := cmp.Diff(c.of, c.clone); diff != "" {
			t.Errorf("the clone of a %T differs (-of +clone):\n%s", c.of, diff)
		}
		if path := common(reflect.ValueOf(c.of), reflect.ValueOf(c.clone)); path != "" {
			t.Errorf("a %T and its clone share %s", c.of, path)
		}
	}
}

// populate gives every field a value.
func populate(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		populate(v.Elem())
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 4))
		populate(v.Index(0))
	case reflect.Map:
		v.Set(reflect.ValueOf(map[string]any{"object": map[string]any{"n": 1.0}, "array": []any{"a", []any{true}}}))
	case reflect.Struct:
		if v.Type() != reflect.TypeFor[time.Time]() {
			for i := range v.NumField() {
				populate(v.Field(i))
			}
		}
	case reflect.String:
		v.SetString("v")
	}
}

// common returns the path of something in a and b that a change of one would change in the other.
func common(a, b reflect.Value) string {
	switch a.Kind() {
	case reflect.Interface:
		return common(a.Elem(), b.Elem())
	case reflect.Pointer, reflect.Map, reflect.Slice:
		if !a.IsNil() && a.Pointer() == b.Pointer() && (a.Kind() != reflect.Slice || a.Cap() > 0) {
			return " (" + a.Type().String() + ")"
		}
	}
	switch a.Kind() {
	case reflect.Pointer:
		if !a.IsNil() {
			return common(a.Elem(), b.Elem())
		}
	case reflect.Slice:
		for i := range a.Len() {
			if path := common(a.Index(i), b.Index(i)); path != "" {
				return "[]" + path
			}
		}
	case reflect.Map:
		for _, k := range a.MapKeys() {
			if path := common(a.MapIndex(k), b.MapIndex(k)); path != "" {
				return "[" + k.String() + "]" + path
			}
		}
	case reflect.Struct:
		if a.Type() == reflect.TypeFor[time.Time]() { // its location is shared by all
			return ""
		}
		for i := range a.NumField() {
			if path := common(a.Field(i), b.Field(i)); path != "" {
				return "." + a.Type().Field(i).Name + path
			}
		}
	}
	return ""
}
