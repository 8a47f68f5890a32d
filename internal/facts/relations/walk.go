package relations

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/facts"
	"github.com/trilith-memory/trilith/internal/facts/entities"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/truth"
)

// Of returns the relations of a fact, in both directions, up to so many hops away, and the facts that they connect.
func (r *Relations) Of(ctx context.Context, s trilith.Scope, q trilith.RelationQuery) (trilith.RelationList, error) {
	out := trilith.RelationList{Relations: []trilith.Relation{}, Facts: []trilith.Memory{}}
	if err := truth.CheckScope(s); err != nil {
		return out, err
	}
	if q.Hops < 0 || q.Hops > trilith.MaxRelationHops {
		return out, trilith.Errorf(trilith.Invalid, "hops: is %d, must be 1 to %d", q.Hops, trilith.MaxRelationHops)
	}
	at, err := r.truth.ClockOf(s).Moment(q.AsOf, "")
	if err != nil {
		return out, err
	}
	if out.Fact, err = r.truth.Get(ctx, s, q.ID); err != nil {
		return out, err
	}
	if out.Fact.Fact == nil || out.Fact.Fact.IsRelation() {
		return out, trilith.Errorf(trilith.Invalid, "id: %s is not a fact; relations connect facts", q.ID)
	}
	g, err := r.graph(ctx, s, out.Fact.Fact.Owner, at)
	if err != nil {
		return out, err
	}
	found, met := g.walk([]trilith.ID{q.ID}, max(q.Hops, 1))
	if out.Truncated = len(found) > trilith.MaxRelations; out.Truncated {
		found = found[:trilith.MaxRelations]
	}
	out.Relations = append(out.Relations, found...)
	for _, other := range slices.Sorted(maps.Keys(met)) {
		if slices.ContainsFunc(found, func(f trilith.Relation) bool { return f.From == other || f.To == other }) {
			out.Facts = append(out.Facts, g.facts[other])
		}
	}
	shown := facts.Pointers(out.Facts)
	for i := range out.Relations {
		shown = append(shown, &out.Relations[i].Memory)
	}
	r.facts.RedactQuotes(ctx, s, append(shown, &out.Fact))
	return out, nil
}

// Expand appends to facts those that relations lead to, up to so many hops away: by hops, then by id, at most
// [trilith.MaxWalk] in all. Relations never lead from one owner to another.
func (r *Relations) Expand(ctx context.Context, s trilith.Scope, from []trilith.Memory, hops int) ([]trilith.Memory, error) {
	out := from
	seen, owned := map[trilith.ID]bool{}, map[trilith.Owner][]trilith.ID{}
	for i := range from {
		seen[from[i].ID] = true
		if f := from[i].Fact; f != nil && !f.IsRelation() {
			owned[f.Owner] = append(owned[f.Owner], from[i].ID)
		}
	}
	for _, owner := range slices.Sorted(maps.Keys(owned)) {
		g, err := r.graph(ctx, s, owner, trilith.Moment{})
		if err != nil {
			return nil, err
		}
		_, met := g.walk(owned[owner], hops)
		ids := slices.SortedFunc(maps.Keys(met), func(a, b trilith.ID) int {
			return cmp.Or(cmp.Compare(met[a], met[b]), cmp.Compare(a, b))
		})
		for _, id := range ids {
			if m := g.facts[id]; !seen[id] && m.State == trilith.StateActive && len(out) < trilith.MaxWalk {
				seen[id] = true
				out = append(slices.Clip(out), m)
			}
		}
	}
	return out, nil
}

// graph is the relations of an owner that hold at a moment, between facts that a scope sees.
type graph struct {
	relations []trilith.Relation // by ascending id
	facts     map[trilith.ID]trilith.Memory
}

// Between returns the relations of an owner that hold at a moment, between facts that the scope sees, by ascending id.
func (r *Relations) Between(ctx context.Context, s trilith.Scope, owner trilith.Owner, at trilith.Moment) (
	[]trilith.Relation, error) {
	g, err := r.graph(ctx, s, owner, at)
	return g.relations, err
}

