package trilith

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
)

// MarshalJSON writes the filter in the grammar of [Filter]; the zero value is {}.
func (f Filter) MarshalJSON() ([]byte, error) {
	switch {
	case f.And != nil:
		return json.Marshal(map[string]any{"and": f.And})
	case f.Or != nil:
		return json.Marshal(map[string]any{"or": f.Or})
	case f.Not != nil:
		return json.Marshal(map[string]any{"not": f.Not})
	case f.Field != "":
		return json.Marshal(map[string]any{f.Field: map[string]any{string(f.Op): f.Value}})
	}
	return []byte("{}"), nil
}

// UnmarshalJSON reads the grammar of [Filter] and checks it.
func (f *Filter) UnmarshalJSON(data []byte) error {
	if err := CheckJSON(data); err != nil {
		return Errorf(Invalid, "filter: %w", err)
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return Errorf(Invalid, "filter: is not JSON: %w", err)
	}
	g, err := parseFilter(v, 1)
	if err != nil {
		return err
	}
	if err := g.validateRequest(); err != nil {
		return err
	}
	*f = g
	return nil
}

func parseFilter(v any, depth int) (Filter, error) {
	if depth > MaxFilterDepth {
		return Filter{}, Errorf(Invalid, "filter: nested deeper than %d", MaxFilterDepth)
	}
	if v == nil {
		return Filter{}, nil
	}
	obj, ok := v.(map[string]any)
	if !ok {
		return Filter{}, Errorf(Invalid, `filter: must be an object such as {"kind": "note"}`)
	}
	if err := ForeignFilter(obj); err != nil {
		return Filter{}, err
	}
	var fs []Filter
	for _, key := range sortedKeys(obj) {
		val := obj[key]
		switch key {
		case "and", "or":
			list, ok := val.([]any)
			if !ok || len(list) == 0 {
				return Filter{}, Errorf(Invalid, "filter: %s: needs a list of conditions", key)
			}
			gs := make([]Filter, 0, len(list))
			for _, e := range list {
				g, err := parseFilter(e, depth+1)
				if err != nil {
					return Filter{}, err
				}
				if g.IsZero() {
					return Filter{}, Errorf(Invalid, "filter: %s: holds an empty condition", key)
				}
				gs = append(gs, g)
			}
			if key == "and" {
				fs = append(fs, Filter{And: gs})
			} else {
				fs = append(fs, Filter{Or: gs})
			}
		case "not":
			g, err := parseFilter(val, depth+1)
			if err != nil {
				return Filter{}, err
			}
			if g.IsZero() {
				return Filter{}, Errorf(Invalid, "filter: not: needs a condition")
			}
			fs = append(fs, Filter{Not: &g})
		default:
			switch val := val.(type) {
			case map[string]any:
				if len(val) == 0 {
					return Filter{}, Errorf(Invalid, "filter: %.64s: needs an operator", key)
				}
				for _, op := range sortedKeys(val) {
					g, err := parseComparison(key, op, val[op])
					if err != nil {
						return Filter{}, err
					}
					fs = append(fs, g)
				}
			default:
				op := OpEq
				if _, isList := val.([]any); isList {
					op = OpIn
				}
				if val == nil && slices.Contains(ScopeNames, key) {
					return Filter{}, Errorf(Invalid, `filter: %s: is null; memories without one are found by {"exists": false}`, key)
				}
				g, err := parseComparison(key, string(op), val)
				if err != nil {
					return Filter{}, err
				}
				fs = append(fs, g)
			}
		}
	}
	return AllOf(fs...), nil
}

// operators are those of the grammar; the last two take a list.
var operators = strings.Fields("eq ne gt gte lt lte contains icontains startswith regex exists in nin")

// clauses are what other services call a join of conditions, without case, and how it is written here.
var clauses = map[string]string{"and": `{"and": [CONDITION, …]}`, "must": `{"and": [CONDITION, …]}`,
	"or": `{"or": [CONDITION, …]}`, "should": `{"or": [CONDITION, …]}`, "not": `{"not": CONDITION}`,
	"must_not": `{"not": {"or": [CONDITION, …]}}`, "nor": `{"not": {"or": [CONDITION, …]}}`}

