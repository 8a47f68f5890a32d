package reconcile

import (
	"maps"
	"slices"

	"github.com/trilith-memory/trilith"

	"time"
)

// Assignee is the place of a piece of evidence: its entity and its owner.
type Assignee struct {
	Entity trilith.ID
	Owner  trilith.Owner
}

// Assigner returns the place of a piece of evidence, and the scope in which it was stated.
type Assigner func(*trilith.Memory, *trilith.Evidence) (Assignee, trilith.Scope)

// Assigned is the result of assigning facts to owners. Moved maps former ids of facts to new ones.
type Assigned struct {
	Parted
	Moved map[trilith.ID]trilith.ID
}

// Assign assigns the facts of an entity and a verb without an owner to the owners of their evidence: a fact with
// evidence of several owners becomes one fact each. A fact that stays with the entity under one owner keeps its id; of
// several owners the one with the most evidence keeps it. there has the facts of other entities, to which some of the
// evidence belongs.
func Assign(current []trilith.Memory, to Assigner, there map[Assignee][]trilith.Memory, now time.Time) Assigned {
	a := assignment{to: to, keepers: map[string]trilith.Owner{}, parts: map[Assignee][]trilith.Memory{}}
	for i := range current {
		a.choose(&current[i])
	}
	for i := range current {
		a.part(&current[i])
	}
	out := Assigned{Moved: map[trilith.ID]trilith.ID{}}
	stay := map[trilith.ID]bool{}
	for _, place := range slices.SortedFunc(maps.Keys(a.parts), func(x, y Assignee) int {
		return slices.Compare([]string{string(x.Entity), string(x.Owner)}, []string{string(y.Entity), string(y.Owner)})
	}) {
		f := New(there[place], now)
		for _, m := range a.parts[place] {
			at := slices.IndexFunc(current, func(c trilith.Memory) bool { return c.ID == m.ID })
			old := &current[at]
			if old.Fact.EntityID == place.Entity && !m.Fact.Guest {
				stay[m.ID] = true
				f.known[m.ID] = *old
			} else {
				former := m.ID
				if m.ID = m.Fact.MemoryID(); !own(old) {
					m.ID = periodID(m.Fact, 0)
				}
				for n := 0; f.byID[m.ID] != nil; n++ {
					m.ID = periodID(m.Fact, n)
				}
				if _, moved := out.Moved[former]; !moved {
					out.Moved[former] = m.Fact.MemoryID()
				}
			}
			f.put(clone(m))
		}
		if a.several || len(there[place]) > 0 {
			for _, m := range a.parts[place] {
				f.replay(m.Fact, nil)
			}
		}
		out.Put, out.Gone = append(out.Put, f.Changed()...), append(out.Gone, f.Gone()...)
	}
	for _, m := range current {
		if stay[m.ID] {
			delete(out.Moved, m.ID)
		} else if !slices.Contains(out.Gone, m.ID) {
			out.Gone = append(out.Gone, m.ID)
		}
	}
	known := slices.Clone(current)
	for _, ms := range there {
		known = append(known, ms...)
	}
	renew(out.Put, known, known)
	return out
}

// assignment is the state of Assign.
type assignment struct {
	to      Assigner
	keepers map[string]trilith.Owner // by node: the owner whose facts keep their ids
	parts   map[Assignee][]trilith.Memory
	several bool // some evidence leaves: facts closed by a leaving fact have to be replayed
}

// assigneesOf counts the evidence of a fact by place, in the order in which it was stated.
func (a *assignment) assigneesOf(m *trilith.Memory) (places []Assignee, counts map[Assignee]int) {
	counts = map[Assignee]int{}
	for i := range m.Fact.Evidence {
		p, _ := a.to(m, &m.Fact.Evidence[i])
		if counts[p] == 0 {
			places = append(places, p)
		}
		counts[p]++
	}
	return places, counts
}

// choose decides which owner's facts of a node keep their ids.
func (a *assignment) choose(m *trilith.Memory) {
	key := nodeKey(m.Fact.Node)
	if _, chosen := a.keepers[key]; chosen && !own(m) {
		return
	}
	places, counts := a.assigneesOf(m)
	most := 0
	for _, p := range places {
		if p.Entity == m.Fact.EntityID && counts[p] > most {
			most, a.keepers[key] = counts[p], p.Owner
		}
	}
}

// part moves the evidence of a fact to its places.
func (a *assignment) part(m *trilith.Memory) {
	places, _ := a.assigneesOf(m)
	for _, p := range places {
		c := clone(*m)
		var scopes []trilith.Scope
		c.Fact.Evidence = slices.DeleteFunc(c.Fact.Evidence, func(e trilith.Evidence) bool {
			at, scope := a.to(m, &e)
			if at == p {
				scopes = append(scopes, scope)
			}
			return at != p
		})
		if !slices.Contains(scopes, c.Scope) { // it came from another owner's statement
			c.Scope = scopes[0]
		}
		c.Fact.EntityID, c.Fact.Owner = p.Entity, p.Owner
		c.Fact.Guest = p.Entity == m.Fact.EntityID && p.Owner != a.keepers[nodeKey(m.Fact.Node)]
		c.Fact.RelationshipKey = c.Fact.Key()
		a.parts[p] = append(a.parts[p], *c)
		a.several = a.several || len(a.parts) > 1 || p.Entity != m.Fact.EntityID
	}
}
