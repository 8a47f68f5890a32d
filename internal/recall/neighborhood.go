package recall

import (
	"cmp"
	"context"
	"slices"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/facts"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/truth"
)

// Neighborhood returns an entity, or the one that it was merged into, with its surroundings: its active facts and those
// that name it, by ascending id; then the facts up to hops (0 to 2) away from them, as [role.Graph.Walk] goes; and the
// entities that all of these are about or name. It returns at most [trilith.MaxWalk] facts. With a limit, or as of a
// time, it is bounded: see [trilith.NeighborhoodQuery].
func (rd *Reader) Neighborhood(ctx context.Context, s trilith.Scope, q trilith.NeighborhoodQuery) (
	trilith.Neighborhood, error) {
	id, hops := q.ID, q.Hops
	if err := truth.CheckScope(s); err != nil {
		return trilith.Neighborhood{}, err
	}
	if err := id.Validate(); err != nil {
		return trilith.Neighborhood{}, err
	}
	if hops < 0 || hops > maxHops {
		return trilith.Neighborhood{}, trilith.Errorf(trilith.Invalid, "hops: is %d, must be 0 to %d", hops, maxHops)
	}
	if q.Limit < 0 || q.Limit > trilith.MaxAround {
		return trilith.Neighborhood{}, trilith.Errorf(trilith.Invalid, "limit: is %d, must be 1 to %d", q.Limit, trilith.MaxAround)
	}
	v, err := rd.entities.Survivor(ctx, s, id)
	if err == nil {
		v, err = rd.entities.ShownOne(ctx, s, v)
	}
	if err != nil {
		return trilith.Neighborhood{}, err
	}
	if q.Limit > 0 || q.AsOf != "" {
		return rd.around(ctx, s, v, q)
	}
	own, err := rd.truth.Graph.Facts(ctx, s, []trilith.ID{v.ID}, 0)
	if err != nil {
		return trilith.Neighborhood{}, err
	}
	naming, err := rd.truth.Graph.Naming(ctx, s, []trilith.ID{v.ID}, 0)
	if err != nil {
		return trilith.Neighborhood{}, err
	}
	from := slices.SortedFunc(slices.Values(slices.Concat(own, naming)),
		func(a, b trilith.Memory) int { return cmp.Compare(a.ID, b.ID) })
	from = slices.CompactFunc(from, func(a, b trilith.Memory) bool { return a.ID == b.ID })
	list, err := rd.truth.Graph.Walk(ctx, s, from[:min(len(from), trilith.MaxWalk)], hops)
	if err != nil {
		return trilith.Neighborhood{}, err
	}
	return rd.neighborhood(ctx, s, v, list)
}

// around returns a bounded neighborhood: the facts of the entity and those that name it, and with hops the facts of its
// neighbours that name an entity. The nearest come first; at equal distance those that name an entity, then the latest.
func (rd *Reader) around(ctx context.Context, s trilith.Scope, v trilith.Entity, q trilith.NeighborhoodQuery) (
	trilith.Neighborhood, error) {
	at := trilith.Moment{}
	var err error
	if at.World, err = rd.truth.ClockOf(s).Time("as_of", q.AsOf); err != nil {
		return trilith.Neighborhood{}, err
	}
	have := map[trilith.ID]bool{}
	var all []trilith.Memory
	next := []trilith.ID{v.ID}
	of := map[trilith.ID]int{} // facts that hold, by the entity that they are about
	for step := 0; step <= max(1, q.Hops) && len(next) > 0; step++ {
		found, err := rd.holding(ctx, s, next, at)
		if err != nil {
			return trilith.Neighborhood{}, err
		}
		found = slices.DeleteFunc(found, func(m trilith.Memory) bool { return have[m.ID] })
		for _, m := range found {
			of[m.Fact.EntityID]++
			have[m.ID] = true
		}
		if step > 0 { // a neighbour's facts that name no entity are left out
			found = slices.DeleteFunc(found, func(m trilith.Memory) bool { return m.Fact.Node.EntityRef == "" })
		}
		if step > q.Hops { // read only to know whether there is more
			break
		}
		slices.SortFunc(found, func(a, b trilith.Memory) int {
			return cmp.Or(cmp.Compare(linked(&b), linked(&a)), b.EventTime.Compare(a.EventTime),
				cmp.Compare(a.Text, b.Text), cmp.Compare(a.ID, b.ID))
		})
		all = append(all, found...)
		next = slices.DeleteFunc(namedIn(found, v.ID), func(id trilith.ID) bool { return of[id] > 0 })
	}
	cut := 0
	if q.Limit > 0 && len(all) > q.Limit {
		cut = len(all) - q.Limit
		all = all[:q.Limit:q.Limit]
	}
	out, err := rd.neighborhood(ctx, s, v, all)
	out.Cut, out.More = cut, map[trilith.ID]int{}
	for _, m := range all {
		of[m.Fact.EntityID]--
	}
	for _, e := range append(out.Entities, v) {
		if of[e.ID] > 0 {
			out.More[e.ID] = of[e.ID]
		}
	}
	return out, err
}

