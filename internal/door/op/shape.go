package op

import (
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/trilith-memory/trilith"
)

// Shape is a struct of requests: its fields in order, those of embedded structs among them.
type Shape struct {
	Type   reflect.Type
	Fields []*Field
}

// Field is a field of a shape.
type Field struct {
	Name, Header, Doc string
	Go                string // name of the field in the struct
	Path              bool   // it is in the path of the URL
	Required          bool
	Explode           bool // a list whose query repeats the name
	Type              reflect.Type
	limits

	index  []int
	object *Shape // of the field, or of its items; nil: it has none, or decodes itself
	scope  bool   // of the scope, not of the request
	unused bool   // of neither: it is checked and described
	list   bool
	none   bool   // null means an empty value, and not that it is absent
	path   string // its name in a path that has it
	kind   string // of JSON: of the field, or of its items
}

// limits hold the values that the tags of a field allow.
type limits struct {
	Enum                 []string
	Min, Max             *float64
	MinLength, MaxLength int
	MinItems, MaxItems   int
	Pattern              *regexp.Regexp
	PatternDoc           string
	Default, Example     string // in the description
}

var (
	unmarshaler     = reflect.TypeFor[json.Unmarshaler]()
	textUnmarshaler = reflect.TypeFor[encoding.TextUnmarshaler]()
	timeType        = reflect.TypeFor[time.Time]()
	rawType         = reflect.TypeFor[json.RawMessage]()
)

var (
	shapes     sync.Map // *Shape by type, and by type and route
	scopeShape = sync.OnceValue(func() *Shape {
		s := shapeOf(reflect.TypeFor[trilith.Scope]())
		for _, f := range s.Fields {
			f.scope = true
		}
		return s
	})
)

// requestOf returns the shape of requests for a route.
func requestOf(t reflect.Type, r Route) *Shape {
	type key struct {
		Type         reflect.Type
		method, path string
	}
	k := key{t, r.Method, r.Path}
	if s, ok := shapes.Load(k); ok {
		return s.(*Shape)
	}
	s := &Shape{Type: t}
	if t.Kind() == reflect.String {
		_, name, _ := strings.Cut(r.Path, "{")
		name, _, _ = strings.Cut(name, "}")
		s.Fields = []*Field{{Name: name, Path: true, Required: true, Type: t, kind: "string"}}
	} else {
		for _, f := range shapeOf(t).Fields {
			s.Fields = append(s.Fields, f.on(r)...)
		}
	}
	shapes.Store(k, s)
	return s
}

func shapeOf(t reflect.Type) *Shape {
	if s, ok := shapes.Load(t); ok {
		return s.(*Shape)
	}
	s := build(t, map[reflect.Type]*Shape{})
	shapes.Store(t, s)
	return s
}

// build reads a struct. Those that are being read are in open: a type may contain itself.
func build(t reflect.Type, open map[reflect.Type]*Shape) *Shape {
	if s := open[t]; s != nil {
		return s
	}
	s := &Shape{Type: t}
	open[t] = s
	for _, f := range reflect.VisibleFields(t) {
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		path := f.Tag.Get("path")
		if f.Anonymous && name == "" || !f.IsExported() || path == "" && (name == "-" || name == "") {
			continue
		}
		field := &Field{Name: name, Go: f.Name, Type: f.Type, index: f.Index, Header: f.Tag.Get("header"),
			Doc: f.Tag.Get("doc"), Explode: f.Tag.Get("explode") != "", Required: !strings.Contains(options, "omit"),
			path: path, none: f.Tag.Get("null") == "empty", limits: limitsOf(f.Tag)}
		base := f.Type
		if base.Kind() == reflect.Pointer {
			base = base.Elem()
		}
		if field.list = isList(base); field.list {
			base = base.Elem()
		}
		field.kind = jsonType(base)
		if base.Kind() == reflect.Struct && !decodesItself(base) {
			field.object = build(base, open)
		}
		s.Fields = append(s.Fields, field)
	}
	return s
}

