package op

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// Node is an object of a JSON document.
type Node = map[string]any

const refPrefix = "#/components/schemas/"

// Describer makes the OpenAPI description of operations.
type Describer struct {
	Values  func(reflect.Type) any   // the values that a type of strings has today; nil: any
	Custom  func(reflect.Type) Node  // the schema of a type that is described elsewhere; nil: made from the type
	Tag     func(path string) string // group of a path
	Needs   func(*Op) string         // which key an operation needs
	Schemas Node                     // components; added to

	types map[string]reflect.Type // of components
}

// headerDocs describe headers that say the same as a field.
var headerDocs = map[string]string{
	"Idempotency-Key": "Repeating a request with its key answers what the first one answered",
}

// Describe returns an operation as OpenAPI has it.
func (d *Describer) Describe(o *Op) Node {
	answer := content("application/json", d.Type(o.Out))
	if o.Text != nil {
		answer[o.Text.Media] = Node{"schema": Node{"type": "string"}}
	}
	responses := Node{"200": Node{"description": "OK", "content": answer},
		"default": Node{"description": "Error", "content": content("application/problem+json", ref("Problem"))}}
	if o.Later {
		responses["202"] = Node{"content": answer,
			"description": "It is stored; what was waited for follows, and the job of job_id is at it"}
	}
	n := Node{"operationId": o.Name, "summary": o.Help, "tags": []any{d.Tag(o.Path)}, "responses": responses,
		"description": d.Needs(o)}
	var parameters []any
	for _, f := range o.In.Fields {
		if f.Header != "" {
			schema := d.field(f)
			schema["description"] = headerDocs[f.Header]
			parameters = append(parameters, Node{"in": "header", "name": f.Header, "description": headerDocs[f.Header],
				"schema": schema})
		}
	}
	for _, f := range o.inURL() {
		p := Node{"in": "query", "name": f.Name, "schema": d.field(f), "explode": f.Explode}
		if f.kind == "object" { // its JSON
			p["schema"] = Node{"type": "string", "description": f.Doc}
		}
		if f.Path {
			p["in"] = "path"
			delete(p, "explode")
		}
		set(p, "description", f.Doc)
		set(p, "required", f.Required)
		parameters = append(parameters, p)
	}
	if parameters != nil {
		n["parameters"] = parameters
	}
	if len(o.body) > 0 {
		name := capital(o.In.Type.Name())
		if o.ScopeInBody { // it also has members of the scope
			name = o.Go + "InputBody"
		}
		d.Schemas[name] = d.object(o.body)
		Takes(n, "application/json", ref(name), !o.Bodiless)
	}
	if o.Describe != nil {
		o.Describe(d, n)
	}
	return n
}

// More adds sentences to the description of an operation.
func More(n Node, text string) { n["description"] = n["description"].(string) + " " + text }

// Answers says in which forms an operation answers, by media type.
func Answers(n Node, text string, forms map[string]Node) {
	content := Node{}
	for kind, schema := range forms {
		content[kind] = Node{"schema": schema}
	}
	n["responses"].(Node)["200"] = Node{"description": text, "content": content}
}

// Takes says which body an operation takes, if it is not JSON.
func Takes(n Node, kind string, schema Node, required bool) {
	n["requestBody"] = Node{"content": content(kind, schema)}
	set(n["requestBody"].(Node), "required", required)
}

func content(kind string, schema Node) Node { return Node{kind: Node{"schema": schema}} }

// inURL returns the fields in the query, and behind those of the scope those in the path.
func (o *Op) inURL() (fields []*Field) {
	for _, f := range slices.Concat(o.scope, o.In.Fields) {
		if f.Path || slices.Contains(o.query, f) {
			fields = append(fields, f)
		}
	}
	for _, f := range o.query {
		if f.unused {
			fields = append(fields, f)
		}
	}
	return fields
}

// object describes the members of a request or an answer.
func (d *Describer) object(fields []*Field) Node {
	members, required := Node{}, []any{}
	for _, f := range fields {
		members[f.Name] = d.field(f)
		if f.Required {
			required = append(required, f.Name)
		}
	}
	n := Node{"type": "object", "properties": members, "additionalProperties": false}
	if len(required) > 0 {
		n["required"] = required
	}
	return n
}

func (d *Describer) field(f *Field) Node {
	n := d.Type(f.Type)
	one := n
	if f.list {
		one, _ = n["items"].(Node)
	}
	if f.Enum != nil {
		one["enum"] = anyOf(f.Enum)
	}
	set(n, "description", f.Doc)
	if kind, ok := n["type"].(string); ok && f.Required && f.Type.Kind() == reflect.Pointer {
		n["type"] = []any{kind, "null"}
	}
	if f.Default != "" {
		n["default"] = json.RawMessage(f.Default)
	}
	if f.Example != "" {
		n["examples"] = []any{f.Example}
	}
	set(one, "minLength", f.MinLength)
	set(one, "maxLength", f.MaxLength)
	set(n, "minItems", f.MinItems)
	set(n, "maxItems", f.MaxItems)
	set(n, "minimum", f.Min)
	set(n, "maximum", f.Max)
	if f.Pattern != nil {
		one["pattern"] = f.Pattern.String()
		set(one, "patternDescription", f.PatternDoc)
	}
	return n
}

// Type describes values of a type. The component of a struct is added to the schemas.
func (d *Describer) Type(t reflect.Type) Node {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if n := d.Custom(t); n != nil {
		return n
	}
	switch {
	case t == timeType:
		return Node{"type": "string", "format": "date-time"}
	case t.Kind() == reflect.Interface, t == rawType:
		return Node{}
	case t.Kind() == reflect.Struct && !decodesItself(t):
		return d.component(t)
	case t.Kind() == reflect.Array:
		return Node{"type": "array", "items": d.Type(t.Elem()), "minItems": t.Len(), "maxItems": t.Len()}
	case t == reflect.TypeFor[[]byte]():
		return Node{"type": "string", "contentEncoding": "base64"}
	case isList(t):
		return Node{"type": "array", "items": d.Type(t.Elem())}
	case t.Kind() == reflect.Map:
		return Node{"type": "object", "additionalProperties": d.Type(t.Elem())}
	}
	n := Node{"type": jsonType(t)}
	switch n["type"] {
	case "integer":
		n["format"] = "int64"
	case "number":
		n["format"] = "double"
		if t.Kind() == reflect.Float32 {
			n["format"] = "float"
		}
	}
	if values := d.Values(t); values != nil {
		n["x-extensible-enum"] = values
	}
	return n
}

// component describes a struct once, under its name. Two structs of one name would be taken for each other.
func (d *Describer) component(t reflect.Type) Node {
	name := capital(t.Name())
	if of := d.types[name]; of != nil && of != t {
		panic(fmt.Sprintf("op: %s and %s are both called %s; rename one", of, t, name))
	}
	if d.types[name] == nil {
		if d.types == nil {
			d.types = map[string]reflect.Type{}
		}
		d.types[name] = t
		d.Schemas[name] = d.object(shapeOf(t).Fields)
	}
	return ref(name)
}

func capital(name string) string { return strings.ToUpper(name[:1]) + name[1:] }

func ref(name string) Node { return Node{"$ref": refPrefix + name} }

// set sets a member unless it is without a value.
func set[T comparable](n Node, key string, v T) {
	var none T
	if v != none {
		n[key] = v
	}
}
