package engine

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/cairn-memory/cairn"
	"github.com/cairn-memory/cairn/internal/ingest"
	"github.com/cairn-memory/cairn/internal/reconcile"
)

// decisions are the marks that a decision leaves on a fact.
var decisions = map[cairn.Decision]cairn.VerificationStatus{
	cairn.DecideVerify: cairn.Verified, cairn.DecideReject: cairn.Rejected, cairn.DecideReview: cairn.NeedsReview,
	cairn.DecideDispute: cairn.Disputed, cairn.DecidePending: cairn.PendingApproval,
}

// checkNote refuses a note that cannot be stored.
func checkNote(note string) error {
	switch {
	case len(note) > cairn.MaxNameBytes:
		return cairn.Errorf(cairn.Invalid, "note: is %d bytes long, at most %d are allowed", len(note), cairn.MaxNameBytes)
	case !utf8.ValidString(note) || strings.ContainsRune(note, 0):
		return cairn.Errorf(cairn.Invalid, "note: is not valid UTF-8 without NUL characters")
	}
	return nil
}

// VerifyFact records what the actor of the scope decides about a fact; see [cairn.VerifyRequest]. It is NotFound for a
// memory of another scope and Invalid for one that is no fact.
func (e *Engine) VerifyFact(ctx context.Context, s cairn.Scope, id cairn.ID, r cairn.VerifyRequest) (cairn.Memory, error) {
	if err := checkScope(s); err != nil {
		return cairn.Memory{}, err
	}
	if _, known := decisions[r.Decision]; !known {
		return cairn.Memory{}, cairn.Errorf(cairn.Invalid, "decision: %.32q is not one; use verify, reject, needs_review, dispute, pending_approval", string(r.Decision))
	}
	if err := checkNote(r.Note); err != nil {
		return cairn.Memory{}, err
	}
	key := r.RequestKey
	r.RequestKey = ""
	n, err := e.named(s, key, "verify "+string(id), r)
	if err != nil {
		return cairn.Memory{}, err
	}
	m, err := e.decide(ctx, s, id, r, false, n, func(m *cairn.Memory) error {
		if m.Fact == nil {
			return cairn.Errorf(cairn.Invalid, "id: %s is not a fact but of kind %s", id, m.Kind)
		}
		return nil
	})
	m.Masking = noteMasking(r.Note)
	e.discreet(ctx, s, []*cairn.Memory{&m})
	return m, err
}

// decide makes one decision about one memory, in a commit with its entry in the audit, and lets follow what follows from it;
// a dry one only says what the memory itself would be. check may refuse the memory.
func (e *Engine) decide(ctx context.Context, s cairn.Scope, id cairn.ID, r cairn.VerifyRequest, dry bool, n named, check func(*cairn.Memory) error) (cairn.Memory, error) {
	var m cairn.Memory
	err := retry(ctx, func() (bool, error) {
		_, made, err := n.before(ctx)
		if err != nil {
			return false, err
		}
		if m, err = e.get(ctx, s, id); err != nil || made {
			return false, err
		}
		if err := cmp.Or(refuseChange(s, &m), check(&m)); err != nil {
			return false, err
		}
		b := cairn.Batch{Expect: []cairn.Expect{{ID: id, Version: m.Version}}}
		action := "fact.verify"
		if m.Fact != nil {
			e.mark(s, &m, r)
		} else if action, err = "review", e.release(&m, r.Decision); err != nil {
			return false, err
		}
		if dry {
			return false, nil
		}
		if followed(&m) {
			j, err := e.job(jobRevise, reviseJob{Episodes: []cairn.ID{id}})
			if err != nil {
				return false, err
			}
			b.Jobs = []cairn.Job{j}
		}
		if err := n.note(&b, target{ID: id, Version: m.Version}); err != nil {
			return false, err
		}
		b.Memories = []cairn.Memory{m}
		b.Audit = e.audit(s, action, id, map[string]string{"decision": string(r.Decision)})
		done, err := e.commit(ctx, s, b)
		if err == nil {
			m.Version = done.Versions[0]
		}
		return true, err
	})
	if err != nil || dry {
		return m, err
	}
	e.index.Notify()
	return e.decidedUpon(ctx, s, m, r.Decision)
}

