package op

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/trilith-memory/trilith"
)

// Args makes a request of arguments: --name=value, --name value, or --name for true. A repeated name is a list. Arguments
// without a name are the names of the path, in their order.
func (o *Op) Args(args []string) (any, trilith.Scope, error) {
	given := map[string]json.RawMessage{}
	names := o.flags()
	for i := 0; i < len(args); i++ {
		name, text, inside := strings.Cut(args[i], "=")
		at := slices.Index(names, name)
		if !strings.HasPrefix(name, "--") {
			at, text, inside = o.nextOfPath(given), args[i], true
		}
		if at < 0 {
			return nil, trilith.Scope{}, trilith.Errorf(trilith.Invalid, "%.64s: %s has no such flag%s; it takes %s", name,
				o.Name, trilith.Meant(name, names...), strings.Join(names, ", "))
		}
		f := o.all[at]
		switch {
		case inside:
		case f.kind == "boolean":
			text = "true"
		case i+1 == len(args):
			return nil, trilith.Scope{}, trilith.Errorf(trilith.Invalid, "%s: needs a value", name)
		default:
			i++
			text = args[i]
		}
		value := f.JSON(text)
		if before := given[f.Name]; f.list && len(before) > 2 && len(value) > 2 { // one list of two
			value = slices.Concat(before[:len(before)-1], []byte(","), value[1:])
		}
		if !json.Valid(value) {
			return nil, trilith.Scope{}, trilith.Errorf(trilith.Invalid, "%s: %.64q is neither a number nor JSON", f.Name, text)
		}
		given[f.Name] = value
	}
	data, _ := json.Marshal(given) // valid values are encodable
	return o.DecodeJSON(data)
}

// nextOfPath returns the index of the first name of the path that is not given; -1 if all are.
func (o *Op) nextOfPath(given map[string]json.RawMessage) int {
	return slices.IndexFunc(o.all, func(f *Field) bool { return f.Path && given[f.Name] == nil })
}

// Flags lists the flags of [Op.Args] with their types and meanings.
func (o *Op) Flags() (rows [][]string) {
	names := o.flags()
	for i, f := range o.all {
		kind, doc := f.kind, f.Doc
		if f.Enum != nil {
			kind = strings.Join(f.Enum, "|")
		}
		if f.Required {
			doc += " (required)"
		}
		rows = append(rows, []string{names[i], kind, doc})
	}
	if o.Text != nil {
		rows = append(rows, []string{"--format", "json|" + o.Text.Format, "Form of the answer"})
	}
	return rows
}

// flags are the names of the flags of all fields.
func (o *Op) flags() (names []string) {
	for _, f := range o.all {
		names = append(names, "--"+strings.ReplaceAll(f.Name, "_", "-"))
	}
	return names
}

// Rows makes a table of an answer: of its items, if it has some, or of the answer itself. Columns are paths of members.
// The rest are the members of the answer apart from the items.
func Rows(answer any, columns []string) (heading []string, rows [][]string, rest map[string]any) {
	data, err := json.Marshal(answer)
	if err != nil || json.Unmarshal(data, &rest) != nil {
		return nil, nil, nil
	}
	items, listed := rest["items"].([]any)
	delete(rest, "items")
	if !listed {
		items, rest = []any{rest}, nil
	}
	for _, item := range items {
		flat := map[string]string{}
		flatten(item, "", flat)
		row := make([]string, len(columns))
		for i, c := range columns {
			row[i] = flat[c]
		}
		rows = append(rows, row)
	}
	for _, c := range columns {
		heading = append(heading, strings.ToUpper(c[strings.LastIndexByte(c, '.')+1:]))
	}
	return heading, rows, rest
}

func flatten(v any, at string, into map[string]string) {
	switch v := v.(type) {
	case map[string]any:
		for name, inner := range v {
			flatten(inner, strings.TrimPrefix(at+"."+name, "."), into)
		}
	case []any:
	default:
		into[at] = fmt.Sprint(v)
	}
}

// SetKey gives a request an idempotency key if it takes one and has none.
func SetKey(in any, key string) {
	v := reflect.ValueOf(in).Elem()
	if v.Kind() != reflect.Struct {
		return
	}
	if f := v.FieldByName("RequestKey"); f.IsValid() && f.IsZero() {
		f.SetString(key)
	}
}
