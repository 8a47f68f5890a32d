package embedded

import (
	"math/bits"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/cairn-memory/cairn"
	"github.com/cairn-memory/cairn/internal/packed"
)

// slots is the table of the memories of one partition: it gives each a small number, its slot, by which the indexes know
// it, and answers which slots a scope and a filter let through. A slot is used again after its memory was removed.
//
// Searches may run at the same time; put and remove need the table to themselves. The owner of the partition holds the
// lock, because the table and the index beside it must change together.
type slots struct {
	tenant  string
	byID    map[cairn.ID]uint32
	rows    []row    // by slot; the zero value where nothing lives
	live    []uint64 // bit set over slots
	free    []uint32
	columns [len(columnFields)]column
}

// row is a memory in the table.
type row struct {
	id      cairn.ID
	version int64
	at      int64  // microseconds since 1970
	kept    string // its facets as [appendFacets] wrote them; "" where they came by put
	// facets are nil until somebody looks at what was kept. Most are never looked at, because the columns suffice.
	facets atomic.Pointer[cairn.Facets]
}

// columnFields are the fields kept as dense columns of small integers: those of the scope, which every search looks at,
// those that nearly every filter looks at, and the entity, whose facts are a few among many.
var columnFields = [...]string{"project", "domain", "user", "agent", "session", "channel", "kind", "role", "state", "entity_id", "speaker"}

func columnValues(f *cairn.Facets) [len(columnFields)]string {
	s, entity := &f.Scope, ""
	if f.Fact != nil {
		entity = string(f.Fact.EntityID)
	}
	return [...]string{s.Project, s.Domain, s.User, s.Agent, s.Session, s.Channel, string(f.Kind), string(f.Role), string(f.State), entity, f.Speaker}
}

func newSlots(tenant string) *slots {
	t := &slots{tenant: tenant, byID: map[cairn.ID]uint32{}}
	for i := range t.columns {
		t.columns[i] = newColumn()
	}
	return t
}

// put stores the facets of a memory and returns its slot. It returns false, and changes nothing, if the table holds a
// higher version of the memory. Slices and maps of f are kept.
func (t *slots) put(f cairn.Facets, at time.Time) (uint32, bool) {
	slot, ok := t.fill(&f, at.UnixMicro(), "")
	if ok {
		t.rows[slot].facets.Store(&f)
	}
	return slot, ok
}

// fill is put for facets that are read from kept when somebody looks at them; f says the same and is not held.
func (t *slots) fill(f *cairn.Facets, at int64, kept string) (uint32, bool) {
	slot, known := t.byID[f.ID]
	if known && t.rows[slot].version > f.Version {
		return 0, false
	}
	if !known {
		slot = t.take()
		t.byID[f.ID] = slot
		t.live[slot/64] |= 1 << (slot % 64)
	}
	r := &t.rows[slot]
	r.id, r.version, r.at, r.kept = f.ID, f.Version, at, kept
	r.facets.Store(nil)
	for i, v := range columnValues(f) {
		t.columns[i].set(slot, v)
	}
	return slot, true
}

// facets returns the facets of a live slot, to be read only.
func (t *slots) facets(slot uint32) *cairn.Facets {
	r := &t.rows[slot]
	if f := r.facets.Load(); f != nil {
		return f
	}
	f := &cairn.Facets{ID: r.id, Version: r.version}
	f.Scope.Tenant = t.tenant
	readFacets(packed.Read(r.kept), f)
	r.facets.Store(f) // whoever read them at the same time read the same
	return f
}

// take returns a slot that is not in use.
func (t *slots) take() uint32 {
	if n := len(t.free); n > 0 {
		slot := t.free[n-1]
		t.free = t.free[:n-1]
		return slot
	}
	slot := uint32(len(t.rows))
	t.rows = append(t.rows, row{})
	for i := range t.columns {
		t.columns[i].codes = append(t.columns[i].codes, absent)
	}
	if int(slot/64) == len(t.live) {
		t.live = append(t.live, 0)
	}
	return slot
}

// remove forgets a memory, its version included, and returns the slot that it had.
func (t *slots) remove(id cairn.ID) (uint32, bool) {
	slot, ok := t.byID[id]
	if !ok {
		return 0, false
	}
	delete(t.byID, id)
	for i := range t.columns {
		t.columns[i].set(slot, "")
	}
	t.rows[slot] = row{}
	t.live[slot/64] &^= 1 << (slot % 64)
	t.free = append(t.free, slot)
	return slot, true
}

// candidate returns the memory of a live slot with a score.
func (t *slots) candidate(slot uint32, score float64) cairn.Candidate {
	r := &t.rows[slot]
	return cairn.Candidate{ID: r.id, Version: r.version, Score: score}
}

// compareIDs orders live slots by ascending id.
func (t *slots) compareIDs(a, b uint32) int {
	return strings.Compare(string(t.rows[a].id), string(t.rows[b].id))
}

