package op

import (
	"bytes"
	"cmp"
	"encoding"
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/trilith-memory/trilith"
)

// decoder fills a request and its scope. It collects all errors instead of giving up at the first.
type decoder struct {
	in    any
	scope trilith.Scope
	errs  Errors
}

// Decode reads a request and its scope. Nothing is guessed: a name that no field has is an error, and all errors are
// reported together. The caller limits the size of the body. An error of reading it is returned as it is.
func (o *Op) Decode(r *http.Request) (any, trilith.Scope, error) {
	d := &decoder{in: o.New()}
	d.readQuery(r.URL.RawQuery, o.query)
	if o.HasBody() {
		if err := o.readBody(d, r); err != nil {
			return nil, d.scope, err
		}
	}
	for _, f := range o.all {
		switch text := r.Header.Get(f.Header); {
		case f.Path:
			d.text(r.PathValue(f.Name), f, "path."+f.Name)
		case f.Header == "" || text == "":
		case !d.of(f).IsZero() && textOf(d.of(f)) != text:
			d.errs.add("body."+f.Name, "differs from the header %s; send one of them", f.Header)
		default:
			d.text(text, f, "header."+f.Header)
		}
	}
	return d.in, d.scope, d.errs.orNil()
}

func (d *decoder) readQuery(raw string, fields []*Field) {
	given, err := url.ParseQuery(raw)
	if err != nil {
		d.errs.add("query", "%v", err)
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		f, values := find(fields, name), given[name]
		text := strings.Join(values, ",")
		switch {
		case f == nil:
			d.errs.add("query."+name, "unknown query parameter%s", trilith.Meant(name, names(fields)...))
		case len(values) > 1 && !f.list:
			d.errs.add("query."+name, "is there %d times", len(values))
		case text != "": // empty is as good as absent
			d.text(text, f, "query."+name)
		}
	}
	for _, f := range fields {
		if f.Required && given.Get(f.Name) == "" {
			d.errs.add("query."+f.Name, "required query parameter is missing")
		}
	}
}

// text reads a value that is written without quotes: in the path, the query, or a header.
func (d *decoder) text(text string, f *Field, at string) {
	v := d.of(f)
	if _, own := v.Addr().Interface().(encoding.TextUnmarshaler); own || f.list || v.Kind() != reflect.String {
		d.member(f.JSON(text), f, v, at)
		return
	}
	v.SetString(text)
	f.checkOne(v, at, &d.errs)
}

// member reads one value, or the items of a list.
func (d *decoder) member(data json.RawMessage, f *Field, v reflect.Value, at string) {
	if f.list && v.Kind() == reflect.Pointer {
		v.Set(reflect.New(v.Type().Elem()))
		v = v.Elem()
	}
	switch {
	case !f.list && f.MaxItems == 0:
		d.value(data, f, v, at)
		return
	case f.list && f.kind == "number" && f.Min == nil && f.Max == nil && !bytes.Contains(data, []byte("null")) &&
		json.Unmarshal(data, v.Addr().Interface()) == nil: // the thousands of a vector at once
		f.checkLength(v.Len(), at, &d.errs)
		return
	}
	var items []json.RawMessage
	switch err := json.Unmarshal(data, &items); {
	case err != nil:
		d.errs.add(at, "expected array")
	case !f.checkLength(len(items), at, &d.errs):
	case !f.list: // it decodes itself
		d.value(data, f, v, at)
	default:
		v.Set(reflect.MakeSlice(v.Type(), len(items), len(items)))
		for i, item := range items {
			d.value(item, f, v.Index(i), at+"["+strconv.Itoa(i)+"]")
		}
	}
}

// value reads a value, and checks it, even if it is zero.
func (d *decoder) value(data json.RawMessage, f *Field, v reflect.Value, at string) {
	if f.object != nil {
		if v.Kind() == reflect.Pointer {
			v.Set(reflect.New(v.Type().Elem()))
			v = v.Elem()
		}
		d.members(data, at, f.object.Fields, func(f *Field) reflect.Value { return f.in(v) })
		return
	}
	var err error
	if own, ok := v.Addr().Interface().(json.Unmarshaler); ok {
		err = own.UnmarshalJSON(data)
	} else {
		err = json.Unmarshal(data, v.Addr().Interface())
	}
	message := "expected " + f.kind
	if v.Type() == timeType {
		message = "expected string to be RFC 3339 date-time"
	}
	switch {
	case err == nil && (string(data) != "null" || v.Kind() == reflect.Interface):
		f.checkOne(reflect.Indirect(v), at, &d.errs)
		return
	case trilith.KindOf(err) == trilith.Invalid: // of a type that decodes itself, and says where
		place, rest, ok := strings.Cut(trilith.MessageOf(err), ": ")
		message = trilith.MessageOf(err)
		if ok && strings.HasPrefix(place, f.Name) {
			at, message = strings.TrimSuffix(at, f.Name)+place, rest
		}
	}
	d.errs.add(at, "%s", message)
}

