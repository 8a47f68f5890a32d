package mcpserver

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// schema is a JSON Schema, with its properties in the order in which a model should read them.
type schema struct {
	Type        string   `json:"type,omitempty"`
	Description string   `json:"description,omitempty"`
	Properties  members  `json:"properties,omitzero"`
	Required    []string `json:"required,omitempty"`
	Items       *schema  `json:"items,omitempty"`
	Enum        []string `json:"enum,omitempty"`
	Minimum     *int     `json:"minimum,omitempty"`
	Maximum     *int     `json:"maximum,omitempty"`
	Default     any      `json:"default,omitempty"`

	// What is accepted without being shown, because every word of a schema costs and strict modes refuse alternatives.
	Or    *schema `json:"-"` // in place of this one
	texts bool    // the items of a list are texts, in which a comma separates nothing
}

// members are the members of a JSON object, in order.
type members []member

func (ms members) MarshalJSON() ([]byte, error) {
	var out bytes.Buffer
	out.WriteByte('{')
	for i, m := range ms {
		out.WriteString(","[:min(i, 1)] + strconv.Quote(m.name) + ":")
		value, err := json.Marshal(m.value)
		if err != nil {
			return nil, err
		}
		out.Write(value)
	}
	out.WriteByte('}')
	return out.Bytes(), nil
}

type member struct {
	name  string
	value schema
}

// schemaOf returns the JSON Schema of a struct of arguments or results. Embedded structs are flattened, a name that is
// there stays as it is; fields with the tag schema "-" are included only with hidden. A field is required unless its JSON
// tag says omitempty or omitzero. The tags doc, enum, minimum, maximum and default become the keywords of those names; the
// tag items says that a list is one of texts.
//
// Every model reads every schema in every conversation, so they are short: the content of results is described by the
// names and by docs/mcp.md.
func schemaOf(t reflect.Type, hidden bool) schema {
	s := schema{Type: "object", Properties: members{}}
	var walk func(reflect.Type)
	walk = func(t reflect.Type) {
		for f := range t.Fields() {
			name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
			if name == "-" || f.Tag.Get("schema") == "-" && !hidden ||
				slices.Contains(s.names(), name) {
				continue
			}
			if f.Anonymous && name == "" {
				walk(f.Type)
				continue
			}
			s.Properties = append(s.Properties, member{name, property(f)})
			if options == "" {
				s.Required = append(s.Required, name)
			}
		}
	}
	walk(t)
	return s
}

func property(f reflect.StructField) schema {
	s := typeSchema(f.Type)
	s.Description, s.texts = f.Tag.Get("doc"), f.Tag.Get("items") == "texts"
	if enum := f.Tag.Get("enum"); enum != "" {
		s.Enum = strings.Split(enum, ",")
	}
	number := func(tag string) *int {
		if n, err := strconv.Atoi(f.Tag.Get(tag)); err == nil {
			return &n
		}
		return nil
	}
	s.Minimum, s.Maximum = number("minimum"), number("maximum")
	if n := number("default"); n != nil {
		s.Default = *n
	} else if text := f.Tag.Get("default"); text != "" {
		s.Default = text
	}
	return s
}

// described is a type with its own schema.
type described interface{ schema() schema }

var (
	identifierType  = reflect.TypeFor[identifier]()
	narrowingSchema = schemaOf(reflect.TypeFor[narrowing](), false)
)

func typeSchema(t reflect.Type) schema {
	if d, ok := reflect.Zero(t).Interface().(described); ok {
		return d.schema()
	}
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t == identifierType {
		return schemaOf(t, false)
	}
	s := schema{Type: jsonType(t)}
	if t.Kind() == reflect.Slice && t.Elem().Kind() != reflect.Struct { // the schema says nothing more about objects
		items := typeSchema(t.Elem())
		s.Items = &items
	}
	return s
}

// jsonType returns the JSON Schema name of a Go type.
func jsonType(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Bool:
		return "boolean"
	case reflect.Int, reflect.Int64:
		return "integer"
	case reflect.Float64:
		return "number"
	case reflect.Slice:
		return "array"
	case reflect.Struct, reflect.Map:
		return "object"
	}
	return "string"
}

// anywhere returns the schema of arguments with those of [narrowing] that are not among them.
func (s schema) anywhere() schema {
	for _, m := range narrowingSchema.Properties {
		if !slices.Contains(s.names(), m.name) {
			s.Properties = append(s.Properties[:len(s.Properties):len(s.Properties)], m)
		}
	}
	return s
}

// names returns the names of the properties in alphabetical order.
func (s *schema) names() []string {
	names := make([]string, len(s.Properties))
	for i := range names {
		names[i] = s.Properties[i].name
	}
	slices.Sort(names)
	return names
}
