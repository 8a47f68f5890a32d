package engine

import (
	"context"
	"slices"
	"strconv"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/facts/entities"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/truth"
)

// bury erases entities and all that were merged into them when their facts are erased, including entities created in
// the meantime. It updates erased.
func (e *Engine) bury(ctx context.Context, s trilith.Scope, ids []trilith.ID, salt []byte, erased *trilith.Erased) error {
	if len(ids) == 0 {
		return nil
	}
	return truth.Retry(ctx, func() (bool, error) {
		vs, err := e.entities.Families(ctx, s, ids) // before their facts: a fact added later changes a version
		if err != nil || len(vs) == 0 {
			return false, err
		}
		left, err := e.entities.FactsAbout(ctx, s, ids)
		if err != nil {
			return false, err
		}
		if left, err = e.withFacts(ctx, s, left, true); err != nil {
			return false, err
		}
		pending := trilith.IDsOf(left)
		if err := e.eraseAll(ctx, s, pending, salt, erased); err != nil {
			return false, err
		}
		b, next, err := e.buryBatch(ctx, s, vs, salt, *erased)
		if err != nil {
			return false, err
		}
		if _, err := e.truth.Commit(ctx, s, b); err != nil {
			return true, err
		}
		*erased = next
		return false, nil
	})
}

// buryBatch deletes entities as they were read, and the copies of their data in other records.
func (e *Engine) buryBatch(ctx context.Context, s trilith.Scope, vs []trilith.Entity, salt []byte, erased trilith.Erased) (
	b role.Batch, _ trilith.Erased, err error) {
	erased.Entities = slices.Clone(erased.Entities)
	gone := map[trilith.ID]bool{}
	for _, v := range vs {
		gone[v.ID] = true
		erased.Entities = append(erased.Entities, v.ID)
		b.Expect = append(b.Expect, role.Expect{Kind: role.RecordEntity, ID: v.ID, Version: v.Version})
		b.Claims = append(b.Claims, truth.Tombstone(truth.IDHash(salt, v.ID), erased.Receipt.ID))
		b.Delete = append(b.Delete, role.Ref{Kind: role.RecordEntity, ID: v.ID},
			role.Ref{Kind: role.RecordMerge, ID: entities.MergeID(v.ID)},
			role.Ref{Kind: role.RecordReview, ID: entities.AmbiguousID(v.ID)})
		for seq := range v.Changes {
			b.Delete = append(b.Delete, role.Ref{Kind: role.RecordChange, ID: entities.ChangeID(v.ID, seq+1)})
		}
	}
	slices.Sort(erased.Entities)
	erased.Entities = slices.Compact(erased.Entities)
	erased.Receipt.Entities = len(erased.Entities)
	if err := e.scrubHistories(ctx, s, &b, vs, gone); err != nil {
		return b, erased, err
	}
	if err := e.scrubQuestions(ctx, s, &b, gone); err != nil {
		return b, erased, err
	}
	b.Audit = e.truth.Audit(s, "entity.erase", erased.Receipt.ID,
		map[string]string{"entities": strconv.Itoa(len(vs)), "reason": erased.Receipt.Reason})
	e.purgeAfter(&b, erased.Receipt.ID)
	err = b.Put(role.RecordReceipt, erased.Receipt.ID, erased)
	return b, erased, err
}

// scrubHistories removes the data of entities from the histories of entities that they were merged with.
func (e *Engine) scrubHistories(ctx context.Context, s trilith.Scope, b *role.Batch, vs []trilith.Entity,
	gone map[trilith.ID]bool) error {
	done := map[trilith.ID]bool{}
	for _, v := range vs {
		own, err := e.entities.Changes(ctx, s, v.ID, 1, v.Changes)
		if err != nil {
			return err
		}
		for _, c := range own {
			if c.Other == "" || gone[c.Other] || done[c.Other] {
				continue
			}
			done[c.Other] = true
			others, err := e.entities.ReadAll(ctx, s, []trilith.ID{c.Other})
			if err != nil || len(others) == 0 {
				return err
			}
			theirs, err := e.entities.Changes(ctx, s, c.Other, 1, others[0].Changes)
			if err != nil {
				return err
			}
			for _, t := range theirs {
				if !gone[t.Other] {
					continue
				}
				t.Added, t.Removed = trilith.EntityParts{}, trilith.EntityParts{}
				if err := b.Put(role.RecordChange, entities.ChangeID(t.EntityID, t.Seq), t); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// scrubQuestions removes entities from the inbox items of ambiguous names; an item that concerns no other entity is
// deleted.
func (e *Engine) scrubQuestions(ctx context.Context, s trilith.Scope, b *role.Batch, gone map[trilith.ID]bool) error {
	for r, err := range e.truth.Records(ctx, s, role.RecordReview) {
		item, err := truth.DecodeIf[trilith.ReviewItem](r, err)
		if err != nil {
			return err
		}
		left := slices.DeleteFunc(slices.Clone(item.Entities), func(id trilith.ID) bool { return gone[id] })
		if item.Reason != trilith.ReviewAmbiguous || len(left) == len(item.Entities) || gone[item.Entities[0]] {
			continue
		}
		if len(left) < 2 {
			b.Delete = append(b.Delete, role.Ref{Kind: r.Kind, ID: r.ID})
			continue
		}
		item.Entities = left
		if err := b.Replace(r.Kind, r.ID, r.Version, item); err != nil {
			return err
		}
	}
	return nil
}

// scrubMerges removes erased memories from the records for undoing merges: deleted facts, and the quotes of others that
// rested on them.
func (e *Engine) scrubMerges(ctx context.Context, s trilith.Scope, b *role.Batch, gone map[trilith.ID]bool) error {
	for r, err := range e.truth.Records(ctx, s, role.RecordMerge) {
		if err != nil {
			return err
		}
		mg, err := entities.DecodeMerge(s.Tenant, r)
		if err != nil {
			return err
		}
		before, words := len(mg.Facts), 0
		mg.Facts = slices.DeleteFunc(mg.Facts, func(m trilith.Memory) bool {
			n := len(m.Fact.Evidence)
			m.Fact.Evidence = slices.DeleteFunc(
				m.Fact.Evidence, func(ev trilith.Evidence) bool {
					return ev.RestsOn(func(id trilith.ID) bool { return gone[id] })
				})
			words += n - len(m.Fact.Evidence)
			return gone[m.ID] || len(m.Fact.Evidence) == 0 ||
				slices.ContainsFunc(trilith.FactIDs(m.Fact.Owner, mg.Into, m.Fact.Verb, m.Fact.FactID),
					func(id trilith.ID) bool { return gone[id] })
		})
		if len(mg.Facts) == before && words == 0 {
			continue
		}
		if err := entities.PutMerge(b, mg, r.Version); err != nil {
			return err
		}
	}
	return nil
}
