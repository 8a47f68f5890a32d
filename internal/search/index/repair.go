package index

import (
	"context"
	"errors"
	"slices"

	"github.com/trilith-memory/trilith"
)

// RepairTexts makes the text index agree with the truth for some ids of a tenant: it indexes memories that exist again,
// and removes those that do not. It deletes the snapshot of the index, which may contain the same errors.
func (x *textIndexer) RepairTexts(ctx context.Context, s trilith.Scope, ids []trilith.ID) error {
	err := mend(ctx, x.follower, &x.text, s, ids, x.cfg.Text.Delete, x.indexTexts)
	if err != nil || len(ids) == 0 {
		return err
	}
	return x.discardTexts(ctx)
}

// RepairVectors is RepairTexts for the vectors. A text that the embedder refuses becomes a job; while the embedder is
// unavailable, outdated memories have no vector.
func (x *vectorIndexer) RepairVectors(ctx context.Context, s trilith.Scope, ids []trilith.ID) error {
	gs := x.active.Load()
	apply := func(ctx context.Context, ms []trilith.Memory) error {
		if b := x.building.Load(); b != nil { // ids are deleted from every generation
			if err := x.embedOrPostpone(ctx, b, ms); err != nil {
				return err
			}
		}
		return x.embedOrPostpone(ctx, gs, ms)
	}
	if err := mend(ctx, x.follower, &gs.applier, s, ids, x.cfg.Vectors.Delete, apply); err != nil || len(ids) == 0 {
		return err
	}
	return x.noteLate(ctx, gs, s.Tenant, ids)
}

// repair holds the applier while it reads and applies, so concurrent erasures are applied after it.
func mend(ctx context.Context, x *follower, a *applier, s trilith.Scope, ids []trilith.ID,
	remove func(context.Context, trilith.Scope, []trilith.ID) error,
	apply func(context.Context, []trilith.Memory) error) error {
	for some := range slices.Chunk(ids, batchSize) {
		if err := x.alone(ctx, a, func(ctx context.Context) error {
			if err := remove(ctx, s, some); err != nil {
				return err
			}
			live, err := x.cfg.Store.Get(ctx, s, some)
			if err != nil && !isDamaged(err) {
				return err
			}
			return apply(ctx, live)
		}); err != nil {
			return err
		}
	}
	return nil
}

// isDamaged reports whether err names damaged rows. They cannot be indexed; the other rows can.
func isDamaged(err error) bool {
	_, ok := errors.AsType[*trilith.Damaged](err)
	return ok
}
