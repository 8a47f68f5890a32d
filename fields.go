package trilith

import (
	"bytes"
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// ValueType is the type of a field of memories.
type ValueType uint8

// The types of fields.
const (
	ValueText ValueType = iota + 1
	ValueTime
	ValueNumber
	ValueList // of texts
	ValueBool
	ValueAny // metadata: whatever JSON holds
)

// FilterField is a field of memories that filters compare. Drivers keep a place for each.
type FilterField struct {
	Name   string
	Type   ValueType
	OfFact bool              // only facts have it
	get    func(*Facets) any // see [FieldOf]
}

// fields is the one list of fields: the grammar of filters and the functions that read values are made from it, and the
// columns of drivers are checked against it.
var fields = []FilterField{
	textField("id", func(x *Facets) string { return string(x.ID) }),
	textField("kind", func(x *Facets) string { return string(x.Kind) }),
	textField("role", func(x *Facets) string { return string(x.Role) }),
	textField("speaker", func(x *Facets) string { return x.Speaker }),
	textField("type", func(x *Facets) string { return x.Type }),
	textField("source_id", func(x *Facets) string { return string(x.SourceID) }),
	textField("shared_from", func(x *Facets) string { return string(x.SharedFrom) }),
	textField("state", func(x *Facets) string { return string(x.State) }),
	textField("trust", func(x *Facets) string { return string(x.Trust) }),
	textField("superseded_by", func(x *Facets) string { return string(x.SupersededBy) }),
	textField("category", func(x *Facets) string { return x.Category }),
	textField("title", func(x *Facets) string { return x.Title }),
	textField("external_id", func(x *Facets) string { return x.ExternalID }),
	textField("project", func(x *Facets) string { return x.Scope.Project }),
	textField("domain", func(x *Facets) string { return x.Scope.Domain }),
	textField("user", func(x *Facets) string { return x.Scope.User }),
	textField("agent", func(x *Facets) string { return x.Scope.Agent }),
	textField("session", func(x *Facets) string { return x.Scope.Session }),
	textField("channel", func(x *Facets) string { return x.Scope.Channel }),
	{"seq", ValueNumber, false, func(x *Facets) any { return float64(x.Seq) }},
	{"event_time", ValueTime, false, func(x *Facets) any { return x.EventTime }},
	{"recorded_at", ValueTime, false, func(x *Facets) any { return x.RecordedAt }},
	timeField("valid_until", func(x *Facets) *time.Time { return x.ValidUntil }),
	timeField("superseded_at", func(x *Facets) *time.Time { return x.SupersededAt }),
	{"tags", ValueList, false, tagsOf},

	ofFacts(textField("owner", func(x *Facets) string { return string(x.Owner()) })),
	ofFacts(textField("entity_id", func(x *Facets) string { return string(x.Fact.EntityID) })),
	ofFacts(textField("verb", func(x *Facets) string { return x.Fact.Verb })),
	ofFacts(textField("fact_id", func(x *Facets) string { return x.Fact.FactID })),
	ofFacts(textField("entity_ref", func(x *Facets) string { return string(x.Fact.Node.EntityRef) })),
	ofFacts(textField("fact_type", func(x *Facets) string { return string(x.Fact.Type) })),
	ofFacts(textField("polarity", func(x *Facets) string { return string(x.Fact.Polarity) })),
	ofFacts(textField("certainty", func(x *Facets) string { return string(x.Fact.Certainty) })),
	ofFacts(textField("author_role", func(x *Facets) string { return string(x.Fact.AuthorRole) })),
	ofFacts(textField("priority", func(x *Facets) string { return string(x.Fact.Priority) })),
	ofFacts(textField("verification_status", func(x *Facets) string { return string(x.Fact.Verification.Status) })),
	ofFacts(FilterField{"evidence", ValueList, true, episodesOf}),
	ofFacts(FilterField{"confidence", ValueNumber, true, func(x *Facets) any { return x.Fact.Confidence }}),
	ofFacts(FilterField{"requires_action", ValueBool, true, func(x *Facets) any { return x.Fact.RequiresAction }}),
	ofFacts(timeField("action_deadline", func(x *Facets) *time.Time { return x.Fact.ActionDeadline })),
	ofMoney(textField("currency", func(x *Facets) string { return x.Fact.Financial.Currency })),
	ofMoney(textField("financial_type", func(x *Facets) string { return x.Fact.Financial.Type })),
	ofMoney(textField("financial_category", func(x *Facets) string { return x.Fact.Financial.Category })),
	ofMoney(FilterField{"financial_amount", ValueNumber, true, func(x *Facets) any {
		amount, err := strconv.ParseFloat(x.Fact.Financial.Amount, 64) // exact enough to compare with a threshold
		if err != nil {
			return nil
		}
		return amount
	}}),
}

// ofIDs are the fields whose values are ids.
var ofIDs = []string{"id", "source_id", "shared_from", "superseded_by", "entity_id", "entity_ref", "evidence"}

var fieldsByName = func() map[string]FilterField {
	out := make(map[string]FilterField, len(fields))
	for _, f := range fields {
		out[f.Name] = f
	}
	return out
}()

// Fields returns the fields that filters can test, except those of metadata, whose number is unlimited.
func Fields() []FilterField { return slices.Clone(fields) }

// FilterFields returns the names of [Fields], in byte order.
func FilterFields() []string { return slices.Sorted(maps.Keys(fieldsByName)) }

// FieldNamed returns the field of a name: one of [Fields], or a path of the metadata as metadata.PATH.
func FieldNamed(name string) (FilterField, bool) {
	if path, ok := strings.CutPrefix(name, "metadata."); ok {
		keys := strings.Split(path, ".")
		get := func(x *Facets) any { return metadataAt(x.Metadata, keys) }
		return FilterField{name, ValueAny, false, get}, path != ""
	}
	f, ok := fieldsByName[name]
	return f, ok
}

// otherNames maps the names that other services give to fields. Their time of creation is our time of the event.
var otherNames = map[string]string{"created_at": "event_time", "timestamp": "event_time",
	"updated_at": "recorded_at", "expires_at": "valid_until", "expiration_date": "valid_until", "user_id": "user",
	"agent_id": "agent", "session_id": "session", "thread_id": "session", "run_id": "session", "project_id": "project",
	"app_id": "project", "tag": "tags", "categories": "tags", "memory_id": "id"}

// FieldMeant returns the field that another service calls name; "" if there is none.
func FieldMeant(name string) string { return otherNames[name] }

// FieldOf returns the function that reads a field of memories, which filters must know. Its values have the types of
// [Filter.Test]: nil, string, float64, bool, time.Time or []any. Empty texts and zero ids are nil.
func FieldOf(field string) func(*Facets) any {
	if f, ok := FieldNamed(field); ok {
		return f.get
	}
	return func(*Facets) any { return nil }
}

func textField(name string, get func(*Facets) string) FilterField {
	return FilterField{name, ValueText, false, func(x *Facets) any {
		if s := get(x); s != "" {
			return s
		}
		return nil
	}}
}

func timeField(name string, get func(*Facets) *time.Time) FilterField {
	return FilterField{name, ValueTime, false, func(x *Facets) any {
		if t := get(x); t != nil {
			return *t
		}
		return nil
	}}
}

// ofFacts marks a field that only facts have.
func ofFacts(f FilterField) FilterField {
	return where(f, func(x *Facets) bool { return x.Fact != nil })
}

// ofMoney marks a field that only facts about money have.
func ofMoney(f FilterField) FilterField {
	return where(f, func(x *Facets) bool { return x.Fact != nil && x.Fact.Financial != nil })
}

func where(f FilterField, has func(*Facets) bool) FilterField {
	get := f.get
	f.OfFact, f.get = true, func(x *Facets) any {
		if !has(x) {
			return nil
		}
		return get(x)
	}
	return f
}

func tagsOf(x *Facets) any {
	if len(x.Tags) == 0 {
		return nil
	}
	vs := make([]any, len(x.Tags))
	for i, t := range x.Tags {
		vs[i] = t
	}
	return vs
}

// episodesOf returns the episodes in the evidence of a fact, with the premises of each.
func episodesOf(x *Facets) any {
	if len(x.Fact.Evidence) == 0 {
		return nil
	}
	vs := make([]any, 0, len(x.Fact.Evidence))
	for i := range x.Fact.Evidence {
		e := &x.Fact.Evidence[i]
		vs = append(vs, string(e.EpisodeID))
		for k := range e.Premises {
			vs = append(vs, string(e.Premises[k].EpisodeID))
		}
	}
	return vs
}

// metadataAt returns the value at a path.
func metadataAt(metadata map[string]any, keys []string) any {
	var v any = metadata
	for _, k := range keys {
		m, ok := v.(map[string]any)
		if !ok {
			return nil
		}
		v = m[k]
	}
	return scalar(v)
}

// scalar brings a metadata value to the types that the comparisons know.
func scalar(v any) any {
	switch v := v.(type) {
	case nil, string, bool, float64, []any:
		return v
	case int:
		return float64(v)
	case int64:
		return float64(v)
	case float32:
		return float64(v)
	case json.Number:
		if f, err := v.Float64(); err == nil {
			return f
		}
	case []string:
		vs := make([]any, len(v))
		for i, s := range v {
			vs[i] = s
		}
		return vs
	}
	return nil
}

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

// checkScopeOperand checks the operand of a comparison with a scope value, single or in a list, as [CheckScopeValue]
// does.
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