func limitsOf(tag reflect.StructTag) limits {
	number := func(name string) int {
		n, _ := strconv.Atoi(tag.Get(name))
		return n
	}
	bound := func(name string) *float64 {
		if n, err := strconv.ParseFloat(tag.Get(name), 64); err == nil {
			return &n
		}
		return nil
	}
	l := limits{MinLength: number("minLength"), MaxLength: number("maxLength"), MinItems: number("minItems"),
		MaxItems: number("maxItems"), Min: bound("minimum"), Max: bound("maximum"),
		PatternDoc: tag.Get("patternDescription"), Default: tag.Get("default"), Example: tag.Get("example")}
	if values := tag.Get("enum"); values != "" {
		l.Enum = strings.Split(values, ",")
	}
	if p := tag.Get("pattern"); p != "" {
		l.Pattern = regexp.MustCompile(p)
	}
	return l
}

func isList(t reflect.Type) bool {
	return t.Kind() == reflect.Slice && t.Elem().Kind() != reflect.Uint8 && !decodesItself(t)
}

// decodesItself reports whether a type has a form of its own on the wire.
func decodesItself(t reflect.Type) bool {
	p := reflect.PointerTo(t)
	return p.Implements(unmarshaler) || p.Implements(textUnmarshaler)
}

// jsonType is what JSON calls values of a type.
func jsonType(t reflect.Type) string {
	if t == timeType || reflect.PointerTo(t).Implements(textUnmarshaler) {
		return "string"
	}
	switch t.Kind() {
	case reflect.Bool:
		return "boolean"
	case reflect.Int, reflect.Int32, reflect.Int64, reflect.Uint64:
		return "integer"
	case reflect.Float32, reflect.Float64:
		return "number"
	case reflect.Slice:
		return "array"
	case reflect.Struct, reflect.Map:
		return "object"
	}
	return "string"
}

// on returns what there is of a field on a route.
func (f *Field) on(r Route) (fields []*Field) {
	switch {
	case f.path != "" && strings.Contains(r.Path, "{"+f.path+"}"):
		named := *f
		named.Name, named.Path, named.Required = f.path, true, true
		return []*Field{&named}
	case f.Name == "-":
		panic("op: " + r.Path + " has no {" + f.path + "}, which the request needs")
	case r.HasBody() || f.object == nil || f.list:
		return []*Field{f}
	}
	for _, inner := range f.object.Fields {
		if inner.Required {
			flat := *inner
			flat.index = slices.Concat(f.index, inner.index)
			fields = append(fields, &flat)
		}
	}
	return fields
}

// in returns the value of the field in a request.
func (f *Field) in(request reflect.Value) reflect.Value {
	if f.index == nil {
		return request
	}
	return request.FieldByIndex(f.index)
}

// find returns the field of a name; nil if there is none.
func find(fields []*Field, name string) *Field {
	for _, f := range fields {
		if f.Name == name {
			return f
		}
	}
	return nil
}

// names returns the names of fields.
func names(fields []*Field) (out []string) {
	for _, f := range fields {
		out = append(out, f.Name)
	}
	slices.Sort(out)
	return out
}

// Errors are the fields of a request that are wrong. It is an error of kind Invalid.
type Errors struct {
	Fields []FieldError
	More   int // so many more
}

// As makes it an error of the product, for edges that know no fields.
func (e *Errors) As(target any) bool {
	t, ok := target.(**trilith.Error)
	if ok {
		*t = &trilith.Error{Kind: trilith.Invalid, Msg: e.Error()}
	}
	return ok
}

// Error says all in one sentence a field, by name.
func (e *Errors) Error() string {
	sentences := make([]string, len(e.Fields))
	for i, f := range e.Fields {
		name := f.Location
		for _, place := range []string{"body.", "query.", "path.", "header.", "."} {
			name = strings.TrimPrefix(name, place)
		}
		sentences[i] = name + ": " + f.Message
	}
	slices.Sort(sentences)
	text := strings.Join(sentences, "; ")
	if e.More > 0 {
		text += fmt.Sprintf("; and %d more", e.More)
	}
	return text
}

func (e *Errors) orNil() error {
	if len(e.Fields) == 0 {
		return nil
	}
	return e
}

// FieldError describes the error of one field.
type FieldError struct{ Location, Message string } // such as body.messages[0].role

// maxErrors bounds the errors that are reported of a request: a body may be full of unknown members.
const maxErrors = 16

func (e *Errors) add(at, format string, args ...any) {
	if len(e.Fields) == maxErrors {
		e.More++
		return
	}
	e.Fields = append(e.Fields, FieldError{at, fmt.Sprintf(format, args...)})
}
