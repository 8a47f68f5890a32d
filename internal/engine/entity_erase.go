package engine

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"

	"github.com/cairn-memory/cairn"
)

// ofEntities reads what an erasure of entities erases: the facts about them and those that name them, and if asked to the
// words that these rest on.
func (e *Engine) ofEntities(ctx context.Context, s cairn.Scope, r cairn.EraseRequest) ([]cairn.Memory, error) {
	if s.Bare() != (cairn.Scope{Tenant: s.Tenant}) {
		return nil, cairn.Errorf(cairn.Invalid, "entities: belong to the whole tenant; leave project, user and the like out")
	}
	for _, id := range r.Entities {
		if err := id.Validate(); err != nil {
			return nil, err
		}
		if _, err := e.standing(ctx, s, id, "entities", 0); err != nil {
			return nil, err
		}
	}
	facts, err := e.factsAbout(ctx, s, r.Entities)
	if err != nil || !r.Words {
		return facts, err
	}
	var words []cairn.ID
	for _, m := range facts {
		for _, ev := range m.Fact.Evidence {
			words = append(words, ev.Episodes()...)
		}
	}
	slices.Sort(words)
	episodes, err := e.cfg.Store.Get(ctx, tenantOf(s), slices.Compact(words))
	return append(facts, episodes...), err
}

// factsAbout reads the facts about entities and those that name them, by no particular order and without repetition.
func (e *Engine) factsAbout(ctx context.Context, s cairn.Scope, entities []cairn.ID) ([]cairn.Memory, error) {
	seen := map[cairn.ID]bool{}
	var out []cairn.Memory
	for _, id := range entities {
		about, err := e.factsOf(ctx, s, id)
		if err != nil {
			return nil, err
		}
		naming, err := e.factsNaming(ctx, s, id)
		if err != nil {
			return nil, err
		}
		for _, m := range slices.Concat(about, naming) {
			if !seen[m.ID] {
				seen[m.ID] = true
				out = append(out, m)
			}
		}
	}
	return out, nil
}

// families reads those of ids that exist, and all that were merged into them.
func (e *Engine) families(ctx context.Context, s cairn.Scope, ids []cairn.ID) ([]cairn.Entity, error) {
	var out []cairn.Entity
	seen := map[cairn.ID]bool{}
	for next := ids; len(next) > 0; {
		some, err := e.entities(ctx, s, next)
		if err != nil {
			return nil, err
		}
		next = nil
		for _, v := range some {
			if !seen[v.ID] {
				seen[v.ID] = true
				out = append(out, v)
				next = append(next, v.Merged...)
			}
		}
	}
	return out, nil
}

// bury erases entities with their families when their facts are erased; those that came about in the meantime are erased
// too. erased is kept up to date.
func (e *Engine) bury(ctx context.Context, s cairn.Scope, ids []cairn.ID, salt []byte, erased *cairn.Erased) error {
	if len(ids) == 0 {
		return nil
	}
	return retry(ctx, func() (bool, error) {
		vs, err := e.families(ctx, s, ids) // before their facts: who adds one from here on changes a version
		if err != nil || len(vs) == 0 {
			return false, err
		}
		left, err := e.factsAbout(ctx, s, ids)
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
		if _, err := e.commit(ctx, s, b); err != nil {
			return true, err
		}
		*erased = next
		return false, nil
	})
}

