package engine

import (
	"context"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/facts/entities"
	"github.com/trilith-memory/trilith/internal/truth"
)

// Undo restores the state before a change; see [trilith.Undone]. It is NotFound for a change of another scope, and
// Conflict if a later change rests on it, or if it was undone already.
func (e *Engine) Undo(ctx context.Context, s trilith.Scope, change trilith.ID) (trilith.Undone, error) {
	if err := truth.CheckScope(s); err != nil {
		return trilith.Undone{}, err
	}
	done, judged, err := truth.UndosOf(e.truth).Undo(ctx, s, change)
	for _, j := range judged {
		if j.Undone = true; err == nil && e.truth.Ledger != nil {
			err = e.truth.Ledger.Append(s.Tenant, trilith.ExportItem{Judged: &j})
		}
	}
	return done, err
}

// changing returns the scope under which a request commits one change, unless it is a part of another.
func (e *Engine) changing(s trilith.Scope, key string) trilith.Scope {
	switch {
	case s.Change != "":
	case key != "":
		s.Change = trilith.DeriveID("change", s.Tenant, truth.RequestKey(s, key))
	default:
		s.Change = trilith.NewID(e.truth.Now())
	}
	return s
}

// undoable runs a request as one change, and notes in its answer the id that undoes it.
func undoable[T any](ctx context.Context, e *Engine, s trilith.Scope, key string, change func(*T) *trilith.ID,
	request func(trilith.Scope) (T, error)) (T, error) {
	if err := truth.CheckScope(s); err != nil {
		var none T
		return none, err
	}
	s = e.changing(s, key)
	out, err := request(s)
	if err == nil {
		*change(&out), err = truth.UndosOf(e.truth).IsChange(ctx, s, s.Change)
	}
	return out, err
}

// Decide is [review.Reviewer.Decide].
func (e *Engine) Decide(ctx context.Context, s trilith.Scope, r trilith.BulkDecision) (trilith.DecisionReport, error) {
	return undoable(ctx, e, s, r.RequestKey, func(d *trilith.DecisionReport) *trilith.ID { return &d.Change },
		func(s trilith.Scope) (trilith.DecisionReport, error) { return e.review.Decide(ctx, s, r) })
}

// VerifyFact is [review.Reviewer.VerifyFact].
func (e *Engine) VerifyFact(ctx context.Context, s trilith.Scope, id trilith.ID, r trilith.VerifyRequest) (
	trilith.Memory, error) {
	return undoable(ctx, e, s, r.RequestKey, changeOf,
		func(s trilith.Scope) (trilith.Memory, error) { return e.review.VerifyFact(ctx, s, id, r) })
}

func changeOf(m *trilith.Memory) *trilith.ID { return &m.Change }

// MergeEntities is [entities.Merger.Merge].
func (e *Engine) MergeEntities(ctx context.Context, s trilith.Scope, into, from trilith.ID) (trilith.Entity, error) {
	return undoable(ctx, e, s, "", func(v *trilith.Entity) *trilith.ID { return &v.Change },
		func(s trilith.Scope) (trilith.Entity, error) {
			return entities.NewMerger(e.entities).Merge(ctx, s, into, from)
		})
}

// SplitEntity is [entities.Merger.Split].
func (e *Engine) SplitEntity(ctx context.Context, s trilith.Scope, id trilith.ID, r trilith.SplitRequest) (
	trilith.SplitResult, error) {
	return undoable(ctx, e, s, "", func(r *trilith.SplitResult) *trilith.ID { return &r.Change },
		func(s trilith.Scope) (trilith.SplitResult, error) {
			return entities.NewMerger(e.entities).Split(ctx, s, id, r)
		})
}
