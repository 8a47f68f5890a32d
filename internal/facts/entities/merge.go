package entities

import (
	"context"
	"maps"
	"reflect"
	"slices"
	"strconv"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/facts/reconcile"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/truth"
)

// MergeID returns the id of a merge record. An entity is merged into at most one other.
func MergeID(from trilith.ID) trilith.ID { return trilith.DeriveID("entity_merge", string(from)) }

// Merger merges two entities into one, and splits one into two.
type Merger struct {
	truth    *truth.Truth
	entities *Entities
}

// NewMerger returns the merger of the entities.
func NewMerger(es *Entities) Merger { return Merger{es.truth, es} }

// Merge makes one entity of two. Identifiers, names and attributes of from are added to into; on a clash into's
// attributes win. The facts of from are reconciled with into's as if they had been said of into, and facts that name
// from name into. from stays as a record that points to into. Everything is one commit: a merge that would change more
// facts than a batch holds is Exhausted and changes nothing. Merging entities that are merged already changes nothing.
//
// [Merger.Split] undoes a merge.
func (mr Merger) Merge(ctx context.Context, s trilith.Scope, into, from trilith.ID) (trilith.Entity, error) {
	if err := truth.CheckWhole(s); err != nil {
		return trilith.Entity{}, err
	}
	for _, id := range []trilith.ID{into, from} {
		if err := id.Validate(); err != nil {
			return trilith.Entity{}, err
		}
	}
	if into == from {
		return trilith.Entity{}, trilith.Errorf(trilith.Invalid, "from: is the entity itself")
	}
	var out trilith.Entity
	err := truth.Retry(ctx, func() (bool, error) {
		a, err := mr.entities.changeable(ctx, s, into, "into", 0)
		if err != nil {
			return false, err
		}
		b, err := mr.entities.changeable(ctx, s, from, "from", 0)
		if b.MergedInto == into {
			out = a
			return false, nil
		}
		if err != nil {
			return false, err
		}
		if a.Type != b.Type {
			return false, trilith.Errorf(
				trilith.Invalid, "from: is a %s, the other a %s; change the type of one if they are the same",
				b.Type, a.Type)
		}
		batch, err := mr.mergeBatch(ctx, s, &a, b)
		if err != nil {
			return false, err
		}
		_, err = mr.truth.Commit(ctx, s, batch)
		out = a
		return true, err
	})
	if err != nil {
		return trilith.Entity{}, err
	}
	mr.truth.Index.Notify()
	return out, nil
}

// mergeBatch returns the batch of a merge. It updates a to the merged entity.
func (mr Merger) mergeBatch(ctx context.Context, s trilith.Scope, a *trilith.Entity, b trilith.Entity) (
	role.Batch, error) {
	batch := role.Batch{}
	mg := trilith.EntityMerge{Into: a.ID, From: b.ID, At: mr.truth.Now()}
	if err := mr.mergeFacts(ctx, s, &batch, &mg, a.Owner); err != nil {
		return batch, err
	}
	before := NameKeys(a)
	mg.Came = absorb(a, &b)
	taken, err := mr.entities.TakenNames(ctx, s, slices.Concat(before, NameKeys(a), NameKeys(&b)))
	if err != nil {
		return batch, err
	}
	ClaimNames(&batch, taken, b.ID, NameKeys(&b), nil)
	ClaimNames(&batch, taken, a.ID, before, NameKeys(a))
	for _, id := range b.Identifiers {
		batch.Claims = append(batch.Claims, moved(id, a.ID))
	}
	b.MergedInto = a.ID
	if err := mr.entities.PutEntity(s, &batch, a,
		trilith.EntityChange{Action: trilith.EntityMerged, Other: b.ID, Added: mg.Came}); err != nil {
		return batch, err
	}
	gone := trilith.EntityChange{Action: trilith.EntityGone, Other: a.ID}
	if err := mr.entities.PutEntity(s, &batch, &b, gone); err != nil {
		return batch, err
	}
	if err := PutMerge(&batch, mg, 0); err != nil {
		return batch, err
	}
	if err := mr.answered(ctx, s, &batch, a.ID, b.ID); err != nil {
		return batch, err
	}
	batch.Audit = mr.truth.Audit(
		s, "entity.merge", a.ID, map[string]string{"from": string(b.ID), "facts": strconv.Itoa(len(batch.Memories))})
	return batch, nil
}

