package mcpserver

import (
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/trilith-memory/trilith"
)

// maxRead is how many characters of a converted argument a note shows.
const maxRead = 200

// decode reads the arguments of a tool into a struct, and the narrowing of the call, which every tool takes, into place.
// own has the tool's own arguments, shown those that models see. A value in another form than the schema asks for is read
// if one reading is possible; note says how. Nothing else is guessed: a misspelt argument is an error that names it,
// because a model that thinks it has filtered must not get an unfiltered answer.
func decode(tool string, own, shown schema, data json.RawMessage, into any, place *narrowing) (note string, err error) {
	takes := own.anywhere()
	given, err := object(data)
	if err != nil {
		return "", err
	}
	for name, v := range given {
		if text, ok := v.(string); ok && slices.Contains(narrowNames, name) {
			if err := trilith.CheckScopeValue(name, text); err != nil {
				return "", err
			}
		}
		if !slices.Contains(takes.names(), name) {
			return "", trilith.Errorf(trilith.Invalid, "%.64s: %s has no such argument; it takes %s", name, tool,
				strings.Join(shown.names(), ", "))
		}
	}
	var read []string
	for i := range takes.Properties {
		p, changed := &takes.Properties[i], false
		if given[p.name] == nil { // null is absent to strict clients
			if slices.Contains(takes.Required, p.name) {
				return "", trilith.Errorf(trilith.Invalid, "%s: is missing; %s needs it", p.name, tool)
			}
			continue
		}
		if given[p.name], err = coerce(p.name, &p.value, given[p.name], &changed); err != nil {
			return "", trilith.Errorf(trilith.Invalid, `%w; for example "%s": %s`, err, p.name, encode(p.value.example()))
		}
		if changed {
			read = append(read, p.name+" as "+cutTo(string(encode(given[p.name])), maxRead))
		}
	}
	_ = json.Unmarshal(encode(given), place) // coerce has made texts of them
	maps.DeleteFunc(given, func(name string, _ any) bool { return !slices.Contains(own.names(), name) })
	d := json.NewDecoder(bytes.NewReader(encode(given)))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		if trilith.KindOf(err) == trilith.Invalid { // an argument with its own decoder
			return "", err
		}
		return "", trilith.Errorf(trilith.Invalid, "arguments: %s", strings.TrimPrefix(err.Error(), "json: "))
	}
	if len(read) > 0 {
		note = "Read " + strings.Join(read, ", ") + "."
	}
	return note, nil
}

// example returns a value that the schema allows.
func (s *schema) example() any {
	switch s.Type {
	case "integer":
		return 5
	case "boolean":
		return true
	case "array":
		return []any{s.Items.example()}
	case "object":
		if s.Properties == nil {
			return map[string]any{"topic": "home"}
		}
		object := map[string]any{}
		for i := range s.Properties {
			object[s.Properties[i].name] = s.Properties[i].value.example()
		}
		return object
	}
	return "text"
}

// forBlock returns arguments with the format of a block, unless they have a format or are no arguments.
func forBlock(data json.RawMessage) json.RawMessage {
	given, err := object(data)
	if err != nil || given["format"] != nil {
		return data
	}
	given["format"] = trilith.FormatBriefing
	return encode(given)
}

// object reads the arguments of a call, which may be absent.
func object(data json.RawMessage) (map[string]any, error) {
	if len(data) == 0 || string(data) == "null" {
		return map[string]any{}, nil
	}
	v, err := parsed(data)
	if err == nil {
		v, err = coerce("arguments", &schema{Type: "object"}, v, new(bool))
	}
	given, _ := v.(map[string]any)
	return given, err
}

// coerce converts a value to the type of a schema: lists, objects, numbers and truth values that are written as text, a
// list of labels with commas, one value where a list is asked for, and a number where a text is. A text where a text may
// stand stays as it is, whatever it looks like. It sets changed for a value that the schema does not allow.
func coerce(name string, s *schema, v any, changed *bool) (any, error) {
	text, isText := v.(string)
	number, isNumber := v.(json.Number)
	_, isList := v.([]any)
	*changed = *changed || isText && s.Type != "string" || isNumber && s.Type == "string"
	var err error
	switch {
	case isText && s.Type == "object":
		v, _ = parsed([]byte(text))
	case isText && s.Type == "array":
		v = s.listed(text)
	case isText && s.Type == "integer":
		number = json.Number(strings.TrimSpace(text))
	case isList && s.Or != nil:
		return coerce(name, s.Or, v, changed)
	}
	switch s.Type {
	case "object":
		object, ok := v.(map[string]any)
		for i := 0; i < len(s.Properties) && err == nil; i++ {
			if p := &s.Properties[i]; object[p.name] != nil {
				object[p.name], err = coerce(name+"."+p.name, &p.value, object[p.name], changed)
			}
		}
		if ok {
			return object, err
		}
	case "array":
		list, ok := v.([]any)
		if !ok && v != nil {
			list, *changed = []any{v}, true
		}
		for i := 0; i < len(list) && err == nil; i++ {
			list[i], err = coerce(name+"["+strconv.Itoa(i)+"]", s.Items, list[i], changed)
		}
		if list != nil {
			return list, err
		}
	case "integer":
		if n, err := number.Int64(); err == nil {
			return n, nil
		}
		if f, err := number.Float64(); err == nil && f == math.Trunc(f) && math.Abs(f) < 1<<53 {
			return int64(f), nil
		}
	case "boolean":
		b, ok := v.(bool)
		if b = b || strings.EqualFold(text, "true"); b || ok || strings.EqualFold(text, "false") {
			return b, nil
		}
	default:
		// Whose memory it is must not depend on how a number is written.
		if isText || isNumber && !slices.Contains(narrowNames, name) {
			return text + string(number), nil
		}
	}
	return nil, trilith.Errorf(trilith.Invalid, "%s: must be of JSON type %s", name, s.Type)
}

// listed returns the list, or the one item, that a text means; nil if it means none.
func (s *schema) listed(text string) any {
	text = strings.TrimSpace(text)
	switch {
	case strings.HasPrefix(text, "[") || s.Items.Type == "object":
		v, _ := parsed([]byte(text))
		return v
	case text == "":
		return nil
	case s.texts:
		return text
	}
	var items []any
	for part := range strings.SplitSeq(text, ",") {
		if part = strings.TrimSpace(part); part != "" {
			items = append(items, part)
		}
	}
	return items
}

// parsed decodes one JSON value, with numbers as they are written.
func parsed(data []byte) (v any, err error) {
	if err := trilith.CheckJSON(data); err != nil {
		return nil, trilith.Errorf(trilith.Invalid, "arguments: %w", err)
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	if err = d.Decode(&v); err == nil {
		if _, err = d.Token(); err == io.EOF {
			return v, nil
		}
	}
	return nil, trilith.Errorf(trilith.Invalid, "arguments: must be a JSON object")
}
