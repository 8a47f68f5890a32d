package facts

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/cairn-memory/cairn"
)

// recent searches what was committed since the records were last updated: where later turns mention some facts of a
// tenant, and which of the facts were stated again. It reads the facts as they are now. It writes nothing and does not
// wait for the follower of the log.
//
// After a bulk write there is more than a reader reads. Then it finds nothing, and no reader searches until the
// follower has caught up.
func (w *mentioning) recent(ctx context.Context, s cairn.Scope, ids []cairn.ID) (*spoken, error) {
	out := newSpoken(w, s)
	if w.behind.Load() {
		return out, nil
	}
	within, cancel := context.WithTimeout(ctx, w.wait())
	defer cancel()
	changed, all, err := w.unnoted(within, s.Tenant)
	if err == nil && all {
		err = out.among(within, changed, ids)
	}
	if err != nil && within.Err() != nil && ctx.Err() == nil {
		all, err = false, nil // it took too long
	}
	if err == nil && !all {
		w.behind.Store(true)
		return newSpoken(w, s), nil
	}
	return out, err
}

// unnoted returns the ids of a tenant that changed since the records were updated, and whether the list is complete.
func (w *mentioning) unnoted(ctx context.Context, tenant string) (changed map[cairn.ID]bool, all bool, err error) {
	w.reading.Lock()
	places := w.noted
	w.reading.Unlock()
	changed = map[cairn.ID]bool{}
	for shard := range w.log.Shards() {
		head, err := w.log.Head(ctx, asMentioning, shard)
		if err != nil {
			return nil, false, err
		}
		if places != nil && places[shard] >= head {
			continue
		}
		if places == nil || w.turns != nil { // another process may be further
			saved, err := w.savedCheckpoints(ctx)
			if err != nil {
				return nil, false, err
			}
			places = later(places, saved)
		}
		changes, _, err := w.log.Changes(ctx, asMentioning, shard, places[shard], mentionsRead)
		if err != nil || len(changes) == mentionsRead {
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
func later(a, b []cairn.Cursor) []cairn.Cursor {
	out := make([]cairn.Cursor, len(b))
	copy(out, a)
	for shard := range out {
		out[shard] = max(out[shard], b[shard])
	}
	return out
}

// among finds what the changed memories mean for some facts.
func (f *spoken) among(ctx context.Context, changed map[cairn.ID]bool, ids []cairn.ID) error {
	if len(changed) == 0 {
		return nil
	}
	turns, _, _, err := f.w.classify(ctx, f.scope, slices.Sorted(maps.Keys(changed)))
	if err != nil {
		return err
	}
	restated := slices.ContainsFunc(ids, func(id cairn.ID) bool { return changed[id] })
	if len(turns) == 0 && !restated {
		return nil
	}
	_, facts, _, err := f.w.classify(ctx, f.scope, ids)
	if err != nil {
		return err
	}
	about, err := f.subjects(ctx, turns)
	if err != nil {
		return err
	}
	by := map[person][]cairn.Memory{}
	for _, m := range turns {
		for _, p := range persons(m.Scope, about[m.SourceID]) {
			by[p] = append(by[p], m)
		}
	}
	var stated []cairn.Memory
	known := map[person][]cairn.Memory{}
	for _, m := range facts {
		p := personOf(m.Scope, m.Fact.EntityID)
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
	return f.ofFacts(ctx, stated)
}

// of returns the turns that mention a fact, from the records and from what was just found, the latest first. For a fact
// that was stated again, only those just found count.
func (f *spoken) of(id cairn.ID, noted []Mentioned) []Mentioned {
	all := slices.Clone(f.found[id])
	if !f.stated[id] {
		all = append(all, noted...)
	}
	slices.SortFunc(all, func(a, b Mentioned) int {
		return cmp.Or(b.At.Compare(a.At), cmp.Compare(b.EpisodeID, a.EpisodeID))
	})
	all = slices.CompactFunc(all, func(a, b Mentioned) bool { return a.EpisodeID == b.EpisodeID })
	return all[:min(len(all), mentionsKept)]
}