// decidedUpon lets follow what follows from a decision about a memory, and returns it as it is then. Doing it again changes
// nothing.
func (e *Engine) decidedUpon(ctx context.Context, s cairn.Scope, m cairn.Memory, d cairn.Decision) (cairn.Memory, error) {
	if m.Fact == nil {
		return m, e.follow(ctx, s, []cairn.ID{m.ID})
	}
	if err := e.retell(ctx, s, []cairn.Memory{m}); err != nil {
		return m, err
	}
	if d == cairn.DecideReject {
		if err := e.judge(ctx, s, []cairn.Memory{m}); err != nil {
			return m, err
		}
	}
	now, err := e.get(ctx, s, m.ID)                        // as it is told now
	if cairn.KindOf(err) == cairn.NotFound && err != nil { // as one with another period of the same fact
		return e.get(ctx, s, m.Fact.MemoryID())
	}
	return now, err
}

// mark makes of a fact what a person decided about it.
func (e *Engine) mark(s cairn.Scope, m *cairn.Memory, r cairn.VerifyRequest) {
	now := e.now()
	switch state := stateAfter(m, r.Decision, now); {
	case state == cairn.StateRetracted:
		e.retract(m)
	default:
		m.State = state
		if m.SupersededBy == "" {
			m.SupersededAt = nil
		}
	}
	if r.Decision == cairn.DecideVerify {
		m.Trust = cairn.TrustUserConfirmed
	}
	fact := *m.Fact
	fact.Verification = cairn.Verification{Status: decisions[r.Decision], By: cmp.Or(r.By, s.Actor, "local"), At: &now, Note: e.cfg.Policy.Check("", m.Trust, r.Note).Text}
	m.Fact = &fact
}

// stateAfter is the state of a fact after a decision about it. A rejection that is taken back leads to where the fact stood:
// only a rejection, because what was forgotten was forgotten for another reason.
func stateAfter(m *cairn.Memory, d cairn.Decision, now time.Time) cairn.State {
	state := m.State
	if state == cairn.StateRetracted && m.Fact.Verification.Status == cairn.Rejected {
		switch {
		case m.SupersededBy != "":
			state = cairn.StateSuperseded
		case m.ValidUntil != nil && !m.ValidUntil.After(now):
			state = cairn.StateExpired
		default:
			state = cairn.StateCandidate
		}
	}
	switch {
	case d == cairn.DecideReject:
		return cairn.StateRetracted
	case d == cairn.DecideVerify && (state == cairn.StateCandidate || state == cairn.StateQuarantined):
		return cairn.StateActive
	}
	return state
}

// release makes of a text that is held back what a person decided about it. Its trust stays: that it is harmless does not
// make it true.
func (e *Engine) release(m *cairn.Memory, d cairn.Decision) error {
	if m.State != cairn.StateQuarantined && m.State != cairn.StateCandidate {
		return cairn.Errorf(cairn.Invalid, "id: %s is a %s that is %s: no decision waits for it; use update or forget", m.ID, m.Kind, m.State)
	}
	switch d {
	case cairn.DecideVerify:
		m.State = cairn.StateActive
	case cairn.DecideReject:
		e.retract(m)
	default:
		return cairn.Errorf(cairn.Invalid, "decision: a text that is %s takes verify, which releases it, and reject, which retracts it", m.State)
	}
	return nil
}

// Decide makes one decision about many items; see [cairn.BulkDecision]. Each is decided, committed and audited by itself, so
// one that fails hides no other. The error is about the request as a whole, before anything is done, or tells that ctx
// ended: the report then holds what was done until then.
func (e *Engine) Decide(ctx context.Context, s cairn.Scope, r cairn.BulkDecision) (cairn.DecisionReport, error) {
	report := cairn.DecisionReport{Items: []cairn.DecisionOutcome{}, DryRun: r.DryRun, Masking: noteMasking(r.Note)}
	if err := checkScope(s); err != nil {
		return report, err
	}
	if _, known := decisions[r.Decision]; !known && r.Decision != cairn.DecideDismiss {
		return report, cairn.Errorf(cairn.Invalid, "decision: %.32q is not one; use verify, reject, needs_review, dispute, pending_approval, dismiss", string(r.Decision))
	}
	if err := checkNote(r.Note); err != nil {
		return report, err
	}
	about, made, err := e.beginDecision(ctx, s, r)
	if err != nil {
		return report, err
	}
	for _, t := range about {
		out := e.decideOne(ctx, s, t, made, r)
		if ctx.Err() != nil {
			return report, ctx.Err()
		}
		if out.Error != nil {
			report.Failed++
		}
		report.Items = append(report.Items, out)
	}
	return report, nil
}

