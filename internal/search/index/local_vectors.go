package index

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
)

// vectorCopy is a process's copy of the active vectors of a shared index. It reads the points of changed memories from
// the shared index, so a copy costs no embedding. It goes no further in the log than the shared index.
type vectorCopy struct {
	*follower
	shared *vectorIndexer
	source role.VectorReader
	copy   role.VectorIndex
	bounds Local

	using    sync.RWMutex           // held for reading by searches, for writing while the copy is emptied
	complete atomic.Pointer[copied] // nil: not all vectors of a generation are copied

	following sync.Mutex // guards the fields below
	now       copied
	begun     bool
	points    int // copied since the beginning
}

// copied is the state of a copy: its generation, and how far it has followed the shared index.
type copied struct {
	gen  trilith.Generation
	at   []trilith.Cursor
	late int64 // how many late vectors of the generation had been noted
}

// search searches the copy, if it is complete. It first brings the copy to where the shared index is, unless it only
// compares candidates: once one process has waited for a vector, all processes find it.
func (c *vectorCopy) search(ctx context.Context, s trilith.Scope, g trilith.Generation, ps []role.VectorProbe) (
	found [][]role.Candidate, ok bool, err error) {
	held := c.complete.Load()
	if held == nil || held.gen != g {
		return nil, false, nil
	}
	if !slices.ContainsFunc(ps, func(p role.VectorProbe) bool { return len(p.IDs) > 0 }) {
		if err := c.refresh(ctx, held); err != nil {
			return nil, false, ctx.Err()
		}
	}
	c.using.RLock()
	defer c.using.RUnlock()
	if held = c.complete.Load(); held == nil || held.gen != g {
		return nil, false, nil
	}
	found, err = c.copy.Search(ctx, s, g, ps...)
	return found, true, err
}

// refresh follows the shared index if it has moved.
func (c *vectorCopy) refresh(ctx context.Context, held *copied) error {
	gs := c.shared.active.Load()
	if err := c.shared.look(ctx, &gs.applier); err != nil {
		return err
	}
	moved := gs.gen != held.gen || gs.lateVectors().Count != held.late
	for shard, at := range gs.positions() {
		moved = moved || at > held.at[shard]
	}
	if !moved {
		return nil
	}
	return c.follow(ctx)
}

// follow brings the copy to where the shared index is.
func (c *vectorCopy) follow(ctx context.Context) error {
	c.following.Lock()
	defer c.following.Unlock()
	gs := c.shared.active.Load()
	if err := c.shared.look(ctx, &gs.applier); err != nil {
		return err
	}
	if !c.begun || c.now.gen != gs.gen {
		if err := c.begin(ctx, gs); err != nil {
			return err
		}
	}
	for shard := range c.now.at {
		for reached := gs.position(shard); c.now.at[shard] < reached; {
			changes, next, err := c.cfg.Log.Changes(ctx, system, shard, c.now.at[shard], batchSize)
			if err != nil {
				return err
			}
			if len(changes) == 0 || next > reached { // later changes may lack vectors, and are read again
				next = reached
			}
			if err := c.apply(ctx, changes); err != nil {
				return err
			}
			c.now.at[shard] = next
		}
	}
	if err := c.copyLate(ctx, gs.lateVectors()); err != nil {
		return err
	}
	c.complete.Store(&copied{c.now.gen, slices.Clone(c.now.at), c.now.late})
	return nil
}

// begin empties the copy for a generation.
func (c *vectorCopy) begin(ctx context.Context, gs *generationState) error {
	c.complete.Store(nil)
	c.using.Lock()
	defer c.using.Unlock()
	if err := c.copy.Reset(ctx, system); err != nil {
		return err
	}
	c.now = copied{gs.gen, make([]trilith.Cursor, c.cfg.Log.Shards()), gs.lateVectors().Count}
	c.begun, c.points = true, 0
	return nil
}

