package camel

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
)

// ledger answers the ledger of a project. Callers without a list of rates name one, or several with commas.
func (s *surface) ledger(ctx context.Context, tenant trilith.Scope, r *http.Request) (any, error) {
	query, err := parameters(r, "asOf", "tolerance", "rate")
	if err != nil {
		return nil, err
	}
	scope := tenant
	scope.Project = r.PathValue("projectId")
	if _, err := number("projectId", scope.Project); err != nil {
		return nil, err
	}
	q := trilith.LedgerQuery{AsOf: query["asOf"], Tolerance: query["tolerance"]}
	if rates := query["rate"]; rates != "" {
		q.Rates = strings.Split(rates, ",")
	}
	l, err := s.engine.ProjectLedger(ctx, scope, q)
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(l)
	if err != nil {
		return nil, err
	}
	var tree any
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&tree); err != nil {
		return nil, err
	}
	numbers := map[trilith.ID]int64{}
	for ids := range slices.Chunk(factsOf(&l), role.MaxBatch) {
		some, err := s.engine.LegacyIDs(ctx, tenant, ids)
		if err != nil {
			return nil, err
		}
		for id, n := range some {
			numbers[id] = n
		}
	}
	return camel(tree, numbers), nil
}

// factsOf are the facts that a ledger names, each once.
func factsOf(l *trilith.ProjectLedger) []trilith.ID {
	var ids []trilith.ID
	for _, line := range l.Lines {
		for _, e := range line.Entries {
			ids = append(ids, e.FactID)
		}
	}
	for _, o := range l.LeftOut {
		ids = append(ids, o.FactID)
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// factNames are the members whose values are ids of facts.
var factNames = []string{"fact_id", "fact_ids", "to", "others"}

// camel renames the members of a tree of JSON, and puts the numbers of facts for their ids.
func camel(v any, numbers map[trilith.ID]int64) any {
	switch v := v.(type) {
	case []any:
		for i := range v {
			v[i] = camel(v[i], numbers)
		}
		return v
	case map[string]any:
		out := make(map[string]any, len(v))
		for name, value := range v {
			if slices.Contains(factNames, name) {
				value = numbered(value, numbers)
			}
			out[camelName(name)] = camel(value, numbers)
		}
		return out
	}
	return v
}

func numbered(v any, numbers map[trilith.ID]int64) any {
	switch v := v.(type) {
	case string:
		return numbers[trilith.IDOf(v)]
	case []any:
		for i := range v {
			v[i] = numbered(v[i], numbers)
		}
	}
	return v
}

func camelName(name string) string {
	first, rest, more := strings.Cut(name, "_")
	for more && rest != "" {
		var word string
		word, rest, more = strings.Cut(rest, "_")
		if word != "" {
			first += strings.ToUpper(word[:1]) + word[1:]
		}
	}
	return first
}
