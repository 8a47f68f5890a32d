package postgres

import (
	"math"
	"reflect"
	"strconv"
	"strings"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/store/sqlrows"
)

// where collects the conditions of a WHERE clause over [facetColumns], with their numbered arguments. It also numbers
// the other arguments of the statement, see [where.arg].
type where struct {
	table string // table or alias of the columns; empty if there is only one
	terms []string
	args  []any
}

// add adds a condition to the conjunction.
func (w *where) add(term string) { w.terms = append(w.terms, term) }

// clause returns the conjunction; never empty.
func (w *where) clause() string {
	if len(w.terms) == 0 {
		return "true"
	}
	return strings.Join(w.terms, " AND ")
}

// scope adds the condition of [trilith.Scope.Sees].
func (w *where) scope(s trilith.Scope) {
	w.add(w.column("tenant") + " = " + w.arg(s.Tenant))
	w.terms = append(w.terms, sqlrows.Seen(s, func(field, value string) string {
		return w.column(columnOf(field)) + " = " + w.value(value)
	})...)
}

// value is arg for a Go value.
func (w *where) value(v any) string {
	if s, ok := v.(string); ok {
		v = text(s)
	}
	return w.arg(v)
}

// filter adds conditions that every accepted memory meets. If exact, only accepted memories meet them; otherwise the
// matcher has to check each row. The filter has been compiled, so it is valid.
func (w *where) filter(f trilith.Filter) (exact bool) {
	sql, exact := w.condition(f, true)
	if sql != "" {
		w.add(sql)
	}
	return exact
}

// condition returns a condition that holds for every row for which f is want: if exact for no others; "" is no
// condition. In SQL it is true or not true: NULL counts as false.
func (w *where) condition(f trilith.Filter, want bool) (sql string, exact bool) {
	before := len(w.args)
	if sql, exact = w.translate(f, want); sql == "" {
		w.args = w.args[:before] // PostgreSQL rejects unused arguments
	}
	return sql, exact
}

func (w *where) translate(f trilith.Filter, want bool) (sql string, exact bool) {
	switch {
	case f.IsZero():
		if want {
			return "", true
		}
		return "false", true
	case f.Not != nil:
		return w.condition(*f.Not, !want)
	case f.Field != "":
		if f.Op == trilith.OpNe || f.Op == trilith.OpNin {
			f.Op, want = map[trilith.Op]trilith.Op{trilith.OpNe: trilith.OpEq, trilith.OpNin: trilith.OpIn}[f.Op], !want
		}
		sql, exact := w.comparison(f)
		switch {
		case sql == "" || !want && !exact:
			return "", false
		case want:
			return "(" + sql + ")", exact
		}
		return "(" + sql + ") IS NOT TRUE", true
	}
	list, all := f.Or, !want // all: every member must be as wanted
	if f.And != nil {
		list, all = f.And, want
	}
	exact = true
	var terms []string
	for _, g := range list {
		sql, ok := w.condition(g, want)
		exact = exact && ok
		if sql != "" {
			terms = append(terms, sql)
		} else if !all {
			return "", ok // one member accepts everything
		}
	}
	if len(terms) == 0 {
		return "", exact
	}
	if all {
		return "(" + strings.Join(terms, " AND ") + ")", exact
	}
	return "(" + strings.Join(terms, " OR ") + ")", exact
}

// decimal is a regular expression for the amounts that count.
const decimal = `^-?[0-9]{1,40}([.][0-9]{1,20})?$`

// factTexts are the texts of a fact that only the column more contains. Every other text, every list, and every time
// except those of facts has a column.
var factTexts = map[string]string{"fact_type": "fact_type", "polarity": "polarity", "certainty": "certainty",
	"author_role": "author_role",
	"priority":    "priority", "verification_status": "verification,status", "currency": "financial,currency",
	"financial_type": "financial,type", "financial_category": "financial,category"}

// comparison translates a comparison of a field; a negated one by its opposite, eq or in.
func (w *where) comparison(f trilith.Filter) (sql string, exact bool) {
	if f.Op == trilith.OpRegex {
		return "", false // its syntax differs from PostgreSQL's
	}
	field, _ := trilith.FieldNamed(f.Field)
	path, ofFact := factTexts[f.Field]
	keys, ofMetadata := strings.CutPrefix(f.Field, "metadata.")
	switch {
	case ofFact:
		return w.textComparison("coalesce("+w.column("more")+" #>> '{fact,"+path+"}', '')", f)
	case field.Type == trilith.ValueText:
		return w.textComparison(w.column(columnOf(f.Field)), f)
	case ofMetadata:
		return w.metadataComparison(keys, f)
	case field.Type == trilith.ValueTime && !field.OfFact:
		return w.ordered(w.column(f.Field), f, func(v any) (any, bool) { return sqlrows.Time(v) })
	case f.Field == "seq":
		if sql, exact := w.ordered(w.column("seq"), f, wholeNumber); exact {
			return sql, true
		}
		return w.ordered(w.column("seq")+"::float8", f, number)
	case f.Field == "confidence":
		return w.ordered("("+w.column("more")+" #>> '{fact,confidence}')::float8", f, number)
	case f.Field == "action_deadline" && sqlrows.Comparisons[f.Op] != "" && f.Value != nil:
		return w.column("more") + " #>> '{fact,action_deadline}' <> ''", false
	case f.Field == "financial_amount" && (f.Op == trilith.OpGt || f.Op == trilith.OpGte):
		n, ok := number(f.Value)
		if !ok {
			return "", false
		}
		amount := w.column("more") + " #>> '{fact,financial,amount}'"
		return "CASE WHEN " + amount + " ~ '" + decimal + "' THEN (" + amount + ")::float8 >= " + w.arg(n) + " ELSE " +
			amount + " <> '' END", false
	case f.Field == "requires_action":
		more := w.column("more")
		return w.ordered("CASE WHEN "+more+" ? 'fact' THEN coalesce(("+more+
			" #>> '{fact,requires_action}')::boolean, false) END", f, func(v any) (any, bool) {
			b, ok := v.(bool)
			return b, ok
		})
	case field.Type == trilith.ValueList:
		return w.listComparison(w.column(f.Field), f)
	}
	return "", false
}