// graph reads the relations of an owner. Relations are left out if one of their ends is missing, was taken back or is
// invisible to the scope.
func (r *Relations) graph(ctx context.Context, s trilith.Scope, owner trilith.Owner, at trilith.Moment) (graph, error) {
	g := graph{facts: map[trilith.ID]trilith.Memory{}}
	now := r.truth.Now()
	states := at.States()
	if at.IsZero() {
		states = append(states, trilith.StateCandidate)
	}
	for m, err := range truth.Sound(r.truth.Store.List(ctx, s, role.Listing{Filter: ofOwner(owner)}), nil) {
		if err != nil {
			return g, err
		}
		if m.Fact.IsRelation() && m.Fact.Polarity == trilith.Affirmed && slices.Contains(states, m.StateAt(now)) &&
			at.Holds(&m) {
			g.relations = append(g.relations,
				trilith.Relation{ID: m.ID, Type: trilith.RelationType(m.Fact.Verb), Memory: m})
		}
	}
	ends := newEnds(r, s, owner)
	if err := ends.read(ctx, g.relations); err != nil {
		return g, err
	}
	kept := g.relations[:0]
	for _, rel := range g.relations {
		from, to := rel.Memory.Fact.Ends()
		a, err := ends.find(ctx, from)
		if err != nil {
			return g, err
		}
		b, err := ends.find(ctx, to)
		if err != nil {
			return g, err
		}
		if a == nil || b == nil {
			continue
		}
		rel.From, rel.To = a.ID, b.ID
		g.facts[a.ID], g.facts[b.ID] = *a, *b
		kept = append(kept, rel)
	}
	g.relations = kept
	return g, nil
}

// walk returns the relations up to so many hops from facts, by hops and then by id, and how far away the facts are that
// they lead to.
func (g *graph) walk(from []trilith.ID, hops int) (found []trilith.Relation, met map[trilith.ID]int) {
	met = map[trilith.ID]int{}
	seen, taken := map[trilith.ID]bool{}, map[trilith.ID]bool{}
	for _, id := range from {
		seen[id] = true
	}
	for hop := 1; hop <= hops; hop++ {
		var next []trilith.ID
		for _, rel := range g.relations {
			if taken[rel.ID] || !seen[rel.From] && !seen[rel.To] {
				continue
			}
			taken[rel.ID] = true
			rel.Hops = hop
			found = append(found, rel)
			next = append(next, rel.From, rel.To)
		}
		for _, id := range next {
			if !seen[id] {
				seen[id] = true
				met[id] = hop
			}
		}
	}
	return found, met
}

// ends finds the facts that relations of an owner connect, whatever entity they are of by now.
type ends struct {
	r     *Relations
	scope trilith.Scope
	owner trilith.Owner
	byID  map[trilith.ID]*trilith.Memory
	of    map[trilith.ID][]trilith.Memory // facts by entity, where they had to be read
}

func newEnds(r *Relations, s trilith.Scope, owner trilith.Owner) *ends {
	return &ends{r, s, owner, map[trilith.ID]*trilith.Memory{}, map[trilith.ID][]trilith.Memory{}}
}

// read reads the facts that relations name, those that have moved since left out.
func (e *ends) read(ctx context.Context, relations []trilith.Relation) error {
	var ids []trilith.ID
	for i := range relations {
		from, to := relations[i].Memory.Fact.Ends()
		ids = append(ids, from.ID, to.ID)
	}
	slices.Sort(ids)
	for chunk := range slices.Chunk(slices.Compact(ids), role.MaxBatch) {
		ms, _, err := truth.SoundOf(e.r.truth.Store.Get(ctx, e.scope, chunk))
		if err != nil {
			return err
		}
		for i := range ms {
			e.byID[ms[i].ID] = &ms[i]
		}
	}
	return nil
}

// find returns the fact at an end of a relation; nil if there is none to be seen.
func (e *ends) find(ctx context.Context, end trilith.RelationEnd) (*trilith.Memory, error) {
	is := func(m *trilith.Memory) bool {
		return m.Fact != nil && m.Fact.Owner == e.owner && m.Fact.AssertionID() == end.Assertion &&
			!facts.Withdrawn(m.State)
	}
	if m := e.byID[end.ID]; m != nil {
		if is(m) {
			return m, nil
		}
		return nil, nil
	}
	v, err := e.r.entities.Survivor(ctx, e.scope, end.Entity)
	if err != nil {
		return nil, entities.UnlessErased(err)
	}
	of, known := e.of[v.ID]
	if !known {
		if of, err = e.r.truth.SeenFacts(ctx, e.scope, []trilith.ID{v.ID}); err != nil {
			return nil, err
		}
		e.of[v.ID] = of
	}
	for i := range of {
		if is(&of[i]) && of[i].ID == of[i].Fact.MemoryID() {
			return &of[i], nil
		}
	}
	return nil, nil
}
