package mem0

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/door/compat"
)

// conditions select memories, as searches and lists name them.
type conditions struct {
	whose
	Filters    json.RawMessage `json:"filters"`
	Categories []string        `json:"categories"`
	Metadata   map[string]any  `json:"metadata"`
	StartDate  string          `json:"start_date"`
	EndDate    string          `json:"end_date"`
	Keywords   string          `json:"keywords"`
	Fields     []string        `json:"fields"`
}

type question struct {
	conditions
	Query        string   `json:"query"`
	TopK         int      `json:"top_k"`
	Limit        int      `json:"limit"`
	Threshold    *float64 `json:"threshold"`
	OutputFormat string   `json:"output_format"`
}

// search answers the nearest memories, weak ones at the end unless there is a threshold. Scores and threshold are
// cosines where these carry a meaning: the order also counts words and facts, so scores need not fall. Versions 1 and 2
// answer only the list.
func search(ctx context.Context, c *compat.Call, in question) (any, error) {
	if in.Query == "" {
		return nil, trilith.Errorf(trilith.Invalid, "query: is empty")
	}
	s, f, err := in.selection(c)
	if err != nil {
		return nil, err
	}
	k := in.TopK
	if k <= 0 {
		k = in.Limit
	}
	if k <= 0 {
		k = defaultTopK
	}
	r := trilith.RecallRequest{Query: in.Query, K: k, Filter: f, Scale: trilith.ScaleCosine}
	if in.Threshold != nil {
		r.MinScore = min(max(*in.Threshold, 0), 1)
	}
	hits, scale, err := c.Nearest(ctx, s, r)
	if err != nil {
		return nil, err
	}
	results := []map[string]any{}
	if len(in.Fields) > 0 {
		in.Fields = append(in.Fields, "score")
	}
	for i := range hits {
		h := &hits[i]
		m := memory(&h.Memory)
		m["score"], m["score_breakdown"] = h.Score, map[string]any{"semantic": h.Parts[trilith.ArmDense].Norm,
			"bm25": h.Parts[trilith.ArmLexical].Norm, "entity": h.Parts[trilith.ArmFact].Norm}
		results = append(results, only(m, in.Fields))
	}
	if v := version(c); v == "v2" || v == "v1" && in.OutputFormat != "v1.1" {
		return results, nil
	}
	return related(c, map[string]any{"results": results, "scale": scale}), nil
}

// list answers a page of memories, newest first. Versions 1 and 2 answer only the list if the call has no number and
// size of pages. Conditions come in the body, or in the query with the filters as the text of a Python dictionary.
func list(ctx context.Context, c *compat.Call) (any, error) {
	var in conditions
	if c.Request.Method == http.MethodGet {
		in.whose = ofQuery(c)
		in.Categories, in.Fields = c.Query["categories"], c.Query["fields"]
		in.StartDate, in.EndDate, in.Keywords = c.Query.Get("start_date"), c.Query.Get("end_date"), c.Query.Get("keywords")
		for name, to := range map[string]func(map[string]any){
			"filters":  func(v map[string]any) { in.Filters, _ = json.Marshal(v) },
			"metadata": func(v map[string]any) { in.Metadata = v },
		} {
			if text := c.Query.Get(name); text != "" {
				v, err := object(name, text)
				if err != nil {
					return nil, err
				}
				to(v)
			}
		}
	} else if err := c.Decode(&in); err != nil {
		return nil, err
	}
	s, f, err := in.selection(c)
	if err != nil {
		return nil, err
	}
	all, err := c.Listed(ctx, s, f)
	if err != nil {
		return nil, err
	}
	size := min(max(c.Whole("page_size", c.Whole("limit", defaultPageSize)), 1), trilith.MaxPageSize)
	page := compat.Page(all, c.Whole("page", 1), size)
	if version(c) != "v3" && !(c.Query.Has("page") && c.Query.Has("page_size")) {
		return memories(page, in.Fields), nil
	}
	return paged(c, len(all), size, memories(page, in.Fields)), nil
}

// selection converts conditions to the scope of the entities that the result must belong to, and a filter. A request
// without any entity is an error, as with the vendor: its answer would contain everybody's memories.
func (in *conditions) selection(c *compat.Call) (s trilith.Scope, f trilith.Filter, err error) {
	all := []any{in.names()}
	if len(in.Filters) > 0 && string(in.Filters) != "null" {
		var v any
		if err := json.Unmarshal(in.Filters, &v); err != nil {
			return s, f, trilith.Errorf(trilith.Invalid, "filters: %w", err)
		}
		if text, ok := v.(string); ok {
			if v, err = object("filters", text); err != nil {
				return s, f, err
			}
		}
		all = append(all, v)
	}
	also := map[string]any{}
	if len(in.Categories) > 0 {
		also["categories"] = map[string]any{"in": toAny(in.Categories)}
	}
	if len(in.Metadata) > 0 {
		also["metadata"] = in.Metadata
	}
	if in.Keywords != "" {
		also["keywords"] = in.Keywords
	}
	created := map[string]any{}
	if in.StartDate != "" {
		created["gte"] = in.StartDate
	}
	if in.EndDate != "" {
		created["lte"] = in.EndDate
	}
	if len(created) > 0 {
		also["created_at"] = created
	}
	if f, err = read(append(all, also)); err != nil {
		return s, f, err
	}
	if f.IsZero() {
		return s, f, trilith.Errorf(trilith.Invalid, "filters: name at least one of user_id, agent_id, app_id and run_id; "+
			`"*" stands for all that have one`)
	}
	s = c.Within(scopeOf(f))
	return s, trilith.AllOf(f, compat.Memories(s.User == "" || s.Agent != "" || f.Names("agent"))), nil
}

func toAny(texts []string) []any {
	out := make([]any, len(texts))
	for i, text := range texts {
		out[i] = text
	}
	return out
}