// textComparison compares a text; an absent one is stored as ”.
func (w *where) textComparison(column string, f trilith.Filter) (sql string, exact bool) {
	values, absent, ok := operands(f, textOf)
	if !ok {
		return "", false
	}
	switch f.Op {
	case trilith.OpEq, trilith.OpIn:
		var present []string
		for _, v := range values {
			if v != "" { // no memory has an empty text
				present = append(present, text(v))
			}
		}
		return w.oneOf(column, column+" = ''", "text", absent, present), true
	case trilith.OpContains:
		v := values[0]
		if v == "" {
			return column + " <> ''", true
		}
		return "strpos(" + column + ", " + w.arg(text(v)) + ") > 0", findable(v)
	}
	return column + " " + sqlrows.Comparisons[f.Op] + " " + w.arg(text(values[0])) + " AND " + column + " <> ''", true
}

// oneOf tests whether a column is one of the values, or absent if that is accepted too.
func (w *where) oneOf(column, isAbsent, ofType string, absent bool, values []string) string {
	var terms []string
	switch len(values) {
	case 0:
	case 1:
		terms = append(terms, column+" = "+w.arg(values[0]))
	default:
		terms = append(terms, column+" = ANY("+w.arg(values)+"::"+ofType+"[])")
	}
	if absent {
		terms = append(terms, isAbsent)
	}
	if len(terms) == 0 {
		return "false"
	}
	return strings.Join(terms, " OR ")
}

// column returns the name of a facet column in the statement.
func (w *where) column(name string) string {
	if w.table != "" {
		return w.table + "." + name
	}
	return name
}

// columnOf returns the facet column of a field.
func columnOf(field string) string {
	if field == "user" { // in SQL, the role that is logged in
		return "user_id"
	}
	return field
}

// ordered compares a number, a time or a truth value; an absent one is NULL.
func (w *where) ordered(column string, f trilith.Filter, value func(any) (any, bool)) (sql string, exact bool) {
	values, absent, ok := operands(f, value)
	if !ok {
		return "", false
	}
	if comparison, ok := sqlrows.Comparisons[f.Op]; ok && !absent {
		return column + " " + comparison + " " + w.arg(values[0]), true
	}
	var terms []string
	for _, v := range values {
		terms = append(terms, column+" = "+w.arg(v))
	}
	if absent {
		terms = append(terms, column+" IS NULL")
	}
	return strings.Join(terms, " OR "), true
}

// wholeNumber returns a number that can be compared with an integer column directly, so that the column's index is
// used. A number above 1<<52 equals several integers in floating point.
func wholeNumber(v any) (any, bool) {
	n, ok := sqlrows.Number(v)
	return int64(n), ok && n == math.Trunc(n) && math.Abs(n) <= 1<<52
}

// number returns [sqlrows.Number] as an argument.
func number(v any) (any, bool) { return sqlrows.Number(v) }

// listComparison compares a list of texts, which equals each of them; an absent one is empty.
func (w *where) listComparison(column string, f trilith.Filter) (sql string, exact bool) {
	values, absent, ok := operands(f, textOf)
	if !ok {
		return "", false
	}
	var terms []string
	for _, v := range values {
		terms = append(terms, w.arg(text(v))+" = ANY("+column+")")
	}
	if absent {
		terms = append(terms, "cardinality("+column+") = 0")
	}
	return "(" + strings.Join(terms, " OR ") + ")", true
}

// operands returns the values that a comparison compares with; absent says that null is among them. It is not ok if SQL
// cannot compare one of them in the same way.
func operands[T any](f trilith.Filter, value func(any) (T, bool)) (values []T, absent, ok bool) {
	list := []any{f.Value}
	if f.Op == trilith.OpIn {
		v := reflect.ValueOf(f.Value)
		if v.Kind() != reflect.Slice {
			return nil, false, false
		}
		list = list[:0]
		for i := range v.Len() {
			list = append(list, v.Index(i).Interface())
		}
	}
	for _, v := range list {
		if v == nil {
			absent = true
			continue
		}
		x, ok := value(v)
		if !ok {
			return nil, false, false
		}
		values = append(values, x)
	}
	return values, absent, absent || len(values) > 0
}

// textOf returns a value of any text type as a text.
func textOf(v any) (string, bool) {
	if r := reflect.ValueOf(v); r.Kind() == reflect.String {
		return r.String(), true
	}
	return "", false
}

// arg adds an argument and returns its placeholder.
func (w *where) arg(v any) string {
	w.args = append(w.args, v)
	return "$" + strconv.Itoa(len(w.args))
}