// beginDecision returns what a request is about, and whether it was made before.
func (e *Engine) beginDecision(ctx context.Context, s cairn.Scope, r cairn.BulkDecision) (about []target, made bool, err error) {
	key := r.RequestKey
	if r.RequestKey = ""; r.DryRun {
		key = ""
	}
	n, err := e.named(s, key, "decide", r)
	if err != nil {
		return nil, false, err
	}
	return n.begin(ctx, func() ([]target, error) {
		ids, err := e.decided(ctx, s, r)
		if err != nil || key == "" {
			return targetsOf(ids), err
		}
		return e.versions(ctx, s, ids, r.Decision)
	})
}

// versions returns what is to be decided about, in the order of the ids, with the versions of today.
func (e *Engine) versions(ctx context.Context, s cairn.Scope, ids []cairn.ID, d cairn.Decision) ([]target, error) {
	version := map[cairn.ID]int64{}
	valid := slices.DeleteFunc(slices.Clone(ids), func(id cairn.ID) bool { return id.Validate() != nil })
	if d == cairn.DecideDismiss {
		rs, err := e.cfg.Store.Records(ctx, tenantOf(s), cairn.RecordListing{Kind: cairn.RecordReview, IDs: valid})
		if err != nil {
			return nil, err
		}
		for _, r := range rs {
			version[r.ID] = r.Version
		}
	} else {
		ms, err := e.cfg.Store.Get(ctx, s, valid)
		if err != nil {
			return nil, err
		}
		for _, m := range ms {
			version[m.ID] = m.Version
		}
	}
	about := make([]target, len(ids))
	for i, id := range ids {
		about[i] = target{ID: id, Version: version[id]}
	}
	return about, nil
}

