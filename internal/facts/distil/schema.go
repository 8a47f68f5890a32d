package distil

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/lang/prompt"
	"github.com/trilith-memory/trilith/internal/role"
)

// object is a JSON object that keeps the order of its members: a model fills them in one after the other.
type object []member

type member struct {
	name  string
	value any
}

// MarshalJSON writes the members in their order.
func (o object) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, m := range o {
		if i > 0 {
			b.WriteByte(',')
		}
		name, err := json.Marshal(m.name)
		if err != nil {
			return nil, err
		}
		b.Write(name)
		b.WriteByte(':')
		value, err := json.Marshal(m.value)
		if err != nil {
			return nil, err
		}
		b.Write(value)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// schema returns the schema of an answer under a profile.
func schema(p *trilith.Profile) *role.OutputSchema {
	return &role.OutputSchema{Name: "facts", Description: "The facts that the turns state.",
		JSON: json.RawMessage(prompt.Line(record([]member{{"facts", listOf(record(members(p)))}})))}
}

// members returns the members of a fact with their schemas.
func members(p *trilith.Profile) []member {
	text, optional := typed("string"), typed([]string{"string", "null"})
	var names, fields []string
	for _, t := range topicsOf(p) {
		names = append(names, t.Name)
		for _, f := range t.Fields {
			fields = append(fields, f.Name)
		}
	}
	topic := oneOf(names...)
	if slices.ContainsFunc(names, func(n string) bool { return strings.HasSuffix(n, "_") }) {
		topic = text // it may be completed
	}
	ms := []member{{"topic", topic}, {"about", text}, {"sentence", text}, {"value", text}, {"quote", text},
		{"whose_words", text}, {"time_words", optional},
		{"confidence", oneOf(Stated, Planned, Reported, Unsure, Denied, Over)}}
	if hasMoney(p) {
		ms = append(ms, member{"amount", optional})
	}
	if len(fields) > 0 {
		ms = append(ms, member{"fields",
			listOf(record([]member{{"name", oneOf(distinct(fields)...)}, {"value", text}}))})
	}
	return ms
}

func listOf(items object) object { return object{{"type", "array"}, {"items", items}} }

// record is an object all of whose members are required and which has no others, as strict modes want it.
func record(members []member) object {
	names := make([]string, len(members))
	for i, m := range members {
		names[i] = m.name
	}
	return object{{"type", "object"}, {"properties", object(members)}, {"required", names},
		{"additionalProperties", false}}
}

func distinct(names []string) (out []string) {
	seen := map[string]bool{}
	for _, n := range names {
		if !seen[n] {
			seen[n] = true
			out = append(out, n)
		}
	}
	return out
}

func oneOf[T ~string](values ...T) object {
	return object{{"type", "string"}, {"enum", values}}
}

func typed(t any) object { return object{{"type", t}} }
