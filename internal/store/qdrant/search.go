package qdrant

import (
	"cmp"
	"context"
	"net/http"
	"slices"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/store/qdrantapi"
)

// Parameters of searches.
const (
	spare    = 32  // requested beyond K, because the K-th may be one of several equals
	leastEF  = 128 // how many vectors the graph search keeps in view, at least …
	efFactor = 4   // … and for each candidate: with this, 0.9996 of the 100 nearest are found
	widen    = 8   // factor for the limit of a second request
)

// search is one checked probe.
type search struct {
	tenant string
	probe  *role.VectorProbe
	match  trilith.Matcher
	scope  *trilith.Scope // to be checked by this package; nil: the server checks it
	filter condition      // of the whole request
	exact  bool           // the server checks the whole filter and the scope
	limit  int
	found  []role.Candidate
}

// Search answers all probes of a call with one request if possible. It checks the parts of a filter that the server
// cannot check, and requests more until there are enough results.
func (v *Vectors) Search(ctx context.Context, s trilith.Scope, g trilith.Generation, ps ...role.VectorProbe) (
	[][]role.Candidate, error) {
	const op = "qdrant.Search"
	if err := v.ready(ctx); err != nil {
		return nil, err
	}
	if err := s.Validate(); err != nil {
		return nil, trilith.WrapError(trilith.Invalid, op, err)
	}
	matchers := make([]trilith.Matcher, len(ps))
	for i := range ps {
		if err := ps[i].Validate(g.Dims); err != nil {
			return nil, trilith.WrapError(trilith.Invalid, op, err)
		}
		var err error
		if matchers[i], err = ps[i].Filter.Compile(); err != nil {
			return nil, trilith.WrapError(trilith.Invalid, op, err)
		}
	}
	out := make([][]role.Candidate, len(ps))
	err := v.reading(ctx, g, func(c *collection) error {
		var qs []*search
		of := make([][]*search, len(ps))
		for i := range ps {
			of[i] = c.plan(s, &ps[i], matchers[i])
			qs = append(qs, of[i]...)
		}
		if err := c.run(ctx, qs); err != nil {
			return err
		}
		for i := range ps {
			out[i] = merge(of[i], ps[i].K)
		}
		return nil
	})
	if err != nil {
		return nil, trilith.WrapError(trilith.Unavailable, op, err)
	}
	return out, nil
}

// plan makes the searches for a probe: one, or several if there are more ids than a condition may contain.
func (c *collection) plan(s trilith.Scope, p *role.VectorProbe, match trilith.Matcher) []*search {
	sees, here := seen(s), (*trilith.Scope)(nil)
	ids := min(1, len(p.IDs))
	if size(inTenant(s.Tenant, sees))+ids > c.most.conditions || !c.mayName(s) {
		sees, here = nil, &s
	}
	pushed, exact := translator{c}.filter(p.Filter, size(inTenant(s.Tenant, sees))+ids)
	exact = (exact || match == nil) && here == nil
	narrow := func(ids condition) *search {
		q := &search{tenant: s.Tenant, probe: p, match: match, scope: here, exact: exact,
			filter: inTenant(s.Tenant, sees, pushed, ids)}
		q.limit = p.K + spare
		if !exact {
			q.limit += 3 * p.K
		}
		return q
	}
	if len(p.IDs) == 0 {
		return []*search{narrow(nil)}
	}
	var out []*search
	for some := range slices.Chunk(slices.Compact(slices.Sorted(slices.Values(p.IDs))), c.most.values) {
		out = append(out, narrow(hasID(pointIDs(s.Tenant, some))))
	}
	return out
}

// merge returns the best k results of the searches for a probe.
func merge(qs []*search, k int) []role.Candidate {
	var out []role.Candidate
	for _, q := range qs {
		out = append(out, q.found...)
	}
	slices.SortFunc(out, func(a, b role.Candidate) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.ID, b.ID))
	})
	return out[:min(k, len(out))]
}

// run answers searches. If the first request did not return enough for a search, it repeats that with a higher limit,
// or, if strict mode forbids that, reads every point that the filter accepts.
func (c *collection) run(ctx context.Context, qs []*search) error {
	for len(qs) > 0 {
		var more []*search
		for some := range slices.Chunk(qs, c.most.searches) {
			answers, err := c.ask(ctx, some)
			if err != nil {
				return err
			}
			for i, q := range some {
				enough, err := q.take(answers[i], min(q.limit, c.most.limit))
				switch {
				case err != nil:
					return err
				case enough:
				case q.limit >= c.most.limit:
					if err := c.scan(ctx, q); err != nil {
						return err
					}
				default:
					q.limit *= widen
					more = append(more, q)
				}
			}
		}
		qs = more
	}
	return nil
}

