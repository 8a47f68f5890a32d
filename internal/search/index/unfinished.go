package index

import (
	"context"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
)

// Unfinished reports whether memories may lack their active vectors because a rebuild of these has not ended.
func (x *vectorIndexer) Unfinished() bool {
	gs := x.active.Load()
	return gs != nil && gs.unfinished.Load()
}

// markUnfinished writes the mark.
func (x *vectorIndexer) markUnfinished(ctx context.Context, gs *generationState) error {
	if gs.checkpoint == nil {
		return nil
	}
	var b role.Batch
	if err := b.Put(gs.mark().Kind, gs.mark().ID, position{}); err != nil {
		return err
	}
	_, err := x.cfg.Store.Commit(ctx, systemScope, b)
	gs.unfinished.Store(err == nil || gs.unfinished.Load())
	return err
}

// finish makes the vectors that a rebuild has left out, because it was ended, or because the store is a copy from its
// middle. It does not disturb a rebuild that is known to go on.
func (x *vectorIndexer) finish(ctx context.Context, gs *generationState) error {
	if gs.checkpoint == nil || x.cfg.ReadOnly || !gs.rebuilding.TryLock() {
		return nil
	}
	defer gs.rebuilding.Unlock()
	now := x.cfg.Now()
	if !gs.unfinished.Load() && now.Sub(gs.marked) < abandoned {
		return nil
	}
	gs.marked = now
	version, err := x.lookForMark(ctx, gs)
	if err != nil || version == 0 {
		return err
	}
	release, ok, err := x.turnToRebuild(ctx, gs)
	if err != nil || !ok {
		return err
	}
	defer release()
	x.cfg.Logger.WarnContext(ctx, "index: a rebuild of the vectors has not ended; missing vectors are made", "generation",
		gs.gen.Key())
	if err := x.eachLacking(ctx, gs, func(s trilith.Scope, ms []trilith.Memory) error {
		ids := trilith.IDsOf(ms)
		return x.RepairVectors(ctx, s, ids)
	}); err != nil {
		return err
	}
	return x.unmark(ctx, gs, version)
}

// lookForMark reads the mark, whichever process wrote it, and returns its version; 0 if there is none.
func (x *vectorIndexer) lookForMark(ctx context.Context, gs *generationState) (version int64, err error) {
	if gs.checkpoint == nil {
		return 0, nil
	}
	ref := gs.mark()
	rs, err := x.cfg.Store.Records(ctx, systemScope, role.RecordListing{Kind: ref.Kind, IDs: []trilith.ID{ref.ID}})
	if err != nil {
		return 0, trilith.WrapError(trilith.Internal, "index: positions", err)
	}
	if len(rs) == 1 {
		version = rs[0].Version
	}
	gs.unfinished.Store(version != 0)
	return version, nil
}

// turnToRebuild reports whether no other process rebuilds the vectors, and keeps others from finishing them.
func (x *vectorIndexer) turnToRebuild(ctx context.Context, gs *generationState) (release func(), ok bool, err error) {
	if x.cfg.Turns == nil {
		return func() {}, true, nil
	}
	_, release, ok, err = x.cfg.Turns.TryTurn(ctx, system, "rebuild "+string(trilith.DeriveID("turn", gs.gen.Key())))
	if err != nil || !ok {
		return func() {}, false, err
	}
	return release, true, nil
}

// unmark removes the mark if it still has a version.
func (x *vectorIndexer) unmark(ctx context.Context, gs *generationState, version int64) error {
	if version == 0 {
		return nil
	}
	ref := gs.mark()
	_, err := x.cfg.Store.Commit(ctx, systemScope,
		role.Batch{Expect: []role.Expect{{Kind: ref.Kind, ID: ref.ID, Version: version}}, Delete: []role.Ref{ref}})
	if err != nil && trilith.KindOf(err) == trilith.Conflict { // another rebuild has begun
		return nil
	}
	if err == nil {
		gs.unfinished.Store(false)
	}
	return err
}

// mark is the record that says that the vectors of a generation are being rebuilt. It is there before they are dropped
// and until every memory has its vector again. Positions cannot say so: a process that does not share them may write
// its own in the middle of a rebuild by another, and a copy of the store has both.
func (gs *generationState) mark() role.Ref {
	return role.Ref{Kind: role.RecordPosition,
		ID: trilith.DeriveID("position", string(gs.checkpoint.refs[0].ID), "rebuilding")}
}
