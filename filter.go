package trilith

import (
	"cmp"
	"errors"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// Limits of a filter, so that a request cannot make every search slow.
const (
	MaxFilterDepth = 8
	MaxFilterNodes = 256
	MaxFilterList  = 1000
)

// Op compares a field with a value.
type Op string

// The operators. Comparisons are strict about types: the number 1 is not the string "1". A list equals each of its
// texts, numbers and truth values. A field that is absent equals only null; ne and nin are the negations of eq and in, so
// they accept absent fields; every other operator refuses them.
const (
	OpEq       Op = "eq"
	OpNe       Op = "ne"
	OpGt       Op = "gt" // numbers, times, and strings in byte order
	OpGte      Op = "gte"
	OpLt       Op = "lt"
	OpLte      Op = "lte"
	OpIn       Op = "in"
	OpNin      Op = "nin"
	OpContains Op = "contains" // a list holds the value; a string holds it as a substring, case counts
	// OpRegex: a string, or a string of a list, holds a match of the pattern in RE2 syntax. It is not anchored, and
	// case counts unless the pattern says (?i).
	OpRegex Op = "regex"
)

// Filter selects memories. The zero value accepts all. It is one of: a comparison (Field, Op, Value), a conjunction
// (And), a disjunction (Or) or a negation (Not).
//
// As JSON it is an object whose members must all hold: {"and": […]}, {"or": […]}, {"not": {…}}, {"field": value} for
// equality ([…] for membership), {"field": {"gte": …, "lt": …}}. Two more words, startswith and icontains, are read
// as a regex, and exists is read as a comparison with null. Fields are id, kind, role, speaker, type, source_id, seq,
// state, trust, superseded_by, shared_from, category, title, external_id, the scope's project, domain, user, agent,
// session and channel, the times event_time, recorded_at, valid_until and superseded_at (RFC 3339 or a date), tags,
// and metadata.PATH with dots between keys. Facts have owner (shares of them do not), entity_id, verb, fact_id,
// entity_ref, fact_type, polarity, certainty, author_role, priority, verification_status, currency, financial_type
// and financial_category, the numbers confidence and financial_amount, the time action_deadline, requires_action,
// which is true or false, and the list evidence of the episodes that they rest on.
type Filter struct {
	And   []Filter
	Or    []Filter
	Not   *Filter
	Field string
	Op    Op
	Value any
}

// IsZero reports whether f accepts everything.
func (f Filter) IsZero() bool {
	return f.And == nil && f.Or == nil && f.Not == nil && f.Field == ""
}

// Names reports whether a comparison of f is about the field.
func (f Filter) Names(field string) bool {
	names := func(g Filter) bool { return g.Names(field) }
	return f.Field == field || slices.ContainsFunc(f.And, names) || slices.ContainsFunc(f.Or, names) || f.Not != nil &&
		f.Not.Names(field)
}

// AllOf makes a conjunction. Filters that accept all are left out, and a conjunction among fs gives its parts, so that
// conditions that are added one after the other nest no deeper than one.
func AllOf(fs ...Filter) Filter {
	var all []Filter
	for _, f := range fs {
		switch {
		case f.IsZero():
		case f.Field == "" && len(f.And) > 0 && len(f.Or) == 0 && f.Not == nil:
			all = append(all, f.And...)
		default:
			all = append(all, f)
		}
	}
	switch len(all) {
	case 0:
		return Filter{}
	case 1:
		return all[0]
	}
	return Filter{And: all}
}

// Conjuncts returns comparisons that all must hold whenever f holds: those a driver may push into its own query. They
// need not be the whole of f.
func (f Filter) Conjuncts() []Filter {
	if f.Field != "" {
		return []Filter{f}
	}
	var out []Filter
	for _, g := range f.And {
		out = append(out, g.Conjuncts()...)
	}
	return out
}

// Matcher reports whether a memory passes a filter. It is safe for concurrent use.
type Matcher func(*Facets) bool

// ownConditions is how many conditions trilith adds to a caller's filter at most, all by [AllOf]: states, kind, role,
// time and their like.
const ownConditions = 32

// Compile checks the filter and returns its matcher; nil for a filter that accepts all. It accepts whatever [AllOf]
// makes of a filter that is valid and of trilith's own conditions, so one level more than [Filter.Validate].
func (f Filter) Compile() (Matcher, error) {
	if f.IsZero() {
		return nil, nil
	}
	nodes := -ownConditions
	return f.compile(0, &nodes)
}

// Validate checks a caller's filter: its fields, its operators and values, its depth and its number of conditions.
func (f Filter) Validate() error {
	if f.IsZero() {
		return nil
	}
	nodes := 0
	_, err := f.compile(1, &nodes)
	return err
}

func (f Filter) compile(depth int, nodes *int) (Matcher, error) {
	if *nodes++; *nodes > MaxFilterNodes {
		return nil, Errorf(Invalid, "filter: more than %d conditions", MaxFilterNodes)
	}
	if depth > MaxFilterDepth {
		return nil, Errorf(Invalid, "filter: nested deeper than %d", MaxFilterDepth)
	}
	forms := 0
	for _, set := range []bool{f.And != nil, f.Or != nil, f.Not != nil, f.Field != ""} {
		if set {
			forms++
		}
	}
	if forms != 1 {
		return nil, Errorf(Invalid, "filter: must be exactly one of and, or, not, or a field")
	}
	switch {
	case f.Not != nil:
		m, err := f.Not.compile(depth+1, nodes)
		if err != nil {
			return nil, err
		}
		return func(x *Facets) bool { return !m(x) }, nil
	case f.Field != "":
		return f.compileField()
	}
	list, isAnd := f.Or, false
	if f.And != nil {
		list, isAnd = f.And, true
	}
	if len(list) == 0 {
		return nil, Errorf(Invalid, "filter: and/or need at least one condition")
	}
	ms := make([]Matcher, len(list))
	for i, g := range list {
		var err error
		if ms[i], err = g.compile(depth+1, nodes); err != nil {
			return nil, err
		}
	}
	return func(x *Facets) bool {
		for _, m := range ms {
			if m(x) != isAnd {
				return !isAnd
			}
		}
		return isAnd
	}, nil
}

func (f Filter) compileField() (Matcher, error) {
	test, err := f.Test()
	if err != nil {
		return nil, err
	}
	get := FieldOf(f.Field)
	return func(x *Facets) bool { return test(get(x)) }, nil
}

// Test checks a comparison and returns its test of a field's value, for indexes that store values and not memories. The
// value is nil if the field is absent, or an empty text outside metadata; otherwise it is a string, a float64, a bool,
// a time.Time or a list of those as []any. The returned function is safe for concurrent use.
func (f Filter) Test() (func(value any) bool, error) {
	field, ok := FieldNamed(f.Field)
	if !ok {
		if meant := FieldMeant(f.Field); meant != "" {
			return nil, Errorf(Invalid, "filter: unknown field %.64q; it is called %s here", f.Field, meant)
		}
		return nil, Errorf(Invalid, "filter: unknown field %.64q; a key of the metadata is metadata.KEY", f.Field)
	}
	return f.test(field.Type)
}

// Operands returns the operands of a comparison, in the types of [Filter.Test]: one value, or those of a list; null
// says that null is among them. The comparison must be valid.
func (f Filter) Operands() (values []any, null bool, err error) {
	field, ok := FieldNamed(f.Field)
	if !ok {
		return nil, false, Errorf(Invalid, "filter: unknown field %.64q", f.Field)
	}
	list := []any{f.Value}
	if f.Op == OpIn || f.Op == OpNin {
		if list, err = asList(f.Field, f.Value); err != nil {
			return nil, false, err
		}
	}
	for _, v := range list {
		value, err := convert(f.Field, field.Type, v, true)
		if err != nil {
			return nil, false, err
		}
		if value == nil {
			null = true
			continue
		}
		values = append(values, value)
	}
	return values, null, nil
}

// InZone returns f with the times that it writes without an offset read in a zone.
func (f Filter) InZone(zone *time.Location) Filter {
	read := func(v any) any {
		if text, ok := v.(string); ok {
			if t, err := ParseTimeIn(text, zone); err == nil {
				return Time(t)
			}
		}
		return v // an invalid one is refused by [Filter.Validate]
	}
	f, _ = f.each(func(c Filter) (Filter, error) {
		if field, ok := FieldNamed(c.Field); !ok || field.Type != ValueTime {
			return c, nil
		}
		if vs, ok := c.Value.([]any); ok {
			times := make([]any, len(vs))
			for i, v := range vs {
				times[i] = read(v)
			}
			c.Value = times
			return c, nil
		}
		c.Value = read(c.Value)
		return c, nil
	})
	return f
}

// FilterText is the field of requests that tests the text of memories. Indexes hold no texts, so [Filter.Validate] does
// not know the field: the engine replaces its comparisons with the ids of the memories that meet them.
const FilterText = "text"

// validateRequest checks a filter as a request may have it: with comparisons of the text.
func (f Filter) validateRequest() error {
	plain, err := f.Replace(FilterText, func(g Filter) (Filter, error) {
		_, err := g.TextTest()
		return Where("id", OpNe, nil), err
	})
	if err == nil {
		err = plain.Validate()
	}
	return err
}

// Replace returns f with every comparison of a field replaced by the result of with.
func (f Filter) Replace(field string, with func(Filter) (Filter, error)) (Filter, error) {
	return f.each(func(c Filter) (Filter, error) {
		if c.Field != field {
			return c, nil
		}
		return with(c)
	})
}

// each returns f with every comparison replaced by the result of with.
func (f Filter) each(with func(Filter) (Filter, error)) (Filter, error) {
	if f.Field != "" {
		return with(f)
	}
	var err error
	each := func(fs []Filter) []Filter {
		if fs == nil {
			return nil
		}
		out := make([]Filter, len(fs))
		for i, g := range fs {
			if out[i], err = g.each(with); err != nil {
				return nil
			}
		}
		return out
	}
	f.And = each(f.And)
	if err == nil {
		f.Or = each(f.Or)
	}
	if f.Not != nil && err == nil {
		not, failed := f.Not.each(with)
		f.Not, err = &not, failed
	}
	return f, err
}

// TextTest is [Filter.Test] of a comparison of the text.
func (f Filter) TextTest() (func(value any) bool, error) { return f.test(ValueText) }

// orders says which outcomes of a comparison an operator accepts.
var orders = map[Op]func(int) bool{
	OpGt: func(c int) bool { return c > 0 }, OpGte: func(c int) bool { return c >= 0 },
	OpLt: func(c int) bool { return c < 0 }, OpLte: func(c int) bool { return c <= 0 },
}

// test checks a comparison of a field of a type and returns its test.
func (f Filter) test(ft ValueType) (func(value any) bool, error) {
	switch f.Op {
	case OpEq, OpNe:
		want, err := convert(f.Field, ft, f.Value, true)
		if err != nil {
			return nil, err
		}
		is := f.Op == OpEq
		return func(v any) bool { return equal(v, want) == is }, nil
	case OpIn, OpNin:
		vs, err := asList(f.Field, f.Value)
		if err != nil {
			return nil, err
		}
		want := make([]any, len(vs))
		for i, v := range vs {
			if want[i], err = convert(f.Field, ft, v, true); err != nil {
				return nil, err
			}
		}
		is := f.Op == OpIn
		return func(v any) bool {
			return slices.ContainsFunc(want, func(w any) bool { return equal(v, w) }) == is
		}, nil
	case OpGt, OpGte, OpLt, OpLte:
		if ft == ValueList {
			return nil, Errorf(Invalid, "filter: %s: %s does not work on a list", f.Field, f.Op)
		}
		want, err := convert(f.Field, ft, f.Value, false)
		if err != nil {
			return nil, err
		}
		if _, isBool := want.(bool); isBool {
			return nil, Errorf(Invalid, "filter: %s: %s does not work on true and false", f.Field, f.Op)
		}
		holds := orders[f.Op]
		return func(v any) bool {
			c, ok := compare(v, want)
			return ok && holds(c)
		}, nil
	case OpContains:
		if ft == ValueTime || ft == ValueNumber || ft == ValueBool {
			return nil, Errorf(Invalid, "filter: %s: contains works on text and lists only", f.Field)
		}
		elem := ft
		if ft == ValueList {
			elem = ValueText
		}
		want, err := convert(f.Field, elem, f.Value, false)
		if err != nil {
			return nil, err
		}
		return func(v any) bool { return contains(v, want) }, nil
	case OpRegex:
		return compilePattern(f.Field, ft, f.Value)
	}
	return nil, Errorf(Invalid, "filter: %s: unknown operator %.32q%s Use %s, or in and nin with a list", f.Field,
		string(f.Op), cmp.Or(Meant(bare(string(f.Op)), operators...), "."), strings.Join(operators[:len(operators)-2], " "))
}

func convert(field string, ft ValueType, v any, null bool) (any, error) {
	if v == nil {
		if null {
			return nil, nil
		}
		return nil, Errorf(Invalid, "filter: %s: null works with eq, ne, in and nin only", field)
	}
	switch s := v.(type) { // named string types of this package
	case ID:
		v = string(s)
	case Kind:
		v = string(s)
	case Role:
		v = string(s)
	case State:
		v = string(s)
	case Trust:
		v = string(s)
	case FactType:
		v = string(s)
	case Polarity:
		v = string(s)
	case Certainty:
		v = string(s)
	case Priority:
		v = string(s)
	case VerificationStatus:
		v = string(s)
	}
	switch ft {
	case ValueText, ValueList:
		s, ok := v.(string)
		if !ok {
			return nil, Errorf(Invalid, "filter: %s: the value must be text", field)
		}
		return s, nil
	case ValueBool:
		if b, ok := v.(bool); ok {
			return b, nil
		}
		return nil, Errorf(Invalid, "filter: %s: the value must be true or false", field)
	case ValueNumber:
		if n, ok := scalar(v).(float64); ok {
			return n, nil
		}
		return nil, Errorf(Invalid, "filter: %s: the value must be a number", field)
	case ValueTime:
		switch t := v.(type) {
		case time.Time:
			return Time(t), nil
		case string:
			tt, err := ParseTime(t)
			if err != nil {
				return nil, Errorf(Invalid, "filter: %s: %s", field, MessageOf(err))
			}
			return tt, nil
		}
		return nil, Errorf(Invalid, "filter: %s: the value must be a time as 2025-06-30 or 2025-06-30T15:04:05Z", field)
	}
	switch s := scalar(v).(type) {
	case string, bool, float64:
		return s, nil
	}
	return nil, Errorf(Invalid, "filter: %s: the value must be text, a number, true or false", field)
}

func asList(field string, v any) ([]any, error) {
	var vs []any
	switch v := v.(type) {
	case []any:
		vs = v
	case []string:
		for _, s := range v {
			vs = append(vs, s)
		}
	case []ID:
		for _, s := range v {
			vs = append(vs, s)
		}
	case []Kind:
		for _, s := range v {
			vs = append(vs, s)
		}
	case []State:
		for _, s := range v {
			vs = append(vs, s)
		}
	default:
		return nil, Errorf(Invalid, "filter: %s: in and nin need a list", field)
	}
	if len(vs) == 0 || len(vs) > MaxFilterList {
		return nil, Errorf(Invalid, "filter: %s: a list holds 1 to %d values", field, MaxFilterList)
	}
	return vs, nil
}

func compare(v, want any) (int, bool) {
	switch v := v.(type) {
	case string:
		if w, ok := want.(string); ok {
			return strings.Compare(v, w), true
		}
	case float64:
		if w, ok := want.(float64); ok {
			switch {
			case v < w:
				return -1, true
			case v > w:
				return 1, true
			}
			return 0, v == w
		}
	case time.Time:
		if w, ok := want.(time.Time); ok {
			return v.Compare(w), true
		}
	}
	return 0, false
}

func contains(v, want any) bool {
	if s, ok := v.(string); ok {
		w, ok := want.(string)
		return ok && strings.Contains(s, w)
	}
	_, isList := v.([]any)
	return isList && equal(v, want)
}

// equal compares a field's value with a converted one.
func equal(v, want any) bool {
	switch v := v.(type) {
	case []any:
		return slices.ContainsFunc(v, func(e any) bool { return want != nil && scalar(e) == want })
	case time.Time:
		w, ok := want.(time.Time)
		return ok && v.Equal(w)
	case nil, string, bool, float64:
		return v == want
	}
	return false
}

// MaxFilterPattern is the longest pattern of [OpRegex] in bytes, and maxPatternSteps the number of steps that it may
// unfold to. Matching takes steps times text, so nested counted repetitions must not make every search slow.
const (
	MaxFilterPattern = 512
	maxPatternSteps  = 2000
)

// compilePattern makes the condition that a text, or a text of a list, matches a pattern.
func compilePattern(field string, ft ValueType, v any) (func(any) bool, error) {
	if ft == ValueTime || ft == ValueNumber || ft == ValueBool {
		return nil, Errorf(Invalid, "filter: %s: regex works on text and lists only", field)
	}
	pattern, ok := v.(string)
	switch {
	case !ok:
		return nil, Errorf(Invalid, "filter: %s: a regex must be text", field)
	case len(pattern) > MaxFilterPattern:
		return nil, Errorf(Invalid, "filter: %s: the regex is %d bytes long, at most %d are allowed", field,
			len(pattern), MaxFilterPattern)
	case !utf8.ValidString(pattern):
		return nil, Errorf(Invalid, "filter: %s: the regex is not valid UTF-8", field)
	}
	parsed, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return nil, Errorf(Invalid, "filter: %s: the regex %s", field, patternFault(err))
	}
	prog, err := syntax.Compile(parsed.Simplify())
	if err != nil {
		return nil, Errorf(Invalid, "filter: %s: the regex cannot be used: %w", field, err)
	}
	if len(prog.Inst) > maxPatternSteps {
		return nil, Errorf(Invalid,
			"filter: %s: the regex repeats too much: it unfolds to %d steps, at most %d are allowed", field,
			len(prog.Inst), maxPatternSteps)
	}
	re, err := regexp.Compile(pattern)
	if err != nil {
		return nil, Errorf(Invalid, "filter: %s: the regex cannot be used: %w", field, err)
	}
	return func(v any) bool {
		switch v := v.(type) {
		case string:
			return re.MatchString(v)
		case []any:
			return slices.ContainsFunc(v, func(e any) bool {
				s, ok := e.(string)
				return ok && re.MatchString(s)
			})
		}
		return false
	}, nil
}

// patternFault describes the fault of a pattern and its place.
func patternFault(err error) string {
	if e, ok := errors.AsType[*syntax.Error](err); ok {
		return "has a fault: " + e.Code.String() + " in `" + e.Expr + "`"
	}
	return err.Error()
}

// Where makes a comparison. Ids that are compared with a field of ids are read as [IDOf] does.
func Where(field string, op Op, value any) Filter {
	if slices.Contains(ofIDs, field) {
		value = idsOf(value)
	}
	return Filter{Field: field, Op: op, Value: value}
}

func idsOf(value any) any {
	switch v := value.(type) {
	case string:
		return string(IDOf(v))
	case []any:
		ids := make([]any, len(v))
		for i := range v {
			ids[i] = idsOf(v[i])
		}
		return ids
	}
	return value
}
