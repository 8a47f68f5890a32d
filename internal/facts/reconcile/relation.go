package reconcile

import (
	"cmp"
	"slices"

	"github.com/trilith-memory/trilith"
)

// order is the order that relations define. Parts of a thing are independent of the sequence in time.
type order struct{ before, parts map[trilith.ID][]trilith.ID }

// breakCycles makes sure that no chain of relations puts a fact before itself. In a cycle, relations that a person
// verified take precedence, then older ones; any other relation that closes the cycle is a candidate as long as it
// does. So whether a relation holds is a function of all statements, whatever their order of arrival.
func (f *Facts) breakCycles() {
	var in []*trilith.Memory
	for _, m := range f.all() {
		if ordering(m) && (m.State == trilith.StateActive || m.State == trilith.StateCandidate && asserted(m)) {
			in = append(in, m)
		}
	}
	slices.SortFunc(in, func(a, b *trilith.Memory) int {
		return cmp.Or(cmp.Compare(vouched(b), vouched(a)), a.EventTime.Compare(b.EventTime), cmp.Compare(a.ID, b.ID))
	})
	var o order
	for _, m := range in {
		m.State = trilith.StateActive
		if !o.add(m.Fact) {
			m.State = trilith.StateCandidate
		}
	}
}

// asserted reports whether a candidate relation would hold if it closed no cycle.
func asserted(m *trilith.Memory) bool {
	v := m.Fact.Verification
	return (!v.Decided() || v.Status == trilith.Verified) &&
		(vouched(m) == 1 || slices.ContainsFunc(m.Fact.Evidence, func(e trilith.Evidence) bool {
			return !e.Withdrawn && !e.Ends && !e.Proposed
		}))
}

// vouched returns 1 for a relation that a person verified, else 0.
func vouched(m *trilith.Memory) int {
	if v := m.Fact.Verification; v.Decided() && v.Status == trilith.Verified {
		return 1
	}
	return 0
}

// ClosesCycle reports whether a relation would, together with those that hold, put something before itself.
func (f *Facts) ClosesCycle(x *trilith.Fact) bool {
	if _, _, ordered := x.Precedes(); !ordered {
		return false
	}
	var o order
	for _, m := range f.all() {
		if m.State == trilith.StateActive && !sameValue(m.Fact, x) && ordering(m) {
			o.add(m.Fact)
		}
	}
	return !o.add(x)
}

// ordering reports whether a fact is a relation that orders facts.
func ordering(m *trilith.Memory) bool {
	_, _, ordered := m.Fact.Precedes()
	return ordered && m.Fact.Polarity == trilith.Affirmed
}

// add adds a relation, unless it would put something before itself.
func (o *order) add(x *trilith.Fact) bool {
	graph := &o.before
	if x.Verb == string(trilith.PartOf) {
		graph = &o.parts
	}
	if *graph == nil {
		*graph = map[trilith.ID][]trilith.ID{}
	}
	first, then, _ := x.Precedes()
	if first == then || leads(*graph, then, first) {
		return false
	}
	(*graph)[first] = append((*graph)[first], then)
	return true
}

// leads reports whether there is a path from one assertion to another.
func leads(graph map[trilith.ID][]trilith.ID, from, to trilith.ID) bool {
	seen, open := map[trilith.ID]bool{from: true}, []trilith.ID{from}
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
