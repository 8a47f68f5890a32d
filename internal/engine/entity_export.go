package engine

import (
	"cmp"
	"context"
	"encoding/json"
	"iter"
	"maps"
	"slices"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/facts/entities"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/truth"
	"github.com/trilith-memory/trilith/internal/truth/kinds"
)

// entityKinds are the entities of a tenant with their records: their history, what merges changed, as far as the scope
// covers it, and open questions. A caller that is bound to a part of the tenant gets only the entities that it may see.
func (e *Engine) entityKinds() []kinds.Kind {
	whole := unbound(e, role.RecordEntity, func(_ trilith.Scope, r role.Record) (trilith.Entity, error) {
		v, err := truth.Decode[trilith.Entity](r)
		v.Version = r.Version
		return v, err
	})
	return []kinds.Kind{
		kinds.Row[trilith.Entity]{In: inEntity, Check: checkEntity,
			Export: func(ctx context.Context, s trilith.Scope) iter.Seq2[trilith.Entity, error] {
				if s.Bound != (trilith.Bound{}) {
					return e.entities.InSight(ctx, s)
				}
				return whole(ctx, s)
			}}.Kind(),
		kinds.Row[trilith.EntityChange]{In: inChange, Check: checkEntityChange,
			Export: unbound(e, role.RecordChange, decoded[trilith.EntityChange])}.Kind(),
		kinds.Row[trilith.EntityMerge]{In: inMerge, Check: checkMerge,
			Export: unbound(e, role.RecordMerge, func(s trilith.Scope, r role.Record) (trilith.EntityMerge, error) {
				mg, err := entities.DecodeMerge(s.Tenant, r)
				mg.Facts = slices.DeleteFunc(mg.Facts, func(m trilith.Memory) bool { return !s.SeesMemory(&m) })
				return mg, err
			})}.Kind(),
		kinds.Row[trilith.ReviewItem]{In: inReview, Export: unbound(e, role.RecordReview, decoded[trilith.ReviewItem]),
			Check: func(it *trilith.ReviewItem) error {
				return truth.CheckIDs("review.id", append([]trilith.ID{it.ID}, it.Entities...))
			}}.Kind(),
	}
}

func inEntity(it *trilith.ExportItem) **trilith.Entity { return &it.Entity }

