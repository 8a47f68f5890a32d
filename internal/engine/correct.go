package engine

import (
	"cmp"
	"context"
	"time"
	"unicode/utf8"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/facts"
	"github.com/trilith-memory/trilith/internal/facts/derive"
	"github.com/trilith-memory/trilith/internal/facts/entities"
	"github.com/trilith-memory/trilith/internal/facts/reconcile"
	"github.com/trilith-memory/trilith/internal/facts/relations"
	"github.com/trilith-memory/trilith/internal/review"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/truth"
)

// correct has a person's sentence take the place of a fact, or end it if the sentence only denies it; see
// [trilith.SupersedeRequest]. The sentence is stored as a note of its own, in the same commit.
func (e *Engine) correct(ctx context.Context, s trilith.Scope, old *trilith.Memory, r trilith.SupersedeRequest,
	at time.Time) (trilith.Supersession, error) {
	text, err := e.correction(old, r.Text)
	if err != nil {
		return trilith.Supersession{}, err
	}
	n, err := e.truth.KeyedRequest(s, r.RequestKey, "supersede "+string(old.ID), r.Text)
	if err != nil {
		return trilith.Supersession{}, err
	}
	if _, made, err := n.Before(ctx); err != nil || made {
		return e.corrected(ctx, s, old.ID, err)
	}
	if err := facts.CheckChange(s, old); err != nil {
		return trilith.Supersession{}, err
	}
	if !review.Present(old, e.truth.Now()) {
		return trilith.Supersession{}, trilith.Errorf(trilith.Invalid, "id: the fact is %s; there is nothing left to correct",
			old.StateAt(e.truth.Now()))
	}
	if d := reconcile.Denial(text, old); d != "" {
		_, err := e.review.DecideUnder(ctx, s, old.ID, trilith.VerifyRequest{Decision: d, At: r.At, Note: short(text)}, n)
		return e.corrected(ctx, s, old.ID, err)
	}
	now := e.truth.Now()
	note := trilith.Memory{ID: trilith.NewID(now), Version: 1, Kind: trilith.KindNote, Type: "correction", Text: text,
		Scope: relations.OwnerScope(s, old).Bare(), Role: trilith.RoleUser, EventTime: now, RecordedAt: now,
		State: trilith.StateActive, Trust: trilith.TrustUserConfirmed}
	if !at.IsZero() {
		note.EventTime = at
	}
	c, err := e.derive.Correct(ctx, s, old, &note)
	if err != nil {
		return trilith.Supersession{}, err
	}
	c.States.Memory.Fact.Verification = trilith.Verification{Status: trilith.Verified, By: cmp.Or(s.Actor, "local"), At: &now,
		Note: e.truth.Policy.Check("", note.Trust, r.Note).Text}
	err = e.commitCorrection(ctx, s, old, &note, c, n, at)
	return e.corrected(ctx, s, old.ID, err)
}

// commitCorrection stores a correction with its consequences.
func (e *Engine) commitCorrection(ctx context.Context, s trilith.Scope, old, note *trilith.Memory, c derive.Correction,
	n truth.KeyedRequest, at time.Time) error {
	of := facts.GroupOf(old)
	own, others := c.Of(facts.Group{Entity: c.States.Memory.Fact.EntityID, Owner: of.Owner})
	_, _, err := e.facts.ReviseWith(ctx, s, of, func(who *entities.Resolver, v trilith.Entity, f *reconcile.Facts) error {
		if _, made, err := n.Before(ctx); err != nil || made { // by another writer, at the same time
			return err
		}
		if !f.Correct(old.ID, c.States, at, e.facts.Retract) {
			return trilith.Errorf(trilith.Invalid, "text: says what the fact says already, or the fact holds no more")
		}
		for _, a := range own {
			f.Apply(a)
		}
		for _, t := range others {
			if _, err := e.facts.AddRevision(ctx, who, t.Of, derive.ApplyEdit(ctx, t)); err != nil {
				return err
			}
		}
		b := who.Batch
		b.Expect = append(b.Expect, role.Expect{ID: note.ID})
		b.Memories = append(b.Memories, *note)
		b.Audit = append(b.Audit, e.truth.Audit(s, "fact.supersede", old.ID, map[string]string{"note": string(note.ID)})...)
		return n.Note(b, truth.Target{ID: old.ID, Version: old.Version})
	})
	return err
}

// correction returns a correction as it is stored, or an error if it cannot be.
func (e *Engine) correction(old *trilith.Memory, text string) (string, error) {
	text, err := derive.Statement(e.truth.Policy, "text", text)
	switch {
	case err != nil:
		return "", err
	case text == old.Text:
		return "", trilith.Errorf(trilith.Invalid, "text: says what the fact says already")
	case old.Fact.IsRelation():
		return "", trilith.Errorf(trilith.Invalid, "id: is a relation; remove it, and relate the facts that belong together")
	}
	return text, nil
}

// corrected returns a corrected fact with what took its place.
func (e *Engine) corrected(ctx context.Context, s trilith.Scope, id trilith.ID, err error) (trilith.Supersession, error) {
	var out trilith.Supersession
	if err != nil {
		return out, err
	}
	if out.Superseded, err = e.truth.Get(ctx, s, id); err != nil {
		return out, err
	}
	shown := []*trilith.Memory{&out.Superseded}
	if out.Superseded.SupersededBy != "" {
		by, err := e.truth.Get(ctx, s, out.Superseded.SupersededBy)
		if err != nil {
			return out, err
		}
		out.By = &by
		shown = append(shown, out.By)
	}
	e.facts.RedactQuotes(ctx, s, shown)
	return out, nil
}

// short returns as much of a text as a note of a decision holds.
func short(text string) string {
	if len(text) <= trilith.MaxNameBytes {
		return text
	}
	end := trilith.MaxNameBytes
	for !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end]
}
