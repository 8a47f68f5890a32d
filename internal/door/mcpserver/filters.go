package mcpserver

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/trilith-memory/trilith"
)

// filter reads the conditions of a call. Those of filters have the form of other memory services: the grammar of
// [trilith.Filter], with chunk_type for the type of a note or the kind of any memory (conversation for turns), the names of
// other services for fields, and every other name for a key of the metadata.
func (in *selecting) filter() (f trilith.Filter, err error) {
	add := func(name string, given bool, condition map[string]any) {
		var one trilith.Filter
		if !given || err != nil {
			return
		}
		if err = one.UnmarshalJSON(encode(condition)); err != nil {
			said := strings.TrimPrefix(trilith.MessageOf(err), "filter: ")
			err = trilith.Errorf(trilith.KindOf(err), "%s: %s", name, strings.TrimPrefix(said, name+": "))
		}
		f = trilith.AllOf(f, one)
	}
	add("filters", len(in.Filters) > 0, conditions(in.Filters))
	for _, tag := range in.Tags {
		add("tags", true, map[string]any{"tags": map[string]any{"contains": tag}})
	}
	add("type", in.Type != "", typeOrKind(in.Type))
	add("since", in.Since != "", map[string]any{"event_time": map[string]any{"gte": in.Since}})
	before, until := "lte", in.Until
	if day, err := time.Parse(time.DateOnly, until); err == nil { // all of that day
		before, until = "lt", day.AddDate(0, 0, 1).Format(time.DateOnly)
	}
	add("until", until != "", map[string]any{"event_time": map[string]any{before: until}})
	return f, err
}

// conditions converts an object of conditions into the grammar.
func conditions(given map[string]any) map[string]any {
	if trilith.ForeignFilter(given) != nil { // the grammar says so
		return given
	}
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

func known(name string) bool {
	return name == trilith.FilterText || trilith.Where(name, trilith.OpEq, nil).Validate() == nil
}