func checkEntity(v *trilith.Entity) error {
	if err := cmp.Or(truth.CheckIDs("entity.id", []trilith.ID{v.ID}),
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
	return nil
}

func checkEntityChange(c *trilith.EntityChange) error {
	if c.Seq < 1 {
		return trilith.Errorf(trilith.Invalid, "entity_change.seq: must be at least 1")
	}
	return truth.CheckIDs("entity_change.entity_id", []trilith.ID{c.EntityID})
}

func checkMerge(mg *trilith.EntityMerge) error {
	if err := truth.CheckIDs("entity_merge.from", []trilith.ID{mg.From, mg.Into}); err != nil {
		return err
	}
	for i := range mg.Facts {
		m := &mg.Facts[i]
		if err := truth.CheckMemory(m); err != nil || m.Fact == nil {
			return trilith.Errorf(trilith.Invalid, "entity_merge.facts: fact %d is not a valid fact", i)
		}
	}
	return nil
}

// entityRecord is a record of an import that concerns an entity.
type entityRecord struct {
	role.Ref
	about   trilith.ID // the entity; of a question none
	version int64
	body    any
}

// entityRecords are the items that belong to entities, without the entities themselves.
func entityRecords(items []trilith.ExportItem) (out []entityRecord) {
	for _, c := range kinds.Of(items, inChange) {
		ref := role.Ref{Kind: role.RecordChange, ID: entities.ChangeID(c.EntityID, c.Seq)}
		out = append(out, entityRecord{ref, c.EntityID, 1, c})
	}
	for _, mg := range kinds.Of(items, inMerge) {
		out = append(out, entityRecord{role.Ref{Kind: role.RecordMerge, ID: entities.MergeID(mg.From)}, mg.From, 1, mg})
	}
	for _, v := range kinds.Of(items, inReview) {
		out = append(out, questionRecord(v))
	}
	return out
}

func inChange(it *trilith.ExportItem) **trilith.EntityChange { return &it.Change }

func inMerge(it *trilith.ExportItem) **trilith.EntityMerge { return &it.Merge }

func inReview(it *trilith.ExportItem) **trilith.ReviewItem { return &it.Review }

// restoreEntities adds entities and their records to the batch, unless they exist already or were erased, and returns
// how many. If another entity has an identifier of a restored one, the inbox asks whether the two are one.
func (e *Engine) restoreEntities(ctx context.Context, s trilith.Scope, vs []trilith.Entity, records []entityRecord,
	b *role.Batch) (stored int, err error) {
	all := make([]entityRecord, 0, len(vs)+len(records))
	for _, v := range vs {
		all = append(all, recordOf(v))
	}
	all = append(all, records...)
	if len(all) == 0 {
		return 0, nil
	}
	there, err := e.thereAlready(ctx, s, all)
	if err != nil {
		return 0, err
	}
	named := slices.Clone(vs) // some identifiers may have to be removed
	questions, err := e.restoreNames(ctx, s, named, there, b)
	if err != nil {
		return 0, err
	}
	for i, v := range named {
		all[i] = recordOf(v)
	}
	put := map[role.Ref]bool{} // an imported entity may cause the same question that the import contains
	for i, r := range append(all, questions...) {
		if there[r.Ref] || there[role.Ref{ID: r.about}] || put[r.Ref] {
			continue
		}
		body, err := json.Marshal(r.body)
		if err != nil {
			return 0, err
		}
		put[r.Ref] = true
		b.Expect = append(b.Expect, role.Expect{Kind: r.Kind, ID: r.ID})
		b.Records = append(b.Records, role.Record{Kind: r.Kind, ID: r.ID, Version: r.version, Body: body})
		if i < len(all) {
			stored++
		}
	}
	return stored, nil
}

func recordOf(v trilith.Entity) entityRecord {
	return entityRecord{role.Ref{Kind: role.RecordEntity, ID: v.ID}, v.ID, v.Version, v}
}

// thereAlready returns which of the records exist, by kind and id, and which of the entities were erased, by id without
// a kind.
func (e *Engine) thereAlready(ctx context.Context, s trilith.Scope, all []entityRecord) (map[role.Ref]bool, error) {
	ids := map[role.RecordKind][]trilith.ID{}
	for _, r := range all {
		ids[r.Kind] = append(ids[r.Kind], r.ID)
	}
	there := map[role.Ref]bool{}
	for kind, some := range ids {
		rs, err := e.truth.RecordsOf(ctx, s, kind, some...)
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
	for _, r := range all {
		for _, salt := range salts {
			if r.about != "" {
				of[role.Key{Space: role.KeyErased, Value: truth.IDHash(salt, r.about)}] = r.about
			}
		}
	}
	keys := slices.Collect(maps.Keys(of))
	owners, err := e.truth.Find(ctx, s, keys)
	for k := range owners {
		there[role.Ref{ID: of[k]}] = true
	}
	return there, err
}

// restoreNames adds the names and identifiers of restored entities to the batch. If another entity has an identifier, it
// keeps it, and a question asks whether the two are one.
func (e *Engine) restoreNames(ctx context.Context, s trilith.Scope, vs []trilith.Entity, there map[role.Ref]bool,
	b *role.Batch) (questions []entityRecord, err error) {
	var keys []role.Key
	var all []string
	for i := range vs {
		for _, id := range vs[i].Identifiers {
			keys = append(keys, entities.IdentifierKey(id))
		}
		all = append(all, entities.NameKeys(&vs[i])...)
	}
	owners, err := e.truth.Find(ctx, s, keys)
	if err != nil {
		return nil, err
	}
	taken, err := e.entities.TakenNames(ctx, s, all)
	if err != nil {
		return nil, err
	}
	for i := range vs {
		v := &vs[i]
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
			questions = append(questions, questionRecord(trilith.ReviewItem{ID: entities.AmbiguousID(v.ID),
				Reason: trilith.ReviewAmbiguous, Name: v.Name, Since: e.truth.Now(),
				Entities: append([]trilith.ID{v.ID}, slices.Compact(maybe)...)}))
		}
	}
	return questions, nil
}

func questionRecord(v trilith.ReviewItem) entityRecord {
	return entityRecord{role.Ref{Kind: role.RecordReview, ID: v.ID}, "", 1, v}
}
