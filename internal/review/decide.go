package review

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/facts"
	"github.com/trilith-memory/trilith/internal/facts/reconcile"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/truth"
)

// decisions maps decisions to the verification status that they set.
var decisions = map[trilith.Decision]trilith.VerificationStatus{
	trilith.DecideVerify: trilith.Verified, trilith.DecideReject: trilith.Rejected, trilith.DecideReview: trilith.NeedsReview,
	trilith.DecideDispute: trilith.Disputed, trilith.DecidePending: trilith.PendingApproval,
	trilith.DecideEnded: trilith.Verified, trilith.DecideDone: trilith.Verified,
	trilith.DecideNotAbout: trilith.Rejected, trilith.DecideDismiss: trilith.PendingApproval,
}

const decisionNames = "verify, reject, ended, done, not_about_me, dismiss, needs_review, dispute, pending_approval"

// VerifyFact records a decision of the scope's actor about a fact; see [trilith.VerifyRequest]. It is NotFound for a
// memory of another scope and Invalid for a memory that is not a fact.
func (rv *Reviewer) VerifyFact(ctx context.Context, s trilith.Scope, r trilith.VerifyRequest) (trilith.Memory, error) {
	if err := truth.CheckScope(s); err != nil {
		return trilith.Memory{}, err
	}
	if _, known := decisions[r.Decision]; !known {
		return trilith.Memory{}, trilith.Errorf(trilith.Invalid, "decision: %.32q is not known; use %s",
			string(r.Decision), decisionNames)
	}
	if err := CheckNote(r.Note); err != nil {
		return trilith.Memory{}, err
	}
	key := r.RequestKey
	r.RequestKey = ""
	n, err := rv.truth.KeyedRequest(s, key, "verify "+string(r.ID), r)
	if err != nil {
		return trilith.Memory{}, err
	}
	return rv.DecideUnder(ctx, s, r.ID, r, n)
}

// DecideUnder is [Reviewer.VerifyFact] as a part of a request with an idempotency key.
func (rv *Reviewer) DecideUnder(ctx context.Context, s trilith.Scope, id trilith.ID, r trilith.VerifyRequest,
	n truth.KeyedRequest) (trilith.Memory, error) {
	m, err := rv.decide(ctx, s, id, r, false, n, func(m *trilith.Memory) error {
		if m.Fact == nil {
			return trilith.Errorf(trilith.Invalid, "id: %s is not a fact but of kind %s", id, m.Kind)
		}
		return nil
	})
	m.Masking = truth.NoteMasking(r.Note)
	rv.facts.RedactQuotes(ctx, s, []*trilith.Memory{&m})
	return m, err
}

