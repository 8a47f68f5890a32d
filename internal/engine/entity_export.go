package engine

import (
	"context"
	"encoding/json"
	"iter"
	"slices"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/facts/entities"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/truth"
)

// exportEntities yields the entities of the tenant with their records: their history, what merges changed, as far as
// the scope covers it, and open questions. A caller that is bound to a part of the tenant gets only the entities that
// it may see.
func (e *Engine) exportEntities(ctx context.Context, s trilith.Scope) iter.Seq2[trilith.ExportItem, error] {
	item := map[role.RecordKind]func(role.Record) (trilith.ExportItem, error){
		role.RecordEntity: func(r role.Record) (trilith.ExportItem, error) {
			v, err := truth.Decode[trilith.Entity](r)
			v.Version = r.Version
			return trilith.ExportItem{Entity: &v}, err
		},
		role.RecordChange: func(r role.Record) (trilith.ExportItem, error) {
			c, err := truth.Decode[trilith.EntityChange](r)
			return trilith.ExportItem{Change: &c}, err
		},
		role.RecordMerge: func(r role.Record) (trilith.ExportItem, error) {
			mg, err := entities.DecodeMerge(s.Tenant, r)
			mg.Facts = slices.DeleteFunc(mg.Facts, func(m trilith.Memory) bool { return !s.SeesMemory(&m) })
			return trilith.ExportItem{Merge: &mg}, err
		},
		role.RecordReview: func(r role.Record) (trilith.ExportItem, error) {
			v, err := truth.Decode[trilith.ReviewItem](r)
			return trilith.ExportItem{Review: &v}, err
		},
	}
	return func(yield func(trilith.ExportItem, error) bool) {
		if s.Bound != (trilith.Bound{}) {
			for v, err := range e.entities.InSight(ctx, s) {
				if !yield(trilith.ExportItem{Entity: &v}, err) || truth.Fatal(err) {
					return
				}
			}
			return
		}
		for _, kind := range []role.RecordKind{role.RecordEntity, role.RecordChange, role.RecordMerge,
			role.RecordReview} {
			for r, err := range e.truth.Records(ctx, truth.TenantOf(s), kind) {
				var it trilith.ExportItem
				if err == nil {
					it, err = item[kind](r)
				}
				if !yield(it, err) || truth.Fatal(err) {
					return
				}
			}
		}
	}
}

// entityItems are the items of an import that concern entities.
type entityItems struct {
	entities []trilith.Entity
	changes  []trilith.EntityChange
	merges   []trilith.EntityMerge
	reviews  []trilith.ReviewItem
}

func (items *entityItems) add(it trilith.ExportItem) {
	switch {
	case it.Entity != nil:
		v := *it.Entity
		v.Masking = trilith.Masking{}
		items.entities = append(items.entities, v)
	case it.Change != nil:
		items.changes = append(items.changes, *it.Change)
	case it.Merge != nil:
		items.merges = append(items.merges, *it.Merge)
	case it.Review != nil:
		items.reviews = append(items.reviews, *it.Review)
	}
}

func (items *entityItems) len() int {
	return len(items.entities) + len(items.changes) + len(items.merges) + len(items.reviews)
}

// checkEntityItem returns an error for an item about an entity that no export of trilith contains.
func checkEntityItem(it *trilith.ExportItem) error {
	switch {
	case it.Entity != nil:
		v := it.Entity
		if err := truth.FirstError(truth.CheckIDs("entity.id", []trilith.ID{v.ID}),
			truth.CheckIDs("entity.merged", v.Merged)); err != nil {
			return err
		}
		if v.MergedInto != "" {
			if err := truth.CheckIDs("entity.merged_into", []trilith.ID{v.MergedInto}); err != nil {
				return err
			}
		}
		for _, id := range v.Identifiers {
			if err := entities.CheckIdentifier(id); err != nil {
				return trilith.Errorf(trilith.Invalid, "entity.%s", trilith.MessageOf(err))
			}
		}
	case it.Change != nil:
		if it.Change.Seq < 1 {
			return trilith.Errorf(trilith.Invalid, "entity_change.seq: must be at least 1")
		}
		return truth.CheckIDs("entity_change.entity_id", []trilith.ID{it.Change.EntityID})
	case it.Merge != nil:
		if err := truth.CheckIDs("entity_merge.from", []trilith.ID{it.Merge.From, it.Merge.Into}); err != nil {
			return err
		}
		for i := range it.Merge.Facts {
			m := &it.Merge.Facts[i]
			if err := truth.CheckMemory(m); err != nil || m.Fact == nil {
				return trilith.Errorf(trilith.Invalid, "entity_merge.facts: fact %d is not a valid fact", i)
			}
		}
	case it.Review != nil:
		return truth.CheckIDs("review.id", append([]trilith.ID{it.Review.ID}, it.Review.Entities...))
	}
	return nil
}

