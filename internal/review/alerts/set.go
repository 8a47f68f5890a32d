package alerts

import (
	"slices"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/lang/textproc"
)

// set is the searches of a tenant, arranged so that a change is compared with few of them: by a value of the scope,
// then by a word of the query, or by a value that the filter asks for.
type set struct {
	edition int64
	words   textproc.Analyzer
	salt    []byte
	all     []*query
	of      map[trilith.ID]*query
	buckets map[scopeKey]*bucket
}

// scopeKey is a value of a scope; the zero value means the whole tenant.
type scopeKey struct{ name, value string }

// bucket is the searches that look at one value of a scope.
type bucket struct {
	byTerm  map[string][]*query
	byValue map[string]map[string][]*query // by field of a filter and value
	rest    []*query
}

// narrow are the fields of a scope, those that few memories share first.
var narrow = []string{"session", "user", "agent", "project", "domain", "channel"}

// telling are the fields of a filter that searches are found by, those that few memories share first.
var telling = []string{"id", "entity_id", "external_id", "source_id", "fact_id", "entity_ref", "speaker", "verb",
	"category", "title", "fact_type", "financial_type", "type", "kind"}

const maxAnchors = 20 // values of a list that a search is found by

func newSet(edition int64, words textproc.Analyzer, salt []byte) *set {
	return &set{edition: edition, words: words, salt: salt, of: map[trilith.ID]*query{}, buckets: map[scopeKey]*bucket{}}
}

func (s *set) add(q *query) {
	q.place = len(s.all)
	s.all, s.of[q.ID] = append(s.all, q), q
	keys := []scopeKey{keyOf(q.sight)}
	for _, v := range q.sight.Views() {
		keys = append(keys, keyOf(v.Scope))
	}
	for i, k := range keys {
		if slices.Contains(keys[:i], k) {
			continue
		}
		b := s.buckets[k]
		if b == nil {
			b = &bucket{byTerm: map[string][]*query{}, byValue: map[string]map[string][]*query{}}
			s.buckets[k] = b
		}
		b.add(q)
	}
}

// keyOf is the value of a scope that few memories share.
func keyOf(s trilith.Scope) scopeKey {
	for _, name := range narrow {
		for _, f := range s.Fields() {
			if f.Name == name && f.Value != "" {
				return scopeKey{name, f.Value}
			}
		}
	}
	return scopeKey{}
}

func (b *bucket) add(q *query) {
	if len(q.terms) > 0 {
		longest := slices.MaxFunc(q.terms, func(x, y []string) int { return len(x[0]) - len(y[0]) })
		for _, form := range longest {
			b.byTerm[form] = append(b.byTerm[form], q)
		}
		return
	}
	conjuncts := q.Filter.Conjuncts()
	for _, field := range telling {
		for _, c := range conjuncts {
			if values := anchors(c, field); values != nil {
				if b.byValue[field] == nil {
					b.byValue[field] = map[string][]*query{}
				}
				for _, v := range values {
					b.byValue[field][v] = append(b.byValue[field][v], q)
				}
				return
			}
		}
	}
	b.rest = append(b.rest, q)
}

// anchors returns the values of a field if a comparison requires one of them, else nil.
func anchors(c trilith.Filter, field string) (out []string) {
	if c.Field != field || c.Op != trilith.OpEq && c.Op != trilith.OpIn {
		return nil
	}
	values, null, err := c.Operands()
	if err != nil || null || len(values) == 0 || len(values) > maxAnchors {
		return nil
	}
	for _, v := range values {
		text, ok := v.(string)
		if !ok {
			return nil
		}
		if !slices.Contains(out, text) {
			out = append(out, text)
		}
	}
	return out
}

// near returns the searches that may be about a memory, in the order of the set. No others are.
func (s *set) near(x *subject) []*query {
	var out []*query
	keys := []scopeKey{{}}
	for _, f := range x.Scope.Fields() {
		if f.Value != "" {
			keys = append(keys, scopeKey{f.Name, f.Value})
		}
	}
	for _, k := range keys {
		b := s.buckets[k]
		if b == nil {
			continue
		}
		out = append(out, b.rest...)
		if len(b.byTerm) > 0 {
			x.find()
			if len(b.byTerm) < len(x.terms) {
				for term, qs := range b.byTerm {
					if x.terms[term] {
						out = append(out, qs...)
					}
				}
			} else {
				for term := range x.terms {
					out = append(out, b.byTerm[term]...)
				}
			}
		}
		for field, of := range b.byValue {
			if v, ok := trilith.FieldOf(field)(&x.facets).(string); ok {
				out = append(out, of[v]...)
			}
		}
	}
	slices.SortFunc(out, func(a, b *query) int { return a.place - b.place })
	return slices.Compact(out)
}