// absorb adds the names, identifiers and attributes of b to a, and returns those that a did not have.
func absorb(a, b *trilith.Entity) trilith.EntityParts {
	var came trilith.EntityParts
	for _, id := range b.Identifiers {
		if !Has(a, id) {
			came.Identifiers = append(came.Identifiers, id)
		}
	}
	a.Identifiers = append(slices.Clone(a.Identifiers), came.Identifiers...)
	aliases := b.Aliases
	if slices.Contains(properNames(b), b.Name) {
		aliases = slices.Concat([]string{b.Name}, aliases)
	}
	for _, alias := range aliases {
		if alias != a.Name && !slices.Contains(a.Aliases, alias) && !slices.Contains(came.Aliases, alias) {
			came.Aliases = append(came.Aliases, alias)
		}
	}
	a.Aliases = append(slices.Clone(a.Aliases), came.Aliases...)
	a.Attributes = maps.Clone(a.Attributes)
	for name, value := range b.Attributes {
		if _, ok := a.Attributes[name]; !ok {
			put(&came.Attributes, name, value)
			put(&a.Attributes, name, value)
		}
	}
	a.Merged = append(slices.Clone(a.Merged), b.ID)
	return came
}

// release removes from a the parts that a merge added and that are still there, and returns them to b if b lacks
// them.
func release(a, b *trilith.Entity, came trilith.EntityParts) {
	had := a.Identifiers
	for _, id := range came.Identifiers {
		a.Identifiers = Without(a.Identifiers, id)
	}
	kept := b.Identifiers
	b.Identifiers = nil
	for _, id := range kept {
		if slices.ContainsFunc(had, func(h trilith.Identifier) bool { return IdentifierKey(h) == IdentifierKey(id) }) {
			b.Identifiers = append(b.Identifiers, id)
		}
	}
	a.Aliases = slices.DeleteFunc(
		slices.Clone(a.Aliases), func(alias string) bool { return slices.Contains(came.Aliases, alias) })
	a.Attributes = maps.Clone(a.Attributes)
	for name, value := range came.Attributes {
		if reflect.DeepEqual(a.Attributes[name], value) {
			delete(a.Attributes, name)
		}
	}
	a.Merged = slices.DeleteFunc(slices.Clone(a.Merged), func(id trilith.ID) bool { return id == b.ID })
	b.MergedInto = ""
}

// mergeFacts adds the changes of the facts about two entities, and of those that name the second, to a batch.
func (mr Merger) mergeFacts(ctx context.Context, s trilith.Scope, b *role.Batch, mg *trilith.EntityMerge,
	home trilith.Owner) error {
	ofInto, err := mr.truth.FactsOf(ctx, s, mg.Into)
	if err != nil {
		return err
	}
	ofFrom, err := mr.truth.FactsOf(ctx, s, mg.From)
	if err != nil {
		return err
	}
	naming, err := mr.truth.FactsNaming(ctx, s, mg.From)
	if err != nil {
		return err
	}
	known := slices.Concat(ofInto, ofFrom)
	mg.Facts = reconcile.Met(ofInto, ofFrom)
	parted := reconcile.Merge(mg.Into, mg.From, home, ofInto, ofFrom, mg.At)
	for i := range parted.Put {
		if fact := parted.Put[i].Fact; fact.Node.EntityRef == mg.From {
			fact.Node.EntityRef = mg.Into
		}
	}
	for _, m := range naming {
		if m.Fact.EntityID == mg.From {
			continue
		}
		mg.Named = append(mg.Named, m.ID)
		if !slices.ContainsFunc(parted.Put, func(p trilith.Memory) bool { return p.ID == m.ID }) &&
			!slices.Contains(parted.Gone, m.ID) {
			m.Fact.Node.EntityRef = mg.Into
			parted.Put = append(parted.Put, m)
		}
	}
	truth.ExpectFacts(b, slices.Concat(known, naming), parted.Put, parted.Gone)
	if err := mr.moveShares(ctx, s, b, ofFrom); err != nil {
		return err
	}
	return checkFits(b, "merge the entity with fewer facts into the other, or erase what is not needed")
}

