package mentions

import (
	"context"
	"maps"
	"slices"

	"github.com/trilith-memory/trilith"
)

// readerChanges is how many changes a reader reads itself for the facts of its answer.
const readerChanges = 200

// unrecorded searches what was committed since the records were last updated: where later turns mention some facts of a
// tenant, and which of the facts were stated again. It reads the facts as they are now. It writes nothing and does not
// wait for the follower of the log.
//
// After a bulk write there is more than a reader reads. Then it finds nothing, and no reader searches until the
// follower has caught up.
func (fl *follower) unrecorded(ctx context.Context, s trilith.Scope, ids []trilith.ID) (*search, error) {
	out := newSearch(fl, s)
	if fl.behind.Load() {
		return out, nil
	}
	within, cancel := context.WithTimeout(ctx, fl.wait())
	defer cancel()
	changed, all, err := fl.changedSince(within, s.Tenant)
	if err == nil && all {
		err = out.forReader(within, fl, changed, ids)
	}
	if err != nil && within.Err() != nil && ctx.Err() == nil {
		all, err = false, nil // it took too long
	}
	if err == nil && !all {
		fl.behind.Store(true)
		return newSearch(fl, s), nil
	}
	return out, err
}

// changedSince returns the ids of a tenant that changed since the records were updated, and whether the list is
// complete.
func (fl *follower) changedSince(ctx context.Context, tenant string) (changed map[trilith.ID]bool, all bool, err error) {
	fl.published.Lock()
	positions := fl.recorded
	fl.published.Unlock()
	changed = map[trilith.ID]bool{}
	for shard := range fl.truth.Log.Shards() {
		head, err := fl.truth.Log.Head(ctx, asSystem, shard)
		if err != nil {
			return nil, false, err
		}
		if positions != nil && positions[shard] >= head {
			continue
		}
		if positions == nil || fl.truth.Turns != nil { // another process may be further
			saved, err := fl.savedCheckpoints(ctx)
			if err != nil {
				return nil, false, err
			}
			positions = later(positions, saved)
		}
		changes, _, err := fl.truth.Log.Changes(ctx, asSystem, shard, positions[shard], readerChanges)
		if err != nil || len(changes) == readerChanges {
			return nil, false, err
		}
		for _, c := range changes {
			if c.Tenant == tenant {
				changed[c.ID] = true
			}
		}
	}
	return changed, true, nil
}

// later returns the later position in each shard. The first argument may be nil.
func later(a, b []trilith.Cursor) []trilith.Cursor {
	out := make([]trilith.Cursor, len(b))
	copy(out, a)
	for shard := range out {
		out[shard] = max(out[shard], b[shard])
	}
	return out
}

// forReader finds what the changed memories mean for some facts.
func (f *search) forReader(ctx context.Context, fl *follower, changed map[trilith.ID]bool, ids []trilith.ID) error {
	if len(changed) == 0 {
		return nil
	}
	turns, _, _, err := fl.classify(ctx, f.scope, slices.Sorted(maps.Keys(changed)))
	if err != nil {
		return err
	}
	restated := slices.ContainsFunc(ids, func(id trilith.ID) bool { return changed[id] })
	if len(turns) == 0 && !restated {
		return nil
	}
	_, facts, _, err := fl.classify(ctx, f.scope, ids)
	if err != nil {
		return err
	}
	about, err := f.entitiesOfTurns(ctx, turns)
	if err != nil {
		return err
	}
	by := map[group][]trilith.Memory{}
	for _, m := range turns {
		for _, p := range groupsOf(m.Scope, about[m.SourceID]) {
			by[p] = append(by[p], m)
		}
	}
	var stated []trilith.Memory
	known := map[group][]trilith.Memory{}
	for _, m := range facts {
		p := groupOf(m.Scope, m.Fact.EntityID)
		known[p] = append(known[p], m)
		if changed[m.ID] {
			stated = append(stated, m)
		}
	}
	for p, some := range known {
		if err := f.compare(ctx, some, by[p]); err != nil {
			return err
		}
	}
	return f.forFacts(ctx, stated)
}
