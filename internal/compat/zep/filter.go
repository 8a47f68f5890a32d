package zep

import (
	"strings"

	"github.com/cairn-memory/cairn"
	"github.com/cairn-memory/cairn/internal/compat"
)

// filters narrow a search of edges. What is not here is ignored.
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

var operators = map[string]cairn.Op{"=": cairn.OpEq, "<>": cairn.OpNe, ">": cairn.OpGt, ">=": cairn.OpGte,
	"<": cairn.OpLt, "<=": cairn.OpLte, "IS NULL": cairn.OpEq, "IS NOT NULL": cairn.OpNe}

func (in *filters) filter() (cairn.Filter, error) {
	var all []cairn.Filter
	verbs := func(names []string, op cairn.Op) {
		var list []any
		for _, name := range names {
			list = append(list, strings.ToLower(name))
		}
		if len(list) > 0 {
			all = append(all, cairn.Where("verb", op, list))
		}
	}
	verbs(in.Types, cairn.OpIn)
	verbs(in.Exclude, cairn.OpNin)
	for _, d := range []struct {
		field string
		any   [][]dateFilter
	}{{"event_time", in.Valid}, {"valid_until", in.Invalid}, {"recorded_at", in.Created},
		{"superseded_at", in.Expired}} {
		var either []cairn.Filter
		for _, group := range d.any {
			var both []cairn.Filter
			for _, f := range group {
				op, ok := operators[f.Operator]
				if !ok {
					return cairn.Filter{}, cairn.Errorf(cairn.Invalid,
						"search_filters: comparison_operator %.20q is not one of =, <>, >, >=, <, <=, IS NULL and IS NOT NULL", f.Operator)
				}
				var operand any
				if !strings.HasPrefix(f.Operator, "IS") {
					operand = f.Date.String()
				}
				both = append(both, cairn.Where(d.field, op, operand))
			}
			either = append(either, cairn.AllOf(both...))
		}
		if len(either) > 0 {
			all = append(all, cairn.Filter{Or: either})
		}
	}
	return cairn.AllOf(all...), nil
}
