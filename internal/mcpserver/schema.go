package mcpserver

import (
	"reflect"
	"strconv"
	"strings"
)

// schemaOf is the JSON Schema of a struct of arguments or results. Embedded structs lie flat. A member is required unless
// its JSON name says omitempty, and left out if its tag schema is "-". The tags doc, enum, minimum, maximum and default are those
// of the words.
//
// Every model reads every schema in every conversation, so they say little: what a name says by itself, and what lies inside
// of results, is left to the names and to docs/mcp.md.
func schemaOf(t reflect.Type) map[string]any {
	properties := map[string]any{}
	var required []string
	var walk func(reflect.Type)
	walk = func(t reflect.Type) {
		for f := range t.Fields() {
			name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
			if name == "-" || f.Tag.Get("schema") == "-" {
				continue
			}
			if f.Anonymous && name == "" {
				walk(f.Type)
				continue
			}
			properties[name] = property(f)
			if !strings.Contains(options, "omitempty") {
				required = append(required, name)
			}
		}
	}
	walk(t)
	s := map[string]any{"type": "object", "properties": properties}
	if len(required) > 0 {
		s["required"] = required
	}
	return s
}

var identifierType = reflect.TypeFor[identifier]()

func property(f reflect.StructField) map[string]any {
	s := typeSchema(f.Type)
	if doc := f.Tag.Get("doc"); doc != "" {
		s["description"] = doc
	}
	if enum := f.Tag.Get("enum"); enum != "" {
		s["enum"] = strings.Split(enum, ",")
	}
	for _, bound := range []string{"minimum", "maximum", "default"} {
		if text := f.Tag.Get(bound); text != "" {
			if n, err := strconv.Atoi(text); err == nil {
				s[bound] = n
			} else {
				s[bound] = text
			}
		}
	}
	return s
}

func typeSchema(t reflect.Type) map[string]any {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t == identifierType {
		return schemaOf(t)
	}
	s := map[string]any{"type": jsonType(t)}
	if t.Kind() == reflect.Slice {
		s["items"] = typeSchema(t.Elem())
	}
	return s
}

// jsonType names a Go type as JSON Schema does.
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
