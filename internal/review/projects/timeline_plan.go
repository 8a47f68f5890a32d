package projects

import (
	"slices"
	"time"

	"github.com/trilith-memory/trilith"
)

// plan is what waits for what among the items of a timeline.
type plan struct {
	items map[trilith.ID]*trilith.TimelineItem
	order []trilith.ID // ascending
	after map[trilith.ID][]trilith.ID
	parts map[trilith.ID][]trilith.ID // what an item belongs to
	best  map[trilith.ID]*chain
}

// chain is items that wait for each other, the one that is done first at the end. Those without a day are part of it
// and add none.
type chain struct {
	item   trilith.ID
	before *chain
	n      int
	first  time.Time // the earliest day; zero while no item has one
	last   time.Time // the last day of the last item that has one
}

func newPlan(items []trilith.TimelineItem) *plan {
	p := &plan{items: map[trilith.ID]*trilith.TimelineItem{}, after: map[trilith.ID][]trilith.ID{},
		parts: map[trilith.ID][]trilith.ID{}, best: map[trilith.ID]*chain{}}
	for i := range items {
		p.items[items[i].ID] = &items[i]
		p.order = append(p.order, items[i].ID)
	}
	slices.Sort(p.order)
	return p
}

// relate takes in a relation. It reports false if it is one that orders and an item of it is not on the timeline.
func (p *plan) relate(r *trilith.Relation) bool {
	if r.Memory.State == trilith.StateCandidate {
		return true
	}
	first, then, graph := r.To, r.From, p.after
	switch r.Type {
	case trilith.DependsOn:
	case trilith.Blocks:
		first, then = r.From, r.To
	case trilith.PartOf:
		graph = p.parts
	default:
		return true
	}
	if p.items[first] == nil || p.items[then] == nil {
		return false
	}
	if !slices.Contains(graph[then], first) {
		graph[then] = append(graph[then], first)
	}
	return true
}

// finish fills in what an item waits for.
func (p *plan) finish(it *trilith.TimelineItem) {
	it.After = append(it.After, p.after[it.ID]...)
	slices.Sort(it.After)
	it.PartOf = slices.Clone(p.parts[it.ID])
	slices.Sort(it.PartOf)
	for _, id := range it.After {
		if before := p.items[id]; it.End != nil && before.End != nil && before.End.After(it.Begins()) {
			it.Late = append(it.Late, id)
		}
	}
}

// critical returns the chain that beats all others, the item that is done first at its beginning. A single item is no
// chain.
func (p *plan) critical() ([]trilith.ID, int) {
	var most *chain
	for _, id := range p.order {
		if c := p.chainTo(id, map[trilith.ID]bool{}); c.n > 1 && c.days() > 0 && c.beats(most) {
			most = c
		}
	}
	if most == nil {
		return []trilith.ID{}, 0
	}
	return most.ids(), most.days()
}

// chainTo returns the best chain that ends with an item. What leads back to an item under way is no way: relations of
// a past moment may form a circle.
func (p *plan) chainTo(id trilith.ID, under map[trilith.ID]bool) *chain {
	if c := p.best[id]; c != nil {
		return c
	}
	under[id] = true
	defer delete(under, id)
	var best *chain
	for _, first := range append([]trilith.ID{""}, p.after[id]...) {
		c := &chain{item: id, n: 1}
		if first != "" {
			if under[first] {
				continue
			}
			c.before = p.chainTo(first, under)
			c.n, c.first, c.last = c.before.n+1, c.before.first, c.before.last
		}
		if it := p.items[id]; it.End != nil {
			if from := it.Begins(); c.first.IsZero() || from.Before(c.first) {
				c.first = from
			}
			c.last = *it.End
		}
		if c.leads(best) {
			best = c
		}
	}
	p.best[id] = best
	return best
}

// leads reports whether a chain is better than another one as the beginning of a longer chain: it begins earlier.
func (c *chain) leads(o *chain) bool {
	switch {
	case o == nil || c.first.IsZero() != o.first.IsZero():
		return o == nil || o.first.IsZero()
	case !c.first.Equal(o.first):
		return c.first.Before(o.first)
	}
	return c.beats(o)
}

// beats reports whether a chain spans more days than another, or as many in more items, or else comes first by the ids
// of its items from the one that is done first.
func (c *chain) beats(o *chain) bool {
	switch {
	case o == nil || c.days() != o.days():
		return o == nil || c.days() > o.days()
	case c.n != o.n:
		return c.n > o.n
	}
	return slices.Compare(c.ids(), o.ids()) < 0
}

// days are how many a chain spans.
func (c *chain) days() int {
	if c.first.IsZero() || c.last.Before(c.first) {
		return 0
	}
	return int(c.last.Sub(c.first)/(24*time.Hour)) + 1
}

func (c *chain) ids() []trilith.ID {
	var out []trilith.ID
	for ; c != nil; c = c.before {
		out = append(out, c.item)
	}
	slices.Reverse(out)
	return out
}
