package reconcile

import (
	"maps"
	"slices"

	"github.com/trilith-memory/trilith"
)

// byOwner groups facts by owner. The facts of an entity are replayed for each owner separately and never affect each other.
func byOwner(facts []trilith.Memory) map[trilith.Owner][]trilith.Memory {
	of := map[trilith.Owner][]trilith.Memory{}
	for _, m := range facts {
		of[m.Fact.Owner] = append(of[m.Fact.Owner], m)
	}
	return of
}

// others returns the facts of all owners but one.
func others(facts []trilith.Memory, owner trilith.Owner) []trilith.Memory {
	return slices.DeleteFunc(slices.Clone(facts), func(m trilith.Memory) bool { return m.Fact.Owner == owner })
}

// forEach calls do for each owner of a fact in the lists, and combines the results.
func forEach(do func(owner trilith.Owner) Parted, lists ...[]trilith.Memory) Parted {
	owners := map[trilith.Owner]bool{}
	for _, m := range slices.Concat(lists...) {
		owners[m.Fact.Owner] = true
	}
	var all Parted
	for _, owner := range slices.Sorted(maps.Keys(owners)) {
		p := do(owner)
		all.Put, all.Gone = append(all.Put, p.Put...), append(all.Gone, p.Gone...)
	}
	return all
}
