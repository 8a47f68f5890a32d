package firestore

import (
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"github.com/trilith-memory/trilith"
)

// value is a field value in Firestore's REST API: exactly one member is set.
type value struct {
	Bool   *bool      `json:"booleanValue,omitempty"`
	Int    *int64     `json:"integerValue,string,omitempty"`
	Double *double    `json:"doubleValue,omitempty"`
	Text   *string    `json:"stringValue,omitempty"`
	Time   *time.Time `json:"timestampValue,omitempty"`
	Point  *point     `json:"geoPointValue,omitempty"`
	Bytes  *[]byte    `json:"bytesValue,omitempty"`
	Name   *string    `json:"referenceValue,omitempty"`
	List   *valueList `json:"arrayValue,omitempty"`
	Map    *valueMap  `json:"mapValue,omitempty"`
}

// double is a number that is encoded as a text if JSON has no number for it.
type double float64

// UnmarshalJSON also accepts "NaN", "Infinity" and "-Infinity".
func (d *double) UnmarshalJSON(data []byte) error {
	n, err := strconv.ParseFloat(strings.Trim(string(data), `"`), 64)
	*d = double(n)
	return err
}

type point struct {
	Latitude  float64 `json:"latitude"`
	Longitude float64 `json:"longitude"`
}

func number(n int64) *value { return &value{Int: &n} }

func yes() *value { return &value{Bool: new(true)} }

func reference(n string) *value { return &value{Name: &n} }

func octets(b []byte) *value {
	if b == nil {
		b = []byte{}
	}
	return &value{Bytes: &b}
}

type valueList struct {
	Values []*value `json:"values,omitempty"`
}

type valueMap struct {
	Fields fields `json:"fields"`
}

// fields are the fields of a document. Values are pointers because values are passed on in hundreds of places, and a
// copy has eighty bytes.
type fields map[string]*value

// vectorValue encodes a vector as a map that declares its type.
func vectorValue(v trilith.Vector) *value {
	vs := make([]*value, len(v))
	for i, x := range v {
		vs[i] = &value{Double: new(double(x))}
	}
	return &value{Map: &valueMap{fields{"__type__": text("__vector__"), "value": {List: &valueList{vs}}}}}
}

// vector is the inverse of [vectorValue]; nil for anything else.
func (v *value) vector() trilith.Vector {
	if v == nil || v.Map == nil {
		return nil
	}
	list := v.Map.Fields["value"]
	if list == nil || list.List == nil {
		return nil
	}
	out := make(trilith.Vector, len(list.List.Values))
	for i, x := range list.List.Values {
		switch {
		case x == nil:
		case x.Double != nil:
			out[i] = float32(*x.Double)
		case x.Int != nil: // a whole number may be returned as an integer
			out[i] = float32(*x.Int)
		}
	}
	return out
}

func (f fields) number(name string) int64 {
	if v := f[name]; v != nil && v.Int != nil {
		return *v.Int
	}
	return 0
}

func (f fields) text(name string) string {
	if v := f[name]; v != nil && v.Text != nil {
		return *v.Text
	}
	return ""
}

func (f fields) double(name string) (float64, bool) {
	switch v := f[name]; {
	case v == nil:
	case v.Double != nil:
		return float64(*v.Double), true
	case v.Int != nil:
		return float64(*v.Int), true
	}
	return 0, false
}

func (f fields) octets(name string) []byte {
	if v := f[name]; v != nil && v.Bytes != nil {
		return *v.Bytes
	}
	return nil
}

func (f fields) has(name string) bool {
	_, ok := f[name]
	return ok
}

// document is a stored document.
type document struct {
	Name       string    `json:"name"` // the full name
	Fields     fields    `json:"fields"`
	CreateTime time.Time `json:"createTime"`
	UpdateTime time.Time `json:"updateTime"`
}

// condition is a precondition of a write.
type condition struct {
	Exists     *bool      `json:"exists,omitempty"`
	UpdateTime *time.Time `json:"updateTime,omitempty"`
}

// unchanged returns the condition that a document is still as it was read; nil means that it did not exist.
func unchanged(d *document) *condition {
	if d == nil {
		return absent()
	}
	return &condition{UpdateTime: &d.UpdateTime}
}

