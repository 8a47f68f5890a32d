package sqlrows

import (
	"encoding/json"
	"math"
	"strings"
	"time"

	"github.com/trilith-memory/trilith"
)

// Comparisons are the operators that SQL has, too.
var Comparisons = map[trilith.Op]string{trilith.OpEq: "=", trilith.OpGt: ">", trilith.OpGte: ">=", trilith.OpLt: "<",
	trilith.OpLte: "<="}

// Number returns a number that SQL orders as Go does.
func Number(v any) (n float64, ok bool) {
	switch v := v.(type) {
	case int:
		n = float64(v)
	case int64:
		n = float64(v)
	case float32:
		n = float64(v)
	case float64:
		n = v
	case json.Number:
		var err error
		if n, err = v.Float64(); err != nil {
			return 0, false
		}
	default:
		return 0, false
	}
	return n, !math.IsNaN(n) && !math.IsInf(n, 0)
}

// Time returns the time that a value of a filter stands for.
func Time(v any) (time.Time, bool) {
	switch v := v.(type) {
	case time.Time:
		return trilith.Time(v), true
	case string:
		t, err := trilith.ParseTime(v)
		return t, err == nil
	}
	return time.Time{}, false
}

// RestingOn returns episodes such that a fact must rest on one of them to pass the filter; none if the filter has no
// such condition. text returns the text of a value that the database can compare.
func RestingOn(f trilith.Filter, text func(any) (string, bool)) []string {
	if f.Field == "evidence" && (f.Op == trilith.OpContains || f.Op == trilith.OpEq) {
		if v, ok := text(f.Value); ok {
			return []string{v}
		}
		return nil
	}
	for _, g := range f.And {
		if episodes := RestingOn(g, text); episodes != nil {
			return episodes
		}
	}
	var episodes []string
	for _, g := range f.Or {
		some := RestingOn(g, text)
		if some == nil {
			return nil // this branch lets others pass
		}
		episodes = append(episodes, some...)
	}
	return episodes
}

// Seen returns the conditions that a memory of the tenant must all meet for a scope to see it; see
// [trilith.Scope.Sees]. is makes the condition that a field equals a text, and is called in the order of the
// conditions.
func Seen(s trilith.Scope, is func(field, value string) string) []string {
	covered := func(terms []string, s trilith.Scope) []string {
		for _, f := range s.Fields() {
			if f.Value != "" {
				terms = append(terms, is(f.Name, f.Value))
			}
		}
		return terms
	}
	said := covered(nil, s)
	views := s.Views()
	if len(views) == 0 {
		return said
	}
	ways := strings.Join(said, " AND ")
	for _, v := range views {
		ways += " OR " + strings.Join(covered([]string{is("owner", string(v.Owner))}, v.Scope), " AND ")
	}
	return []string{"(" + ways + ")"}
}