// Decide makes one decision about many items; see [trilith.BulkDecision]. Each item is decided, committed and audited
// separately, so the failure of one does not hide the others. An error means that the request was invalid and changed
// nothing, or that ctx ended: then the report contains the items decided so far.
func (rv *Reviewer) Decide(ctx context.Context, s trilith.Scope, r trilith.BulkDecision) (trilith.DecisionReport, error) {
	report := trilith.DecisionReport{Items: []trilith.DecisionOutcome{}, DryRun: r.DryRun,
		Masking: truth.NoteMasking(r.Note)}
	if err := truth.CheckScope(s); err != nil {
		return report, err
	}
	if _, known := decisions[r.Decision]; !known {
		return report, trilith.Errorf(trilith.Invalid, "decision: %.32q is not known; use %s", string(r.Decision),
			decisionNames)
	}
	if err := CheckNote(r.Note); err != nil {
		return report, err
	}
	about, made, err := rv.beginDecision(ctx, s, r)
	if err != nil {
		return report, err
	}
	for _, t := range about {
		out := rv.decideOne(ctx, s, t, made, r)
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

// CheckNote returns an error for a note that cannot be stored.
func CheckNote(note string) error {
	switch {
	case len(note) > trilith.MaxNameBytes:
		return trilith.Errorf(trilith.Invalid, "note: is %d bytes long, at most %d are allowed", len(note),
			trilith.MaxNameBytes)
	case !utf8.ValidString(note) || strings.ContainsRune(note, 0):
		return trilith.Errorf(trilith.Invalid, "note: is not valid UTF-8 without NUL characters")
	}
	return nil
}

// beginDecision returns the targets of a request, and whether it is a repetition.
func (rv *Reviewer) beginDecision(ctx context.Context, s trilith.Scope, r trilith.BulkDecision) (
	about []truth.Target, made bool, err error) {
	key := r.RequestKey
	r.RequestKey = ""
	if r.DryRun {
		key = ""
	}
	n, err := rv.truth.KeyedRequest(s, key, "decide", r)
	if err != nil {
		return nil, false, err
	}
	return n.Begin(ctx, func() ([]truth.Target, error) {
		ids, err := rv.decided(ctx, s, r)
		if err != nil || key == "" {
			return truth.TargetsOf(ids), err
		}
		return rv.versions(ctx, s, ids, r.Decision)
	})
}

// decided returns the ids of a request's targets.
func (rv *Reviewer) decided(ctx context.Context, s trilith.Scope, r trilith.BulkDecision) ([]trilith.ID, error) {
	var err error
	if r.Filter, err = rv.facts.ResolveFilter(ctx, s, r.Filter); err == nil {
		err = truth.CheckSelection(r.IDs, r.Filter)
	}
	if err != nil {
		return nil, err
	}
	var ids []trilith.ID
	for _, id := range r.IDs {
		if !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	if len(ids) > 0 {
		return ids, nil
	}
	for m, err := range rv.truth.List(ctx, s, role.Listing{Filter: r.Filter, Limit: role.MaxBatch + 1}) {
		if err != nil {
			return nil, err
		}
		ids = append(ids, m.ID)
	}
	if len(ids) > role.MaxBatch {
		return nil, trilith.Errorf(trilith.Exhausted, "filter: selects more than %d memories; narrow it", role.MaxBatch)
	}
	return ids, nil
}

// versions returns targets with their current versions, in the order of the ids.
func (rv *Reviewer) versions(ctx context.Context, s trilith.Scope, ids []trilith.ID, d trilith.Decision) (
	[]truth.Target, error) {
	version := map[trilith.ID]int64{}
	valid := slices.DeleteFunc(slices.Clone(ids), func(id trilith.ID) bool { return id.Validate() != nil })
	if d == trilith.DecideDismiss {
		rs, err := rv.truth.RecordsOf(ctx, s, role.RecordReview, valid...)
		if err != nil {
			return nil, err
		}
		for _, r := range rs {
			version[r.ID] = r.Version
		}
	} else {
		ms, err := rv.truth.Memories(ctx, s, valid)
		if err != nil {
			return nil, err
		}
		for _, m := range ms {
			version[m.ID] = m.Version
		}
	}
	about := make([]truth.Target, len(ids))
	for i, id := range ids {
		about[i] = truth.Target{ID: id, Version: version[id]}
	}
	return about, nil
}

// decideOne decides one item. A repeated request does not touch an item that changed since.
func (rv *Reviewer) decideOne(ctx context.Context, s trilith.Scope, t truth.Target, made bool,
	r trilith.BulkDecision) trilith.DecisionOutcome {
	id := t.ID
	var m trilith.Memory
	var err error
	one := trilith.VerifyRequest{Decision: r.Decision, At: r.At, Note: r.Note}
	if r.Decision == trilith.DecideDismiss {
		m, err = rv.dismiss(ctx, s, id, one, r.DryRun)
		if made && t.Version > 0 && trilith.KindOf(err) == trilith.NotFound {
			err = nil
		}
	} else if m, err = rv.changedSince(ctx, s, t, made); m.ID != "" && err == nil {
		m, err = rv.decidedUpon(ctx, s, m, one)
	} else if err == nil {
		m, err = decideAny(ctx, rv, s, id, one, r.DryRun)
	}
	if err != nil {
		return trilith.DecisionOutcome{
			ID: id, Error: &trilith.ItemError{Kind: trilith.KindOf(err).String(), Detail: trilith.MessageOf(err)}}
	}
	out := trilith.DecisionOutcome{ID: id, State: m.State}
	if m.Fact != nil {
		out.Status = m.Fact.Verification.Status
	}
	return out
}

// dismiss removes an item from the inbox: an ambiguous name, a paper, which belongs to none of those that it could, or a
// memory, of a conflict all of it.
func (rv *Reviewer) dismiss(ctx context.Context, s trilith.Scope, id trilith.ID, r trilith.VerifyRequest, dry bool) (
	trilith.Memory, error) {
	if err := id.Validate(); err != nil {
		return trilith.Memory{}, err
	}
	rs, err := rv.truth.RecordsOf(ctx, s, role.RecordReview, id)
	if err != nil {
		return trilith.Memory{}, err
	}
	if len(rs) == 0 || !wholeTenant(s) {
		m, err := rv.truth.Get(ctx, s, id)
		if trilith.KindOf(err) == trilith.NotFound {
			err = trilith.Errorf(trilith.NotFound, "review item %s does not exist", id)
		}
		if err != nil {
			return m, err
		}
		if noted, err := rv.ruleOut(ctx, s, &m, r.Note, dry); noted || err != nil {
			return m, err
		}
		return rv.dismissMemory(ctx, s, &m, r, dry)
	}
	if dry {
		return trilith.Memory{}, nil
	}
	_, err = rv.truth.Commit(ctx, s, role.Batch{
		Expect: []role.Expect{{Kind: role.RecordReview, ID: id, Version: rs[0].Version}},
		Delete: []role.Ref{{Kind: role.RecordReview, ID: id}},
		Audit:  rv.truth.Audit(s, "review", id, map[string]string{"decision": string(trilith.DecideDismiss)}),
	})
	return trilith.Memory{}, err
}

// wholeTenant reports whether a scope is the whole tenant.
func wholeTenant(s trilith.Scope) bool { return truth.TenantOf(s) == s }

func (rv *Reviewer) dismissMemory(ctx context.Context, s trilith.Scope, m *trilith.Memory, r trilith.VerifyRequest,
	dry bool) (trilith.Memory, error) {
	if it := rv.reviewItem(m); it.Reason == trilith.ReviewConflict {
		items := []trilith.ReviewItem{it}
		if err := rv.addOthers(ctx, s, items); err != nil {
			return *m, err
		}
		for _, other := range items[0].Others {
			if _, err := decideAny(ctx, rv, s, other.ID, r, dry); err != nil {
				return *m, err
			}
		}
	}
	return decideAny(ctx, rv, s, m.ID, r, dry)
}

// decideAny decides about a memory of any kind.
func decideAny(ctx context.Context, rv *Reviewer, s trilith.Scope, id trilith.ID, r trilith.VerifyRequest, dry bool) (
	trilith.Memory, error) {
	return rv.decide(ctx, s, id, r, dry, truth.KeyedRequest{}, func(*trilith.Memory) error { return nil })
}

// decide commits one decision about one memory with its audit entry, and then makes the changes that follow from it.
// With dry it only returns the memory as it would be afterwards. check may return an error for the memory.
func (rv *Reviewer) decide(ctx context.Context, s trilith.Scope, id trilith.ID, r trilith.VerifyRequest, dry bool,
	n truth.KeyedRequest, check func(*trilith.Memory) error) (trilith.Memory, error) {
	var m trilith.Memory
	err := truth.Retry(ctx, func() (bool, error) {
		_, made, err := n.Before(ctx)
		if err != nil {
			return false, err
		}
		if m, err = rv.truth.Get(ctx, s, id); err != nil || made {
			return false, err
		}
		if err := cmp.Or(facts.CheckChange(s, &m), check(&m)); err != nil {
			return false, err
		}
		if _, err := endOf(rv.truth, s, &m, r); err != nil {
			return false, err
		}
		if r.Decision == trilith.DecideVerify && m.Fact != nil && m.Fact.IsRelation() {
			if err := acyclic(ctx, rv.truth, s, m.Fact); err != nil {
				return false, err
			}
		}
		b := role.Batch{Expect: []role.Expect{{ID: id, Version: m.Version}}}
		action := "fact.verify"
		if m.Fact != nil {
			rv.mark(s, &m, r)
		} else if action, err = "review", rv.release(&m, r.Decision); err != nil {
			return false, err
		}
		if dry {
			return false, nil
		}
		if truth.CanBeEvidence(&m) {
			j, err := rv.truth.Job(truth.JobRevise, truth.ReviseJob{Episodes: []trilith.ID{id}, Change: s.Change})
			if err != nil {
				return false, err
			}
			b.Jobs = []trilith.Job{j}
		}
		if err := n.Note(&b, truth.Target{ID: id, Version: m.Version}); err != nil {
			return false, err
		}
		b.Memories = []trilith.Memory{m}
		b.Audit = rv.truth.Audit(s, action, id, map[string]string{"decision": string(r.Decision)})
		done, err := rv.truth.Commit(ctx, s, b)
		if err == nil {
			m.Version = done.Versions[0]
		}
		return true, err
	})
	if err != nil || dry {
		return m, err
	}
	rv.truth.Index.Notify()
	return rv.decidedUpon(ctx, s, m, r)
}

// acyclic returns Conflict for a relation that would make a fact precede itself.
func acyclic(ctx context.Context, t *truth.Truth, s trilith.Scope, x *trilith.Fact) error {
	known, err := t.FactsOf(ctx, s, x.EntityID)
	known = slices.DeleteFunc(known, func(m trilith.Memory) bool { return m.Fact.Owner != x.Owner })
	if err == nil && reconcile.New(known, t.Now()).ClosesCycle(x) {
		err = trilith.Errorf(trilith.Conflict,
			"decision: %s would close a cycle of relations; reject or remove another one of it first", x.Verb)
	}
	return err
}

// mark applies a person's decision to a fact.
func (rv *Reviewer) mark(s trilith.Scope, m *trilith.Memory, r trilith.VerifyRequest) {
	now := rv.truth.Now()
	fact := *m.Fact
	if ends(r.Decision) && !reconcile.New([]trilith.Memory{*m}, now).CanEnd(m) { // it never held
		r.Decision = trilith.DecideReject
	}
	switch state := stateAfter(m, r.Decision, now); {
	case state == trilith.StateRetracted:
		rv.facts.Retract(m)
	default:
		m.State = state
		if m.SupersededBy == "" {
			m.SupersededAt = nil
		}
	}
	if decisions[r.Decision] == trilith.Verified {
		m.Trust = trilith.TrustUserConfirmed
	}
	fact.Verification = trilith.Verification{Status: decisions[r.Decision], By: cmp.Or(r.By, s.Actor, "local"), At: &now,
		Note: rv.truth.Policy.Check("", m.Trust, r.Note).Text}
	switch r.Decision {
	case trilith.DecidePending: // no person has decided
		fact.Verification.By, fact.Verification.At = "", nil
	case trilith.DecideNotAbout:
		fact.Verification.Note = cmp.Or(fact.Verification.Note, "about somebody else")
	case trilith.DecideDone:
		fact.RequiresAction, fact.Content = false, maps.Clone(fact.Content)
		if fact.Content == nil {
			fact.Content = map[string]any{}
		}
		fact.Content["status"] = "done"
	}
	m.Fact = &fact
}

// stateAfter returns the state of a fact after a decision. Only undoing a rejection restores the earlier state, because
// a forgotten fact was forgotten for another reason.
func stateAfter(m *trilith.Memory, d trilith.Decision, now time.Time) trilith.State {
	state := m.State
	if state == trilith.StateRetracted && m.Fact.Verification.Status == trilith.Rejected {
		switch {
		case m.SupersededBy != "":
			state = trilith.StateSuperseded
		case m.ValidUntil != nil && !m.ValidUntil.After(now):
			state = trilith.StateExpired
		default:
			state = trilith.StateCandidate
		}
	}
	switch {
	case decisions[d] == trilith.Rejected:
		return trilith.StateRetracted
	case decisions[d] == trilith.Verified && (state == trilith.StateCandidate || state == trilith.StateQuarantined):
		return trilith.StateActive
	}
	return state
}

// release applies a person's decision to a quarantined text. Its trust does not change: a harmless text is not
// necessarily true.
func (rv *Reviewer) release(m *trilith.Memory, d trilith.Decision) error {
	if m.State != trilith.StateQuarantined && m.State != trilith.StateCandidate {
		return trilith.Errorf(trilith.Invalid, "id: %s is a %s that is %s: no decision waits for it; use update or forget",
			m.ID, m.Kind, m.State)
	}
	switch d {
	case trilith.DecideVerify:
		m.State = trilith.StateActive
	case trilith.DecideReject:
		rv.facts.Retract(m)
	case trilith.DecideDismiss:
		m.ArchivedAt = new(rv.truth.Now())
	default:
		return trilith.Errorf(trilith.Invalid,
			"decision: a text that is %s takes only verify, which releases it, reject, which retracts it, and dismiss", m.State)
	}
	return nil
}

// decidedUpon makes the changes that follow from a decision about a memory, and returns the memory afterwards.
// Repeating it changes nothing.
func (rv *Reviewer) decidedUpon(ctx context.Context, s trilith.Scope, m trilith.Memory, r trilith.VerifyRequest) (
	trilith.Memory, error) {
	if m.Fact == nil {
		return m, rv.facts.ReviseAfter(ctx, s, []trilith.ID{m.ID})
	}
	at, err := time.Time{}, error(nil)
	if m.State != trilith.StateRetracted && Present(&m, rv.truth.Now()) {
		if at, err = endOf(rv.truth, s, &m, r); err != nil {
			return m, err
		}
	}
	if _, _, err := rv.facts.Revise(ctx, s, facts.GroupOf(&m), func(f *reconcile.Facts) {
		switch {
		case !at.IsZero():
			f.End(m.ID, at)
		case r.Decision == trilith.DecideVerify:
			f.Prefer(m.ID)
		default:
			f.Replay(m.ID)
		}
	}); err != nil {
		return m, err
	}
	if m.State == trilith.StateRetracted {
		if err := rv.facts.RecordClosed(ctx, s, []trilith.Memory{m}); err != nil {
			return m, err
		}
	}
	now, err := rv.truth.Get(ctx, s, m.ID) // its state after the replay
	if trilith.Is(err, trilith.NotFound) { // it has become another period of the same fact
		return rv.truth.Get(ctx, s, m.Fact.MemoryID())
	}
	return now, err
}

// endOf returns since when a fact is no longer true by a decision, zero if that does not end it; an error if the fact
// cannot end then.
func endOf(t *truth.Truth, s trilith.Scope, m *trilith.Memory, r trilith.VerifyRequest) (at time.Time, err error) {
	now := t.Now()
	switch {
	case !ends(r.Decision) && r.At != "":
		return at, trilith.Errorf(trilith.Invalid, "at: is for the decisions ended and done alone")
	case !ends(r.Decision):
		return at, nil
	case m.Fact == nil:
		return at, trilith.Errorf(trilith.Invalid, "decision: %s is for facts, and %s is a %s", r.Decision, m.ID, m.Kind)
	case !Present(m, now):
		return at, trilith.Errorf(trilith.Invalid, "id: the fact is %s already", m.StateAt(now))
	case r.At == "":
		return now, nil
	}
	if at, err = t.ClockOf(s).Time("at", r.At); err != nil {
		return at, err
	}
	if last := LastSaid(m); !at.After(last) {
		return at, trilith.Errorf(trilith.Invalid,
			"at: must be after %s, when the fact was last said to hold; reject a fact that never held",
			last.Format(time.DateOnly))
	}
	return at, nil
}

// ends reports whether a decision is that a fact is no longer true.
func ends(d trilith.Decision) bool { return d == trilith.DecideEnded || d == trilith.DecideDone }

// Present reports whether a fact holds or is proposed.
func Present(m *trilith.Memory, now time.Time) bool {
	state := m.StateAt(now)
	return state == trilith.StateActive || state == trilith.StateCandidate
}

// LastSaid returns the beginning that the newest supporting statement gives a fact.
func LastSaid(m *trilith.Memory) time.Time {
	last := m.EventTime
	for _, ev := range m.Fact.Evidence {
		if !ev.Withdrawn && !ev.Ends {
			last = truth.Later(last, ev.At)
		}
	}
	return last
}

// Fact reads a fact of the scope.
func (rv *Reviewer) Fact(ctx context.Context, s trilith.Scope, id trilith.ID) (trilith.Memory, error) {
	m, err := rv.truth.Get(ctx, s, id)
	if err == nil && m.Fact == nil {
		err = trilith.Errorf(trilith.Invalid, "id: %s is not a fact but of kind %s", id, m.Kind)
	}
	return m, err
}

// changedSince returns the target of a repeated request if it has changed since; otherwise a zero memory.
func (rv *Reviewer) changedSince(ctx context.Context, s trilith.Scope, t truth.Target, made bool) (trilith.Memory, error) {
	if !made {
		return trilith.Memory{}, nil
	}
	m, err := rv.truth.Get(ctx, s, t.ID)
	if err != nil || m.Version == t.Version {
		return trilith.Memory{}, err
	}
	return m, nil
}
