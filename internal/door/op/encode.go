package op

import (
	"encoding"
	"encoding/json"
	"net/url"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/trilith-memory/trilith"
)

// Check returns an error for a request that cannot be sent as it is: for a text that is not valid UTF-8, which JSON would
// change, and for a name in the path that has to be an id and is none. The server checks all else.
func (r Route) Check(s trilith.Scope, in any) error {
	var errs Errors
	for _, f := range r.scopeInPath() {
		checkName(f.in(reflect.ValueOf(s)).String(), f.Name, &errs)
	}
	v := reflect.ValueOf(in)
	for _, f := range requestOf(v.Type(), r).Fields {
		if f.Path && f.in(v).String() == "" {
			errs.add(f.Name, "is empty")
		} else if id, ok := f.in(v).Interface().(trilith.ID); ok && f.Path {
			if err := trilith.IDOf(string(id)).Validate(); err != nil {
				return err
			}
		}
		if checkTexts(f, f.in(v), f.Name, &errs); f.Path {
			checkName(f.in(v).String(), f.Name, &errs)
		}
	}
	return errs.orNil()
}

// checkName checks a part of a path: another one would be called without it.
func checkName(name, at string, errs *Errors) {
	if name == "" || name == "." || name == ".." {
		errs.add(at, "is %q; name one", name)
	}
}

func checkTexts(f *Field, v reflect.Value, at string, errs *Errors) {
	switch v = reflect.Indirect(v); {
	case v.Kind() == reflect.String && !utf8.ValidString(v.String()):
		errs.add(at, "is not valid UTF-8")
	case v.Kind() == reflect.Slice && f.list:
		for i := range v.Len() {
			checkTexts(f, v.Index(i), at+"["+strconv.Itoa(i)+"]", errs)
		}
	case v.Kind() == reflect.Slice && f.kind == "array" && v.Type().Elem().Kind() == reflect.Struct: // such as messages
		for i := range v.Len() {
			for _, inner := range shapeOf(v.Type().Elem()).Fields {
				checkTexts(inner, inner.in(v.Index(i)), at+"["+strconv.Itoa(i)+"]."+inner.Name, errs)
			}
		}
	case v.Kind() == reflect.Struct && f.object != nil:
		for _, inner := range f.object.Fields {
			checkTexts(inner, inner.in(v), at+"."+inner.Name, errs)
		}
	}
}

// Repeatable reports whether a request may be sent again when nothing is known of the first one: it reads, or has an
// idempotency key, or is a trial, or says so itself.
func (r Route) Repeatable(in any) bool {
	if says, ok := in.(interface{ Repeatable() bool }); ok && says.Repeatable() || r.Repeats {
		return true
	}
	v := reflect.ValueOf(in)
	return has(v, "RequestKey") || has(v, "DryRun")
}

// Target returns the path of a request, and whether it has a body: its JSON. Fields that travel in the query are added
// there.
func (r Route) Target(s trilith.Scope, in any, query url.Values) (path string, body bool) {
	path = r.Path
	if name, value := r.choice(); name != "" {
		query.Set(name, value)
	}
	for _, f := range r.scopeInPath() {
		path = strings.Replace(path, "{"+f.Name+"}", url.PathEscape(f.in(reflect.ValueOf(s)).String()), 1)
		query.Del(f.Name)
	}
	v := reflect.ValueOf(in)
	for _, f := range requestOf(v.Type(), r).Fields {
		switch at := f.in(v); {
		case f.Path:
			path = strings.Replace(path, "{"+f.Name+"}", url.PathEscape(at.String()), 1)
		case r.HasBody():
			body = true
		case f.Required || !at.IsZero():
			query.Set(f.Name, textOf(at))
		}
	}
	return path, body || r.ScopeInBody
}

// scopeInPath returns the members of the scope that are in the path.
func (r Route) scopeInPath() (fields []*Field) {
	for _, f := range scopeShape().Fields {
		if r.inPath(f.Name) {
			fields = append(fields, f)
		}
	}
	return fields
}

// textOf writes a value as the query of a URL has it.
func textOf(v reflect.Value) string {
	if t, ok := v.Interface().(encoding.TextMarshaler); ok {
		text, _ := t.MarshalText() // of times in the years of a calendar
		return string(text)
	}
	switch v.Kind() {
	case reflect.String:
		return v.String()
	case reflect.Slice:
		parts := make([]string, v.Len())
		for i := range parts {
			parts[i] = textOf(v.Index(i))
		}
		return strings.Join(parts, ",")
	case reflect.Float64:
		return strconv.FormatFloat(v.Float(), 'g', -1, 64)
	}
	data, _ := json.Marshal(v.Interface()) // numbers, truth and what encodes itself
	return string(data)
}

// Fill makes empty lists of those of an answer that are nil and always written, so that they are [] and not null. It
// does not look behind pointers.
func Fill[T any](answer *T) { fillLists(reflect.ValueOf(answer).Elem()) }

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

// always reports whether a field is written even if it is empty.
func always(f reflect.StructField) bool { return !strings.Contains(f.Tag.Get("json"), ",omit") }
