package recall

import (
	"cmp"
	"context"
	"slices"

	"github.com/cairn-memory/cairn"
	"github.com/cairn-memory/cairn/internal/facts"
	"github.com/cairn-memory/cairn/internal/truth"
)

// Neighborhood returns what lies around an entity, or around the one that it was merged into: its active facts and
// those that name it, by ascending id, then those up to hops (0 to 2) away from them as [cairn.Graph.Walk] goes, and
// the entities that all of these are about or name. At most [cairn.MaxWalk] facts are returned.
func (rd *Reader) Neighborhood(ctx context.Context, s cairn.Scope, id cairn.ID, hops int) (cairn.Neighborhood, error) {
	if err := truth.CheckScope(s); err != nil {
		return cairn.Neighborhood{}, err
	}
	if err := id.Validate(); err != nil {
		return cairn.Neighborhood{}, err
	}
	if hops < 0 || hops > maxHops {
		return cairn.Neighborhood{}, cairn.Errorf(cairn.Invalid, "hops: is %d, must be 0 to %d", hops, maxHops)
	}
	v, err := rd.entities.Survivor(ctx, s, id)
	if err != nil {
		return cairn.Neighborhood{}, err
	}
	own, err := rd.truth.Graph.Facts(ctx, s, []cairn.ID{v.ID}, 0)
	if err != nil {
		return cairn.Neighborhood{}, err
	}
	naming, err := rd.truth.Graph.Naming(ctx, s, []cairn.ID{v.ID}, 0)
	if err != nil {
		return cairn.Neighborhood{}, err
	}
	from := slices.SortedFunc(slices.Values(slices.Concat(own, naming)),
		func(a, b cairn.Memory) int { return cmp.Compare(a.ID, b.ID) })
	from = slices.CompactFunc(from, func(a, b cairn.Memory) bool { return a.ID == b.ID })
	list, err := rd.truth.Graph.Walk(ctx, s, from[:min(len(from), cairn.MaxWalk)], hops)
	if err != nil {
		return cairn.Neighborhood{}, err
	}
	var around []cairn.ID
	for _, m := range list {
		for _, id := range []cairn.ID{m.Fact.EntityID, m.Fact.Node.EntityRef} {
			if id != "" && id != v.ID {
				around = append(around, id)
			}
		}
	}
	rd.facts.Discreet(ctx, s, facts.Pointers(list))
	slices.Sort(around)
	entities, err := rd.entities.ReadAll(ctx, s, slices.Compact(around))
	out := cairn.Neighborhood{Entity: v, Facts: append([]cairn.Memory{}, list...),
		Entities: append([]cairn.Entity{}, entities...)}
	b := truth.Bound{Size: truth.EncodedSize(&v)}
	var fewer bool
	out.Facts, out.Truncated = truth.FitWithin(&b, out.Facts)
	out.Entities, fewer = truth.FitWithin(&b, out.Entities)
	out.Truncated = out.Truncated || fewer
	return out, err
}
