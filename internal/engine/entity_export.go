package engine

import (
	"cmp"
	"context"
	"encoding/json"
	"iter"
	"slices"

	"github.com/cairn-memory/cairn"
	"github.com/cairn-memory/cairn/internal/entities"
	"github.com/cairn-memory/cairn/internal/truth"
)

// exportEntities yields the entities of the tenant with their records: their history, what merges changed, as far as
// the scope covers it, and open questions. A caller that is bound to a part of the tenant gets only the entities that
// it may see.
func (e *Engine) exportEntities(ctx context.Context, s cairn.Scope) iter.Seq2[cairn.ExportItem, error] {
	item := map[cairn.RecordKind]func(cairn.Record) (cairn.ExportItem, error){
		cairn.RecordEntity: func(r cairn.Record) (cairn.ExportItem, error) {
			v, err := truth.Decode[cairn.Entity](r)
			v.Version = r.Version
			return cairn.ExportItem{Entity: &v}, err
		},
		cairn.RecordChange: func(r cairn.Record) (cairn.ExportItem, error) {
			c, err := truth.Decode[cairn.EntityChange](r)
			return cairn.ExportItem{Change: &c}, err
		},
		cairn.RecordMerge: func(r cairn.Record) (cairn.ExportItem, error) {
			mg, err := entities.DecodeMerge(s.Tenant, r)
			mg.Facts = slices.DeleteFunc(mg.Facts, func(m cairn.Memory) bool { return !s.SeesMemory(&m) })
			return cairn.ExportItem{Merge: &mg}, err
		},
		cairn.RecordReview: func(r cairn.Record) (cairn.ExportItem, error) {
			v, err := truth.Decode[cairn.ReviewItem](r)
			return cairn.ExportItem{Review: &v}, err
		},
	}
	return func(yield func(cairn.ExportItem, error) bool) {
		if s.Bound != (cairn.Bound{}) {
			for v, err := range entities.VisibleOf(e.entities).InSight(ctx, s) {
				if !yield(cairn.ExportItem{Entity: &v}, err) || truth.Fatal(err) {
					return
				}
			}
			return
		}
		for _, kind := range []cairn.RecordKind{cairn.RecordEntity, cairn.RecordChange, cairn.RecordMerge,
			cairn.RecordReview} {
			for r, err := range e.truth.Records(ctx, truth.TenantOf(s), kind) {
				var it cairn.ExportItem
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
	entities []cairn.Entity
	changes  []cairn.EntityChange
	merges   []cairn.EntityMerge
	reviews  []cairn.ReviewItem
}

func (items *entityItems) add(it cairn.ExportItem) {
	switch {
	case it.Entity != nil:
		v := *it.Entity
		v.Masking = cairn.Masking{}
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

// checkEntityItem returns an error for an item about an entity that no export of cairn contains.
func checkEntityItem(it *cairn.ExportItem) error {
	switch {
	case it.Entity != nil:
		v := it.Entity
		if err := truth.FirstError(truth.CheckIDs("entity.id", []cairn.ID{v.ID}),
			truth.CheckIDs("entity.merged", v.Merged)); err != nil {
			return err
		}
		if v.MergedInto != "" {
			if err := truth.CheckIDs("entity.merged_into", []cairn.ID{v.MergedInto}); err != nil {
				return err
			}
		}
		for _, id := range v.Identifiers {
			if err := entities.CheckIdentifier(id); err != nil {
				return cairn.Errorf(cairn.Invalid, "entity.%s", cairn.MessageOf(err))
			}
		}
	case it.Change != nil:
		if it.Change.Seq < 1 {
			return cairn.Errorf(cairn.Invalid, "entity_change.seq: must be at least 1")
		}
		return truth.CheckIDs("entity_change.entity_id", []cairn.ID{it.Change.EntityID})
	case it.Merge != nil:
		if err := truth.CheckIDs("entity_merge.from", []cairn.ID{it.Merge.From, it.Merge.Into}); err != nil {
			return err
		}
		for i := range it.Merge.Facts {
			m := &it.Merge.Facts[i]
			if err := truth.CheckMemory(m); err != nil || m.Fact == nil {
				return cairn.Errorf(cairn.Invalid, "entity_merge.facts: fact %d is not a valid fact", i)
			}
		}
	case it.Review != nil:
		return truth.CheckIDs("review.id", append([]cairn.ID{it.Review.ID}, it.Review.Entities...))
	}
	return nil
}

// restoreEntities adds entities and their records to the batch, and returns how many of the items exist already or were
// erased. If another entity has an identifier of a restored one, the inbox asks whether the two are one.
func (e *Engine) restoreEntities(ctx context.Context, s cairn.Scope, items entityItems, b *cairn.Batch) (
	known int, err error) {
	if items.len() == 0 {
		return 0, nil
	}
	items.entities = slices.Clone(items.entities) // some identifiers may have to be removed
	there, err := e.thereAlready(ctx, s, items)
	if err != nil {
		return 0, err
	}
	put := func(kind cairn.RecordKind, id, about cairn.ID, version int64, v any) error {
		if there[cairn.Ref{Kind: kind, ID: id}] || there[cairn.Ref{ID: about}] {
			known++
			return nil
		}
		body, err := json.Marshal(v)
		b.Expect = append(b.Expect, cairn.Expect{Kind: kind, ID: id})
		b.Records = append(b.Records, cairn.Record{Kind: kind, ID: id, Version: version, Body: body})
		return err
	}
	if err := e.restoreNames(ctx, s, &items, there, b); err != nil {
		return 0, err
	}
	for _, v := range items.entities {
		if err := put(cairn.RecordEntity, v.ID, v.ID, v.Version, v); err != nil {
			return 0, err
		}
	}
	for _, c := range items.changes {
		if err := put(cairn.RecordChange, entities.ChangeID(c.EntityID, c.Seq), c.EntityID, 1, c); err != nil {
			return 0, err
		}
	}
	for _, mg := range items.merges {
		if err := put(cairn.RecordMerge, entities.MergeID(mg.From), mg.From, 1, mg); err != nil {
			return 0, err
		}
	}
	asked := map[cairn.ID]bool{} // an imported entity may cause the same question that the import contains
	for _, v := range items.reviews {
		if !asked[v.ID] {
			asked[v.ID] = true
			if err := put(cairn.RecordReview, v.ID, "", 1, v); err != nil {
				return 0, err
			}
		}
	}
	return known, nil
}

// thereAlready returns which of the items exist, by kind and id, and which of the entities were erased, by id alone.
func (e *Engine) thereAlready(ctx context.Context, s cairn.Scope, items entityItems) (map[cairn.Ref]bool, error) {
	ids := map[cairn.RecordKind][]cairn.ID{}
	for _, v := range items.entities {
		ids[cairn.RecordEntity] = append(ids[cairn.RecordEntity], v.ID)
	}
	for _, c := range items.changes {
		ids[cairn.RecordChange] = append(ids[cairn.RecordChange], entities.ChangeID(c.EntityID, c.Seq))
	}
	for _, mg := range items.merges {
		ids[cairn.RecordMerge] = append(ids[cairn.RecordMerge], entities.MergeID(mg.From))
	}
	for _, v := range items.reviews {
		ids[cairn.RecordReview] = append(ids[cairn.RecordReview], v.ID)
	}
	there := map[cairn.Ref]bool{}
	for kind, some := range ids {
		rs, err := e.truth.Store.Records(ctx, truth.TenantOf(s), cairn.RecordListing{Kind: kind, IDs: some})
		if err != nil {
			return nil, err
		}
		for _, r := range rs {
			there[cairn.Ref{Kind: kind, ID: r.ID}] = true
		}
	}
	_, salts, err := e.truth.Salts(ctx, s)
	if err != nil || len(salts) == 0 {
		return there, err
	}
	of := map[cairn.Key]cairn.ID{}
	mark := func(id cairn.ID) {
		for _, salt := range salts {
			of[cairn.Key{Space: cairn.KeyErased, Value: truth.IDHash(salt, id)}] = id
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
	var keys []cairn.Key
	for k := range of {
		keys = append(keys, k)
	}
	owners, err := e.truth.Store.Find(ctx, truth.TenantOf(s), keys)
	for k := range owners {
		there[cairn.Ref{ID: of[k]}] = true
	}
	return there, err
}

// restoreNames adds the names and identifiers of restored entities to the batch. If another entity has one of them, it
// keeps it, and the inbox asks whether the two are one.
func (e *Engine) restoreNames(ctx context.Context, s cairn.Scope, items *entityItems, there map[cairn.Ref]bool,
	b *cairn.Batch) error {
	var keys []cairn.Key
	var all []string
	for i := range items.entities {
		for _, id := range items.entities[i].Identifiers {
			keys = append(keys, entities.KeysOfAllSpellings(id)...)
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
		if there[cairn.Ref{Kind: cairn.RecordEntity, ID: v.ID}] || there[cairn.Ref{ID: v.ID}] || v.MergedInto != "" {
			continue
		}
		var maybe []cairn.ID
		for _, id := range v.Identifiers {
			key := entities.IdentifierKey(id)
			owner := cairn.ID("")
			for _, writing := range entities.KeysOfAllSpellings(id) {
				owner = cmp.Or(owner, owners[writing])
			}
			if owner != "" && owner != v.ID {
				v.Identifiers = entities.Without(v.Identifiers, id)
				maybe = append(maybe, owner)
				continue
			}
			owners[key] = v.ID
			b.Claims = append(b.Claims, cairn.Claim{Key: key, Owner: v.ID})
		}
		entities.ClaimNames(b, taken, v.ID, nil, entities.NameKeys(v))
		if len(maybe) > 0 {
			slices.Sort(maybe)
			items.reviews = append(items.reviews,
				cairn.ReviewItem{ID: entities.AmbiguousID(v.ID), Reason: cairn.ReviewAmbiguous, Name: v.Name,
					Entities: append([]cairn.ID{v.ID}, slices.Compact(maybe)...), Since: e.truth.Now()})
		}
	}
	return nil
}
