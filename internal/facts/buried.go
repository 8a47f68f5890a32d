package facts

import (
	"context"
	"maps"
	"slices"

	"github.com/cairn-memory/cairn"
	"github.com/cairn-memory/cairn/internal/truth"
)

// Buried returns which memories have a tombstone in this tenant: among those given, and among those that the sources
// name.
func (fs *Facts) Buried(ctx context.Context, s cairn.Scope, sources []cairn.Source, ms []cairn.Memory) (
	map[cairn.ID]bool, error) {
	out := map[cairn.ID]bool{}
	_, salts, err := fs.truth.Salts(ctx, s)
	if err != nil || len(salts) == 0 {
		return out, err
	}
	byKey := map[cairn.Key][]cairn.ID{}
	add := func(h string, id cairn.ID) {
		k := cairn.Key{Space: cairn.KeyErased, Value: h}
		byKey[k] = append(byKey[k], id)
	}
	for _, salt := range salts {
		for i := range ms {
			if ms[i].Kind == cairn.KindFact {
				for _, ev := range ms[i].Fact.Evidence {
					for _, id := range ev.Episodes() {
						add(truth.IDHash(salt, id), id)
					}
				}
				for _, id := range []cairn.ID{ms[i].Fact.EntityID, ms[i].Fact.Node.EntityRef} {
					add(truth.IDHash(salt, id), id)
				}
				continue
			}
			for _, h := range append(truth.HashesOf(salt, truth.ScopeText(ms[i].Scope), &ms[i]),
				truth.IDHash(salt, ms[i].ID)) {
				add(h, ms[i].ID)
			}
		}
		for _, src := range sources {
			for _, id := range src.MemoryIDs {
				add(truth.IDHash(salt, id), id)
			}
		}
	}
	owners, err := fs.truth.Store.Find(ctx, truth.TenantOf(s), slices.Collect(maps.Keys(byKey)))
	if err != nil {
		return nil, err
	}
	for k := range owners {
		for _, id := range byKey[k] {
			out[id] = true
		}
	}
	for _, m := range ms { // a fact goes with all its evidence, and with the entities that it is about or names
		if m.Kind == cairn.KindFact &&
			(out[m.Fact.EntityID] || out[m.Fact.Node.EntityRef] ||
				!slices.ContainsFunc(m.Fact.Evidence, func(ev cairn.Evidence) bool {
					return !ev.RestsOn(func(id cairn.ID) bool { return out[id] })
				})) {
			out[m.ID] = true
		}
	}
	return out, nil
}

// BuryValues adds the facts whose values were erased or judged here to the buried ones, and removes the quotes of
// buried facts from the others.
func (fs *Facts) BuryValues(ctx context.Context, s cairn.Scope, entities []cairn.Entity, ms []cairn.Memory,
	buried map[cairn.ID]bool) error {
	var facts []cairn.Memory
	for i := range ms {
		if ms[i].Kind != cairn.KindFact || buried[ms[i].ID] {
			continue
		}
		fact := *ms[i].Fact // a copy: the caller's fact stays unchanged
		fact.Evidence = slices.DeleteFunc(slices.Clone(fact.Evidence), func(ev cairn.Evidence) bool {
			return ev.RestsOn(func(id cairn.ID) bool { return buried[id] })
		})
		ms[i].Fact = &fact
		facts = append(facts, ms[i])
	}
	for _, id := range truth.EntitiesOf(facts) {
		var entity cairn.Entity
		if i := slices.IndexFunc(entities, func(v cairn.Entity) bool { return v.ID == id }); i >= 0 {
			entity = entities[i]
		} else if known, err := fs.entities.Read(ctx, s, id); err == nil {
			entity = known
		} else if cairn.KindOf(err) != cairn.NotFound {
			return err
		}
		of := slices.DeleteFunc(slices.Clone(facts), func(m cairn.Memory) bool { return m.Fact.EntityID != id })
		judged, err := fs.judgedValues(ctx, s, entity, of)
		if err != nil {
			return err
		}
		for i, m := range of {
			if judged[i] {
				buried[m.ID] = true
			}
		}
	}
	return nil
}
