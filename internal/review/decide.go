package review

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/facts"
	"github.com/trilith-memory/trilith/internal/reconcile"
	"github.com/trilith-memory/trilith/internal/truth"
)

// decisions maps decisions to the verification status that they set.
var decisions = map[trilith.Decision]trilith.VerificationStatus{
	trilith.DecideVerify: trilith.Verified, trilith.DecideReject: trilith.Rejected, trilith.DecideReview: trilith.NeedsReview,
	trilith.DecideDispute: trilith.Disputed, trilith.DecidePending: trilith.PendingApproval,
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

// VerifyFact records a decision of the scope's actor about a fact; see [trilith.VerifyRequest]. It is NotFound for a
// memory of another scope and Invalid for a memory that is not a fact.
func (rv *Reviewer) VerifyFact(ctx context.Context, s trilith.Scope, id trilith.ID, r trilith.VerifyRequest) (
	trilith.Memory, error) {
	if err := truth.CheckScope(s); err != nil {
		return trilith.Memory{}, err
	}
	if _, known := decisions[r.Decision]; !known {
		return trilith.Memory{}, trilith.Errorf(
			trilith.Invalid, "decision: %.32q is not known; use verify, reject, needs_review, dispute, pending_approval",
			string(r.Decision))
	}
	if err := CheckNote(r.Note); err != nil {
		return trilith.Memory{}, err
	}
	key := r.RequestKey
	r.RequestKey = ""
	n, err := rv.truth.KeyedRequest(s, key, "verify "+string(id), r)
	if err != nil {
		return trilith.Memory{}, err
	}
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

// decide commits one decision about one memory with its audit entry, and then makes the changes that follow from it.
// With dry it only returns what the memory would become. check may return an error for the memory.
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
		if r.Decision == trilith.DecideVerify && m.Fact != nil && m.Fact.IsRelation() {
			if err := acyclic(ctx, rv.truth, s, m.Fact); err != nil {
				return false, err
			}
		}
		b := trilith.Batch{Expect: []trilith.Expect{{ID: id, Version: m.Version}}}
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
			j, err := rv.truth.Job(truth.JobRevise, truth.ReviseJob{Episodes: []trilith.ID{id}})
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
	return rv.decidedUpon(ctx, s, m, r.Decision)
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

// decidedUpon makes the changes that follow from a decision about a memory, and returns the memory afterwards.
// Repeating it changes nothing.
func (rv *Reviewer) decidedUpon(ctx context.Context, s trilith.Scope, m trilith.Memory, d trilith.Decision) (
	trilith.Memory, error) {
	if m.Fact == nil {
		return m, rv.facts.ReviseAfter(ctx, s, []trilith.ID{m.ID})
	}
	if err := rv.facts.Replay(ctx, s, []trilith.Memory{m}); err != nil {
		return m, err
	}
	if d == trilith.DecideReject {
		if err := rv.facts.RecordClosed(ctx, s, []trilith.Memory{m}); err != nil {
			return m, err
		}
	}
	now, err := rv.truth.Get(ctx, s, m.ID)                     // its state after the replay
	if trilith.KindOf(err) == trilith.NotFound && err != nil { // it has become another period of the same fact
		return rv.truth.Get(ctx, s, m.Fact.MemoryID())
	}
	return now, err
}

// mark applies a person's decision to a fact.
func (rv *Reviewer) mark(s trilith.Scope, m *trilith.Memory, r trilith.VerifyRequest) {
	now := rv.truth.Now()
	switch state := stateAfter(m, r.Decision, now); {
	case state == trilith.StateRetracted:
		rv.facts.Retract(m)
	default:
		m.State = state
		if m.SupersededBy == "" {
			m.SupersededAt = nil
		}
	}
	if r.Decision == trilith.DecideVerify {
		m.Trust = trilith.TrustUserConfirmed
	}
	fact := *m.Fact
	fact.Verification = trilith.Verification{Status: decisions[r.Decision], By: cmp.Or(r.By, s.Actor, "local"), At: &now,
		Note: rv.truth.Policy.Check("", m.Trust, r.Note).Text}
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
	case d == trilith.DecideReject:
		return trilith.StateRetracted
	case d == trilith.DecideVerify && (state == trilith.StateCandidate || state == trilith.StateQuarantined):
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
	default:
		return trilith.Errorf(trilith.Invalid,
			"decision: a text that is %s takes only verify, which releases it, and reject, which retracts it", m.State)
	}
	return nil
}

// Decide makes one decision about many items; see [trilith.BulkDecision]. Each item is decided, committed and audited
// separately, so the failure of one does not hide the others. An error means that the request was invalid and nothing
// was done, or that ctx ended: then the report contains what was done so far.
func (rv *Reviewer) Decide(ctx context.Context, s trilith.Scope, r trilith.BulkDecision) (trilith.DecisionReport, error) {
	report := trilith.DecisionReport{Items: []trilith.DecisionOutcome{}, DryRun: r.DryRun,
		Masking: truth.NoteMasking(r.Note)}
	if err := truth.CheckScope(s); err != nil {
		return report, err
	}
	if _, known := decisions[r.Decision]; !known && r.Decision != trilith.DecideDismiss &&
		r.Decision != trilith.DecideSnooze {
		return report, trilith.Errorf(trilith.Invalid,
			"decision: %.32q is not known; use verify, reject, needs_review, dispute, pending_approval, dismiss, snooze",
			string(r.Decision))
	}
	if r.Days < 0 || r.Days > trilith.MaxAheadDays || r.Days > 0 && r.Decision != trilith.DecideSnooze {
		return report, trilith.Errorf(trilith.Invalid, "days: is %d, must be 1 to %d, and is for snooze alone", r.Days,
			trilith.MaxAheadDays)
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

// beginDecision returns the targets of a request, and whether it is a repetition.
func (rv *Reviewer) beginDecision(ctx context.Context, s trilith.Scope, r trilith.BulkDecision) (
	about []truth.Target, made bool, err error) {
	key := r.RequestKey
	if r.RequestKey = ""; r.DryRun {
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

// versions returns targets with their current versions, in the order of the ids.
func (rv *Reviewer) versions(ctx context.Context, s trilith.Scope, ids []trilith.ID, d trilith.Decision) (
	[]truth.Target, error) {
	version := map[trilith.ID]int64{}
	valid := slices.DeleteFunc(slices.Clone(ids), func(id trilith.ID) bool { return id.Validate() != nil })
	if d == trilith.DecideDismiss {
		rs, err := rv.truth.Store.Records(
			ctx, truth.TenantOf(s), trilith.RecordListing{Kind: trilith.RecordReview, IDs: valid})
		if err != nil {
			return nil, err
		}
		for _, r := range rs {
			version[r.ID] = r.Version
		}
	} else {
		ms, err := rv.truth.Store.Get(ctx, s, valid)
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

// decided returns the ids of a request's targets.
func (rv *Reviewer) decided(ctx context.Context, s trilith.Scope, r trilith.BulkDecision) ([]trilith.ID, error) {
	var err error
	if r.Filter, err = rv.facts.ResolveTextFilters(ctx, s, r.Filter); err == nil {
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
	for m, err := range rv.truth.Store.List(ctx, s, trilith.Listing{Filter: r.Filter, Limit: trilith.MaxBatch + 1}) {
		if err != nil {
			return nil, err
		}
		ids = append(ids, m.ID)
	}
	if len(ids) > trilith.MaxBatch {
		return nil, trilith.Errorf(trilith.Exhausted, "filter: selects more than %d memories; narrow it", trilith.MaxBatch)
	}
	return ids, nil
}

// decideOne decides one item. For a repeated request it leaves an item alone that changed since.
func (rv *Reviewer) decideOne(ctx context.Context, s trilith.Scope, t truth.Target, made bool,
	r trilith.BulkDecision) trilith.DecisionOutcome {
	id := t.ID
	var m trilith.Memory
	var err error
	if r.Decision == trilith.DecideDismiss {
		err = rv.dismiss(ctx, s, id, r.Note, r.DryRun)
		if made && t.Version > 0 && trilith.KindOf(err) == trilith.NotFound {
			err = nil
		}
	} else if r.Decision == trilith.DecideSnooze {
		m, err = RemindingOf(rv).snooze(ctx, s, id, cmp.Or(r.Days, trilith.DefaultSnoozeDays), r.DryRun)
	} else if m, err = rv.changedSince(ctx, s, t, made); m.ID != "" && err == nil {
		m, err = rv.decidedUpon(ctx, s, m, r.Decision)
	} else if err == nil {
		m, err = rv.decide(ctx, s, id, trilith.VerifyRequest{Decision: r.Decision, Note: r.Note}, r.DryRun,
			truth.KeyedRequest{},
			func(*trilith.Memory) error { return nil })
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

// dismiss removes an ambiguous name from the inbox, or decides that a paper belongs to none of those that it could.
func (rv *Reviewer) dismiss(ctx context.Context, s trilith.Scope, id trilith.ID, note string, dry bool) error {
	if err := id.Validate(); err != nil {
		return err
	}
	rs, err := rv.truth.Store.Records(
		ctx, truth.TenantOf(s), trilith.RecordListing{Kind: trilith.RecordReview, IDs: []trilith.ID{id}})
	if err != nil {
		return err
	}
	if len(rs) == 0 || !wholeTenant(s) {
		if m, err := rv.truth.Get(ctx, s, id); err == nil {
			if noted, err := (matching{rv}).ruleOut(ctx, s, &m, note, dry); noted || err != nil {
				return err
			}
			return trilith.Errorf(trilith.Invalid,
				"decision: dismiss is for ambiguous names and papers, and %s is another memory", id)
		}
		return trilith.Errorf(trilith.NotFound, "review item %s does not exist", id)
	}
	if dry {
		return nil
	}
	_, err = rv.truth.Commit(ctx, s, trilith.Batch{
		Expect: []trilith.Expect{{Kind: trilith.RecordReview, ID: id, Version: rs[0].Version}},
		Delete: []trilith.Ref{{Kind: trilith.RecordReview, ID: id}},
		Audit:  rv.truth.Audit(s, "review", id, map[string]string{"decision": string(trilith.DecideDismiss)}),
	})
	return err
}

// wholeTenant reports whether a scope is the whole tenant.
func wholeTenant(s trilith.Scope) bool { return truth.TenantOf(s) == s }

// MaskedWords returns a clause for an error message: secrets were masked in what was stored nevertheless; "" if none
// were.
func MaskedWords(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(" (secrets masked in the text: %d)", n)
}

// Fact reads a fact of the scope.
func (rv *Reviewer) Fact(ctx context.Context, s trilith.Scope, id trilith.ID) (trilith.Memory, error) {
	m, err := rv.truth.Get(ctx, s, id)
	if err == nil && m.Fact == nil {
		err = trilith.Errorf(trilith.Invalid, "id: %s is not a fact but of kind %s", id, m.Kind)
	}
	return m, err
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

// Present reports whether a fact holds or is proposed.
func Present(m *trilith.Memory, now time.Time) bool {
	state := m.StateAt(now)
	return state == trilith.StateActive || state == trilith.StateCandidate
}