// apply copies the points of changed memories.
func (c *vectorCopy) apply(ctx context.Context, changes []role.Change) error {
	tenants, changed := byTenant(changes)
	for _, tenant := range tenants {
		s, deleted := trilith.Scope{Tenant: tenant}, changed[tenant]
		ids := slices.Sorted(maps.Keys(deleted))
		points, err := c.source.Points(ctx, s, c.now.gen, ids)
		if err != nil {
			return err
		}
		held := make(map[trilith.ID]bool, len(points))
		for i := range points {
			held[points[i].Facets.ID] = true
		}
		// one that was deleted and stored again may have a lower version than the one in the copy
		gone := slices.DeleteFunc(ids, func(id trilith.ID) bool { return held[id] && !deleted[id] })
		if len(gone) > 0 {
			if err := c.copy.Delete(ctx, s, gone); err != nil {
				return err
			}
		}
		c.points += len(points)
		if c.complete.Load() == nil {
			if err := c.bounds.mayCopy(c.points); err != nil {
				return err
			}
		}
		if err := c.copy.Apply(ctx, c.now.gen, points); err != nil {
			return err
		}
	}
	return nil
}

// forget removes memories from the copy.
func (c *vectorCopy) forget(ctx context.Context, s trilith.Scope, ids []trilith.ID) error {
	if c.complete.Load() != nil {
		c.following.Lock()
		defer c.following.Unlock()
	}
	return c.copy.Delete(ctx, s, ids)
}

// copyLate copies points that were made after the shared index had passed the changes of their memories.
func (c *vectorCopy) copyLate(ctx context.Context, noted lateVectors) error {
	fresh := noted.Count - c.now.late
	switch {
	case fresh == 0:
		return nil
	case fresh < 0 || fresh > int64(len(noted.Last)): // more than are listed: the next call copies all of them again
		clear(c.now.at)
		signal(c.wakeVectors)
	default:
		var changes []role.Change
		for _, v := range noted.Last[int64(len(noted.Last))-fresh:] {
			changes = append(changes, role.Change{Tenant: v.Tenant, ID: v.ID})
		}
		if err := c.apply(ctx, changes); err != nil {
			return err
		}
	}
	c.now.late = noted.Count
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
	Tenant string     `json:"tenant"`
	ID     trilith.ID `json:"id"`
}

const lateListed = 500

func lateID(g trilith.Generation) trilith.ID { return trilith.DeriveID("late", g.Key()) }

// note takes over the record of late vectors, if it has changed.
func (a *applier) note(r *role.Record) error {
	a.state.Lock()
	defer a.state.Unlock()
	if r.Version <= a.checkpoint.notedAt {
		return nil
	}
	var l lateVectors
	if err := json.Unmarshal(r.Body, &l); err != nil {
		return trilith.WrapError(trilith.Internal, "index: late vectors", err)
	}
	a.checkpoint.noted, a.checkpoint.notedAt = l, r.Version
	return nil
}

// lateVectors returns the late vectors that were noted at the latest look. The list must not be changed.
func (gs *generationState) lateVectors() lateVectors {
	gs.state.Lock()
	defer gs.state.Unlock()
	return gs.checkpoint.noted
}

// noteTries is how often a process tries to note late vectors while others note theirs.
const noteTries = 20

// noteLate tells the processes that have copies of a shared index about vectors that were made late.
func (x *vectorIndexer) noteLate(ctx context.Context, gs *generationState, tenant string, ids []trilith.ID) error {
	if !gs.shared() {
		return nil
	}
	for try := 1; ; try++ {
		if err := x.look(ctx, &gs.applier); err != nil {
			return err
		}
		gs.state.Lock()
		l, version := gs.checkpoint.noted, gs.checkpoint.notedAt
		gs.state.Unlock()
		l.Count, l.Last = l.Count+int64(len(ids)), slices.Clone(l.Last)
		for _, id := range ids {
			l.Last = append(l.Last, lateVector{tenant, id})
		}
		l.Last = l.Last[max(0, len(l.Last)-lateListed):]
		var b role.Batch
		if err := b.Replace(role.RecordPosition, lateID(gs.gen), version, l); err != nil {
			return err
		}
		_, err := x.cfg.Store.Commit(ctx, systemScope, b)
		if err == nil || trilith.KindOf(err) != trilith.Conflict || try == noteTries {
			return err
		}
	}
}
