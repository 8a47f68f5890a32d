package mem0

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/door/compat"
)

// fieldNames translates the vendor's names of fields; other names are keys of metadata. The vendor's time of creation
// is the event time here, because an update keeps both.
var fieldNames = map[string]string{"user_id": "user", "agent_id": "agent", "run_id": "session", "app_id": "project",
	"created_at": "event_time", "timestamp": "event_time", "updated_at": "recorded_at", "categories": "tags",
	"memory_ids": "id", "id": "id", "keywords": "text", "memory": "text", "expiration_date": "valid_until"}

// operators are the vendor's, which mean the same here.
var operators = []string{"eq", "ne", "gt", "gte", "lt", "lte", "in", "nin", "contains", "icontains"}

// read makes a filter of the vendor's grammar: an object of conditions that all must hold, or a list of such objects.
// AND, OR and NOT combine lists; of those in NOT none may hold. Names that are no fields are keys of the metadata.
func read(v any) (trilith.Filter, error) {
	grammar, err := translate(v)
	if err != nil || len(grammar) == 0 {
		return trilith.Filter{}, err
	}
	data, err := json.Marshal(grammar)
	if err != nil {
		return trilith.Filter{}, trilith.Errorf(trilith.Invalid, "filters: %w", err)
	}
	var f trilith.Filter
	if err := json.Unmarshal(data, &f); err != nil {
		return f, trilith.Errorf(trilith.Invalid, "filters: %s", strings.TrimPrefix(trilith.MessageOf(err), "filter: "))
	}
	return f, nil
}

// translate turns the vendor's grammar into that of [trilith.Filter]; empty for no condition.
func translate(v any) (map[string]any, error) {
	switch v := v.(type) {
	case nil:
		return nil, nil
	case []any:
		return join("and", v)
	case map[string]any:
		var all []any
		for name, value := range v {
			g, err := member(name, value)
			if err != nil {
				return nil, err
			}
			all = append(all, g...)
		}
		return joined("and", all), nil
	}
	return nil, trilith.Errorf(trilith.Invalid, `filters: must be an object such as {"user_id": "ana"}, or a list of them`)
}

// join translates conditions and combines them.
func join(how string, list []any) (map[string]any, error) {
	var all []any
	for _, v := range list {
		g, err := translate(v)
		if err != nil {
			return nil, err
		}
		if len(g) > 0 {
			all = append(all, g)
		}
	}
	return joined(how, all), nil
}

// joined combines conditions that are translated.
func joined(how string, all []any) map[string]any {
	switch len(all) {
	case 0:
		return nil
	case 1:
		return all[0].(map[string]any)
	}
	return map[string]any{how: all}
}

// member translates one member of an object.
func member(name string, value any) ([]any, error) {
	switch name {
	case "AND", "OR", "NOT":
		list, ok := value.([]any)
		if !ok {
			list = []any{value}
		}
		g, err := join(map[string]string{"AND": "and", "OR": "or", "NOT": "or"}[name], list)
		if err != nil || len(g) == 0 {
			return nil, err
		}
		if name == "NOT" {
			g = map[string]any{"not": g}
		}
		return []any{g}, nil
	case "metadata":
		keys, ok := value.(map[string]any)
		if !ok {
			return nil, trilith.Errorf(trilith.Invalid, `filters: metadata must be an object such as {"topic": "food"}`)
		}
		var all []any
		for key, v := range keys {
			g, err := comparison("metadata."+key, v)
			if err != nil {
				return nil, err
			}
			all = append(all, g...)
		}
		return all, nil
	}
	field, ok := fieldNames[name]
	if !ok {
		field = "metadata." + strings.TrimPrefix(name, "metadata.")
	}
	if value == nil && slices.Contains(trilith.ScopeNames, field) {
		return nil, trilith.Errorf(trilith.Invalid, `filters: %s: is null; name one, or leave it out; {"ne": "*"} stands for none`,
			name)
	}
	return comparison(field, value)
}

