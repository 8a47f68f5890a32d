package index

import (
	"context"
	"errors"
	"slices"

	"github.com/cairn-memory/cairn"
)

// MendTexts makes the text index agree with the truth about ids of a tenant, whatever it holds of them: what exists is
// indexed anew, what does not is removed. What was kept of the index is thrown away, for it may lack the same.
func (x *textIndexer) MendTexts(ctx context.Context, s cairn.Scope, ids []cairn.ID) error {
	err := mend(ctx, x.follower, &x.text, s, ids, x.cfg.Text.Delete, x.indexTexts)
	if err != nil || len(ids) == 0 {
		return err
	}
	return x.discardTexts(ctx)
}

// MendVectors is MendTexts for the vectors. What the embedder refuses becomes a job; while the embedder is away, what
// was stale has no vector.
func (x *vectorIndexer) MendVectors(ctx context.Context, s cairn.Scope, ids []cairn.ID) error {
	l := x.active.Load()
	apply := func(ctx context.Context, ms []cairn.Memory) error {
		if b := x.building.Load(); b != nil { // it had them too
			if err := x.embedOrPostpone(ctx, b, ms); err != nil {
				return err
			}
		}
		return x.embedOrPostpone(ctx, l, ms)
	}
	return mend(ctx, x.follower, &l.applier, s, ids, x.cfg.Vectors.Delete, apply)
}

// isDamaged reports whether rows are damaged that were to be read. No index can be made of them; that of the others is
// made.
func isDamaged(err error) bool {
	_, ok := errors.AsType[*cairn.Damaged](err)
	return ok
}

// mend holds the applier while it reads and applies: what is erased meanwhile is applied after it.
func mend(ctx context.Context, x *follower, a *applier, s cairn.Scope, ids []cairn.ID,
	remove func(context.Context, cairn.Scope, []cairn.ID) error,
	apply func(context.Context, []cairn.Memory) error) error {
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
