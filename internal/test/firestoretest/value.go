package firestoretest

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/json"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// Values as the server holds them: nil, bool, int64, float64, time.Time, string, []byte, list, fields and vector.
type (
	list   []any
	fields map[string]any
	vector []float64
	ref    string // the name of a document
)

// decode reads a value of the wire, which names its type: {"stringValue": "x"}.
func decode(raw map[string]any, depth int) (any, error) {
	if len(raw) != 1 {
		return nil, invalid("a value must have one type, this one has %d", len(raw))
	}
	if depth > 20 {
		return nil, invalid("values nest more than 20 levels deep")
	}
	for kind, v := range raw {
		text, isText := v.(string)
		switch kind {
		case "nullValue":
			return nil, nil
		case "booleanValue":
			if b, ok := v.(bool); ok {
				return b, nil
			}
		case "integerValue":
			if n, err := strconv.ParseInt(text, 10, 64); isText && err == nil {
				return n, nil
			}
		case "doubleValue":
			if n, ok := v.(json.Number); ok {
				x, err := n.Float64()
				return x, err
			}
		case "timestampValue":
			if t, err := time.Parse(time.RFC3339Nano, text); isText && err == nil {
				return t.UTC().Truncate(time.Microsecond), nil
			}
		case "stringValue":
			if isText && utf8.ValidString(text) {
				return text, nil
			}
		case "bytesValue":
			if b, err := base64.StdEncoding.DecodeString(text); isText && err == nil {
				return b, nil
			}
		case "referenceValue":
			if isText {
				return ref(text), nil
			}
		case "arrayValue":
			return decodeList(v, depth)
		case "mapValue":
			return decodeMap(v, depth)
		}
		return nil, invalid("a value of type %s cannot be read", kind)
	}
	return nil, nil
}

func decodeList(v any, depth int) (any, error) {
	m, ok := v.(map[string]any)
	if !ok {
		return nil, invalid("an arrayValue must be an object")
	}
	items, _ := m["values"].([]any)
	out := make(list, 0, len(items))
	for _, item := range items {
		raw, ok := item.(map[string]any)
		if !ok {
			return nil, invalid("an element of an array must be a value")
		}
		x, err := decode(raw, depth+1)
		if err != nil {
			return nil, err
		}
		if _, nested := x.(list); nested {
			return nil, invalid("Cannot convert an array value in an array value.")
		}
		out = append(out, x)
	}
	return out, nil
}

func decodeMap(v any, depth int) (any, error) {
	m, ok := v.(map[string]any)
	if !ok {
		return nil, invalid("a mapValue must be an object")
	}
	raw, _ := m["fields"].(map[string]any)
	out, err := decodeFields(raw, depth+1, true)
	if err != nil {
		return nil, err
	}
	if out["__type__"] != "__vector__" {
		return out, nil
	}
	items, ok := out["value"].(list)
	if !ok || len(items) == 0 || len(items) > maxDims {
		return nil, invalid("a vector has 1 to %d numbers", maxDims)
	}
	vec := make(vector, len(items))
	for i, x := range items {
		n, ok := number(x)
		if !ok {
			return nil, invalid("a vector holds numbers only")
		}
		vec[i] = n
	}
	return vec, nil
}

func decodeFields(raw map[string]any, depth int, nested bool) (fields, error) {
	out := make(fields, len(raw))
	for name, v := range raw {
		value, ok := v.(map[string]any)
		if !ok {
			return nil, invalid("field %q: is no value", name)
		}
		reserved := len(name) > 4 && strings.HasPrefix(name, "__") && strings.HasSuffix(name, "__")
		if name == "" || reserved && !(nested && name == "__type__") {
			return nil, invalid("field name %q is empty or reserved", name)
		}
		x, err := decode(value, depth)
		if err != nil {
			return nil, err
		}
		out[name] = x
	}
	return out, nil
}

