package index

import (
	"context"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
)

// Rebuild rebuilds the text index and the active vectors from the truth. Both are deleted before, and searches wait for
// the text index meanwhile. A text index that processes share is rebuilt in place, text by text, because they go on
// searching it. Progress, if given, is called with the memories done so far for text and vectors together.
func (x *Indexer) Rebuild(ctx context.Context, progress func(done int)) (texts, vectors int, err error) {
	if progress == nil {
		progress = func(int) {}
	}
	if x.text.shared() {
		texts, err = x.renewTexts(ctx, progress)
	} else {
		texts, err = x.rebuild(ctx, &x.text, func(ctx context.Context) error {
			x.languageStates.forget()
			return x.cfg.Text.Reset(ctx, system)
		}, x.applyTexts, progress)
	}
	if err == nil && x.cfg.Vectors != nil {
		vectors, err = x.rebuildVectors(ctx, x.active.Load(), progress)
	}
	return texts, vectors, trilith.WrapError(trilith.Internal, "index.Rebuild", err)
}

func (x *Indexer) rebuildVectors(ctx context.Context, gs *generationState, progress func(int)) (int, error) {
	gs.rebuilding.Lock()
	defer gs.rebuilding.Unlock()
	release, _, err := x.turnToRebuild(ctx, gs) // another rebuild, if there is one, takes as long to end
	if err != nil {
		return 0, err
	}
	defer release()
	var mark int64
	vectors, err := x.rebuild(ctx, &gs.applier, func(ctx context.Context) error {
		// before the vectors are dropped: a crash between the two must not leave memories without vectors
		if err := x.markUnfinished(ctx, gs); err != nil {
			return err
		}
		if err := x.forgetPosition(ctx, &gs.applier); err != nil {
			return err
		}
		if err := x.cfg.Vectors.Drop(ctx, system, gs.gen); err != nil {
			return err
		}
		// again, so that no process that looked before the drop removes the mark
		err := x.markUnfinished(ctx, gs)
		if err == nil {
			mark, err = x.lookForMark(ctx, gs)
		}
		return err
	}, x.applyVectors(gs), progress)
	if err == nil {
		err = x.unmark(ctx, gs, mark)
	}
	return vectors, err
}

// forgetPosition resets the checkpoint in the store, if there is one.
func (x *follower) forgetPosition(ctx context.Context, a *applier) error {
	if a.checkpoint == nil {
		return nil
	}
	shards := make([]int, len(a.checkpoint.refs))
	for shard := range shards {
		shards[shard] = shard
	}
	return x.save(ctx, a, shards, position{})
}

// rebuild empties an index and applies all memories to it.
func (x *Indexer) rebuild(ctx context.Context, a *applier, reset func(context.Context) error, apply applyFunc,
	progress func(int)) (int, error) {
	start := 0
	err := x.alone(ctx, a, func(ctx context.Context) error {
		start = a.count()
		x.keeping.Lock() // an empty index must not be saved as a full one
		defer x.keeping.Unlock()
		err := reset(ctx)
		for shard := range x.cfg.Log.Shards() {
			a.move(shard, "", 0)
		}
		return err
	})
	if err != nil {
		return 0, err
	}
	err = x.each(ctx, a, func(ctx context.Context, cs []role.Change) (int, error) {
		n, err := apply(ctx, cs)
		if err == nil {
			progress(n)
		}
		return n, err
	})
	return a.count() - start, err
}

// renewTexts applies all texts of all tenants again and removes entries without a memory.
func (x *textIndexer) renewTexts(ctx context.Context, progress func(int)) (n int, err error) {
	if err := x.CatchUp(ctx); err != nil {
		return 0, err
	}
	tenants, err := x.cfg.Log.Tenants(ctx, system)
	if err != nil {
		return 0, err
	}
	for _, tenant := range append(tenants, trilith.SystemTenant) {
		s := trilith.Scope{Tenant: tenant}
		exists := map[trilith.ID]bool{}
		for after := trilith.ID(""); ; {
			var ms []trilith.Memory
			if err := x.alone(ctx, &x.text, func(ctx context.Context) (err error) {
				if ms, err = x.page(ctx, s, after); err != nil {
					return err
				}
				return x.indexTexts(ctx, ms)
			}); err != nil {
				return n, err
			}
			if len(ms) == 0 {
				break
			}
			for _, m := range ms {
				exists[m.ID] = true
			}
			after = ms[len(ms)-1].ID
			n += len(ms)
			progress(len(ms))
		}
		held, err := x.cfg.Text.Stamps(ctx, s, nil)
		if err != nil {
			return n, err
		}
		var strays []trilith.ID
		for _, st := range held {
			if !exists[st.ID] {
				strays = append(strays, st.ID)
			}
		}
		if err := x.RepairTexts(ctx, s, strays); err != nil {
			return n, err
		}
	}
	return n, nil
}

// page reads the memories of a tenant after an id, as many as are applied at once.
func (x *follower) page(ctx context.Context, s trilith.Scope, after trilith.ID) (ms []trilith.Memory, err error) {
	for m, err := range x.cfg.Store.List(ctx, s, role.Listing{After: after, Limit: batchSize}) {
		if isDamaged(err) {
			continue
		}
		if err != nil {
			return nil, err
		}
		ms = append(ms, m)
	}
	return ms, nil
}
