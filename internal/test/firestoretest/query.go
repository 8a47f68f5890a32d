package firestoretest

import (
	"cmp"
	"encoding/json"
	"math"
	"slices"
	"strings"
)

// query is a StructuredQuery.
type query struct {
	From []struct {
		CollectionID   string
		AllDescendants bool
	}
	Select *struct {
		Fields []fieldRef
	}
	Where       *filter
	OrderBy     []order
	StartAt     *cursor
	EndAt       *cursor
	Limit       json.Number
	FindNearest *nearest
}

type fieldRef struct{ FieldPath string }

type order struct {
	Field     fieldRef
	Direction string
}

type cursor struct {
	Values []map[string]any
	Before bool
}

type filter struct {
	CompositeFilter *struct {
		Op      string
		Filters []filter
	}
	FieldFilter *struct {
		Field fieldRef
		Op    string
		Value map[string]any
	}
}

type nearest struct {
	VectorField         fieldRef
	QueryVector         map[string]any
	DistanceMeasure     string
	Limit               json.Number
	DistanceResultField string
	DistanceThreshold   json.Number
}

const (
	nameField  = "__name__"
	ascending  = "ASCENDING"
	descending = "DESCENDING"
)

// plan is a query that was read.
type plan struct {
	collection string
	group      bool
	conditions []condition
	orders     []order
	start, end *bound
	limit      int // 0: none
	only       map[string]bool
	near       *nearest
	to         vector
	most       int
}

type condition struct {
	field, op string
	value     any
}

type bound struct {
	values []any
	before bool
}

// found is a document with its distance, where one was asked for.
type found struct {
	d        *document
	distance float64
}

func (q *query) read() (*plan, error) {
	if len(q.From) != 1 {
		return nil, invalid("a query is of one collection")
	}
	p := &plan{collection: q.From[0].CollectionID, group: q.From[0].AllDescendants, near: q.FindNearest}
	if err := p.where(q.Where); err != nil {
		return nil, err
	}
	if q.Select != nil {
		p.only = make(map[string]bool)
		for _, f := range q.Select.Fields {
			p.only[f.FieldPath] = true
		}
	}
	for _, o := range q.OrderBy {
		p.orders = append(p.orders, order{o.Field, cmp.Or(o.Direction, ascending)})
	}
	// Inequalities order, then the name decides.
	last := ascending
	for _, c := range p.conditions {
		if inequality(c.op) && !slices.ContainsFunc(p.orders,
			func(o order) bool { return o.Field.FieldPath == c.field }) {
			p.orders = append(p.orders, order{fieldRef{c.field}, ascending})
		}
	}
	if n := len(p.orders); n > 0 {
		last = p.orders[n-1].Direction
	}
	if !slices.ContainsFunc(p.orders, func(o order) bool { return o.Field.FieldPath == nameField }) {
		p.orders = append(p.orders, order{fieldRef{nameField}, last})
	}
	var err error
	if p.start, err = q.StartAt.read(len(p.orders)); err != nil {
		return nil, err
	}
	if p.end, err = q.EndAt.read(len(p.orders)); err != nil {
		return nil, err
	}
	if q.Limit != "" {
		n, err := q.Limit.Int64()
		if err != nil || n < 1 {
			return nil, invalid("limit must be positive")
		}
		p.limit = int(n)
	}
	return p, p.nearest()
}

func (p *plan) nearest() error {
	q := p.near
	if q == nil {
		return nil
	}
	v, err := decode(q.QueryVector, 1)
	if err != nil {
		return err
	}
	to, ok := v.(vector)
	n, err := q.Limit.Int64()
	switch {
	case !ok:
		return invalid("findNearest: the query vector is none")
	case err != nil || n < 1 || n > maxNearest:
		return invalid("findNearest: limit must be 1 to %d", maxNearest)
	case q.DistanceMeasure != "COSINE":
		return invalid("the double measures cosines only")
	case q.DistanceThreshold != "":
		return invalid("the double knows no threshold")
	case p.limit != 0 || p.start != nil || p.end != nil:
		return invalid("findNearest goes with neither limit nor cursors")
	}
	p.to, p.most = to, int(n)
	return nil
}

func (c *cursor) read(orders int) (*bound, error) {
	if c == nil {
		return nil, nil
	}
	if len(c.Values) == 0 || len(c.Values) > orders {
		return nil, invalid("a cursor has as many values as there are orders, or fewer")
	}
	b := &bound{before: c.Before}
	for _, raw := range c.Values {
		v, err := decode(raw, 1)
		if err != nil {
			return nil, err
		}
		b.values = append(b.values, v)
	}
	return b, nil
}

