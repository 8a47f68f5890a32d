package firestoretest

import (
	"encoding/json"
	"slices"
	"strings"
)

// indexFile is firestore.indexes.json, as the tools of the product read it.
type indexFile struct {
	Indexes        []index
	FieldOverrides []override
}

// index is a composite index.
type index struct {
	CollectionGroup string
	QueryScope      string
	Fields          []indexField

	override []string // of an override: the field, "" for composite ones
}

type indexField struct {
	FieldPath    string
	Order        string
	ArrayConfig  string
	VectorConfig *struct {
		Dimension int
		Flat      struct{}
	}
}

// override says which indexes a single field has, instead of those that every field has.
type override struct {
	CollectionGroup string
	FieldPath       string
	Indexes         []struct {
		QueryScope, Order, ArrayConfig string
	}
}

// RequireIndexes makes the server refuse, from now on, queries that no index serves, as Firestore does and its
// emulator does not. file is the text of a firestore.indexes.json.
func (s *Server) RequireIndexes(file []byte) error {
	var f indexFile
	if err := json.Unmarshal(file, &f); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.indexes = append([]index{}, f.Indexes...)
	for _, o := range f.FieldOverrides {
		x := index{CollectionGroup: o.CollectionGroup, override: []string{o.FieldPath}}
		for _, i := range o.Indexes {
			x.override = append(x.override, i.QueryScope+" "+i.Order+i.ArrayConfig)
		}
		s.indexes = append(s.indexes, x)
	}
	return nil
}

// served refuses a query that none of the indexes serves.
func (s *Server) served(p *plan) error {
	if s.indexes == nil {
		return nil
	}
	need, contains := p.needs()
	if len(need) == 0 {
		return nil
	}
	scope := "COLLECTION"
	if p.group {
		scope = "COLLECTION_GROUP"
	}
	if s.singly(p, need, scope) {
		return nil
	}
	for _, x := range s.indexes {
		if x.override == nil && x.CollectionGroup == p.collection && x.QueryScope == scope && x.serves(p, contains) {
			return nil
		}
	}
	return refuse(400, "FAILED_PRECONDITION", "The query requires an index. collection %s, scope %s, fields %s",
		p.collection, scope, strings.Join(need, ", "))
}

// needs names the fields that an index must have for the query: the fields that are compared for equality, then those
// that order.
func (p *plan) needs() (need []string, contains int) {
	for _, c := range p.conditions {
		if strings.HasPrefix(c.op, "ARRAY_CONTAINS") {
			need = append(need, c.field+" CONTAINS")
			contains++
		} else if !inequality(c.op) && c.field != nameField {
			need = append(need, c.field+" "+ascending)
		}
	}
	if p.near != nil {
		return append(need, p.near.VectorField.FieldPath+" VECTOR"), contains
	}
	for _, o := range p.orders {
		if o.Field.FieldPath != nameField {
			need = append(need, o.Field.FieldPath+" "+o.Direction)
		}
	}
	return need, contains
}

// singly reports whether the indexes that every field has serve the query: a query of a single field, or of only
// equalities, which are merged.
func (s *Server) singly(p *plan, need []string, scope string) bool {
	equalities := true
	for _, n := range need {
		if p.near != nil {
			return false
		}
		field, kind, _ := strings.Cut(n, " ")
		if !s.has(p.collection, field, scope, kind) {
			return false
		}
	}
	for _, o := range p.orders {
		if o.Field.FieldPath != nameField || o.Direction != ascending {
			equalities = false
		}
	}
	return equalities || len(need) == 1 && !strings.HasSuffix(need[0], "CONTAINS")
}

// has says whether a field has an index of its own.
func (s *Server) has(collection, field, scope, kind string) bool {
	for _, x := range s.indexes {
		if x.override != nil && x.CollectionGroup == collection && x.override[0] == field {
			return slices.Contains(x.override[1:], scope+" "+kind)
		}
	}
	return scope == "COLLECTION"
}

// serves says whether a composite index is one for the query.
func (x *index) serves(p *plan, contains int) bool {
	var equal []string
	for _, c := range p.conditions {
		if !inequality(c.op) && c.field != nameField {
			equal = append(equal, c.field)
		}
	}
	have := x.Fields
	// The name is last by itself, and before a vector where it is written out.
	have = slices.DeleteFunc(slices.Clone(have), func(f indexField) bool { return f.FieldPath == nameField })
	if len(have) < len(equal) {
		return false
	}
	for _, f := range have[:len(equal)] {
		if !slices.Contains(equal, f.FieldPath) {
			return false
		}
		if f.ArrayConfig == "CONTAINS" {
			contains--
		}
	}
	if contains != 0 {
		return false
	}
	rest := have[len(equal):]
	if p.near != nil {
		return len(rest) == 1 && rest[0].FieldPath == p.near.VectorField.FieldPath && rest[0].VectorConfig != nil &&
			rest[0].VectorConfig.Dimension == len(p.to)
	}
	var orders []order
	for _, o := range p.orders {
		if o.Field.FieldPath != nameField {
			orders = append(orders, o)
		}
	}
	return slices.EqualFunc(rest, orders, func(f indexField, o order) bool {
		return f.FieldPath == o.Field.FieldPath && f.Order == o.Direction
	})
}