// comparison translates the operand of a field: a value, a list that has to contain the field's value, or operators.
func comparison(field string, value any) ([]any, error) {
	of := func(op string, v any) []any { return []any{map[string]any{field: map[string]any{op: v}}} }
	switch v := value.(type) {
	case map[string]any:
		var all []any
		for op, with := range v {
			if !slices.Contains(operators, op) {
				return nil, trilith.Errorf(trilith.Invalid, "filters: %.64s: %.40q is not an operator; use %s", field, op,
					strings.Join(operators, ", "))
			}
			all = append(all, compare(field, op, with)...)
		}
		return all, nil
	case []any:
		return compare(field, "in", v), nil
	case string:
		switch {
		case v == "*":
			return of("exists", true), nil
		case field == "text":
			return of("icontains", v), nil
		}
	case nil:
		return of("exists", false), nil
	}
	return of("eq", operand(field, value)), nil
}

// compare translates one operator.
func compare(field, op string, with any) []any {
	of := func(op string, v any) any { return map[string]any{field: map[string]any{op: v}} }
	list, isList := with.([]any)
	switch {
	case with == "*" && (op == "eq" || op == "in"):
		return []any{of("exists", true)}
	case with == "*":
		return []any{of("exists", false)}
	case isList:
		all := make([]any, len(list))
		for i, v := range list {
			all[i] = operand(field, v)
		}
		return []any{of(op, all)}
	}
	return []any{of(op, operand(field, with))}
}

// operand writes ids of entities that are numbers as the texts that they are stored as, and times as the engine reads
// them.
func operand(field string, v any) any {
	n, isNumber := v.(float64)
	text, isText := v.(string)
	if isNumber {
		text = strconv.FormatFloat(n, 'f', -1, 64)
	}
	switch field {
	case "user", "agent", "session", "project":
		if isNumber {
			return text
		}
	case "event_time", "recorded_at", "valid_until":
		if at, err := compat.ParseTime(text); err == nil && (isNumber || isText) {
			return compat.Time{Time: at}.String()
		}
	}
	return v
}

// scopeOf is the scope of the entities that all of a selection must belong to.
func scopeOf(f trilith.Filter) (s trilith.Scope) {
	to := map[string]*string{"user": &s.User, "agent": &s.Agent, "session": &s.Session, "project": &s.Project}
	for _, g := range f.Conjuncts() {
		value, ok := g.Value.(string)
		if at := to[g.Field]; at != nil && ok && g.Op == trilith.OpEq && len(value) <= trilith.MaxScopeValue {
			*at = value
		}
	}
	return s
}

// object reads the object of a parameter: JSON, or the text of a Python dictionary, which older clients send.
func object(name, text string) (map[string]any, error) {
	var out map[string]any
	if json.Unmarshal([]byte(text), &out) == nil && out != nil {
		return out, nil
	}
	if json.Unmarshal([]byte(pythonToJSON(text)), &out) == nil && out != nil {
		return out, nil
	}
	return nil, trilith.Errorf(trilith.Invalid, "%s: is neither a JSON object nor a Python dictionary", name)
}

var pythonWords = strings.NewReplacer("True", "true", "False", "false", "None", "null", "(", "[", ")", "]")

// pythonToJSON rewrites the text of a Python value as JSON: Python allows single quotes, and has other words for null
// and the booleans. Text that is no Python value becomes text that is no JSON.
func pythonToJSON(text string) string {
	var out strings.Builder
	for text != "" {
		at := strings.IndexAny(text, `'"`)
		if at < 0 {
			out.WriteString(pythonWords.Replace(text))
			break
		}
		out.WriteString(pythonWords.Replace(text[:at]))
		quote := text[at]
		var value []byte
		i := at + 1
		for ; i < len(text) && text[i] != quote; i++ {
			switch {
			case text[i] == '\\' && i+1 < len(text):
				if i++; text[i] == '\'' {
					value = append(value, '\'')
				} else {
					value = append(value, '\\', text[i])
				}
			case text[i] == '"':
				value = append(value, '\\', '"')
			default:
				value = append(value, text[i])
			}
		}
		out.WriteByte('"')
		out.Write(value)
		out.WriteByte('"')
		text = text[min(i+1, len(text)):]
	}
	return out.String()
}
