package qdranttest

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"
)

// filter is a filter of requests: all of Must, none of MustNot, and one of Should if there are any.
type filter struct {
	Must    conditions `json:"must"`
	Should  conditions `json:"should"`
	MustNot conditions `json:"must_not"`
}

// conditions are one condition or a list.
type conditions []condition

func (cs *conditions) UnmarshalJSON(data []byte) error {
	if len(data) > 0 && data[0] == '{' {
		*cs = make(conditions, 1)
		return json.Unmarshal(data, &(*cs)[0])
	}
	var list []condition
	err := json.Unmarshal(data, &list)
	*cs = list
	return err
}

// condition is one of: a comparison of a field, a test for emptiness, a list of ids, or a filter.
type condition struct {
	Key     string          `json:"key"`
	Match   *match          `json:"match"`
	Range   json.RawMessage `json:"range"`
	Count   *span           `json:"values_count"`
	IsEmpty *struct {
		Key string `json:"key"`
	} `json:"is_empty"`
	HasID *[]any `json:"has_id"`
	filter
}

type match struct {
	Value     any     `json:"value"`
	Any       []any   `json:"any"`
	Text      *string `json:"text"`
	Substring *string `json:"substring"`
}

// span is a range of numbers.
type span struct {
	Gt, Gte, Lt, Lte *float64
}

func (s *span) holds(n float64) bool {
	return (s.Gt == nil || n > *s.Gt) && (s.Gte == nil || n >= *s.Gte) && (s.Lt == nil || n < *s.Lt) &&
		(s.Lte == nil || n <= *s.Lte)
}

func (f *filter) accepts(key string, payload map[string]any) bool {
	holds := func(c condition) bool { return c.holds(key, payload) }
	fails := func(c condition) bool { return !holds(c) }
	return !slices.ContainsFunc(f.Must, fails) && !slices.ContainsFunc(f.MustNot, holds) &&
		(len(f.Should) == 0 || slices.ContainsFunc(f.Should, holds))
}

func (c *condition) holds(key string, payload map[string]any) bool {
	switch {
	case c.IsEmpty != nil:
		return empty(at(payload, c.IsEmpty.Key))
	case c.HasID != nil:
		return slices.ContainsFunc(*c.HasID, func(id any) bool {
			k, no := idOf(id)
			return no == nil && k == key
		})
	case c.Key == "":
		return c.accepts(key, payload)
	}
	v := at(payload, c.Key)
	values, isList := v.([]any)
	if !isList && v != nil {
		values = []any{v}
	}
	if c.Count != nil {
		return c.Count.holds(float64(len(values)))
	}
	return slices.ContainsFunc(values, func(v any) bool {
		if c.Match != nil {
			return c.Match.holds(v)
		}
		return inRange(c.Range, v)
	})
}

// at returns the value of a key; a dot leads into an object.
func at(payload map[string]any, key string) any {
	var v any = payload
	for step := range strings.SplitSeq(key, ".") {
		m, ok := v.(map[string]any)
		if !ok {
			return nil
		}
		v = m[step]
	}
	return v
}

func empty(v any) bool {
	list, isList := v.([]any)
	return v == nil || isList && len(list) == 0
}

// holds compares strictly: an integer matches no text and no truth value. There is no match for numbers with a
// fraction.
func (m *match) holds(v any) bool {
	text, isText := v.(string)
	switch v.(type) {
	case string, float64, bool:
	default: // an object or a list in a list
		return false
	}
	switch {
	case m.Text != nil: // without a text index, up to 1.19: a substring, case counts
		return isText && strings.Contains(text, *m.Text)
	case m.Substring != nil:
		return isText && strings.Contains(text, *m.Substring)
	case m.Any != nil:
		return slices.Contains(m.Any, v)
	}
	return v == m.Value
}

func inRange(data []byte, v any) bool {
	var numbers span
	if json.Unmarshal(data, &numbers) == nil {
		n, ok := v.(float64)
		return ok && numbers.holds(n)
	}
	var times struct{ Gt, Gte, Lt, Lte *time.Time }
	text, ok := v.(string)
	t, err := time.Parse(time.RFC3339Nano, text)
	if !ok || err != nil || json.Unmarshal(data, &times) != nil {
		return false
	}
	return (times.Gt == nil || t.After(*times.Gt)) && (times.Gte == nil || !t.Before(*times.Gte)) &&
		(times.Lt == nil || t.Before(*times.Lt)) && (times.Lte == nil || !t.After(*times.Lte))
}

// strict is the strict_mode_config of a collection; nil forbids nothing.
type strict struct {
	Enabled           bool  `json:"enabled"`
	MaxQueryLimit     *int  `json:"max_query_limit,omitempty"`
	UnindexedRetrieve *bool `json:"unindexed_filtering_retrieve,omitempty"`
	UnindexedUpdate   *bool `json:"unindexed_filtering_update,omitempty"`
	MaxEF             *int  `json:"search_max_hnsw_ef,omitempty"`
	AllowExact        *bool `json:"search_allow_exact,omitempty"`
	UpsertMaxBatch    *int  `json:"upsert_max_batchsize,omitempty"`
	SearchMaxBatch    *int  `json:"search_max_batchsize,omitempty"`
	MaxConditions     *int  `json:"filter_max_conditions,omitempty"`
	ConditionMaxSize  *int  `json:"condition_max_size,omitempty"`
}