// JSON writes the text of a query or a flag as the JSON of the field in a body. Items of a list are separated by commas.
func (f *Field) JSON(text string) json.RawMessage {
	switch {
	case f.list && !strings.HasPrefix(text, "["):
		var items [][]byte
		for item := range strings.SplitSeq(text, ",") {
			if item = strings.TrimSpace(item); item != "" {
				items = append(items, f.one(item))
			}
		}
		return slices.Concat([]byte("["), bytes.Join(items, []byte(",")), []byte("]"))
	case f.list:
		return json.RawMessage(text)
	}
	return f.one(text)
}

func (f *Field) one(text string) []byte {
	if yes, err := strconv.ParseBool(text); f.kind == "boolean" && err == nil {
		return strconv.AppendBool(nil, yes)
	}
	if f.kind != "string" {
		return []byte(text)
	}
	data, _ := json.Marshal(text) // a string is always encodable
	return data
}

func (o *Op) readBody(d *decoder, r *http.Request) error {
	fields := o.body
	var data bytes.Buffer
	data.Grow(int(min(max(r.ContentLength, 0), 64<<10)) + bytes.MinRead)
	if _, err := data.ReadFrom(r.Body); err != nil {
		return err
	}
	switch kind := r.Header.Get("Content-Type"); {
	case data.Len() == 0 && (len(fields) == 0 || o.Bodiless):
	case data.Len() == 0:
		return trilith.Errorf(trilith.Invalid, "request body is required")
	case !saysJSON(kind): // of the texts that a page of another site may send, none is taken for a request
		d.errs.add("body", "unknown content type: %s", kind)
	default:
		d.object(data.Bytes(), "body", fields)
	}
	return nil
}

// saysJSON reports whether the type of a body is JSON, or not named.
func saysJSON(kind string) bool {
	kind, _, _ = strings.Cut(strings.ToLower(kind), ";")
	kind = strings.TrimSpace(kind)
	return kind == "" || kind == "application/json" || strings.HasSuffix(kind, "+json")
}

// DecodeJSON reads a request and its scope from one object that has them all.
func (o *Op) DecodeJSON(data []byte) (any, trilith.Scope, error) {
	d := &decoder{in: o.New()}
	d.object(data, "", o.all)
	return d.in, d.scope, d.errs.orNil()
}

// object reads the members of an object that has fields of the request and of the scope.
func (d *decoder) object(data []byte, place string, fields []*Field) {
	err := trilith.CheckJSON(data)
	for _, v := range []any{d.in, d.scope} {
		if err == nil && string(bytes.TrimSpace(data)) != "null" {
			err = trilith.CheckScopes(data, reflect.TypeOf(v))
		}
	}
	if err == nil {
		d.members(data, place, fields, d.of)
		return
	}
	name, message, ok := strings.Cut(trilith.MessageOf(err), ": ")
	if !ok || strings.Contains(name, " ") {
		name, message = "", trilith.MessageOf(err)
	}
	d.errs.add(strings.Trim(place+"."+name, "."), "%s", message)
}

// members reads the members of an object into the values of its fields.
func (d *decoder) members(data []byte, at string, fields []*Field, of func(*Field) reflect.Value) {
	var given map[string]json.RawMessage
	if err := json.Unmarshal(data, &given); err != nil || given == nil {
		message := "expected object"
		if _, ok := errors.AsType[*json.SyntaxError](err); ok {
			message = err.Error()
		}
		d.errs.add(at, "%s", message)
		return
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if f := find(fields, name); f == nil {
			d.errs.add(at+"."+name, "unexpected property%s", trilith.Meant(name, names(fields)...))
		} else if v := given[name]; string(v) != "null" { // null is as good as absent
			d.member(v, f, of(f), at+"."+name)
		} else if f.none {
			of(f).Set(reflect.New(of(f).Type().Elem()))
		} else if f.Required {
			d.errs.add(at+"."+name, "expected %s", f.form())
		}
	}
	for _, f := range fields {
		if _, ok := given[f.Name]; f.Required && !ok {
			d.errs.add(cmp.Or(at, f.Name), "expected required property %s to be present", f.Name)
		}
	}
}

// form is the JSON that a field wants.
func (f *Field) form() string {
	switch {
	case f.list:
		return "array"
	case f.object != nil:
		return "object"
	}
	return f.kind
}

// of returns the value of a field of the request, or of the scope.
func (d *decoder) of(f *Field) reflect.Value {
	switch {
	case f.unused:
		return reflect.New(f.Type).Elem()
	case f.scope:
		return f.in(reflect.ValueOf(&d.scope).Elem())
	}
	return f.in(reflect.ValueOf(d.in).Elem())
}