// encode is the inverse of [decode].
func encode(v any) map[string]any {
	switch v := v.(type) {
	case bool:
		return map[string]any{"booleanValue": v}
	case int64:
		return map[string]any{"integerValue": strconv.FormatInt(v, 10)}
	case float64:
		return map[string]any{"doubleValue": v}
	case time.Time:
		return map[string]any{"timestampValue": stamp(v)}
	case string:
		return map[string]any{"stringValue": v}
	case []byte:
		return map[string]any{"bytesValue": base64.StdEncoding.EncodeToString(v)}
	case ref:
		return map[string]any{"referenceValue": string(v)}
	case list:
		items := make([]any, len(v))
		for i, x := range v {
			items[i] = encode(x)
		}
		return map[string]any{"arrayValue": map[string]any{"values": items}}
	case fields:
		return map[string]any{"mapValue": map[string]any{"fields": encodeFields(v)}}
	case vector:
		items := make([]any, len(v))
		for i, x := range v {
			items[i] = encode(x)
		}
		return map[string]any{"mapValue": map[string]any{"fields": map[string]any{
			"__type__": encode("__vector__"), "value": map[string]any{"arrayValue": map[string]any{"values": items}}}}}
	}
	return map[string]any{"nullValue": nil}
}

func encodeFields(f fields) map[string]any {
	out := make(map[string]any, len(f))
	for name, v := range f {
		out[name] = encode(v)
	}
	return out
}

// size is about the bytes that a value takes, as the product counts them.
func size(v any) int {
	switch v := v.(type) {
	case string:
		return len(v) + 1
	case []byte:
		return len(v)
	case ref:
		return len(v) + 16
	case list:
		n := 0
		for _, x := range v {
			n += size(x)
		}
		return n
	case fields:
		n := 0
		for name, x := range v {
			n += len(name) + 1 + size(x)
		}
		return n
	case vector:
		return 8 * len(v)
	case nil, bool:
		return 1
	}
	return 8
}

// rank is the place of a type in the order of values.
func rank(v any) int {
	switch v.(type) {
	case nil:
		return 0
	case bool:
		return 1
	case int64, float64:
		return 2
	case time.Time:
		return 3
	case string:
		return 4
	case []byte:
		return 5
	case ref:
		return 6
	case list:
		return 8
	case vector:
		return 9
	}
	return 10
}

func number(v any) (float64, bool) {
	switch v := v.(type) {
	case int64:
		return float64(v), true
	case float64:
		return v, true
	}
	return math.NaN(), false
}

// compare is the order of values: by type, then as each type has it; texts by their bytes.
func compare(a, b any) int {
	if c := cmp.Compare(rank(a), rank(b)); c != 0 {
		return c
	}
	switch a := a.(type) {
	case bool:
		if a == b.(bool) {
			return 0
		}
		if a {
			return 1
		}
		return -1
	case int64:
		if n, ok := b.(int64); ok {
			return cmp.Compare(a, n)
		}
		return cmp.Compare(float64(a), b.(float64))
	case float64:
		n, _ := number(b)
		return cmp.Compare(a, n)
	case time.Time:
		return a.Compare(b.(time.Time))
	case string:
		return strings.Compare(a, b.(string))
	case []byte:
		return bytes.Compare(a, b.([]byte))
	case ref:
		return slices.Compare(strings.Split(string(a), "/"), strings.Split(string(b.(ref)), "/"))
	case list:
		return slices.CompareFunc(a, b.(list), compare)
	case vector:
		return cmp.Or(cmp.Compare(len(a), len(b.(vector))), slices.Compare(a, b.(vector)))
	case fields:
		return compareFields(a, b.(fields))
	}
	return 0
}

func compareFields(a, b fields) int {
	as, bs := slices.Sorted(maps.Keys(a)), slices.Sorted(maps.Keys(b))
	for i := range min(len(as), len(bs)) {
		if c := cmp.Or(strings.Compare(as[i], bs[i]), compare(a[as[i]], b[bs[i]])); c != 0 {
			return c
		}
	}
	return cmp.Compare(len(as), len(bs))
}
