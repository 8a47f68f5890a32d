package engine

import (
	"context"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/facts/entities"
	"github.com/trilith-memory/trilith/internal/truth"
)

// Changes are what alters a memory. Decisions, corrections, edits, forgetting and merges can be undone: each is one
// change, whatever it is made of.
type Changes struct{ e *Engine }

// Undo restores the state before a change; see [trilith.Undone]. It is NotFound for a change of another scope, and
// Conflict if a later change rests on it, or if it was undone already.
func (c Changes) Undo(ctx context.Context, s trilith.Scope, change trilith.ID) (trilith.Undone, error) {
	if err := truth.CheckScope(s); err != nil {
		return trilith.Undone{}, err
	}
	done, judged, err := truth.UndosOf(c.e.truth).Undo(ctx, s, change)
	for _, j := range judged {
		j.Undone = true
		if err == nil && c.e.truth.Ledger != nil {
			err = c.e.truth.Ledger.Append(s.Tenant, trilith.ExportItem{Judged: &j})
		}
	}
	return done, err
}

// Decide makes one decision about many items. Each has its own result.
func (c Changes) Decide(ctx context.Context, s trilith.Scope, r trilith.BulkDecision) (trilith.DecisionReport, error) {
	return undoable(ctx, c.e, s, r.RequestKey, func(d *trilith.DecisionReport) *trilith.ID { return &d.Change },
		func(s trilith.Scope) (trilith.DecisionReport, error) { return c.e.review.Decide(ctx, s, r) })
}

// VerifyFact records the decision about a fact; see [trilith.VerifyRequest]. It is NotFound for a memory of another
// scope and Invalid for a memory that is not a fact.
func (c Changes) VerifyFact(ctx context.Context, s trilith.Scope, r trilith.VerifyRequest) (trilith.Memory, error) {
	return undoable(ctx, c.e, s, r.RequestKey, changeOf,
		func(s trilith.Scope) (trilith.Memory, error) { return c.e.review.VerifyFact(ctx, s, r) })
}

func changeOf(m *trilith.Memory) *trilith.ID { return &m.Change }

// MergeEntities makes an entity a part of another, with its facts. Merging twice changes nothing.
func (c Changes) MergeEntities(ctx context.Context, s trilith.Scope, r trilith.MergeRequest) (trilith.Entity, error) {
	return undoable(ctx, c.e, s, "", func(v *trilith.Entity) *trilith.ID { return &v.Change },
		func(s trilith.Scope) (trilith.Entity, error) {
			return entities.NewMerger(c.e.entities).Merge(ctx, s, r.ID, r.From)
		})
}

// SplitEntity takes a part of an entity out of it, or undoes a merge.
func (c Changes) SplitEntity(ctx context.Context, s trilith.Scope, r trilith.SplitRequest) (trilith.SplitResult, error) {
	return undoable(ctx, c.e, s, "", func(r *trilith.SplitResult) *trilith.ID { return &r.Change },
		func(s trilith.Scope) (trilith.SplitResult, error) {
			return entities.NewMerger(c.e.entities).Split(ctx, s, r.ID, r)
		})
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