// restoreEntities adds entities and their records to the batch, and returns how many of the items exist already or were
// erased. If another entity has an identifier of a restored one, the inbox asks whether the two are one.
func (e *Engine) restoreEntities(ctx context.Context, s trilith.Scope, items entityItems, b *role.Batch) (
	known int, err error) {
	if items.len() == 0 {
		return 0, nil
	}
	items.entities = slices.Clone(items.entities) // some identifiers may have to be removed
	there, err := e.thereAlready(ctx, s, items)
	if err != nil {
		return 0, err
	}
	put := func(kind role.RecordKind, id, about trilith.ID, version int64, v any) error {
		if there[role.Ref{Kind: kind, ID: id}] || there[role.Ref{ID: about}] {
			known++
			return nil
		}
		body, err := json.Marshal(v)
		b.Expect = append(b.Expect, role.Expect{Kind: kind, ID: id})
		b.Records = append(b.Records, role.Record{Kind: kind, ID: id, Version: version, Body: body})
		return err
	}
	if err := e.restoreNames(ctx, s, &items, there, b); err != nil {
		return 0, err
	}
	for _, v := range items.entities {
		if err := put(role.RecordEntity, v.ID, v.ID, v.Version, v); err != nil {
			return 0, err
		}
	}
	for _, c := range items.changes {
		if err := put(role.RecordChange, entities.ChangeID(c.EntityID, c.Seq), c.EntityID, 1, c); err != nil {
			return 0, err
		}
	}
	for _, mg := range items.merges {
		if err := put(role.RecordMerge, entities.MergeID(mg.From), mg.From, 1, mg); err != nil {
			return 0, err
		}
	}
	asked := map[trilith.ID]bool{} // an imported entity may cause the same question that the import contains
	for _, v := range items.reviews {
		if !asked[v.ID] {
			asked[v.ID] = true
			if err := put(role.RecordReview, v.ID, "", 1, v); err != nil {
				return 0, err
			}
		}
	}
	return known, nil
}

// thereAlready returns which of the items exist, by kind and id, and which of the entities were erased, by id alone.
func (e *Engine) thereAlready(ctx context.Context, s trilith.Scope, items entityItems) (map[role.Ref]bool, error) {
	ids := map[role.RecordKind][]trilith.ID{}
	for _, v := range items.entities {
		ids[role.RecordEntity] = append(ids[role.RecordEntity], v.ID)
	}
	for _, c := range items.changes {
		ids[role.RecordChange] = append(ids[role.RecordChange], entities.ChangeID(c.EntityID, c.Seq))
	}
	for _, mg := range items.merges {
		ids[role.RecordMerge] = append(ids[role.RecordMerge], entities.MergeID(mg.From))
	}
	for _, v := range items.reviews {
		ids[role.RecordReview] = append(ids[role.RecordReview], v.ID)
	}
	there := map[role.Ref]bool{}
	for kind, some := range ids {
		rs, err := e.truth.Store.Records(ctx, truth.TenantOf(s), role.RecordListing{Kind: kind, IDs: some})
		if err != nil {
			return nil, err
		}
		for _, r := range rs {
			there[role.Ref{Kind: kind, ID: r.ID}] = true
		}
	}
	_, salts, err := e.truth.Salts(ctx, s)
	if err != nil || len(salts) == 0 {
		return there, err
	}
	of := map[role.Key]trilith.ID{}
	mark := func(id trilith.ID) {
		for _, salt := range salts {
			of[role.Key{Space: role.KeyErased, Value: truth.IDHash(salt, id)}] = id
		}
	}
	for _, v := range items.entities {
		mark(v.ID)
	}
	for _, c := range items.changes {
		mark(c.EntityID)
	}
	for _, mg := range items.merges {
		mark(mg.From)
	}
	var keys []role.Key
	for k := range of {
		keys = append(keys, k)
	}
	owners, err := e.truth.Store.Find(ctx, truth.TenantOf(s), keys)
	for k := range owners {
		there[role.Ref{ID: of[k]}] = true
	}
	return there, err
}

// restoreNames adds the names and identifiers of restored entities to the batch. If another entity has one of them, it
// keeps it, and the inbox asks whether the two are one.
func (e *Engine) restoreNames(ctx context.Context, s trilith.Scope, items *entityItems, there map[role.Ref]bool,
	b *role.Batch) error {
	var keys []role.Key
	var all []string
	for i := range items.entities {
		for _, id := range items.entities[i].Identifiers {
			keys = append(keys, entities.IdentifierKey(id))
		}
		all = append(all, entities.NameKeys(&items.entities[i])...)
	}
	owners, err := e.truth.Store.Find(ctx, truth.TenantOf(s), keys)
	if err != nil {
		return err
	}
	taken, err := e.entities.TakenNames(ctx, s, all)
	if err != nil {
		return err
	}
	for i := range items.entities {
		v := &items.entities[i]
		if there[role.Ref{Kind: role.RecordEntity, ID: v.ID}] || there[role.Ref{ID: v.ID}] || v.MergedInto != "" {
			continue
		}
		var maybe []trilith.ID
		for _, id := range v.Identifiers {
			key := entities.IdentifierKey(id)
			if owner := owners[key]; owner != "" && owner != v.ID {
				v.Identifiers = entities.Without(v.Identifiers, id)
				maybe = append(maybe, owner)
				continue
			}
			owners[key] = v.ID
			b.Claims = append(b.Claims, role.Claim{Key: key, Owner: v.ID})
		}
		entities.ClaimNames(b, taken, v.ID, nil, entities.NameKeys(v))
		if len(maybe) > 0 {
			slices.Sort(maybe)
			items.reviews = append(items.reviews,
				trilith.ReviewItem{ID: entities.AmbiguousID(v.ID), Reason: trilith.ReviewAmbiguous, Name: v.Name,
					Entities: append([]trilith.ID{v.ID}, slices.Compact(maybe)...), Since: e.truth.Now()})
		}
	}
	return nil
}
