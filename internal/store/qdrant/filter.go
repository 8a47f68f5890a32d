package qdrant

import (
	"math"
	"net/url"
	"strings"
	"time"

	"github.com/trilith-memory/trilith"
)

// condition is a condition of a Qdrant filter, or a filter, which can be nested.
type condition map[string]any

// hasID selects points by id.
func hasID(ids []string) condition { return condition{"has_id": ids} }

// inTenant returns the filter of a request that reads or deletes points. It is the only function that makes such
// filters, so no request can leave its tenant. It skips nil conditions.
func inTenant(tenant string, cs ...condition) condition {
	must := []condition{matches(tenantKey, tenant)}
	for _, c := range cs {
		if c != nil {
			must = append(must, c)
		}
	}
	return all(must...)
}

// seen translates [trilith.Scope.Sees] within the tenant; nil for a scope that sees the whole tenant.
func seen(s trilith.Scope) condition {
	own := covered(s)
	if len(own) == 0 {
		return nil
	}
	ways := []condition{all(own...)}
	for _, v := range s.Views() {
		ways = append(ways, all(append(covered(v.Scope), matches("owner", string(v.Owner)))...))
	}
	return one(ways...)
}

// covered returns the conditions for memories in a scope of the tenant.
func covered(s trilith.Scope) (cs []condition) {
	for _, f := range s.Fields() {
		if f.Value != "" {
			cs = append(cs, matches(f.Name, f.Value))
		}
	}
	return cs
}

// mayName reports whether strict mode allows conditions on all fields of a scope.
func (c *collection) mayName(s trilith.Scope) bool {
	if len(s.Views()) > 0 && !c.indexed("owner", "keyword") {
		return false
	}
	for _, f := range s.Fields() {
		if f.Value != "" && !c.indexed(f.Name, "keyword") {
			return false
		}
	}
	return true
}

// translator translates filters for a collection.
type translator struct {
	*collection
}

// filter translates a valid filter to a condition that every accepted memory meets; nil is no condition. If exact, only
// accepted memories meet it; otherwise the matcher has to check them. The last argument is the number of other
// conditions in the request, which strict mode limits.
func (t translator) filter(f trilith.Filter, beside int) (c condition, exact bool) {
	c, exact = t.translate(f, true)
	if c != nil && size(c) > t.most.conditions-beside {
		return nil, false
	}
	return c, exact
}

// translate returns a condition that is met by every memory for which f is want, and if exact by no others.
func (t translator) translate(f trilith.Filter, want bool) (c condition, exact bool) {
	switch {
	case f.IsZero():
		return nil, want
	case f.Not != nil:
		return t.translate(*f.Not, !want)
	case f.Field != "":
		if f.Op == trilith.OpNe || f.Op == trilith.OpNin {
			f.Op, want = map[trilith.Op]trilith.Op{trilith.OpNe: trilith.OpEq, trilith.OpNin: trilith.OpIn}[f.Op], !want
		}
		c, exact = t.comparison(f)
		switch {
		case c == nil || !want && !exact:
			return nil, false
		case want:
			return c, exact
		}
		return none(c), true // Qdrant has no third truth value
	}
	list, every := f.Or, !want // every: all members must be as wanted
	if f.And != nil {
		list, every = f.And, want
	}
	exact = true
	var cs []condition
	for _, g := range list {
		c, ok := t.translate(g, want)
		exact = exact && ok
		if c != nil {
			cs = append(cs, c)
		} else if !every {
			return nil, false // one member accepts everything
		}
	}
	switch {
	case len(cs) == 0:
		return nil, exact
	case every:
		return all(cs...), exact
	}
	return one(cs...), exact
}

// comparison translates a comparison that is not a negation; nil if Qdrant has no equivalent.
func (t translator) comparison(f trilith.Filter) (c condition, exact bool) {
	if f.Op == trilith.OpRegex {
		return nil, false
	}
	values, null, err := f.Operands()
	if err != nil {
		return nil, false
	}
	field, _ := trilith.FieldNamed(f.Field)
	if path, ok := strings.CutPrefix(f.Field, "metadata."); ok {
		return t.metadata(path, f.Op, values, null)
	}
	key := keyOf(f.Field)
	switch f.Op {
	case trilith.OpEq, trilith.OpIn:
		return t.among(key, field.Type, values, null)
	case trilith.OpContains:
		if field.Type == trilith.ValueList {
			return t.allowed(key, values[0], matches(key, values[0]))
		}
		return t.substring(key, values[0])
	}
	return t.ordered(key, f.Op, values[0])
}

// metadata compares the JSON value at a path; see [flatten].
func (t translator) metadata(path string, op trilith.Op, values []any, null bool) (condition, bool) {
	value, form := metadataKeys(path)
	if !t.indexed(value) || !t.indexed(form) { // strict mode only: keys of users have no index
		return nil, false
	}
	scalar, list := matches(form, formScalar), within(form, map[string]any{"gt": formScalar})
	switch op {
	case trilith.OpEq, trilith.OpIn:
		var ways []condition
		for _, v := range values {
			c, ok := t.equals(value, v)
			if !ok {
				return nil, false
			}
			ways = append(ways, c)
		}
		if null {
			ways = append(ways, empty(form))
		}
		return one(ways...), true
	case trilith.OpContains:
		c, ok := t.equals(value, values[0])
		if !ok {
			return nil, false
		}
		inList := all(c, list)
		if _, isText := values[0].(string); !isText {
			return inList, true
		}
		inText, ok := t.substring(value, values[0])
		if !ok || values[0] == "" { // the substring "" also matches numbers
			return nil, false
		}
		return one(inList, all(inText, scalar)), true
	}
	c, ok := t.ordered(value, op, values[0])
	if !ok {
		return nil, false
	}
	return all(c, scalar), true
}