// checkFits returns an error if a batch changes more facts than one commit holds.
func checkFits(b *role.Batch, fix string) error {
	if n := len(b.Memories) + len(b.Delete); n > role.MaxBatch {
		return trilith.Errorf(trilith.Exhausted, "facts: %d would change, at most %d can change at once; %s", n,
			role.MaxBatch, fix)
	}
	return nil
}

// moveShares redirects shares: a share of a fact that the batch deletes becomes a share of the fact that asserts the
// same for the other entity.
func (mr Merger) moveShares(ctx context.Context, s trilith.Scope, b *role.Batch, facts []trilith.Memory) error {
	var gone []trilith.ID
	for _, m := range facts {
		if slices.Contains(b.Delete, role.Ref{ID: m.ID}) {
			gone = append(gone, m.ID)
		}
	}
	records, err := mr.truth.ShareRecords(ctx, truth.TenantOf(s), gone)
	if err != nil || len(records) == 0 {
		return err
	}
	var fresh []trilith.Memory
	for _, old := range facts {
		r, shared := records[old.ID]
		at := slices.IndexFunc(b.Memories, func(m trilith.Memory) bool {
			return m.Fact != nil && m.Fact.Owner == old.Fact.Owner && m.Fact.Verb == old.Fact.Verb &&
				m.Fact.FactID == old.Fact.FactID &&
				m.ID == m.Fact.MemoryID() && m.Fact.EntityID != old.Fact.EntityID
		})
		if !shared || at < 0 {
			continue
		}
		all, err := mr.truth.SharesIn(ctx, truth.TenantOf(s), r)
		if err != nil {
			return err
		}
		for _, share := range all {
			if m, err := truth.NewShare(b.Memories[at], share.Scope, share.RecordedAt); err == nil {
				fresh = append(fresh, m)
			}
		}
	}
	known, err := mr.truth.Present(ctx, truth.TenantOf(s), nil, fresh)
	if err != nil {
		return err
	}
	fresh = slices.DeleteFunc(fresh, func(m trilith.Memory) bool {
		again := known[m.ID]
		known[m.ID] = true
		return again
	})
	return mr.truth.AddShares(ctx, truth.TenantOf(s), fresh, b)
}

// merge reads the record of an entity's merge; version 0 if there is none.
func (mr Merger) merge(ctx context.Context, s trilith.Scope, from trilith.ID) (
	mg trilith.EntityMerge, version int64, err error) {
	rs, err := mr.truth.RecordsOf(ctx, s, role.RecordMerge, MergeID(from))
	if err != nil || len(rs) == 0 {
		return mg, 0, err
	}
	mg, err = DecodeMerge(s.Tenant, rs[0])
	return mg, rs[0].Version, err
}

// DecodeMerge decodes a merge record. The stored form does not contain the tenant.
func DecodeMerge(tenant string, r role.Record) (trilith.EntityMerge, error) {
	mg, err := truth.Decode[trilith.EntityMerge](r)
	for i := range mg.Facts {
		mg.Facts[i].Scope.Tenant = tenant
	}
	return mg, err
}

// PutMerge adds the record of a merge to a batch.
func PutMerge(b *role.Batch, mg trilith.EntityMerge, version int64) error {
	return b.Replace(role.RecordMerge, MergeID(mg.From), version, mg)
}

// answered removes the ambiguous names that a merge resolves: that of the merged entity, and that of the survivor if it
// may have meant the merged one.
func (mr Merger) answered(ctx context.Context, s trilith.Scope, b *role.Batch, into, from trilith.ID) error {
	rs, err := mr.truth.RecordsOf(ctx, s, role.RecordReview, AmbiguousID(into), AmbiguousID(from))
	for _, r := range rs {
		item, err := truth.Decode[trilith.ReviewItem](r)
		if err != nil {
			return err
		}
		if slices.Contains(item.Entities, from) {
			b.Delete = append(b.Delete, role.Ref{Kind: r.Kind, ID: r.ID})
		}
	}
	return err
}
