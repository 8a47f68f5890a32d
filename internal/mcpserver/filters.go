package mcpserver

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/trilith-memory/trilith"
)

// readFilters reads conditions in the form of other memory services: in the grammar of [trilith.Filter], with chunk_type
// for the type of a note or the kind of any memory (conversation for turns), the names of other services for fields, and
// every other name for a key of the metadata.
func readFilters(given map[string]any) (trilith.Filter, error) {
	var f trilith.Filter
	if len(given) == 0 {
		return f, nil
	}
	body, err := json.Marshal(conditions(given))
	if err != nil {
		return f, trilith.Errorf(trilith.Invalid, "filters: cannot be read; send a JSON object")
	}
	if err := f.UnmarshalJSON(body); err != nil {
		return f, trilith.Errorf(trilith.KindOf(err), "filters: %s", strings.TrimPrefix(trilith.MessageOf(err), "filter: "))
	}
	return f, nil
}

// conditions converts an object of conditions into the grammar.
func conditions(given map[string]any) map[string]any {
	all := make([]any, 0, len(given))
	for _, name := range slices.Sorted(maps.Keys(given)) {
		all = append(all, condition(name, given[name]))
	}
	if len(all) == 1 { // depth is limited
		return all[0].(map[string]any)
	}
	return map[string]any{"and": all}
}

func condition(name string, value any) map[string]any {
	switch name {
	case "and", "or":
		if list, ok := value.([]any); ok {
			out := make([]any, len(list))
			for i, v := range list {
				out[i] = nested(v)
			}
			value = out
		}
		return map[string]any{name: value}
	case "not":
		return map[string]any{name: nested(value)}
	case "metadata":
		if keys, ok := value.(map[string]any); ok && len(keys) > 0 {
			under := make(map[string]any, len(keys))
			for key, v := range keys {
				under["metadata."+key] = v
			}
			return conditions(under)
		}
	case "chunk_type":
		return typeOrKind(value)
	}
	name = cmp.Or(trilith.FieldMeant(name), name)
	if known(name) {
		return map[string]any{name: value}
	}
	return map[string]any{"metadata." + name: value}
}

func nested(v any) any {
	if object, ok := v.(map[string]any); ok && len(object) > 0 {
		return conditions(object)
	}
	return v
}

func known(name string) bool {
	return name == trilith.FilterText || trilith.Where(name, trilith.OpEq, nil).Validate() == nil
}

// typeOrKind holds if the type of a note or the kind of a memory does. A negated test must hold for neither.
func typeOrKind(value any) map[string]any {
	join := "or"
	if ops, ok := value.(map[string]any); ok {
		for op := range ops {
			if op == string(trilith.OpNe) || op == string(trilith.OpNin) {
				join = "and"
			}
		}
	}
	return map[string]any{join: []any{map[string]any{"type": value}, map[string]any{"kind": kinds(value)}}}
}

// conversation is what other memory services call the type of a turn.
const conversation = "conversation"

// kinds returns the kinds that a test of a type means.
func kinds(value any) any {
	switch v := value.(type) {
	case string:
		if v == conversation {
			return string(trilith.KindEpisode)
		}
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = kinds(v[i])
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(v))
		for op := range v {
			out[op] = kinds(v[op])
		}
		return out
	}
	return value
}
