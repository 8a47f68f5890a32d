package index

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/cairn-memory/cairn"
)

// vectorCopy is a process's copy of the active vectors of a shared index. It reads the points of changed memories from
// the shared index, so a copy costs no embedding. It goes no further in the log than the shared index.
type vectorCopy struct {
	*follower
	shared *vectorIndexer
	source cairn.VectorReader
	copy   cairn.VectorIndex
	bounds Local

	using    sync.RWMutex                     // held for reading by searches, for writing while the copy is emptied
	complete atomic.Pointer[cairn.Generation] // the generation whose vectors are all copied; nil: none

	following sync.Mutex // guards what follows
	gen       cairn.Generation
	at        []cairn.Cursor // nil: nothing is copied
	late      int64          // how many late vectors of the generation were noted when they were last copied
	copied    int            // points
}

// search searches the copy, if it is complete.
func (c *vectorCopy) search(ctx context.Context, s cairn.Scope, g cairn.Generation, ps []cairn.VectorProbe) (
	found [][]cairn.Candidate, ok bool, err error) {
	c.using.RLock()
	defer c.using.RUnlock()
	if held := c.complete.Load(); held == nil || *held != g {
		return nil, false, nil
	}
	found, err = c.copy.Search(ctx, s, g, ps...)
	return found, true, err
}

// follow brings the copy to where the shared index is.
func (c *vectorCopy) follow(ctx context.Context) error {
	c.following.Lock()
	defer c.following.Unlock()
	gs := c.shared.active.Load()
	if c.at == nil || c.gen != gs.gen {
		if err := c.begin(ctx, gs.gen); err != nil {
			return err
		}
	}
	if err := c.shared.look(ctx, &gs.applier); err != nil {
		return err
	}
	for shard := range c.at {
		for reached := gs.position(shard); c.at[shard] < reached; {
			changes, next, err := c.cfg.Log.Changes(ctx, system, shard, c.at[shard], batchSize)
			if err != nil {
				return err
			}
			if len(changes) == 0 || next > reached { // what is beyond may lack vectors, and is read again
				next = reached
			}
			if err := c.apply(ctx, changes); err != nil {
				return err
			}
			c.at[shard] = next
		}
	}
	if err := c.copyLate(ctx); err != nil {
		return err
	}
	c.complete.Store(&gs.gen)
	return nil
}

// begin empties the copy for a generation.
func (c *vectorCopy) begin(ctx context.Context, g cairn.Generation) error {
	c.complete.Store(nil)
	c.using.Lock()
	defer c.using.Unlock()
	if err := c.copy.Reset(ctx, system); err != nil {
		return err
	}
	noted, _, err := c.shared.lateVectors(ctx, g)
	if err != nil {
		return err
	}
	c.gen, c.at, c.late, c.copied = g, make([]cairn.Cursor, c.cfg.Log.Shards()), noted.Count, 0
	return nil
}

// apply copies the points of changed memories.
func (c *vectorCopy) apply(ctx context.Context, changes []cairn.Change) error {
	tenants, changed := byTenant(changes)
	for _, tenant := range tenants {
		s, deleted := cairn.Scope{Tenant: tenant}, changed[tenant]
		ids := slices.Sorted(maps.Keys(deleted))
		points, err := c.source.Points(ctx, s, c.gen, ids)
		if err != nil {
			return err
		}
		held := make(map[cairn.ID]bool, len(points))
		for i := range points {
			held[points[i].Facets.ID] = true
		}
		// one that was deleted and stored again may have a lower version than the one in the copy
		gone := slices.DeleteFunc(ids, func(id cairn.ID) bool { return held[id] && !deleted[id] })
		if len(gone) > 0 {
			if err := c.copy.Delete(ctx, s, gone); err != nil {
				return err
			}
		}
		if c.copied += len(points); c.complete.Load() == nil {
			if err := c.bounds.mayCopy(c.copied); err != nil {
				return err
			}
		}
		if err := c.copy.Apply(ctx, c.gen, points); err != nil {
			return err
		}
	}
	return nil
}

// copyLate copies points that were made after the shared index had passed the changes of their memories.
func (c *vectorCopy) copyLate(ctx context.Context) error {
	noted, _, err := c.shared.lateVectors(ctx, c.gen)
	if err != nil || noted.Count == c.late {
		return err
	}
	fresh := noted.Count - c.late
	if fresh < 0 || fresh > int64(len(noted.Last)) { // more than are listed: the next call copies all of them again
		clear(c.at)
		signal(c.wakeVectors)
	} else {
		var changes []cairn.Change
		for _, v := range noted.Last[int64(len(noted.Last))-fresh:] {
			changes = append(changes, cairn.Change{Tenant: v.Tenant, ID: v.ID})
		}
		if err := c.apply(ctx, changes); err != nil {
			return err
		}
	}
	c.late = noted.Count
	return nil
}

// lateVectors is the body of the record of vectors that were made late: after an embedder had refused a text, a budget
// had been spent, or by a repair. No change in the log leads to them.
type lateVectors struct {
	Count int64        `json:"count"` // of all so far
	Last  []lateVector `json:"last"`  // at most lateListed
}

// lateVector names a memory whose vector was made, or removed, late.
type lateVector struct {
	Tenant string   `json:"tenant"`
	ID     cairn.ID `json:"id"`
}

const lateListed = 500

func lateID(g cairn.Generation) cairn.ID { return cairn.DeriveID("late", g.Key()) }

func (x *vectorIndexer) lateVectors(ctx context.Context, g cairn.Generation) (l lateVectors, version int64, err error) {
	rs, err := x.cfg.Store.Records(ctx, systemScope,
		cairn.RecordListing{Kind: cairn.RecordPosition, IDs: []cairn.ID{lateID(g)}})
	if err != nil || len(rs) == 0 {
		return l, 0, err
	}
	return l, rs[0].Version, json.Unmarshal(rs[0].Body, &l)
}

// noteLate tells the processes that have copies of a shared index about vectors that were made late.
func (x *vectorIndexer) noteLate(ctx context.Context, gs *generationState, tenant string, ids []cairn.ID) error {
	if !gs.shared() {
		return nil
	}
	for {
		l, version, err := x.lateVectors(ctx, gs.gen)
		if err != nil {
			return err
		}
		l.Count += int64(len(ids))
		for _, id := range ids {
			l.Last = append(l.Last, lateVector{tenant, id})
		}
		l.Last = l.Last[max(0, len(l.Last)-lateListed):]
		body, err := json.Marshal(l)
		if err != nil {
			return err
		}
		ref := cairn.Ref{Kind: cairn.RecordPosition, ID: lateID(gs.gen)}
		_, err = x.cfg.Store.Commit(ctx, systemScope, cairn.Batch{
			Expect:  []cairn.Expect{{Kind: ref.Kind, ID: ref.ID, Version: version}},
			Records: []cairn.Record{{Kind: ref.Kind, ID: ref.ID, Body: body}}})
		if err == nil || cairn.KindOf(err) != cairn.Conflict {
			return err
		}
	}
}
