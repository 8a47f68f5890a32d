package reconcile

import (
	"cmp"
	"slices"

	"github.com/cairn-memory/cairn"
)

// breakCycles makes sure that no chain of relations puts a fact before itself. In a cycle, relations that a person
// verified take precedence, then older ones; any other relation that closes the cycle is a candidate as long as it
// does. So whether a relation holds is a function of all statements, whatever their order of arrival.
func (f *Facts) breakCycles() {
	var in []*cairn.Memory
	for _, m := range f.all() {
		if ordering(m) && (m.State == cairn.StateActive || m.State == cairn.StateCandidate && asserted(m)) {
			in = append(in, m)
		}
	}
	slices.SortFunc(in, func(a, b *cairn.Memory) int {
		return cmp.Or(cmp.Compare(vouched(b), vouched(a)), a.EventTime.Compare(b.EventTime), cmp.Compare(a.ID, b.ID))
	})
	var o order
	for _, m := range in {
		if m.State = cairn.StateActive; !o.add(m.Fact) {
			m.State = cairn.StateCandidate
		}
	}
}

// ordering reports whether a fact is a relation that orders facts.
func ordering(m *cairn.Memory) bool {
	_, _, ordered := m.Fact.Precedes()
	return ordered && m.Fact.Polarity == cairn.Affirmed
}

// asserted reports whether a candidate relation would hold if it closed no cycle.
func asserted(m *cairn.Memory) bool {
	v := m.Fact.Verification
	return (!v.Decided() || v.Status == cairn.Verified) &&
		(vouched(m) == 1 || slices.ContainsFunc(m.Fact.Evidence, func(e cairn.Evidence) bool {
			return !e.Withdrawn && !e.Ends && !e.Proposed
		}))
}

// vouched returns 1 for a relation that a person verified, else 0.
func vouched(m *cairn.Memory) int {
	if v := m.Fact.Verification; v.Decided() && v.Status == cairn.Verified {
		return 1
	}
	return 0
}

// order is the order that relations define. Parts of a thing are independent of the sequence in time.
type order struct{ before, parts map[cairn.ID][]cairn.ID }

// add adds a relation, unless it would put something before itself.
func (o *order) add(x *cairn.Fact) bool {
	graph := &o.before
	if x.Verb == string(cairn.PartOf) {
		graph = &o.parts
	}
	if *graph == nil {
		*graph = map[cairn.ID][]cairn.ID{}
	}
	first, then, _ := x.Precedes()
	if first == then || leads(*graph, then, first) {
		return false
	}
	(*graph)[first] = append((*graph)[first], then)
	return true
}

// leads reports whether there is a path from one assertion to another.
func leads(graph map[cairn.ID][]cairn.ID, from, to cairn.ID) bool {
	seen, open := map[cairn.ID]bool{from: true}, []cairn.ID{from}
	for len(open) > 0 {
		at := open[len(open)-1]
		open = open[:len(open)-1]
		for _, next := range graph[at] {
			if next == to {
				return true
			}
			if !seen[next] {
				seen[next] = true
				open = append(open, next)
			}
		}
	}
	return false
}

// ClosesCycle reports whether a relation would, together with those that hold, put something before itself.
func (f *Facts) ClosesCycle(x *cairn.Fact) bool {
	if _, _, ordered := x.Precedes(); !ordered {
		return false
	}
	var o order
	for _, m := range f.all() {
		if m.State == cairn.StateActive && !sameValue(m.Fact, x) && ordering(m) {
			o.add(m.Fact)
		}
	}
	return !o.add(x)
}
