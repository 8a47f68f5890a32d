package zep

import (
	"strings"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/door/compat"
)

// filters narrow a search: labels one of nodes, all others one of edges.
type filters struct {
	Types   []string       `json:"edge_types"`
	Exclude []string       `json:"exclude_edge_types"`
	Labels  []string       `json:"node_labels"`
	Valid   [][]dateFilter `json:"valid_at"`
	Invalid [][]dateFilter `json:"invalid_at"`
	Created [][]dateFilter `json:"created_at"`
	Expired [][]dateFilter `json:"expired_at"`
}

// dateFilter compares a time; those of an inner list must all hold, of the outer one any.
type dateFilter struct {
	Operator string      `json:"comparison_operator"`
	Date     compat.Time `json:"date"`
}

var operators = map[string]trilith.Op{"=": trilith.OpEq, "<>": trilith.OpNe, ">": trilith.OpGt, ">=": trilith.OpGte,
	"<": trilith.OpLt, "<=": trilith.OpLte, "IS NULL": trilith.OpEq, "IS NOT NULL": trilith.OpNe}

// mayNarrow refuses filters that a search in a scope does not apply; f is their part about edges.
func (in *filters) mayNarrow(scope string, f trilith.Filter) error {
	if len(in.Labels) > 0 && scope != "nodes" {
		return trilith.Errorf(trilith.Unsupported, "search_filters.node_labels: narrows only a search with the scope nodes")
	}
	if !f.IsZero() && scope != "" && scope != "edges" {
		return trilith.Errorf(trilith.Unsupported, "search_filters: types and dates narrow only a search with the scope edges")
	}
	return nil
}

func (in *filters) filter() (trilith.Filter, error) {
	var all []trilith.Filter
	verbs := func(names []string, op trilith.Op) {
		var list []any
		for _, name := range names {
			list = append(list, strings.ToLower(name))
		}
		if len(list) > 0 {
			all = append(all, trilith.Where("verb", op, list))
		}
	}
	verbs(in.Types, trilith.OpIn)
	verbs(in.Exclude, trilith.OpNin)
	for _, d := range []struct {
		field string
		any   [][]dateFilter
	}{{"event_time", in.Valid}, {"valid_until", in.Invalid}, {"recorded_at", in.Created},
		{"superseded_at", in.Expired}} {
		var either []trilith.Filter
		for _, group := range d.any {
			var both []trilith.Filter
			for _, f := range group {
				op, ok := operators[f.Operator]
				if !ok {
					return trilith.Filter{}, trilith.Errorf(trilith.Invalid,
						"search_filters: comparison_operator %.20q is not one of =, <>, >, >=, <, <=, IS NULL and IS NOT NULL", f.Operator)
				}
				var operand any
				if !strings.HasPrefix(f.Operator, "IS") {
					operand = f.Date.String()
				}
				both = append(both, trilith.Where(d.field, op, operand))
			}
			either = append(either, trilith.AllOf(both...))
		}
		if len(either) > 0 {
			all = append(all, trilith.Filter{Or: either})
		}
	}
	return trilith.AllOf(all...), nil
}
