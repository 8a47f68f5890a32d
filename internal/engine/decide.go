package engine

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/facts"
	"github.com/trilith-memory/trilith/internal/ingest"
	"github.com/trilith-memory/trilith/internal/reconcile"
	"github.com/trilith-memory/trilith/internal/review"
	"github.com/trilith-memory/trilith/internal/truth"
)

// SupersedeFact records that another fact replaces one; see [trilith.SupersedeRequest]. The old fact is closed, no
// earlier than it was last stated, and stays in the history; the new one is verified, because a person vouches for it.
// Repeating it changes nothing. A fact that never held should be rejected instead.
func (e *Engine) SupersedeFact(ctx context.Context, s trilith.Scope, id trilith.ID, r trilith.SupersedeRequest) (
	trilith.Supersession, error) {
	if err := truth.CheckScope(s); err != nil {
		return trilith.Supersession{}, err
	}
	at, err := checkSupersede(r)
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
	masking := truth.NoteMasking(r.Note)
	if r.Text != "" {
		if err := ingest.RequestKey(r.RequestKey); err != nil {
			return trilith.Supersession{}, err
		}
		var said trilith.Masking
		if r.By, said, err = e.said(ctx, s, &old, r); err != nil {
			return trilith.Supersession{}, err
		}
		masking = truth.MaskingOf(masking.Masked+said.Masked, slices.Concat(masking.MaskedIn, said.MaskedIn))
	}
	successor, err := e.review.Fact(ctx, s, r.By)
	if err != nil {
		return trilith.Supersession{}, err
	}
	if old, err = e.review.Fact(ctx, s, id); err != nil {
		return trilith.Supersession{}, err
	}
	if err := cmp.Or(facts.CheckChange(s, &old), facts.CheckChange(s, &successor),
		e.checkSuccessor(&old, &successor)); err != nil {
		return trilith.Supersession{}, err
	}
	if v := successor.Fact.Verification; v.Status != trilith.Verified || !v.Decided() ||
		old.SupersededBy != successor.ID {
		if successor, err = e.review.VerifyFact(
			ctx, s, successor.ID, trilith.VerifyRequest{Decision: trilith.DecideVerify, Note: r.Note}); err != nil {
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
	out := trilith.Supersession{Masking: masking}
	if out.Superseded, err = e.truth.Get(ctx, s, id); err == nil {
		out.By, err = e.truth.Get(ctx, s, successor.ID)
	}
	e.facts.RedactQuotes(ctx, s, []*trilith.Memory{&out.Superseded, &out.By})
	return out, err
}

func checkSupersede(r trilith.SupersedeRequest) (at time.Time, err error) {
	switch {
	case (r.By == "") == (r.Text == ""):
		return at, trilith.Errorf(trilith.Invalid, "by: give either the id of the replacing fact, or its text")
	case r.At != "":
		if at, err = trilith.ParseTime(r.At); err != nil {
			return at, trilith.Errorf(trilith.Invalid, "at: %s", trilith.MessageOf(err))
		}
	}
	if r.By != "" {
		if err := r.By.Validate(); err != nil {
			return at, err
		}
	}
	return at, review.CheckNote(r.Note)
}

// said stores the statement of a person that replaces a fact, and returns the resulting fact, and what was masked.
func (e *Engine) said(ctx context.Context, s trilith.Scope, old *trilith.Memory, r trilith.SupersedeRequest) (
	trilith.ID, trilith.Masking, error) {
	about, err := e.entities.Read(ctx, s, old.Fact.EntityID)
	if err != nil {
		return "", trilith.Masking{}, err
	}
	if len(about.Identifiers) == 0 {
		return "", trilith.Masking{},
			trilith.Errorf(trilith.Invalid,
				"text: the fact's entity has no identifier; name the fact that holds instead by its id")
	}
	where := old.Scope.Bare()
	where.Actor, where.Fixed = s.Actor, s.Fixed
	res, err := e.assimilate(
		ctx, where, trilith.AssimilateRequest{Identifier: about.Identifiers[0], Content: r.Text, Speaker: about.Name,
			Timestamp: r.At, RequestKey: r.RequestKey,
			Wait: trilith.WaitExtracted})
	if err != nil {
		return "", trilith.Masking{}, err
	}
	at := slices.IndexFunc(res.Facts, func(m trilith.Memory) bool {
		return m.ID != old.ID && facts.GroupOf(&m) == facts.GroupOf(old) && m.Fact.Verb == old.Fact.Verb &&
			review.Present(&m, e.truth.Now())
	})
	if at < 0 && res.Pending {
		return "", trilith.Masking{},
			trilith.Errorf(trilith.Unavailable,
				"text: the text is stored%s and its facts are not derived yet (job %s); repeat the request under its key, or name the fact that holds instead by its id", review.MaskedWords(res.Masked), res.JobID)
	}
	if at < 0 {
		return "", trilith.Masking{},
			trilith.Errorf(trilith.Invalid,
				"text: it is stored%s, but no other fact of %s about %s follows from it; "+
					"say it as they would, such as \"I …\", or name the fact that holds instead by its id",
				review.MaskedWords(res.Masked), old.Fact.Verb, about.Name)
	}
	masking := trilith.Masking{Masked: res.Masked}
	if res.Masked > 0 {
		masking.MaskedIn = []string{"text"} // the field's name in this request
	}
	return res.Facts[at].ID, masking, nil
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
