package engine

import (
	"cmp"
	"context"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/facts"
	"github.com/trilith-memory/trilith/internal/facts/reconcile"
	"github.com/trilith-memory/trilith/internal/review"
	"github.com/trilith-memory/trilith/internal/truth"
)

// SupersedeFact corrects a fact by another one or by a sentence; see [trilith.SupersedeRequest]. The old fact is closed,
// no earlier than it was last stated, and stays in the history; the new one is verified, because a person vouches for it.
// Naming the same successor again changes nothing. A fact that never held should be rejected instead.
func (c Changes) SupersedeFact(ctx context.Context, s trilith.Scope, r trilith.SupersedeRequest) (
	trilith.Supersession, error) {
	return undoable(ctx, c.e, s, r.RequestKey, func(p *trilith.Supersession) *trilith.ID { return &p.Change },
		func(s trilith.Scope) (trilith.Supersession, error) {
			out, err := c.e.supersede(ctx, s, r.ID, r)
			out.Masking = truth.NoteMasking(r.Note)
			return out, err
		})
}

func (e *Engine) supersede(ctx context.Context, s trilith.Scope, id trilith.ID, r trilith.SupersedeRequest) (
	trilith.Supersession, error) {
	at, err := e.checkSupersede(s, r)
	if err != nil {
		return trilith.Supersession{}, err
	}
	old, err := e.review.Fact(ctx, s, id)
	if err != nil {
		return trilith.Supersession{}, err
	}
	if last := review.LastSaid(&old); !at.IsZero() && !at.After(last) {
		return trilith.Supersession{},
			trilith.Errorf(trilith.Invalid,
				"at: must be after %s, when the fact was last said to hold; reject a fact that never held",
				last.Format(time.DateOnly))
	}
	if r.Text != "" {
		return e.correct(ctx, s, &old, r, at)
	}
	successor, err := e.review.Fact(ctx, s, r.By)
	if err != nil {
		return trilith.Supersession{}, err
	}
	if err := cmp.Or(facts.CheckChange(s, &old), facts.CheckChange(s, &successor),
		e.checkSuccessor(&old, &successor)); err != nil {
		return trilith.Supersession{}, err
	}
	if v := successor.Fact.Verification; v.Status != trilith.Verified || !v.Decided() ||
		old.SupersededBy != successor.ID {
		if successor, err = e.review.VerifyFact(
			ctx, s, trilith.VerifyRequest{ID: successor.ID, Decision: trilith.DecideVerify, Note: r.Note}); err != nil {
			return trilith.Supersession{}, err
		}
	}
	if old.SupersededBy != successor.ID {
		entry := e.truth.Audit(s, "fact.supersede", id, map[string]string{"by": string(successor.ID)})
		if _, _, err := e.facts.Revise(ctx, s, facts.GroupOf(&old),
			func(f *reconcile.Facts) { f.Replace(id, successor.ID, at) }, entry...); err != nil {
			return trilith.Supersession{}, err
		}
	}
	return e.corrected(ctx, s, id, nil)
}

func (e *Engine) checkSupersede(s trilith.Scope, r trilith.SupersedeRequest) (at time.Time, err error) {
	switch {
	case (r.By == "") == (r.Text == ""):
		return at, trilith.Errorf(trilith.Invalid, "by: give either the id of the replacing fact, or its text")
	case r.At != "":
		if at, err = e.truth.ClockOf(s).Time("at", r.At); err != nil {
			return at, err
		}
	}
	if r.By != "" {
		if err := r.By.Validate(); err != nil {
			return at, err
		}
	}
	return at, review.CheckNote(r.Note)
}

// checkSuccessor returns an error for a fact that cannot replace another.
func (e *Engine) checkSuccessor(old, successor *trilith.Memory) error {
	switch {
	case old.ID == successor.ID:
		return trilith.Errorf(trilith.Invalid, "by: is the fact itself")
	case old.Fact.EntityID != successor.Fact.EntityID:
		return trilith.Errorf(trilith.Invalid, "by: is a fact about another entity")
	case old.Fact.Owner != successor.Fact.Owner:
		return trilith.Errorf(trilith.Invalid, "by: belongs to another owner; a fact can replace only facts of its own owner")
	case !review.Present(successor, e.truth.Now()):
		return trilith.Errorf(trilith.Invalid, "by: the fact is %s; one that holds can replace another",
			successor.StateAt(e.truth.Now()))
	case old.SupersededBy != "" && old.SupersededBy != successor.ID:
		return trilith.Errorf(trilith.Invalid, "id: the fact was replaced by %s already; supersede that one",
			old.SupersededBy)
	case old.SupersededBy == "" && !review.Present(old, e.truth.Now()):
		return trilith.Errorf(trilith.Invalid, "id: the fact is %s; there is nothing left to replace",
			old.StateAt(e.truth.Now()))
	case len(successor.Fact.Evidence) == 0:
		return trilith.Errorf(trilith.Invalid, "by: the fact has no evidence")
	}
	return nil
}