// decided returns the ids that a request is about.
func (e *Engine) decided(ctx context.Context, s cairn.Scope, r cairn.BulkDecision) ([]cairn.ID, error) {
	var err error
	if r.Filter, err = e.withTexts(ctx, s, r.Filter); err == nil {
		err = checkSelection(r.IDs, r.Filter)
	}
	if err != nil {
		return nil, err
	}
	var ids []cairn.ID
	for _, id := range r.IDs {
		if !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	if len(ids) > 0 {
		return ids, nil
	}
	for m, err := range e.cfg.Store.List(ctx, s, cairn.Listing{Filter: r.Filter, Limit: cairn.MaxBatch + 1}) {
		if err != nil {
			return nil, err
		}
		ids = append(ids, m.ID)
	}
	if len(ids) > cairn.MaxBatch {
		return nil, cairn.Errorf(cairn.Exhausted, "filter: selects more than %d memories; narrow it", cairn.MaxBatch)
	}
	return ids, nil
}

// decideOne decides about one item. If the request was made before, what was changed since is left as it is.
func (e *Engine) decideOne(ctx context.Context, s cairn.Scope, t target, made bool, r cairn.BulkDecision) cairn.DecisionOutcome {
	id := t.ID
	var m cairn.Memory
	var err error
	if r.Decision == cairn.DecideDismiss {
		if err = e.dismiss(ctx, s, id, r.DryRun); made && t.Version > 0 && cairn.KindOf(err) == cairn.NotFound {
			err = nil
		}
	} else if m, err = e.changedSince(ctx, s, t, made); m.ID != "" && err == nil {
		m, err = e.decidedUpon(ctx, s, m, r.Decision)
	} else if err == nil {
		m, err = e.decide(ctx, s, id, cairn.VerifyRequest{Decision: r.Decision, Note: r.Note}, r.DryRun, named{}, func(*cairn.Memory) error { return nil })
	}
	if err != nil {
		return cairn.DecisionOutcome{ID: id, Error: &cairn.ItemError{Kind: cairn.KindOf(err).String(), Detail: cairn.MessageOf(err)}}
	}
	out := cairn.DecisionOutcome{ID: id, State: m.State}
	if m.Fact != nil {
		out.Status = m.Fact.Verification.Status
	}
	return out
}

// changedSince returns the memory that a request is about if the request was made before and the memory changed since.
func (e *Engine) changedSince(ctx context.Context, s cairn.Scope, t target, made bool) (cairn.Memory, error) {
	if !made {
		return cairn.Memory{}, nil
	}
	m, err := e.get(ctx, s, t.ID)
	if err != nil || m.Version == t.Version {
		return cairn.Memory{}, err
	}
	return m, nil
}

// dismiss takes an ambiguous name out of the inbox.
func (e *Engine) dismiss(ctx context.Context, s cairn.Scope, id cairn.ID, dry bool) error {
	if err := id.Validate(); err != nil {
		return err
	}
	rs, err := e.cfg.Store.Records(ctx, tenantOf(s), cairn.RecordListing{Kind: cairn.RecordReview, IDs: []cairn.ID{id}})
	if err != nil {
		return err
	}
	if len(rs) == 0 || !wholeTenant(s) {
		if _, err := e.get(ctx, s, id); err == nil {
			return cairn.Errorf(cairn.Invalid, "decision: dismiss is for ambiguous names, and %s is a memory", id)
		}
		return cairn.Errorf(cairn.NotFound, "review item %s does not exist", id)
	}
	if dry {
		return nil
	}
	_, err = e.commit(ctx, s, cairn.Batch{
		Expect: []cairn.Expect{{Kind: cairn.RecordReview, ID: id, Version: rs[0].Version}},
		Delete: []cairn.Ref{{Kind: cairn.RecordReview, ID: id}},
		Audit:  e.audit(s, "review", id, map[string]string{"decision": string(cairn.DecideDismiss)}),
	})
	return err
}

// wholeTenant reports whether a scope is not narrower than its tenant.
func wholeTenant(s cairn.Scope) bool { return tenantOf(s) == s }

// SupersedeFact records that another fact holds instead of one; see [cairn.SupersedeRequest]. The old one is closed, not
// before it was last said, and stays in the history; the new one is verified, because a person vouches for it. Doing it
// again changes nothing. A fact that never held is not superseded but rejected.
func (e *Engine) SupersedeFact(ctx context.Context, s cairn.Scope, id cairn.ID, r cairn.SupersedeRequest) (cairn.Supersession, error) {
	if err := checkScope(s); err != nil {
		return cairn.Supersession{}, err
	}
	at, err := checkSupersede(r)
	if err != nil {
		return cairn.Supersession{}, err
	}
	old, err := e.fact(ctx, s, id)
	if err != nil {
		return cairn.Supersession{}, err
	}
	if last := lastSaid(&old); !at.IsZero() && !at.After(last) {
		return cairn.Supersession{}, cairn.Errorf(cairn.Invalid, "at: must lie after %s, when the fact was last said to hold; reject a fact that never did", last.Format(time.DateOnly))
	}
	masking := noteMasking(r.Note)
	if r.Text != "" {
		if err := ingest.RequestKey(r.RequestKey); err != nil {
			return cairn.Supersession{}, err
		}
		var said cairn.Masking
		if r.By, said, err = e.said(ctx, s, &old, r); err != nil {
			return cairn.Supersession{}, err
		}
		masking = maskingOf(masking.Masked+said.Masked, slices.Concat(masking.MaskedIn, said.MaskedIn))
	}
	heir, err := e.fact(ctx, s, r.By)
	if err != nil {
		return cairn.Supersession{}, err
	}
	if old, err = e.fact(ctx, s, id); err != nil {
		return cairn.Supersession{}, err
	}
	if err := cmp.Or(refuseChange(s, &old), refuseChange(s, &heir), e.checkHeir(&old, &heir)); err != nil {
		return cairn.Supersession{}, err
	}
	if v := heir.Fact.Verification; v.Status != cairn.Verified || !v.Decided() || old.SupersededBy != heir.ID {
		if heir, err = e.VerifyFact(ctx, s, heir.ID, cairn.VerifyRequest{Decision: cairn.DecideVerify, Note: r.Note}); err != nil {
			return cairn.Supersession{}, err
		}
	}
	if old.SupersededBy != heir.ID {
		entry := e.audit(s, "fact.supersede", id, map[string]string{"by": string(heir.ID)})
		if _, _, err := e.revise(ctx, s, holdingOf(&old), func(f *reconcile.Facts) { f.Replace(id, heir.ID, at) }, entry...); err != nil {
			return cairn.Supersession{}, err
		}
	}
	out := cairn.Supersession{Masking: masking}
	if out.Superseded, err = e.get(ctx, s, id); err == nil {
		out.By, err = e.get(ctx, s, heir.ID)
	}
	e.discreet(ctx, s, []*cairn.Memory{&out.Superseded, &out.By})
	return out, err
}

func checkSupersede(r cairn.SupersedeRequest) (at time.Time, err error) {
	switch {
	case (r.By == "") == (r.Text == ""):
		return at, cairn.Errorf(cairn.Invalid, "by: give either the id of the fact that holds instead or its text")
	case r.At != "":
		if at, err = cairn.ParseTime(r.At); err != nil {
			return at, cairn.Errorf(cairn.Invalid, "at: %s", cairn.MessageOf(err))
		}
	}
	if r.By != "" {
		if err := r.By.Validate(); err != nil {
			return at, err
		}
	}
	return at, checkNote(r.Note)
}

// maskedWords says in the middle of an error that secrets in what is stored all the same were masked; "" if none was.
func maskedWords(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(" (secrets masked in the text: %d)", n)
}

// fact reads a fact of the scope.
func (e *Engine) fact(ctx context.Context, s cairn.Scope, id cairn.ID) (cairn.Memory, error) {
	m, err := e.get(ctx, s, id)
	if err == nil && m.Fact == nil {
		err = cairn.Errorf(cairn.Invalid, "id: %s is not a fact but of kind %s", id, m.Kind)
	}
	return m, err
}

// said stores what a person says holds instead of a fact and returns the fact that follows from it, and what was masked.
func (e *Engine) said(ctx context.Context, s cairn.Scope, old *cairn.Memory, r cairn.SupersedeRequest) (cairn.ID, cairn.Masking, error) {
	about, err := e.entity(ctx, s, old.Fact.EntityID)
	if err != nil {
		return "", cairn.Masking{}, err
	}
	if len(about.Identifiers) == 0 {
		return "", cairn.Masking{}, cairn.Errorf(cairn.Invalid, "text: the fact's entity has no identifier; name the fact that holds instead by its id")
	}
	where := old.Scope.Bare()
	where.Actor, where.Fixed = s.Actor, s.Fixed
	res, err := e.assimilate(ctx, where, cairn.AssimilateRequest{Identifier: about.Identifiers[0], Content: r.Text, Speaker: about.Name, Timestamp: r.At, RequestKey: r.RequestKey,
		Wait: cairn.WaitExtracted})
	if err != nil {
		return "", cairn.Masking{}, err
	}
	at := slices.IndexFunc(res.Facts, func(m cairn.Memory) bool {
		return m.ID != old.ID && holdingOf(&m) == holdingOf(old) && m.Fact.Verb == old.Fact.Verb && present(&m, e.now())
	})
	if at < 0 && res.Pending {
		return "", cairn.Masking{}, cairn.Errorf(cairn.Unavailable, "text: the words are stored%s and their facts not derived yet (job %s); repeat the request under its key, or name the fact that holds instead by its id", maskedWords(res.Masked), res.JobID)
	}
	if at < 0 {
		return "", cairn.Masking{}, cairn.Errorf(cairn.Invalid, "text: the words are stored%s, but no other fact of %s about %s follows from them; "+
			"say it as they would, such as \"I …\", or name the fact that holds instead by its id", maskedWords(res.Masked), old.Fact.Verb, about.Name)
	}
	masking := cairn.Masking{Masked: res.Masked}
	if res.Masked > 0 {
		masking.MaskedIn = []string{"text"} // as this request calls it
	}
	return res.Facts[at].ID, masking, nil
}

// lastSaid is when the newest statement that supports a fact has it begin.
func lastSaid(m *cairn.Memory) time.Time {
	last := m.EventTime
	for _, ev := range m.Fact.Evidence {
		if !ev.Withdrawn && !ev.Ends {
			last = later(last, ev.At)
		}
	}
	return last
}

// present reports whether a fact stands, or is proposed.
func present(m *cairn.Memory, now time.Time) bool {
	state := m.StateAt(now)
	return state == cairn.StateActive || state == cairn.StateCandidate
}

// checkHeir refuses what cannot take the place of a fact.
func (e *Engine) checkHeir(old, heir *cairn.Memory) error {
	switch {
	case old.ID == heir.ID:
		return cairn.Errorf(cairn.Invalid, "by: is the fact itself")
	case old.Fact.EntityID != heir.Fact.EntityID:
		return cairn.Errorf(cairn.Invalid, "by: is a fact about another entity")
	case old.Fact.Owner != heir.Fact.Owner:
		return cairn.Errorf(cairn.Invalid, "by: belongs to another owner; what one says replaces nothing of another's")
	case !present(heir, e.now()):
		return cairn.Errorf(cairn.Invalid, "by: the fact is %s; one that holds can replace another", heir.StateAt(e.now()))
	case old.SupersededBy != "" && old.SupersededBy != heir.ID:
		return cairn.Errorf(cairn.Invalid, "id: the fact was replaced by %s already; supersede that one", old.SupersededBy)
	case old.SupersededBy == "" && !present(old, e.now()):
		return cairn.Errorf(cairn.Invalid, "id: the fact is %s; there is nothing left to replace", old.StateAt(e.now()))
	case len(heir.Fact.Evidence) == 0:
		return cairn.Errorf(cairn.Invalid, "by: the fact rests on nothing")
	}
	return nil
}