// metadataKeys returns the payload keys for a path of the metadata. Characters that Qdrant would read as path syntax
// are escaped.
func metadataKeys(path string) (value, form string) {
	escaped := strings.NewReplacer(".", "%2E", "-", "%2D", "_", "%5F", "~", "%7E").Replace(url.QueryEscape(path))
	escaped = strings.ReplaceAll(strings.ReplaceAll(escaped, "+", "%20"), "%", "_")
	return "m_" + escaped, "n_" + escaped
}

func all(cs ...condition) condition { return condition{"must": cs} }

// substring tests whether a text contains another. Up to version 1.19, match.text does this for a field without a text
// index. From 1.20 on match.substring does it, and match.text compares words.
func (t translator) substring(key string, v any) (condition, bool) {
	text, ok := v.(string)
	switch {
	case !ok || !t.indexed(key, "text"):
		return nil, false
	case text == "":
		return none(empty(key)), true
	case t.v.words.Load():
		return condition{"key": key, "match": map[string]any{"substring": text}}, true
	}
	return condition{"key": key, "match": map[string]any{"text": text}}, true
}

func none(cs ...condition) condition { return condition{"must_not": cs} }

// bounds maps comparisons to the names that ranges use.
var bounds = map[trilith.Op]string{trilith.OpGt: "gt", trilith.OpGte: "gte", trilith.OpLt: "lt", trilith.OpLte: "lte"}

// ordered compares numbers and times by order. Qdrant has no order of texts.
func (t translator) ordered(key string, op trilith.Op, v any) (condition, bool) {
	bound, types := bound(v)
	if bound == nil || bounds[op] == "" || !t.indexed(key, types...) {
		return nil, false
	}
	return within(key, map[string]any{bounds[op]: bound}), true
}

// among compares a field of a type with values, or tests whether it is absent.
func (t translator) among(key string, of trilith.ValueType, values []any, null bool) (c condition, exact bool) {
	var ways []condition
	switch {
	case len(values) == 0:
	case of == trilith.ValueText, of == trilith.ValueList:
		c, ok := t.texts(key, values)
		if !ok {
			return nil, false
		}
		ways = append(ways, c)
	default:
		for _, v := range values {
			c, ok := t.equals(key, v)
			if !ok {
				return nil, false
			}
			ways = append(ways, c)
		}
	}
	if null {
		if !t.indexed(key) {
			return nil, false
		}
		ways = append(ways, empty(key))
	}
	if len(ways) == 1 {
		return ways[0], true
	}
	return one(ways...), true
}

// texts tests whether a text is one of the values.
func (t translator) texts(key string, values []any) (condition, bool) {
	if !t.indexed(key, "keyword", "uuid") || len(values) > t.most.values {
		return nil, false
	}
	if len(values) == 1 {
		return matches(key, values[0]), true
	}
	return condition{"key": key, "match": map[string]any{"any": values}}, true
}

// equals compares with one value. Numbers are compared by range, because match accepts no fractions, and an integer
// match misses equal values of another type.
func (t translator) equals(key string, v any) (condition, bool) {
	switch v := v.(type) {
	case float64, time.Time:
		bound, types := bound(v)
		if bound == nil || !t.indexed(key, types...) {
			return nil, false
		}
		return within(key, map[string]any{"gte": bound, "lte": bound}), true
	}
	return t.allowed(key, v, matches(key, v))
}

// bound returns a number or a time in the form that ranges use, with the index types that serve it; nil for a value
// that JSON cannot represent.
func bound(v any) (bound any, types []string) {
	switch v := v.(type) {
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, nil
		}
		return v, []string{"float", "integer"}
	case time.Time:
		return stamp(v), []string{"datetime"}
	}
	return nil, nil
}

func within(key string, bounds map[string]any) condition {
	return condition{"key": key, "range": bounds}
}

// allowed returns a condition that compares a key with a text or a truth value, if the collection allows it.
func (t translator) allowed(key string, v any, c condition) (condition, bool) {
	types := []string{"keyword", "uuid"}
	if _, ok := v.(bool); ok {
		types = []string{"bool"}
	}
	if !t.indexed(key, types...) {
		return nil, false
	}
	return c, true
}

func matches(key string, value any) condition {
	return condition{"key": key, "match": map[string]any{"value": value}}
}

func empty(key string) condition {
	return condition{"is_empty": map[string]any{"key": key}}
}

func one(cs ...condition) condition { return condition{"should": cs} }

// size counts the leaf conditions.
func size(c condition) (n int) {
	filters := false
	for _, kind := range []string{"must", "should", "must_not"} {
		inner, ok := c[kind].([]condition)
		filters = filters || ok
		for _, c := range inner {
			n += size(c)
		}
	}
	if !filters {
		return 1
	}
	return n
}