func (s *strict) on() bool    { return s != nil && s.Enabled }
func (s *strict) read() bool  { return !s.on() || s.UnindexedRetrieve == nil || *s.UnindexedRetrieve }
func (s *strict) write() bool { return !s.on() || s.UnindexedUpdate == nil || *s.UnindexedUpdate }

// within refuses a number over a limit.
func within(n int, limit *int, name string) *refusal {
	if limit == nil || n <= *limit {
		return nil
	}
	return refuse(http.StatusBadRequest, "Limit exceeded %d > %d for %q. Help: Reduce the %q parameter to or below %d.", n, *limit,
		name, name, *limit)
}

func (s *strict) batch(n int) *refusal {
	if !s.on() {
		return nil
	}
	return within(n, s.UpsertMaxBatch, "upsert limit")
}

func (s *strict) searches(n int) *refusal {
	if !s.on() {
		return nil
	}
	return within(n, s.SearchMaxBatch, "search batch size")
}

func (s *strict) search(limit int, ef *int, exact bool) *refusal {
	if !s.on() {
		return nil
	}
	if exact && s.AllowExact != nil && !*s.AllowExact {
		return refuse(http.StatusBadRequest, "Exact search disabled! Help: Set exact=false.")
	}
	if ef != nil {
		if no := within(*ef, s.MaxEF, "hnsw_ef"); no != nil {
			return no
		}
	}
	return within(limit, s.MaxQueryLimit, "limit")
}

// mayFilter refuses a filter that strict mode forbids: too large, or on keys without an index that serves it.
func (c *collection) mayFilter(f *filter, unindexed bool) *refusal {
	if f == nil || !c.strict.on() {
		return nil
	}
	if no := within(f.size(), c.strict.MaxConditions, "filter conditions"); no != nil {
		return no
	}
	for cond := range f.all() {
		n := 0
		if cond.Match != nil {
			n = len(cond.Match.Any)
		}
		if cond.HasID != nil {
			n = len(*cond.HasID)
		}
		if no := within(n, c.strict.ConditionMaxSize, "condition size"); no != nil {
			return no
		}
		if key, types := cond.needs(); !unindexed && key != "" && !slices.Contains(types, c.schema[key]) {
			return refuse(http.StatusBadRequest, "Index required but not found for %q of one of the following types: [%s]. "+
				"Help: Create an index for this key or use a different filter.", key, strings.Join(types, ", "))
		}
	}
	return nil
}

// all yields every condition of the filter, those inside others too, and no filters.
func (f *filter) all() func(yield func(*condition) bool) {
	return func(yield func(*condition) bool) {
		for _, cs := range []conditions{f.Must, f.Should, f.MustNot} {
			for i := range cs {
				if c := &cs[i]; c.Key != "" || c.IsEmpty != nil || c.HasID != nil {
					if !yield(c) {
						return
					}
					continue
				}
				for inner := range cs[i].filter.all() {
					if !yield(inner) {
						return
					}
				}
			}
		}
	}
}

func (f *filter) size() int {
	n := 0
	for range f.all() {
		n++
	}
	return n
}

var anyIndex = []string{"keyword", "integer", "float", "bool", "datetime", "text", "uuid", "geo"}

// needs returns the key of a condition and the types of index that can serve it.
func (c *condition) needs() (key string, types []string) {
	switch {
	case c.IsEmpty != nil:
		return c.IsEmpty.Key, anyIndex
	case c.HasID != nil:
		return "", nil
	case c.Count != nil:
		return c.Key, anyIndex
	case c.Match != nil && (c.Match.Text != nil || c.Match.Substring != nil):
		return c.Key, []string{"text"}
	case c.Match != nil:
		values := append(slices.Clone(c.Match.Any), c.Match.Value)
		switch values[0].(type) {
		case bool:
			return c.Key, []string{"bool"}
		case float64:
			return c.Key, []string{"integer"}
		}
		return c.Key, []string{"keyword", "uuid"}
	}
	var numbers span
	if json.Unmarshal(c.Range, &numbers) == nil {
		return c.Key, []string{"float", "integer"}
	}
	return c.Key, []string{"datetime"}
}

// Points returns the payloads of a collection's points by their ids, for tests that look behind the index.
func (s *Server) Points(name string) map[string]map[string]any {
	s.mu.Lock()
	defer s.mu.Unlock()
	c, no := s.named(name)
	if no != nil {
		return nil
	}
	out := map[string]map[string]any{}
	for key, p := range c.points {
		out[key] = maps.Clone(p.payload)
	}
	return out
}

// Indexed returns the keys of a collection that have a payload index, in byte order.
func (s *Server) Indexed(name string) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	c, no := s.named(name)
	if no != nil {
		return nil
	}
	return slices.Sorted(maps.Keys(c.schema))
}

// Aliases returns the collections of the aliases.
func (s *Server) Aliases() map[string]string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return maps.Clone(s.aliases)
}

// Names returns the collections, in byte order.
func (s *Server) Names() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Sorted(maps.Keys(s.collections))
}
