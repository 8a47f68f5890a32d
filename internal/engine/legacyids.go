package engine

import (
	"cmp"
	"context"
	"slices"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/truth"
)

// LegacyFact returns the id of the fact in the scope with a number; NotFound also for a fact of another scope.
func (e *Engine) LegacyFact(ctx context.Context, s trilith.Scope, n int64) (trilith.ID, error) {
	if err := truth.CheckScope(s); err != nil {
		return "", err
	}
	key := truth.LegacyKey(n)
	owners, err := e.truth.Find(ctx, s, []role.Key{key})
	if err != nil {
		return "", err
	}
	if owner, ok := owners[key]; ok {
		if ms, err := e.truth.Memories(ctx, s, []trilith.ID{owner}); err != nil || len(ms) == 1 {
			return owner, err
		}
	}
	return "", trilith.Errorf(trilith.NotFound, "fact %d does not exist", n)
}

// allLegacyIDs reads the numbers of all facts of the tenant, and under [truth.LegacyCounter] the highest one assigned.
func (e *Engine) allLegacyIDs(ctx context.Context, tenant trilith.Scope) (map[trilith.ID]int64, error) {
	out := map[trilith.ID]int64{}
	var damaged truth.Damages
	for r, err := range truth.Sound(e.truth.Records(ctx, tenant, role.RecordLegacy), damaged.Note) {
		n, err := truth.DecodeIf[truth.LegacyNumber](r, err)
		if err != nil {
			return nil, err
		}
		out[r.ID] = n.N
	}
	return out, damaged.Err()
}

// NumberFacts assigns numbers to all facts of the scope without one, like [Engine.LegacyIDs], and returns how many
// facts have a number.
func (e *Engine) NumberFacts(ctx context.Context, s trilith.Scope) (n int, err error) {
	if err := truth.CheckWhole(s); err != nil {
		return 0, err
	}
	var ids []trilith.ID
	number := func() error {
		numbers, err := e.LegacyIDs(ctx, s, ids)
		n, ids = n+len(numbers), ids[:0]
		return err
	}
	for m, err := range e.truth.List(ctx, s, role.Listing{Filter: truth.AnyFact}) {
		if err != nil {
			return n, err
		}
		if ids = append(ids, m.ID); len(ids) == role.MaxBatch {
			if err := number(); err != nil {
				return n, err
			}
		}
	}
	return n, number()
}

// LegacyIDs returns the [trilith.Fact.LegacyID] of ids of facts in the scope, at most [role.MaxBatch]. It assigns
// numbers to facts without one: the earliest recorded first, ties by id.
func (e *Engine) LegacyIDs(ctx context.Context, s trilith.Scope, ids []trilith.ID) (map[trilith.ID]int64, error) {
	if err := truth.CheckScope(s); err != nil {
		return nil, err
	}
	if len(ids) > role.MaxBatch {
		return nil, trilith.Errorf(trilith.Exhausted, "ids: %d given, at most %d at once", len(ids), role.MaxBatch)
	}
	if err := truth.CheckIDs("ids", ids); err != nil {
		return nil, err
	}
	ids = slices.Clone(ids)
	slices.Sort(ids)
	ids = slices.Compact(ids)
	out := make(map[trilith.ID]int64, len(ids))
	for chunk := range slices.Chunk(ids, truth.LegacyStep) {
		if err := truth.Retry(ctx,
			func() (bool, error) { return true, e.numberFacts(ctx, s, chunk, out) }); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// numberFacts adds the numbers of facts to out. A share has the number of its origin.
func (e *Engine) numberFacts(ctx context.Context, s trilith.Scope, ids []trilith.ID, out map[trilith.ID]int64) error {
	seen, err := e.truth.Memories(ctx, s, ids)
	if err != nil {
		return err
	}
	seen = slices.DeleteFunc(seen, func(m trilith.Memory) bool { return m.Fact == nil })
	origins := make([]trilith.ID, len(seen))
	for i := range seen {
		origins[i] = truth.OriginOf(&seen[i])
	}
	slices.Sort(origins)
	origins = slices.Compact(origins)
	facts, err := e.truth.Memories(ctx, truth.TenantOf(s), origins)
	if err != nil || len(facts) == 0 {
		return err
	}
	known, counter, err := e.truth.LegacyRecords(ctx, truth.TenantOf(s), origins)
	if err != nil {
		return err
	}
	fresh := slices.DeleteFunc(facts, func(m trilith.Memory) bool { return known[m.ID] != 0 })
	slices.SortFunc(fresh, func(a, b trilith.Memory) int {
		return cmp.Or(a.RecordedAt.Compare(b.RecordedAt), cmp.Compare(a.ID, b.ID))
	})
	if len(fresh) > 0 {
		b := role.Batch{}
		last := counter.Last
		for _, m := range fresh {
			last++
			known[m.ID] = last
			if err := truth.AddLegacyID(&b, m.ID, last); err != nil {
				return err
			}
			b.Expect = append(b.Expect, role.Expect{ID: m.ID, Version: m.Version}) // the fact still exists
		}
		if last > trilith.MaxLegacyID {
			return trilith.Errorf(trilith.Exhausted, "legacy_id: all %d numbers of facts are used up",
				int64(trilith.MaxLegacyID))
		}
		if err := counter.Raise(&b, last); err != nil {
			return err
		}
		if _, err := e.truth.Commit(ctx, s, b); err != nil {
			return err
		}
	}
	for i := range seen {
		if n := known[truth.OriginOf(&seen[i])]; n != 0 {
			out[seen[i].ID] = n
		}
	}
	return nil
}
