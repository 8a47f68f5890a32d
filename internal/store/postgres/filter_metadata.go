package postgres

import (
	"strings"
	"unicode/utf8"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/store/sqlrows"
)

// metadataComparison compares the JSON value at a path of the metadata. It has the semantics of the matchers in the
// root package: an object counts as absent, and a list equals each of its texts, numbers and truth values.
func (w *where) metadataComparison(path string, f trilith.Filter) (sql string, exact bool) {
	values, absent, ok := operands(f, jsonValue)
	if !ok {
		return "", false
	}
	at := w.column("more") + " -> 'metadata'"
	for _, key := range strings.Split(path, ".") {
		at += " -> " + w.arg(text(key)) + "::text"
	}
	at = "(" + at + ")"
	switch f.Op {
	case trilith.OpEq, trilith.OpIn:
		var terms []string
		if absent {
			terms = append(terms, at+" IS NULL OR jsonb_typeof("+at+") IN ('object', 'null')")
		}
		for _, v := range values {
			terms = append(terms, "CASE jsonb_typeof("+at+") WHEN 'array' THEN "+w.holds(at, v)+" ELSE "+
				w.jsonIs(at, v, "=")+" END")
		}
		return strings.Join(terms, " OR "), true
	case trilith.OpContains:
		v := values[0]
		cases := " WHEN 'array' THEN " + w.holds(at, v)
		exact = true
		if s, ok := v.(string); ok {
			cases += " WHEN 'string' THEN strpos(" + at + " #>> '{}', " + w.arg(text(s)) + ") > 0"
			exact = findable(s)
		}
		return "CASE jsonb_typeof(" + at + ")" + cases + " END", exact
	}
	return w.jsonIs(at, values[0], sqlrows.Comparisons[f.Op]), true
}

// holds tests whether a list of JSON has a value.
func (w *where) holds(list string, v any) string {
	return "EXISTS (SELECT FROM jsonb_array_elements(" + list + ") AS e WHERE " + w.jsonIs("e", v, "=") + ")"
}

// jsonIs compares a JSON value with one of the same type; it is false for other types.
func (w *where) jsonIs(value string, with any, comparison string) string {
	switch with := with.(type) {
	case string:
		return "CASE WHEN jsonb_typeof(" + value + ") = 'string' THEN ((" + value + ") #>> '{}') COLLATE \"C\" " +
			comparison + " " + w.arg(text(with)) + " END"
	case bool:
		return "(" + value + ") " + comparison + " to_jsonb(" + w.arg(with) + "::boolean)"
	}
	return "CASE WHEN jsonb_typeof(" + value + ") = 'number' THEN (" + value + ")::float8 " + comparison + " " +
		w.arg(with) + " END"
}

// jsonValue returns a text, a truth value or a number.
func jsonValue(v any) (any, bool) {
	if b, ok := v.(bool); ok {
		return b, true
	}
	if n, ok := number(v); ok {
		return n, true
	}
	s, ok := textOf(v)
	return s, ok
}

// findable reports whether a text occurs in an escaped text only where it occurs in the plain one: the first or last
// character of an escape could match part of another text.
func findable(s string) bool {
	return utf8.ValidString(s) && !strings.ContainsAny(s, "\x00\x01\x02\x03")
}
