package rest

import (
	"encoding/json"
	"reflect"
	"strings"
	"sync"
)

// filled makes empty lists of those of an answer that are nil and always written, so that they are [] and not null. It
// does not look behind pointers.
func filled[T any](answer T) T {
	fillLists(reflect.ValueOf(&answer).Elem())
	return answer
}

func fillLists(v reflect.Value) {
	switch v.Kind() {
	case reflect.Struct:
		for _, i := range listsOf(v.Type()) {
			f := v.Field(i)
			if f.Kind() == reflect.Slice && f.IsNil() && always(v.Type().Field(i)) {
				f.Set(reflect.MakeSlice(f.Type(), 0, 0))
			}
			fillLists(f)
		}
	case reflect.Slice:
		if e := v.Type().Elem(); e.Kind() == reflect.Struct && len(listsOf(e)) > 0 {
			for i := range v.Len() {
				fillLists(v.Index(i))
			}
		}
	}
}

// always reports whether a field is written even if it is empty.
func always(f reflect.StructField) bool { return !strings.Contains(f.Tag.Get("json"), ",omit") }

var knownLists sync.Map // of types, what listsOf returns

// listsOf returns the fields of a struct that are lists that are always written, or hold some; none of one that writes
// itself.
func listsOf(t reflect.Type) []int {
	if known, ok := knownLists.Load(t); ok {
		return known.([]int)
	}
	var out []int
	fields := t.NumField()
	if t.Implements(reflect.TypeFor[json.Marshaler]()) {
		fields = 0
	}
	for i := range fields {
		f := t.Field(i)
		of := f.Type
		if of.Kind() == reflect.Slice {
			of = of.Elem()
		}
		if f.IsExported() && (f.Type.Kind() == reflect.Slice && of.Kind() != reflect.Uint8 && always(f) ||
			of.Kind() == reflect.Struct && of != t && len(listsOf(of)) > 0) {
			out = append(out, i)
		}
	}
	knownLists.Store(t, out)
	return out
}