// ask sends searches in one request.
func (c *collection) ask(ctx context.Context, qs []*search) ([][]qdrantapi.Point, error) {
	type found struct{ Points []qdrantapi.Point }
	path := qdrantapi.Path(c.name, "/points/query")
	if len(qs) == 1 {
		var answer found
		err := c.v.client.Call(ctx, http.MethodPost, path+c.v.reads(), c.request(qs[0]), &answer)
		return [][]qdrantapi.Point{answer.Points}, err
	}
	searches := make([]any, len(qs))
	for i, q := range qs {
		searches[i] = c.request(q)
	}
	var answers []found
	err := c.v.client.Call(ctx, http.MethodPost, path+"/batch"+c.v.reads(), map[string]any{"searches": searches},
		&answers)
	if err == nil && len(answers) != len(qs) {
		err = trilith.Errorf(trilith.Internal, "qdrant: %d searches were sent and %d answers came back", len(qs), len(answers))
	}
	out := make([][]qdrantapi.Point, len(answers))
	for i := range answers {
		out[i] = answers[i].Points
	}
	return out, err
}

// request returns the body of a search.
func (c *collection) request(q *search) map[string]any {
	limit := min(q.limit, c.most.limit)
	params := map[string]any{"hnsw_ef": min(max(leastEF, efFactor*q.probe.K, limit), c.most.ef)}
	if len(q.probe.IDs) > 0 && !c.inexact {
		params["exact"] = true
	}
	if c.v.o.Quantize != "" { // an exact score is computed from the whole vectors
		exactly := q.probe.K <= role.ExactCandidates || len(q.probe.IDs) > 0
		params["quantization"] = map[string]any{"rescore": exactly}
	}
	return c.v.body(map[string]any{"query": q.probe.Vector, "filter": q.filter, "limit": limit, "params": params,
		"with_payload": q.keys(), "with_vector": false})
}

// keys returns the payload keys that a search needs.
func (q *search) keys() []string {
	if q.exact {
		return []string{idKey, versionKey}
	}
	return []string{idKey, versionKey, facetsKey}
}

// take adds the results of a request, and reports whether they are enough: there are no more, or further ones would be
// worse than the last of K. It skips points that no index has stored.
func (q *search) take(ps []qdrantapi.Point, limit int) (enough bool, err error) {
	q.found = q.found[:0]
	for i := range ps {
		if err := q.add(&ps[i], float64(ps[i].Score)); err != nil {
			return false, err
		}
	}
	if len(ps) < limit {
		return true, nil
	}
	return len(q.found) >= q.probe.K && float64(ps[len(ps)-1].Score) < q.found[q.probe.K-1].Score, nil
}

// add adds a point if it passes the checks.
func (q *search) add(p *qdrantapi.Point, score float64) error {
	id, version, ok := memoryOf(q.tenant, p)
	if !ok {
		return nil
	}
	if !q.exact {
		text, _ := p.Payload[facetsKey].(string)
		f, err := decodeFacets(text)
		if err != nil {
			return err
		}
		if q.scope != nil && !q.scope.SeesFacets(f) || q.match != nil && !q.match(f) {
			return nil
		}
	}
	q.found = append(q.found, role.Candidate{ID: id, Version: version, Score: score})
	return nil
}

// scan reads every point that the filter accepts, page by page.
func (c *collection) scan(ctx context.Context, q *search) error {
	q.found = q.found[:0]
	body := c.v.body(map[string]any{"filter": q.filter, "limit": min(pageSize, c.most.limit), "with_payload": q.keys(),
		"with_vector": true})
	return c.v.client.Scroll(ctx, c.name, c.v.reads(), body, func(ps []qdrantapi.Point) error {
		for i := range ps {
			if len(ps[i].Vector) != len(q.probe.Vector) {
				continue
			}
			var cosine float64
			for k, x := range ps[i].Vector {
				cosine += float64(x) * float64(q.probe.Vector[k])
			}
			if err := q.add(&ps[i], cosine); err != nil {
				return err
			}
		}
		return nil
	})
}