func bare(word string) string { return strings.ToLower(strings.TrimPrefix(word, "$")) }

// ForeignFilter returns an error that says how a condition is written here if it has a form of mem0, Mongo, Chroma or
// Qdrant. A member that joins no conditions may be a field of that name.
func ForeignFilter(condition map[string]any) error {
	for _, name := range sortedKeys(condition) {
		value := condition[name]
		if list, ok := value.([]any); ok && len(list) > 0 {
			value = list[0]
		}
		_, joins := value.(map[string]any)
		how, dollar := clauses[bare(name)], strings.HasPrefix(name, "$")
		switch {
		case name == "and" || name == "or" || name == "not":
		case how != "" && (dollar || joins):
			return Errorf(Invalid, "filter: %s: write %s", name, how)
		case dollar:
			return Errorf(Invalid, `filter: %.64s: needs a field; write {"FIELD": {"%.64s": VALUE}}`, name, bare(name))
		case name == "key" && (condition["match"] != nil || condition["range"] != nil):
			return Errorf(Invalid, `filter: key: write {"FIELD": VALUE}, {"FIELD": [VALUE, …]} or {"FIELD": {"gte": VALUE}}`)
		}
	}
	return nil
}

// parseComparison reads one operator with its operand. Besides each [Op] the grammar has three short forms, and the field
// relationship_key, which are replaced by longer ones, so that stores and indexes need not know them.
func parseComparison(field, op string, operand any) (Filter, error) {
	if err := checkScopeOperand(field, operand); err != nil {
		return Filter{}, err
	}
	if field == "relationship_key" {
		key, _ := operand.(string)
		part := strings.SplitN(key, ":", 3)
		if Op(op) != OpEq || len(part) < 3 {
			return Filter{}, Errorf(Invalid, "filter: relationship_key: must equal ENTITY_ID:VERB:FACT_ID")
		}
		return AllOf(Where("entity_id", OpEq, part[0]), Where("verb", OpEq, part[1]), Where("fact_id", OpEq, part[2])), nil
	}
	switch op {
	case "startswith", "icontains":
		text, ok := operand.(string)
		if !ok {
			return Filter{}, Errorf(Invalid, "filter: %.64s: %s needs a text", field, op)
		}
		f := WherePrefix(field, text)
		if op == "icontains" {
			f.Value = "(?i)" + regexp.QuoteMeta(text)
		}
		if n := len(f.Value.(string)); n > MaxFilterPattern {
			return Filter{}, Errorf(Invalid, "filter: %.64s: the text of %s is too long: as a pattern it has %d bytes, "+
				"at most %d are allowed", field, op, n, MaxFilterPattern)
		}
		return f, nil
	case "exists":
		exists, ok := operand.(bool)
		if !ok {
			return Filter{}, Errorf(Invalid, "filter: %.64s: exists needs true or false", field)
		}
		if exists {
			return Where(field, OpNe, nil), nil
		}
		return Where(field, OpEq, nil), nil
	}
	return Where(field, Op(op), operand), nil
}

// checkScopeOperand checks what the value of a scope is compared with, alone or in a list, as [CheckScopeValue] does.
func checkScopeOperand(field string, operand any) error {
	if !slices.Contains(ScopeNames, field) {
		return nil
	}
	list, isList := operand.([]any)
	if !isList {
		list = []any{operand}
	}
	for _, v := range list {
		if text, ok := v.(string); ok {
			if err := CheckScopeValue("filter: "+field, text); err != nil {
				return err
			}
		}
	}
	return nil
}

// WherePrefix makes the comparison that a text, or a text of a list, begins with a prefix.
func WherePrefix(field, prefix string) Filter {
	return Where(field, OpRegex, "^"+regexp.QuoteMeta(prefix))
}

func sortedKeys(m map[string]any) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