// stamps returns what the table holds by ascending id: for ids if given, else all.
func (t *slots) stamps(ids []cairn.ID) []cairn.Stamp {
	var out []cairn.Stamp
	add := func(slot uint32) {
		r := &t.rows[slot]
		out = append(out, cairn.Stamp{ID: r.id, Version: r.version, At: time.UnixMicro(r.at).UTC()})
	}
	if len(ids) == 0 {
		for _, slot := range t.byID {
			add(slot)
		}
	}
	for _, id := range ids {
		if slot, ok := t.byID[id]; ok {
			add(slot)
		}
	}
	slices.SortFunc(out, func(a, b cairn.Stamp) int { return strings.Compare(string(a.ID), string(b.ID)) })
	return slices.Compact(out)
}

// A selection is a scope with a compiled filter.
type selection struct {
	scope  cairn.Scope
	filter cairn.Filter
	match  cairn.Matcher // nil accepts all
}

// compile checks the scope and the filter of a search.
func compile(s cairn.Scope, f cairn.Filter) (selection, error) {
	if err := s.Validate(); err != nil {
		return selection{}, err
	}
	match, err := f.Compile()
	return selection{scope: s, filter: f, match: match}, err
}

// allow returns the slots that the selection lets through as a bit set, or nil if it lets every live slot through. Slots
// without a memory are never in the set. The selection's tenant is taken to be the partition's.
//
// Conditions on columns are decided by comparing integers; the matcher sees only what they leave. Where the filter names
// the ids, nothing else is looked at.
func (t *slots) allow(sel selection) []uint64 {
	var conds []condition
	for i, f := range sel.scope.Fields() { // the first columns, in the same order
		if f.Value != "" {
			conds = append(conds, t.columns[i].among(i, len(t.byID), f.Value))
		}
	}
	rest := sel.match
	if sel.match != nil {
		var whole bool
		if conds, whole = t.push(conds, sel.filter); whole {
			rest = nil
		}
	}
	// What every memory meets is not looked at, and what few meet is looked at first.
	live := len(t.byID)
	conds = slices.DeleteFunc(conds, func(c condition) bool { return c.accepts(live) == live })
	slices.SortFunc(conds, func(a, b condition) int { return a.accepts(live) - b.accepts(live) })
	if len(conds) == 0 && rest == nil {
		return nil
	}
	if len(conds) > 0 && conds[0].accepts(live) == 0 {
		return make([]uint64, len(t.live))
	}
	set := t.named(sel.filter)
	if set == nil {
		set = slices.Clone(t.live)
	}
	for _, c := range conds {
		c.narrow(set, t.columns[c.column].codes)
	}
	passed := 0
	for w, word := range set {
		if rest != nil {
			for left := word; left != 0; left &= left - 1 {
				bit := bits.TrailingZeros64(left)
				if !rest(t.facets(uint32(w*64 + bit))) {
					word &^= 1 << bit
				}
			}
			set[w] = word
		}
		passed += bits.OnesCount64(word)
	}
	if passed == len(t.byID) {
		return nil
	}
	return set
}

// named returns the live slots of the ids that the filter names, as a bit set; nil if it names none.
func (t *slots) named(f cairn.Filter) []uint64 {
	ids := idsOf(f)
	if ids == nil {
		return nil
	}
	set := make([]uint64, len(t.live))
	for _, id := range ids {
		if slot, ok := t.byID[cairn.ID(id)]; ok {
			set[slot/64] |= 1 << (slot % 64)
		}
	}
	return set
}

// idsOf returns ids among which is every one that the filter accepts; nil if it names none.
func idsOf(f cairn.Filter) []string {
	for _, c := range f.Conjuncts() {
		var ids []any
		switch {
		case c.Field != "id":
		case c.Op == cairn.OpEq:
			ids = []any{c.Value}
		case c.Op == cairn.OpIn:
			ids = list(c.Value)
		}
		if ids == nil {
			continue
		}
		out := make([]string, len(ids))
		for i, v := range ids {
			out[i], _ = textOf(v)
		}
		return out
	}
	return nil
}

// push appends the conditions on columns that must hold whenever f holds, and reports whether they are the whole of f.
func (t *slots) push(conds []condition, f cairn.Filter) ([]condition, bool) {
	if f.And != nil {
		whole := true
		for _, g := range f.And {
			var w bool
			conds, w = t.push(conds, g)
			whole = whole && w
		}
		return conds, whole
	}
	i := slices.Index(columnFields[:], f.Field)
	if i < 0 {
		return conds, false
	}
	var values []any
	switch f.Op {
	case cairn.OpEq, cairn.OpNe:
		values = []any{f.Value}
	case cairn.OpIn, cairn.OpNin:
		values = list(f.Value)
	}
	if values == nil {
		return conds, false
	}
	c := t.columns[i].among(i, len(t.byID), values...)
	c.not = f.Op == cairn.OpNe || f.Op == cairn.OpNin
	return append(conds, c), true
}

// list returns the elements of a filter's list, nil for a type that only the matcher knows.
func list(v any) []any {
	switch v := v.(type) {
	case []any:
		return v
	case []string:
		return anys(v)
	case []cairn.ID:
		return anys(v)
	case []cairn.Kind:
		return anys(v)
	case []cairn.State:
		return anys(v)
	}
	return nil
}

func anys[T any](vs []T) []any {
	out := make([]any, len(vs))
	for i, v := range vs {
		out[i] = v
	}
	return out
}
