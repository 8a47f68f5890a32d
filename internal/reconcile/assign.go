package reconcile

import (
	"maps"
	"slices"

	"github.com/cairn-memory/cairn"

	"time"
)

// Assignee is where a piece of evidence belongs: the entity of which it was said, and whose it is.
type Assignee struct {
	Entity cairn.ID
	Owner  cairn.Owner
}

// Assigner says where a piece of evidence belongs, and in which scope it was said.
type Assigner func(*cairn.Memory, *cairn.Evidence) (Assignee, cairn.Scope)

// Assigned is what becomes of facts that are given to their owners. Moved says under which id a fact is now that was
// under a former one.
type Assigned struct {
	Parted
	Moved map[cairn.ID]cairn.ID
}

// Assign gives the facts of an entity and a verb that have no owner yet to the owners of their evidence: a fact with
// evidence of several owners becomes one of each. A fact that stays with the entity under one owner keeps its id; of
// several owners the one with most of the evidence does. there has the facts of other entities, for which some of the
// evidence was meant.
func Assign(current []cairn.Memory, to Assigner, there map[Assignee][]cairn.Memory, now time.Time) Assigned {
	a := assignment{to: to, keepers: map[string]cairn.Owner{}, parts: map[Assignee][]cairn.Memory{}}
	for i := range current {
		a.choose(&current[i])
	}
	for i := range current {
		a.part(&current[i])
	}
	out := Assigned{Moved: map[cairn.ID]cairn.ID{}}
	stay := map[cairn.ID]bool{}
	for _, place := range slices.SortedFunc(maps.Keys(a.parts), func(x, y Assignee) int {
		return slices.Compare([]string{string(x.Entity), string(x.Owner)}, []string{string(y.Entity), string(y.Owner)})
	}) {
		f := New(there[place], now)
		for _, m := range a.parts[place] {
			at := slices.IndexFunc(current, func(c cairn.Memory) bool { return c.ID == m.ID })
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

// assignment is an Assign on its way.
type assignment struct {
	to      Assigner
	keepers map[string]cairn.Owner // by node: the owner that keeps the ids of its facts with the entity
	parts   map[Assignee][]cairn.Memory
	several bool // not everything stays together: facts closed by a fact that leaves have to be replayed
}

// assigneesOf counts the evidence of a fact by where it belongs, in the order in which it was said.
func (a *assignment) assigneesOf(m *cairn.Memory) (places []Assignee, counts map[Assignee]int) {
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

// choose says who keeps the ids of the facts of a node that stay with their entity.
func (a *assignment) choose(m *cairn.Memory) {
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

// part gives the evidence of a fact to where it belongs.
func (a *assignment) part(m *cairn.Memory) {
	places, _ := a.assigneesOf(m)
	for _, p := range places {
		c := clone(*m)
		var scopes []cairn.Scope
		c.Fact.Evidence = slices.DeleteFunc(c.Fact.Evidence, func(e cairn.Evidence) bool {
			at, scope := a.to(m, &e)
			if at == p {
				scopes = append(scopes, scope)
			}
			return at != p
		})
		if !slices.Contains(scopes, c.Scope) { // it was the scope of what another owner said
			c.Scope = scopes[0]
		}
		c.Fact.EntityID, c.Fact.Owner = p.Entity, p.Owner
		c.Fact.Guest = p.Entity == m.Fact.EntityID && p.Owner != a.keepers[nodeKey(m.Fact.Node)]
		c.Fact.RelationshipKey = c.Fact.Key()
		a.parts[p] = append(a.parts[p], *c)
		a.several = a.several || len(a.parts) > 1 || p.Entity != m.Fact.EntityID
	}
}
