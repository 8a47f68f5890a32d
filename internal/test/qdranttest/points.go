package qdranttest

import (
	"cmp"
	"encoding/json"
	"maps"
	"math"
	"net/http"
	"regexp"
	"slices"
	"strconv"
)

// point is a point as it is kept: its vector has unit length, as in every collection that compares by cosine.
type point struct {
	id      any // a UUID, or a number
	vector  []float32
	payload map[string]any
}

var uuidForm = regexp.MustCompile(`^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)

// idOf is the key of a point; numbers come before UUIDs.
func idOf(id any) (string, *refusal) {
	switch id := id.(type) {
	case float64:
		return "#" + strconv.FormatFloat(id, 'f', 0, 64), nil
	case string:
		if uuidForm.MatchString(id) {
			return id, nil
		}
	}
	return "", refuse(http.StatusBadRequest, "Format error in JSON body: value %v is not a valid point ID, valid values are "+
		"either an unsigned integer or a UUID", id)
}

func (c *collection) upsert(body []byte, now bool) (any, *refusal) {
	var in struct {
		Points []struct {
			ID      any
			Vector  []float32
			Payload map[string]any
		}
		If *filter `json:"update_filter"`
	}
	if no := read(body, &in); no != nil {
		return nil, no
	}
	if no := c.strict.batch(len(in.Points)); no != nil {
		return nil, no
	}
	if no := c.mayFilter(in.If, c.strict.write()); no != nil {
		return nil, no
	}
	keys := make([]string, len(in.Points))
	for i, p := range in.Points {
		var no *refusal
		if keys[i], no = idOf(p.ID); no != nil {
			return nil, no
		}
		if len(p.Vector) != c.size {
			return nil, refuse(http.StatusBadRequest, "Wrong input: Vector dimension error: expected dim: %d, got %d", c.size,
				len(p.Vector))
		}
	}
	c.do(now, func() {
		for i, p := range in.Points {
			old, held := c.points[keys[i]]
			if held && in.If != nil && !in.If.accepts(keys[i], old.payload) {
				continue
			}
			c.points[keys[i]] = point{p.ID, unit(p.Vector), p.Payload}
		}
	})
	return done, nil
}

func unit(v []float32) []float32 {
	var sum float64
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	out := make([]float32, len(v))
	for i, x := range v {
		out[i] = float32(float64(x) / math.Sqrt(sum))
	}
	return out
}

func (c *collection) delete(body []byte, now bool) (any, *refusal) {
	var in struct {
		Points []any
		Filter *filter
	}
	if no := read(body, &in); no != nil {
		return nil, no
	}
	if no := c.mayFilter(in.Filter, c.strict.write()); no != nil {
		return nil, no
	}
	for _, id := range in.Points {
		if _, no := idOf(id); no != nil {
			return nil, no
		}
	}
	c.do(now, func() {
		for _, id := range in.Points {
			key, _ := idOf(id)
			delete(c.points, key)
		}
		if in.Filter != nil {
			maps.DeleteFunc(c.points, func(key string, p point) bool { return in.Filter.accepts(key, p.payload) })
		}
	})
	return done, nil
}

// queryRequest is one search.
type queryRequest struct {
	Query       json.RawMessage
	Filter      *filter
	Limit       *int
	WithPayload any `json:"with_payload"`
	Params      struct {
		EF    *int `json:"hnsw_ef"`
		Exact bool
	}
}

// defaultLimit is that of requests which say none.
const defaultLimit = 10

func (s *Server) query(c *collection, body []byte) (any, *refusal) {
	var in queryRequest
	if no := read(body, &in); no != nil {
		return nil, no
	}
	return s.search(c, in)
}

func (s *Server) queryBatch(c *collection, body []byte) (any, *refusal) {
	var in struct{ Searches []queryRequest }
	if no := read(body, &in); no != nil {
		return nil, no
	}
	if no := c.strict.searches(len(in.Searches)); no != nil {
		return nil, no
	}
	out := []any{}
	for _, q := range in.Searches {
		found, no := s.search(c, q)
		if no != nil {
			return nil, no
		}
		out = append(out, found)
	}
	return out, nil
}

func (s *Server) search(c *collection, in queryRequest) (any, *refusal) {
	var vector []float32
	if err := json.Unmarshal(in.Query, &vector); err != nil {
		var nearest struct{ Nearest []float32 }
		if no := read(in.Query, &nearest); no != nil {
			return nil, no
		}
		vector = nearest.Nearest
	}
	limit := defaultLimit
	if in.Limit != nil {
		limit = *in.Limit
	}
	if no := c.strict.search(limit, in.Params.EF, in.Params.Exact); no != nil {
		return nil, no
	}
	if no := c.mayFilter(in.Filter, c.strict.read()); no != nil {
		return nil, no
	}
	if len(vector) != c.size {
		return nil, refuse(http.StatusBadRequest, "Wrong input: Vector dimension error: expected dim: %d, got %d", c.size, len(vector))
	}
	vector = unit(vector)
	type scored struct {
		key   string
		score float32
	}
	var found []scored
	for _, key := range c.keys() {
		if p := c.points[key]; in.Filter == nil || in.Filter.accepts(key, p.payload) {
			var sum float64
			for i := range vector {
				sum += float64(vector[i]) * float64(p.vector[i])
			}
			found = append(found, scored{key, float32(sum)})
		}
	}
	if s.switches.Shuffle {
		s.random.Shuffle(len(found), func(i, k int) { found[i], found[k] = found[k], found[i] })
	}
	slices.SortStableFunc(found, func(a, b scored) int { return cmp.Compare(b.score, a.score) })
	out := []any{}
	for _, f := range found[:min(limit, len(found))] {
		p := c.points[f.key].out(in.WithPayload, false)
		p["score"], p["version"] = f.score, 0
		out = append(out, p)
	}
	return map[string]any{"points": out}, nil
}

func (c *collection) keys() []string { return slices.Sorted(maps.Keys(c.points)) }

// out is a point as answers have it.
func (p point) out(withPayload, withVector any) map[string]any {
	out := map[string]any{"id": p.id}
	switch want := withPayload.(type) {
	case bool:
		if want {
			out["payload"] = p.payload
		}
	case []any:
		some := map[string]any{}
		for _, key := range want {
			if v, ok := p.payload[key.(string)]; ok {
				some[key.(string)] = v
			}
		}
		out["payload"] = some
	}
	if withVector == true {
		out["vector"] = p.vector
	}
	return out
}

func (c *collection) scroll(body []byte) (any, *refusal) {
	var in struct {
		Filter      *filter
		Limit       *int
		Offset      any
		WithPayload any `json:"with_payload"`
		WithVector  any `json:"with_vector"`
	}
	if no := read(body, &in); no != nil {
		return nil, no
	}
	limit := defaultLimit
	if in.Limit != nil {
		limit = *in.Limit
	}
	if no := c.strict.search(limit, nil, false); no != nil {
		return nil, no
	}
	if no := c.mayFilter(in.Filter, c.strict.read()); no != nil {
		return nil, no
	}
	from := ""
	if in.Offset != nil {
		var no *refusal
		if from, no = idOf(in.Offset); no != nil {
			return nil, no
		}
	}
	out, next := []any{}, any(nil)
	for _, key := range c.keys() {
		p := c.points[key]
		if key < from || in.Filter != nil && !in.Filter.accepts(key, p.payload) {
			continue
		}
		if len(out) == limit {
			next = p.id
			break
		}
		if in.WithPayload == nil {
			in.WithPayload = true
		}
		out = append(out, p.out(in.WithPayload, in.WithVector))
	}
	return map[string]any{"points": out, "next_page_offset": next}, nil
}

func (c *collection) count(body []byte, lag int) (any, *refusal) {
	var in struct {
		Filter *filter
		Exact  *bool
	}
	if no := read(body, &in); no != nil {
		return nil, no
	}
	if no := c.mayFilter(in.Filter, c.strict.read()); no != nil {
		return nil, no
	}
	n := 0
	for key, p := range c.points {
		if in.Filter == nil || in.Filter.accepts(key, p.payload) {
			n++
		}
	}
	if in.Exact != nil && !*in.Exact {
		n = max(0, n-lag)
	}
	return map[string]any{"count": n}, nil
}

// Create makes a collection at the index's back, as another program would.
func (s *Server) Create(name string, size int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	mode, no := s.strictMode()
	if no != nil {
		panic(no.text) // of a test's own making
	}
	s.collections[name] = &collection{size: size, distance: "Cosine", strict: mode, schema: map[string]string{},
		points: map[string]point{}}
}

// Remove removes a point at the index's back.
func (s *Server) Remove(name, id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c, no := s.named(name); no == nil {
		delete(c.points, id)
	}
}

// Copy copies a point to another id at the index's back, with changes of its payload.
func (s *Server) Copy(name, from, to string, changes map[string]any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c, no := s.named(name); no == nil {
		p := c.points[from]
		p.id, p.payload = to, maps.Clone(p.payload)
		maps.Copy(p.payload, changes)
		c.points[to] = p
	}
}

// Put stores points at the index's back, as another program would: each has id, vector and payload.
func (s *Server) Put(name string, points ...map[string]any) {
	body, err := json.Marshal(map[string]any{"points": points})
	if err != nil {
		panic(err) // of a test's own making
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	c, no := s.named(name)
	if no == nil {
		_, no = c.upsert(body, true)
	}
	if no != nil {
		panic(no.text)
	}
}