var operators = map[string]bool{"EQUAL": true, "LESS_THAN": true, "LESS_THAN_OR_EQUAL": true, "GREATER_THAN": true,
	"GREATER_THAN_OR_EQUAL": true, "IN": true, "ARRAY_CONTAINS": true, "ARRAY_CONTAINS_ANY": true}

func inequality(op string) bool {
	return strings.HasPrefix(op, "LESS") || strings.HasPrefix(op, "GREATER")
}

// where reads a conjunction of comparisons.
func (p *plan) where(f *filter) error {
	switch {
	case f == nil:
		return nil
	case f.CompositeFilter != nil:
		if f.CompositeFilter.Op != "AND" {
			return invalid("the double knows AND only")
		}
		for i := range f.CompositeFilter.Filters {
			if err := p.where(&f.CompositeFilter.Filters[i]); err != nil {
				return err
			}
		}
		return nil
	case f.FieldFilter == nil:
		return invalid("the double knows comparisons and AND")
	}
	c := condition{field: f.FieldFilter.Field.FieldPath, op: f.FieldFilter.Op}
	if !operators[c.op] {
		return invalid("the double does not know the operator %s", c.op)
	}
	v, err := decode(f.FieldFilter.Value, 1)
	if err != nil {
		return err
	}
	c.value = v
	if size(v) > maxIndexed && c.op != "IN" && c.op != "ARRAY_CONTAINS_ANY" {
		return invalid("a value of %d bytes is too large to be used in a query", size(v))
	}
	if _, isRef := v.(ref); c.field == nameField && !isRef && c.op != "IN" {
		return invalid("__key__ filter value must be a Key")
	}
	if c.op == "IN" || c.op == "ARRAY_CONTAINS_ANY" {
		items, ok := v.(list)
		if !ok || len(items) == 0 || len(items) > maxIn {
			return invalid("'%s' takes 1 to %d values", c.op, maxIn)
		}
	}
	contains := func(c condition) bool { return strings.HasPrefix(c.op, "ARRAY_CONTAINS") }
	if contains(c) && slices.ContainsFunc(p.conditions, contains) {
		return invalid("a query has one ARRAY_CONTAINS at most")
	}
	p.conditions = append(p.conditions, c)
	return nil
}

func (db *database) valueOf(d *document, field string) (any, bool) {
	if field == nameField {
		return ref(db.nameOf(d)), true
	}
	v, ok := d.fields[field]
	return v, ok
}

func (c *condition) holds(v any) bool {
	order := compare(v, c.value)
	same := rank(v) == rank(c.value)
	switch c.op {
	case "EQUAL":
		return order == 0
	case "LESS_THAN":
		return same && order < 0
	case "LESS_THAN_OR_EQUAL":
		return same && order <= 0
	case "GREATER_THAN":
		return same && order > 0
	case "GREATER_THAN_OR_EQUAL":
		return same && order >= 0
	case "IN":
		return slices.ContainsFunc(c.value.(list), func(x any) bool { return compare(v, x) == 0 })
	}
	items, ok := v.(list)
	if !ok {
		return false
	}
	if c.op == "ARRAY_CONTAINS" {
		return slices.ContainsFunc(items, func(x any) bool { return compare(x, c.value) == 0 })
	}
	return slices.ContainsFunc(items, func(x any) bool {
		return slices.ContainsFunc(c.value.(list), func(y any) bool { return compare(x, y) == 0 })
	})
}

// matches says whether a document passes: it has all fields that are compared and ordered by, and every comparison
// holds.
func (p *plan) matches(db *database, d *document) bool {
	for i := range p.conditions {
		if v, ok := db.valueOf(d, p.conditions[i].field); !ok || !p.conditions[i].holds(v) {
			return false
		}
	}
	for _, o := range p.orders {
		if _, ok := db.valueOf(d, o.Field.FieldPath); !ok {
			return false
		}
	}
	return true
}

// against compares a document with values of a cursor.
func (p *plan) against(db *database, d *document, values []any) int {
	for i, want := range values {
		v, _ := db.valueOf(d, p.orders[i].Field.FieldPath)
		c := compare(v, want)
		if p.orders[i].Direction == descending {
			c = -c
		}
		if c != 0 {
			return c
		}
	}
	return 0
}