// write is one write in a commit.
type write struct {
	Update  *written   `json:"update,omitempty"`
	Delete  string     `json:"delete,omitempty"`
	Current *condition `json:"currentDocument,omitempty"`
}

type written struct {
	Name   string `json:"name"`
	Fields fields `json:"fields"`
}

func absent() *condition { return &condition{Exists: new(false)} }

// query is a StructuredQuery of one collection.
type query struct {
	From    []from    `json:"from"`
	Select  *fieldSet `json:"select,omitempty"`
	Where   *filter   `json:"where,omitempty"`
	OrderBy []order   `json:"orderBy,omitempty"`
	StartAt *cursor   `json:"startAt,omitempty"`
	EndAt   *cursor   `json:"endAt,omitempty"`
	Limit   int       `json:"limit,omitempty"`
	Nearest *nearest  `json:"findNearest,omitempty"`
}

type from struct {
	Collection string `json:"collectionId"`
	All        bool   `json:"allDescendants,omitempty"`
}

type nearest struct {
	Field    fieldRef `json:"vectorField"`
	Vector   *value   `json:"queryVector"`
	Measure  string   `json:"distanceMeasure"`
	Limit    int      `json:"limit"`
	Distance string   `json:"distanceResultField"`
}

// of returns a query for a collection; group means all collections of that name below the parent.
func of(collection string, group bool) *query { return &query{From: []from{{collection, group}}} }

// holding adds the condition that a list field contains any of the values.
func (q *query) holding(field string, any []string) *query {
	if len(any) == 1 {
		return q.where(field, "ARRAY_CONTAINS", text(any[0]))
	}
	return q.where(field, "ARRAY_CONTAINS_ANY", texts(any))
}

type fieldRef struct {
	Path string `json:"fieldPath"`
}

type filter struct {
	Composite *composite   `json:"compositeFilter,omitempty"`
	Field     *fieldFilter `json:"fieldFilter,omitempty"`
}

type composite struct {
	Op      string   `json:"op"`
	Filters []filter `json:"filters"`
}

type fieldFilter struct {
	Field fieldRef `json:"field"`
	Op    string   `json:"op"`
	Value *value   `json:"value"`
}

// where adds a condition that must hold.
func (q *query) where(field, op string, v *value) *query {
	f := filter{Field: &fieldFilter{fieldRef{field}, op, v}}
	switch {
	case q.Where == nil:
		q.Where = &f
	case q.Where.Composite == nil:
		q.Where = &filter{Composite: &composite{"AND", []filter{*q.Where, f}}}
	default:
		q.Where.Composite.Filters = append(q.Where.Composite.Filters, f)
	}
	return q
}

func texts(list []string) *value {
	vs := make([]*value, len(list))
	for i, s := range list {
		vs[i] = text(s)
	}
	return &value{List: &valueList{vs}}
}

func text(s string) *value { return &value{Text: &s} }

type order struct {
	Field     fieldRef `json:"field"`
	Direction string   `json:"direction"`
}

func (q *query) by(field, direction string) *query {
	q.OrderBy = append(q.OrderBy, order{fieldRef{field}, direction})
	return q
}

type fieldSet struct {
	Fields []fieldRef `json:"fields"`
}

const (
	byName     = "__name__"
	ascending  = "ASCENDING"
	descending = "DESCENDING"
)

// only limits the query to some fields; without any, to the names of documents.
func (q *query) only(names ...string) *query {
	if len(names) == 0 {
		names = []string{byName}
	}
	q.Select = &fieldSet{}
	for _, n := range names {
		q.Select.Fields = append(q.Select.Fields, fieldRef{n})
	}
	return q
}

type cursor struct {
	Values []*value `json:"values"`
	Before bool     `json:"before,omitempty"`
}

// after sets the position in the order after which the results begin.
func (q *query) after(vs ...*value) *query {
	q.StartAt = &cursor{Values: vs}
	return q
}

func (q *query) limit(n int) *query {
	q.Limit = n
	return q
}

func (q *query) String() string {
	b, _ := json.Marshal(q) // of strings and numbers
	return string(b)
}
