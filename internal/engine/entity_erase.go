package engine

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"

	"github.com/cairn-memory/cairn"
	"github.com/cairn-memory/cairn/internal/entities"
	"github.com/cairn-memory/cairn/internal/truth"
)

// bury erases entities and all that were merged into them when their facts are erased, including entities created in
// the meantime. It updates erased.
func (e *Engine) bury(ctx context.Context, s cairn.Scope, ids []cairn.ID, salt []byte, erased *cairn.Erased) error {
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
		pending := make([]cairn.ID, len(left))
		for i, m := range left {
			pending[i] = m.ID
		}
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
func (e *Engine) buryBatch(ctx context.Context, s cairn.Scope, vs []cairn.Entity, salt []byte, erased cairn.Erased) (
	b cairn.Batch, _ cairn.Erased, err error) {
	erased.Entities = slices.Clone(erased.Entities)
	gone := map[cairn.ID]bool{}
	for _, v := range vs {
		gone[v.ID] = true
		erased.Entities = append(erased.Entities, v.ID)
		b.Expect = append(b.Expect, cairn.Expect{Kind: cairn.RecordEntity, ID: v.ID, Version: v.Version})
		b.Claims = append(b.Claims, cairn.Claim{Key: cairn.Key{Space: cairn.KeyErased, Value: truth.IDHash(salt, v.ID)},
			Owner: erased.Receipt.ID, Move: true})
		b.Delete = append(b.Delete, cairn.Ref{Kind: cairn.RecordEntity, ID: v.ID},
			cairn.Ref{Kind: cairn.RecordMerge, ID: entities.MergeID(v.ID)},
			cairn.Ref{Kind: cairn.RecordReview, ID: entities.AmbiguousID(v.ID)})
		for seq := range v.Changes {
			b.Delete = append(b.Delete, cairn.Ref{Kind: cairn.RecordChange, ID: entities.ChangeID(v.ID, seq+1)})
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
	now := e.truth.Now()
	b.Audit = e.truth.Audit(s, "entity.erase", erased.Receipt.ID,
		map[string]string{"entities": strconv.Itoa(len(vs)), "reason": erased.Receipt.Reason})
	b.DropJobs = []cairn.ID{truth.RecordErasureJobID(erased.Receipt.ID)}
	b.Jobs = append([]cairn.Job{
		{ID: cairn.NewID(now), Kind: cairn.JobPurge, State: cairn.JobReady, RunAt: now, CreatedAt: now,
			UpdatedAt: now}}, e.truth.RecordErasureJobs(erased.Receipt.ID)...)
	body, err := json.Marshal(erased)
	b.Records = append(b.Records, cairn.Record{Kind: cairn.RecordReceipt, ID: erased.Receipt.ID, Body: body})
	return b, erased, err
}

// scrubHistories removes the data of entities from the histories of entities that they were merged with.
func (e *Engine) scrubHistories(ctx context.Context, s cairn.Scope, b *cairn.Batch, vs []cairn.Entity,
	gone map[cairn.ID]bool) error {
	done := map[cairn.ID]bool{}
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
			others, err := e.entities.ReadAll(ctx, s, []cairn.ID{c.Other})
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
				t.Added, t.Removed = cairn.EntityParts{}, cairn.EntityParts{}
				body, err := json.Marshal(t)
				if err != nil {
					return err
				}
				b.Records = append(b.Records,
					cairn.Record{Kind: cairn.RecordChange, ID: entities.ChangeID(t.EntityID, t.Seq), Body: body})
			}
		}
	}
	return nil
}

// scrubQuestions removes entities from the inbox items of ambiguous names; an item that concerns no other entity is
// deleted.
func (e *Engine) scrubQuestions(ctx context.Context, s cairn.Scope, b *cairn.Batch, gone map[cairn.ID]bool) error {
	for r, err := range e.truth.Records(ctx, truth.TenantOf(s), cairn.RecordReview) {
		item, err := truth.DecodeIf[cairn.ReviewItem](r, err)
		if err != nil {
			return err
		}
		left := slices.DeleteFunc(slices.Clone(item.Entities), func(id cairn.ID) bool { return gone[id] })
		if item.Reason != cairn.ReviewAmbiguous || len(left) == len(item.Entities) || gone[item.Entities[0]] {
			continue
		}
		if len(left) < 2 {
			b.Delete = append(b.Delete, cairn.Ref{Kind: r.Kind, ID: r.ID})
			continue
		}
		item.Entities = left
		body, err := json.Marshal(item)
		if err != nil {
			return err
		}
		b.Expect = append(b.Expect, cairn.Expect{Kind: r.Kind, ID: r.ID, Version: r.Version})
		b.Records = append(b.Records, cairn.Record{Kind: r.Kind, ID: r.ID, Body: body})
	}
	return nil
}

// scrubMerges removes erased memories from the records for undoing merges: deleted facts, and the quotes of others that
// rested on them.
func (e *Engine) scrubMerges(ctx context.Context, s cairn.Scope, b *cairn.Batch, gone map[cairn.ID]bool) error {
	for r, err := range e.truth.Records(ctx, truth.TenantOf(s), cairn.RecordMerge) {
		if err != nil {
			return err
		}
		mg, err := entities.DecodeMerge(s.Tenant, r)
		if err != nil {
			return err
		}
		before, words := len(mg.Facts), 0
		mg.Facts = slices.DeleteFunc(mg.Facts, func(m cairn.Memory) bool {
			n := len(m.Fact.Evidence)
			m.Fact.Evidence = slices.DeleteFunc(
				m.Fact.Evidence, func(ev cairn.Evidence) bool {
					return ev.RestsOn(func(id cairn.ID) bool { return gone[id] })
				})
			words += n - len(m.Fact.Evidence)
			return gone[m.ID] || len(m.Fact.Evidence) == 0 ||
				slices.ContainsFunc(cairn.FactIDs(m.Fact.Owner, mg.Into, m.Fact.Verb, m.Fact.FactID),
					func(id cairn.ID) bool { return gone[id] })
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