func (p *plan) inside(db *database, d *document) bool {
	if p.start != nil {
		if c := p.against(db, d, p.start.values); c < 0 || c == 0 && !p.start.before {
			return false
		}
	}
	if p.end != nil {
		if c := p.against(db, d, p.end.values); c > 0 || c == 0 && p.end.before {
			return false
		}
	}
	return true
}

// of calls yield with every document that the query is about.
func (p *plan) of(db *database, parent string, yield func(*document)) {
	if !p.group {
		path := p.collection
		if parent != "" {
			path = parent + "/" + p.collection
		}
		for _, d := range db.collections[path] {
			yield(d)
		}
		return
	}
	for path, c := range db.collections {
		if path != p.collection && !strings.HasSuffix(path, "/"+p.collection) {
			continue
		}
		if parent != "" && !strings.HasPrefix(path, parent+"/") {
			continue
		}
		for _, d := range c {
			yield(d)
		}
	}
}

// run answers a plan, and says how many entries of an index it looked at.
func (p *plan) run(db *database, parent string) (out []found, looked int) {
	p.of(db, parent, func(d *document) {
		if !p.matches(db, d) || !p.inside(db, d) {
			return
		}
		if p.near == nil {
			out = append(out, found{d: d})
			return
		}
		v, ok := d.fields[p.near.VectorField.FieldPath].(vector)
		if ok && len(v) == len(p.to) {
			looked++
			out = append(out, found{d, distance(v, p.to)})
		}
	})
	slices.SortFunc(out, func(a, b found) int {
		if c := cmp.Compare(a.distance, b.distance); c != 0 {
			return c
		}
		for _, o := range p.orders {
			x, _ := db.valueOf(a.d, o.Field.FieldPath)
			y, _ := db.valueOf(b.d, o.Field.FieldPath)
			c := compare(x, y)
			if o.Direction == descending {
				c = -c
			}
			if c != 0 {
				return c
			}
		}
		return 0
	})
	if n := cmp.Or(p.limit, p.most); n > 0 && len(out) > n {
		out = out[:n]
	}
	return out, looked
}

func distance(a, b vector) float64 {
	var dot, aa, bb float64
	for i := range a {
		dot += a[i] * b[i]
		aa += a[i] * a[i]
		bb += b[i] * b[i]
	}
	return 1 - dot/math.Sqrt(aa*bb)
}

func (s *Server) runQuery(db *database, parent string, q *query) (any, error) {
	p, err := q.read()
	if err == nil && p.group && parent != "" {
		err = invalid("collection group queries are only allowed at the root parent")
	}
	if err != nil {
		return nil, err
	}
	if err := s.served(p); err != nil {
		return nil, err
	}
	docs, looked := p.run(db, parent)
	s.read("runQuery", p.collection, max(1, len(docs)+(looked+99)/100))
	at := stamp(s.tick())
	if len(docs) == 0 {
		return []any{map[string]any{"readTime": at}}, nil
	}
	out := make([]any, len(docs))
	for i, f := range docs {
		d := db.wire(f.d, p.only)
		if p.near != nil && p.near.DistanceResultField != "" {
			d["fields"].(map[string]any)[p.near.DistanceResultField] = encode(f.distance)
		}
		out[i] = map[string]any{"document": d, "readTime": at}
	}
	return out, nil
}

// aggregation is a StructuredAggregationQuery.
type aggregation struct {
	StructuredQuery query
	Aggregations    []struct {
		Alias string
		Count *struct{}
		Sum   *struct{ Field fieldRef }
	}
}

func (s *Server) runAggregation(db *database, parent string, q *aggregation) (any, error) {
	p, err := q.StructuredQuery.read()
	if err == nil && p.group && parent != "" {
		err = invalid("collection group queries are only allowed at the root parent")
	}
	if err != nil {
		return nil, err
	}
	if err := s.served(p); err != nil {
		return nil, err
	}
	docs, _ := p.run(db, parent)
	out := make(map[string]any)
	for _, a := range q.Aggregations {
		switch {
		case a.Count != nil:
			out[a.Alias] = encode(int64(len(docs)))
		case a.Sum != nil:
			var sum int64
			for _, f := range docs {
				n, _ := f.d.fields[a.Sum.Field.FieldPath].(int64)
				sum += n
			}
			out[a.Alias] = encode(sum)
		default:
			return nil, invalid("the double counts and sums only")
		}
	}
	s.read("runAggregationQuery", p.collection, max(1, (len(docs)+999)/1000))
	return []any{map[string]any{"result": map[string]any{"aggregateFields": out}, "readTime": stamp(s.tick())}}, nil
}
