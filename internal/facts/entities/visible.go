package entities

import (
	"context"
	"iter"
	"slices"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/truth"
)

// ShownOne is Shown for one entity; NotFound if the scope may not see it.
func (es *Entities) ShownOne(ctx context.Context, s trilith.Scope, v trilith.Entity) (trilith.Entity, error) {
	vs, err := es.Shown(ctx, s, []trilith.Entity{v})
	if err == nil && len(vs) == 0 {
		err = trilith.Errorf(trilith.NotFound, "entity %s does not exist", v.ID)
	}
	if err != nil {
		return trilith.Entity{}, err
	}
	return vs[0], nil
}

// InSight yields the entities that a bound caller may see, reduced to their visible parts, by ascending id.
func (es *Entities) InSight(ctx context.Context, s trilith.Scope) iter.Seq2[trilith.Entity, error] {
	return es.inSightAfter(ctx, s, "")
}

// after yields the entities that a scope may see and that come after an id, by ascending id.
func (es *Entities) after(ctx context.Context, s trilith.Scope, after trilith.ID) iter.Seq2[trilith.Entity, error] {
	if bound(s) {
		return es.inSightAfter(ctx, s, after)
	}
	return func(yield func(trilith.Entity, error) bool) {
		for r, err := range es.truth.RecordsAfter(ctx, s, role.RecordEntity, after) {
			v, err := truth.DecodeIf[trilith.Entity](r, err)
			v.Version = r.Version
			if !yield(v, err) {
				return
			}
		}
	}
}

// inSightAfter is InSight for the entities after an id.
func (es *Entities) inSightAfter(ctx context.Context, s trilith.Scope, after trilith.ID) iter.Seq2[trilith.Entity, error] {
	return func(yield func(trilith.Entity, error) bool) {
		ids, err := es.allInSight(ctx, s)
		from, _ := slices.BinarySearch(ids, after+"\x00")
		for chunk := range slices.Chunk(ids[from:], role.MaxBatch) {
			var vs []trilith.Entity
			if err == nil {
				vs, err = es.ReadAll(ctx, s, chunk)
			}
			if err == nil {
				vs, err = es.Shown(ctx, s, vs)
			}
			for _, v := range vs {
				if !yield(v, nil) {
					return
				}
			}
			if err != nil {
				break
			}
		}
		if err != nil {
			yield(trilith.Entity{}, err)
		}
	}
}

// allInSight returns the ids of all entities that facts in the scope are about or name, ascending.
func (es *Entities) allInSight(ctx context.Context, s trilith.Scope) ([]trilith.ID, error) {
	var ids []trilith.ID
	for m, err := range es.truth.List(ctx, s, role.Listing{Filter: truth.AnyFact}) {
		if err != nil {
			return nil, err
		}
		for _, id := range []trilith.ID{m.Fact.EntityID, m.Fact.Node.EntityRef} {
			if id != "" {
				ids = append(ids, id)
			}
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids), nil
}

// Shown returns the entities that a scope may see, reduced to their visible parts, in their order.
func (es *Entities) Shown(ctx context.Context, s trilith.Scope, vs []trilith.Entity) ([]trilith.Entity, error) {
	if !bound(s) {
		return vs, nil
	}
	var others []trilith.ID
	for i := range vs {
		if !isOwn(s, &vs[i]) {
			others = append(others, vs[i].ID)
		}
	}
	seen, err := es.inSight(ctx, s, others)
	if err != nil {
		return nil, err
	}
	out := make([]trilith.Entity, 0, len(vs))
	for _, v := range vs {
		switch {
		case isOwn(s, &v):
			out = append(out, v)
		case seen[v.ID]:
			out = append(out, trilith.Entity{ID: v.ID, Type: v.Type, Name: v.Name, Identifiers: []trilith.Identifier{}})
		}
	}
	return out, nil
}

// An entity belongs to the tenant: it holds the names and identifiers that all owners have given it. A caller that is
// bound to a part of the tenant sees all of its own entities. Of another entity it sees only the parts that visible
// facts about it, or naming it, reveal anyway.

// bound reports whether a caller is restricted to a part of its tenant.
func bound(s trilith.Scope) bool { return s.Bound != (trilith.Bound{}) }

// isOwn reports whether an entity belongs to the owner that a caller is bound to.
func isOwn(s trilith.Scope, v *trilith.Entity) bool {
	return v.Owner != "" && v.Owner == s.Bound.Owner()
}

// inSight returns which entities the facts in the scope are about or name.
func (es *Entities) inSight(ctx context.Context, s trilith.Scope, ids []trilith.ID) (map[trilith.ID]bool, error) {
	seen := map[trilith.ID]bool{}
	for chunk := range slices.Chunk(ids, trilith.MaxPageSize) {
		for _, field := range []string{"entity_id", "entity_ref"} {
			filter := trilith.AllOf(truth.AnyFact, trilith.Where(field, trilith.OpIn, chunk))
			for m, err := range es.truth.List(ctx, s, role.Listing{Filter: filter}) {
				if err != nil {
					return nil, err
				}
				seen[m.Fact.EntityID] = true
				seen[m.Fact.Node.EntityRef] = true
			}
		}
	}
	return seen, nil
}