// buryBatch deletes entities as they were read, and what others keep of them.
func (e *Engine) buryBatch(ctx context.Context, s cairn.Scope, vs []cairn.Entity, salt []byte, erased cairn.Erased) (b cairn.Batch, _ cairn.Erased, err error) {
	erased.Entities = slices.Clone(erased.Entities)
	gone := map[cairn.ID]bool{}
	for _, v := range vs {
		gone[v.ID] = true
		erased.Entities = append(erased.Entities, v.ID)
		b.Expect = append(b.Expect, cairn.Expect{Kind: cairn.RecordEntity, ID: v.ID, Version: v.Version})
		b.Claims = append(b.Claims, cairn.Claim{Key: cairn.Key{Space: cairn.KeyErased, Value: idHash(salt, v.ID)}, Owner: erased.Receipt.ID, Move: true})
		b.Delete = append(b.Delete, cairn.Ref{Kind: cairn.RecordEntity, ID: v.ID}, cairn.Ref{Kind: cairn.RecordMerge, ID: mergeID(v.ID)},
			cairn.Ref{Kind: cairn.RecordReview, ID: ambiguousID(v.ID)})
		for seq := range v.Changes {
			b.Delete = append(b.Delete, cairn.Ref{Kind: cairn.RecordChange, ID: changeID(v.ID, seq+1)})
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
	now := e.now()
	b.Audit = e.audit(s, "entity.erase", erased.Receipt.ID, map[string]string{"entities": strconv.Itoa(len(vs)), "reason": erased.Receipt.Reason})
	b.DropJobs = []cairn.ID{noteID(erased.Receipt.ID)}
	b.Jobs = append([]cairn.Job{{ID: cairn.NewID(now), Kind: cairn.JobPurge, State: cairn.JobReady, RunAt: now, CreatedAt: now, UpdatedAt: now}}, e.noteJobs(erased.Receipt.ID)...)
	body, err := json.Marshal(erased)
	b.Records = append(b.Records, cairn.Record{Kind: cairn.RecordReceipt, ID: erased.Receipt.ID, Body: body})
	return b, erased, err
}

// scrubHistories takes what entities had out of the histories of those that they were once one with.
func (e *Engine) scrubHistories(ctx context.Context, s cairn.Scope, b *cairn.Batch, vs []cairn.Entity, gone map[cairn.ID]bool) error {
	done := map[cairn.ID]bool{}
	for _, v := range vs {
		own, err := e.changes(ctx, s, v.ID, 1, v.Changes)
		if err != nil {
			return err
		}
		for _, c := range own {
			if c.Other == "" || gone[c.Other] || done[c.Other] {
				continue
			}
			done[c.Other] = true
			others, err := e.entities(ctx, s, []cairn.ID{c.Other})
			if err != nil || len(others) == 0 {
				return err
			}
			theirs, err := e.changes(ctx, s, c.Other, 1, others[0].Changes)
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
				b.Records = append(b.Records, cairn.Record{Kind: cairn.RecordChange, ID: changeID(t.EntityID, t.Seq), Body: body})
			}
		}
	}
	return nil
}

// scrubQuestions takes entities out of the questions whom a name means; one that is about nobody else any more is gone.
func (e *Engine) scrubQuestions(ctx context.Context, s cairn.Scope, b *cairn.Batch, gone map[cairn.ID]bool) error {
	for r, err := range e.records(ctx, tenantOf(s), cairn.RecordReview) {
		item, err := decodeIf[cairn.ReviewItem](r, err)
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

// scrubMerges takes memories that are erased out of what is kept for undoing merges: facts that are gone, and the words of
// others that rested on them.
func (e *Engine) scrubMerges(ctx context.Context, s cairn.Scope, b *cairn.Batch, gone map[cairn.ID]bool) error {
	for r, err := range e.records(ctx, tenantOf(s), cairn.RecordMerge) {
		if err != nil {
			return err
		}
		mg, err := decodeMerge(s.Tenant, r)
		if err != nil {
			return err
		}
		before, words := len(mg.Facts), 0
		mg.Facts = slices.DeleteFunc(mg.Facts, func(m cairn.Memory) bool {
			n := len(m.Fact.Evidence)
			m.Fact.Evidence = slices.DeleteFunc(m.Fact.Evidence, func(ev cairn.Evidence) bool { return ev.RestsOn(func(id cairn.ID) bool { return gone[id] }) })
			words += n - len(m.Fact.Evidence)
			return gone[m.ID] || len(m.Fact.Evidence) == 0 || slices.ContainsFunc(cairn.FactIDs(m.Fact.Owner, mg.Into, m.Fact.Verb, m.Fact.FactID), func(id cairn.ID) bool { return gone[id] })
		})
		if len(mg.Facts) == before && words == 0 {
			continue
		}
		if err := putMerge(b, mg, r.Version); err != nil {
			return err
		}
	}
	return nil
}