// holding returns the facts about entities, or naming them, that hold now or held at a point in time.
func (rd *Reader) holding(ctx context.Context, s trilith.Scope, ids []trilith.ID, at trilith.Moment) (
	[]trilith.Memory, error) {
	now := rd.truth.Now()
	var out []trilith.Memory
	for _, field := range []string{"entity_id", "entity_ref"} {
		filter := trilith.AllOf(truth.AnyFact, trilith.Where(field, trilith.OpIn, ids))
		for m, err := range rd.truth.List(ctx, s, role.Listing{Filter: filter}) {
			if err != nil {
				return nil, err
			}
			if m.SharedFrom == "" && slices.Contains(at.States(), m.StateAt(now)) && at.Holds(&m) {
				out = append(out, m)
			}
		}
	}
	return truth.Distinct(out), nil
}

func linked(m *trilith.Memory) int {
	if m.Fact.Node.EntityRef != "" {
		return 1
	}
	return 0
}

// neighborhood makes the neighborhood of an entity from facts.
func (rd *Reader) neighborhood(ctx context.Context, s trilith.Scope, v trilith.Entity, list []trilith.Memory) (
	trilith.Neighborhood, error) {
	rd.facts.RedactQuotes(ctx, s, facts.Pointers(list))
	named, err := rd.entities.ReadAll(ctx, s, namedIn(list, v.ID))
	if err == nil {
		named, err = rd.entities.Shown(ctx, s, named)
	}
	out := trilith.Neighborhood{Entity: v, Facts: append([]trilith.Memory{}, list...),
		Entities: append([]trilith.Entity{}, named...)}
	b := truth.Bound{Size: truth.EncodedSize(&v)}
	var fewer bool
	out.Facts, out.Truncated = truth.FitWithin(&b, out.Facts)
	out.Entities, fewer = truth.FitWithin(&b, out.Entities)
	out.Truncated = out.Truncated || fewer
	return out, err
}

// namedIn returns the entities that facts are about or name, except one, by ascending id.
func namedIn(list []trilith.Memory, but trilith.ID) []trilith.ID {
	var ids []trilith.ID
	for _, m := range list {
		for _, id := range []trilith.ID{m.Fact.EntityID, m.Fact.Node.EntityRef} {
			if id != "" && id != but {
				ids = append(ids, id)
			}
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// FactsOf returns the facts of an entity, or of the one that it was merged into, in a natural order: those that hold and
// those that no longer do. Of a user with one speaker the facts of both are listed.
func (rd *Reader) FactsOf(ctx context.Context, s trilith.Scope, q trilith.EntityFactsQuery) (
	trilith.LookupResult, error) {
	asked, err := question(rd.truth, s, trilith.RecallRequest{Query: "-", States: q.States, AsOf: q.AsOf, KnownAt: q.KnownAt})
	if err := cmp.Or(truth.CheckScope(s), q.ID.Validate(), err); err != nil {
		return trilith.LookupResult{}, err
	}
	if len(q.States) == 0 && asked.At.IsZero() {
		asked.States = []trilith.State{trilith.StateActive, trilith.StateCandidate, trilith.StateSuperseded,
			trilith.StateExpired}
	}
	v, err := rd.entities.Survivor(ctx, s, q.ID)
	if err == nil {
		v, err = rd.entities.ShownOne(ctx, s, v)
	}
	if err != nil {
		return trilith.LookupResult{}, err
	}
	p, err := rd.individual(ctx, s, v)
	if err != nil {
		return trilith.LookupResult{}, err
	}
	now := rd.truth.Now()
	out := trilith.LookupResult{Entity: v, Also: p.also(), Facts: []trilith.Memory{}}
	for _, m := range p.facts {
		if slices.Contains(asked.States, m.StateAt(now)) && (asked.At.IsZero() || asked.At.Holds(&m)) {
			out.Facts = append(out.Facts, m)
		}
	}
	facts.SortByHeading(out.Facts)
	Announce(out.Facts, now)
	out.Facts, out.Truncated = truth.Fit(out.Facts)
	rd.facts.RedactQuotes(ctx, s, facts.Pointers(out.Facts))
	return out, nil
}
