package embedded

import (
	"cmp"
	"slices"

	"github.com/trilith-memory/trilith"
)

// A selection is a scope with a checked filter.
type selection struct {
	scope  trilith.Scope
	filter trilith.Filter
}

// compile checks the scope and the filter of a search.
func compile(s trilith.Scope, f trilith.Filter) (selection, error) {
	if err := s.Validate(); err != nil {
		return selection{}, err
	}
	_, err := f.Compile()
	return selection{scope: s, filter: f}, err
}

// planner turns a selection into conditions of slots.
type planner struct{ *slots }

// allow returns the slots that the selection accepts, or nil if it accepts every live slot. Slots without a memory are
// never in the set. The tenant of the selection must be the partition's. The caller owns the set and returns it with
// freeSet.
//
// Conditions that few slots meet come first. Expensive ones come last and test only the remaining slots.
func (t *slots) allow(sel selection) []uint64 {
	all := planner{t}.conditions(sel)
	if all.least == t.ids.held {
		return nil
	}
	var set []uint64
	switch first := all.of; {
	case all.most == 0:
		return newSet(len(t.live))
	case len(first) > 0 && first[0].mark != nil:
		set = newSet(len(t.live))
		first[0].mark(set)
		narrowBy(first[1:], set, all.most)
	default:
		set = copySet(t.live)
		narrowBy(all.of, set, t.ids.held)
	}
	if all.most == t.ids.held && count(set) == t.ids.held {
		freeSet(set)
		return nil
	}
	return set
}

// A condition is met by some of the slots. It is valid for the search that it was made for, under the same lock.
type condition struct {
	narrow narrower
	drop   narrower               // keeps those that do not meet it; nil: derived from narrow
	mark   func(set []uint64)     // adds the slots that meet it to an empty set; nil if narrow is faster
	meets  func(slot uint32) bool // faster for a few slots
	most   int                    // at most this many slots meet it
	least  int                    // at least this many do
	// the cost of a test: a look-up, the number of each slot, or the extra fields of each slot
	expensive int
	of        []condition // the conditions to test in turn, if it is a conjunction; otherwise only itself
}

// conditions returns the conjunction of the conditions of a selection.
func (p planner) conditions(sel selection) condition {
	conds := p.seen(sel.scope)
	if !sel.filter.IsZero() {
		conds = p.appendConditions(conds, sel.filter)
	}
	return p.all(conds)
}

// seen returns the conditions that memories must all meet for a scope to see them; see [trilith.Scope.Sees].
func (p planner) seen(s trilith.Scope) []condition {
	said := p.covered(s)
	views := s.Views()
	if len(views) == 0 {
		return said
	}
	ways := []condition{p.all(said)}
	for _, v := range views {
		ways = append(ways, p.all(append(p.covered(v.Scope), p.valueCondition(ownerColumn, string(v.Owner)))))
	}
	return []condition{p.oneOf(ways)}
}

// covered returns the conditions for memories in a scope.
func (p planner) covered(s trilith.Scope) (conds []condition) {
	for i, f := range s.Fields() { // the first columns, in the same order
		if f.Value != "" {
			conds = append(conds, p.valueCondition(i, f.Value))
		}
	}
	return conds
}

// all is the conjunction of conditions.
func (p planner) all(conds []condition) condition {
	conds = slices.DeleteFunc(conds, func(c condition) bool { return c.least == p.ids.held })
	if len(conds) == 1 {
		c := conds[0]
		c.of = conds
		return c
	}
	slices.SortStableFunc(conds, func(a, b condition) int { return cmp.Or(a.expensive-b.expensive, a.most-b.most) })
	c := condition{most: p.ids.held, of: conds, meets: func(slot uint32) bool { return meetsAll(conds, slot) }}
	c.narrow = func(set []uint64) { narrowBy(conds, set, p.ids.held) }
	if len(conds) == 0 {
		c.least = p.ids.held
	}
	for _, d := range conds {
		c.most, c.expensive = min(c.most, d.most), max(c.expensive, d.expensive)
	}
	return c
}

func meetsAll(conds []condition, slot uint32) bool {
	return !slices.ContainsFunc(conds, func(c condition) bool { return !c.meets(slot) })
}

// meets returns a function that reports whether the selection accepts a live slot.
func (t *slots) meets(sel selection) func(slot uint32) bool { return planner{t}.conditions(sel).meets }

// lookEach is the ratio of slots to set members above which testing each member is faster.
const lookEach = 100

// narrowBy applies the conditions in turn to a set of at most left slots.
func narrowBy(conds []condition, set []uint64, left int) {
	for i, c := range conds {
		if lookEach*left < 64*len(set) {
			each(set, func(slot uint32) bool { return meetsAll(conds[i:], slot) })
			return
		}
		c.narrow(set)
		left = min(left, c.most)
	}
}

// each keeps the slots of a set that meet the condition.
func each(set []uint64, meets func(slot uint32) bool) {
	for slot := range members(set) {
		if !meets(slot) {
			set[slot/64] &^= 1 << (slot % 64)
		}
	}
}

// oneOf is the disjunction of conditions.
func (p planner) oneOf(conds []condition) condition {
	var c condition
	for _, d := range conds {
		c.most, c.least, c.expensive = min(c.most+d.most, p.ids.held), max(c.least, d.least),
			max(c.expensive, d.expensive)
	}
	slices.SortStableFunc(conds, func(a, b condition) int { return a.expensive - b.expensive })
	c.meets = func(slot uint32) bool {
		return slices.ContainsFunc(conds, func(d condition) bool { return d.meets(slot) })
	}
	c.narrow = func(set []uint64) {
		rest := copySet(set) // slots that have met none so far
		defer freeSet(rest)
		for _, d := range conds {
			met := copySet(rest)
			d.narrow(met)
			subtract(rest, met)
			freeSet(met)
		}
		subtract(set, rest)
	}
	return c
}

// A narrower keeps in a set of live slots those that meet a condition.
type narrower func(set []uint64)

// The costs of a test.
const (
	askPlaces = iota
	askNumbers
	askExtras
)

// appendConditions appends the conditions of f, which must all be met.
func (p planner) appendConditions(conds []condition, f trilith.Filter) []condition {
	switch {
	case f.And != nil:
		for _, g := range f.And {
			conds = p.appendConditions(conds, g)
		}
		return conds
	case f.Or != nil:
		return append(conds, p.any(f.Or))
	case f.Not != nil:
		return append(conds, p.not(p.all(p.appendConditions(nil, *f.Not))))
	}
	return append(conds, p.comparison(f))
}

// any is the disjunction of filters.
func (p planner) any(fs []trilith.Filter) condition {
	conds := make([]condition, len(fs))
	for i, f := range fs {
		conds[i] = p.all(p.appendConditions(nil, f))
	}
	return p.oneOf(conds)
}

// not is the negation of a condition.
func (p planner) not(c condition) condition {
	not := condition{narrow: c.drop, drop: c.narrow, most: p.ids.held - c.least,
		least: p.ids.held - c.most, expensive: c.expensive}
	not.meets = func(slot uint32) bool { return !c.meets(slot) }
	if not.narrow == nil {
		not.narrow = func(set []uint64) {
			met := copySet(set)
			defer freeSet(met)
			c.narrow(met)
			subtract(set, met)
		}
	}
	return not
}
