package engine

import (
	"context"
	"strconv"
	"time"

	"github.com/cairn-memory/cairn"
	"github.com/cairn-memory/cairn/internal/facts"
	"github.com/cairn-memory/cairn/internal/ingest"
	"github.com/cairn-memory/cairn/internal/truth"
)

// Get returns a memory of the scope in any state; NotFound also for one in another scope.
func (e *Engine) Get(ctx context.Context, s cairn.Scope, id cairn.ID) (cairn.Memory, error) {
	if err := truth.CheckScope(s); err != nil {
		return cairn.Memory{}, err
	}
	m, err := e.truth.Get(ctx, s, id)
	if err != nil {
		return cairn.Memory{}, err
	}
	e.recall.DescribeMemories(ctx, s, []*cairn.Memory{&m})
	return m, nil
}

// Update changes a memory. A new text passes the gate like that of a new memory; the old wording stays in the history
// under a new id. An edit is a correction, so the new wording holds from the old one's event time on; a change in the
// world is a new memory with Supersedes.
func (e *Engine) Update(ctx context.Context, s cairn.Scope, id cairn.ID, r cairn.UpdateRequest) (cairn.Memory, error) {
	if err := truth.CheckScope(s); err != nil {
		return cairn.Memory{}, err
	}
	if r.Text == nil && r.Metadata == nil && r.Tags == nil && r.State == nil && r.ValidUntil == nil {
		return cairn.Memory{}, cairn.Errorf(
			cairn.Invalid, "update: changes nothing; give text, metadata, tags, valid_until or state")
	}
	same := r // without the version, which may have changed
	same.RequestKey, same.Version = "", 0
	n, err := e.truth.KeyedRequest(s, r.RequestKey, "update "+string(id), same)
	if err != nil {
		return cairn.Memory{}, err
	}
	var m cairn.Memory
	err = truth.Retry(ctx, func() (bool, error) {
		_, made, err := n.Before(ctx)
		if err != nil {
			return false, err
		}
		old, err := e.truth.Get(ctx, s, id)
		if m = old; err != nil || made {
			return false, err
		}
		if err := facts.CheckChange(s, &old); err != nil {
			return false, err
		}
		if r.Version != 0 && r.Version != old.Version {
			return false, cairn.Errorf(cairn.Conflict, "version: the memory has version %d, not %d; read it again",
				old.Version, r.Version)
		}
		b := cairn.Batch{Expect: []cairn.Expect{{ID: id, Version: old.Version}}}
		if err := n.Note(&b, truth.Target{ID: id, Version: old.Version}); err != nil {
			return false, err
		}
		if m, err = e.edit(old, r, &b); err != nil {
			return false, err
		}
		b.Memories = append(b.Memories, m)
		if old.State != m.State || r.Text != nil {
			j, err := e.truth.Job(truth.JobRevise, truth.ReviseJob{Episodes: []cairn.ID{id}})
			if err != nil {
				return false, err
			}
			b.Jobs = []cairn.Job{j}
		}
		if r.Text != nil && m.State == cairn.StateActive {
			if err := e.extractAnew(ctx, s, &m, &b); err != nil {
				return false, err
			}
		}
		b.Audit = e.truth.Audit(s, "update", id, map[string]string{"version": strconv.FormatInt(old.Version+1, 10)})
		done, err := e.truth.Commit(ctx, s, b)
		if err == nil {
			m.Version = done.Versions[len(done.Versions)-1]
		}
		return true, err
	})
	if err != nil {
		return cairn.Memory{}, err
	}
	e.truth.Index.Notify()
	if r.State != nil || r.Text != nil {
		err = e.reviseAfter(ctx, s, []cairn.Memory{m})
		if err == nil && m.Kind == cairn.KindFact {
			m, err = e.truth.Get(ctx, s, id) // its state after the replay
		}
	}
	m.Masking = truth.UpdateMasking(r)
	return m, err
}

// extractAnew queues the job that derives facts from a new wording, if facts were derived from the old one.
func (e *Engine) extractAnew(ctx context.Context, s cairn.Scope, m *cairn.Memory, b *cairn.Batch) error {
	src, _, err := e.source(ctx, truth.TenantOf(s), m.SourceID)
	if cairn.KindOf(err) == cairn.NotFound && err != nil || err == nil && src.Extraction == nil {
		return nil
	}
	if err != nil {
		return err
	}
	jobs, err := e.derive.ExtractionJobs(*src.Extraction, src.Fixed, []cairn.ID{m.ID})
	b.Jobs = append(b.Jobs, jobs...)
	return err
}

// edit returns the memory with the changes of r, and adds its former wording to the batch.
func (e *Engine) edit(old cairn.Memory, r cairn.UpdateRequest, b *cairn.Batch) (cairn.Memory, error) {
	m := old
	if r.State != nil {
		if err := e.setState(&m, *r.State, b); err != nil {
			return m, err
		}
	}
	var err error
	if r.Metadata != nil {
		if m.Metadata, err = ingest.Metadata("metadata", *r.Metadata); err != nil {
			return m, err
		}
	}
	if r.Tags != nil {
		if m.Tags, err = ingest.Tags("tags", *r.Tags); err != nil {
			return m, err
		}
	}
	if r.ValidUntil != nil {
		if err := e.setValidUntil(&m, *r.ValidUntil); err != nil {
			return m, err
		}
	}
	truth.NewMasker().MaskBeside(&m)
	if r.Text == nil {
		return m, nil
	}
	if err := e.setText(&m, *r.Text); err != nil {
		return m, err
	}
	e.keepWording(&m, old, old.EventTime, b) // it was a mistake, so it never held
	return m, nil
}

// keepWording adds the former wording of a memory to the batch, ended at a time, and marks the memory's words as new.
func (e *Engine) keepWording(m *cairn.Memory, old cairn.Memory, until time.Time, b *cairn.Batch) {
	now := e.truth.Now()
	past := old
	past.ID = wordingID(old.Scope.Tenant, old.ID, old.Version)
	past.Version, past.ExternalID = 1, ""
	past.SupersededBy, past.SupersededAt, past.ValidUntil = old.ID, &now, &until
	if past.State != cairn.StateRetracted { // a forgotten one stays forgotten
		past.State = cairn.StateSuperseded
	}
	b.Expect = append(b.Expect, cairn.Expect{ID: past.ID})
	b.Memories = append(b.Memories, past)
	m.Supersedes = []cairn.ID{past.ID}
	m.RecordedAt = now
}

// setValidUntil sets the end of a memory; empty: none. A time in the past ends it now.
func (e *Engine) setValidUntil(m *cairn.Memory, text string) error {
	until, err := ingest.ValidUntil("valid_until", text)
	switch {
	case err != nil:
		return err
	case m.Kind == cairn.KindFact:
		return cairn.Errorf(cairn.Invalid, "valid_until: a fact ends when something says so; correct it instead")
	case m.State == cairn.StateSuperseded || m.SupersededBy != "":
		return cairn.Errorf(cairn.Invalid, "valid_until: the memory was replaced by %s; change that one", m.SupersededBy)
	case until != nil && !until.After(m.EventTime):
		return cairn.Errorf(cairn.Invalid, "valid_until: must be after the event time of the memory")
	}
	m.ValidUntil = until
	if m.State == cairn.StateExpired {
		m.State = cairn.StateActive
		m.State = m.StateAt(e.truth.Now())
	}
	return nil
}

// setState retracts a memory, or restores it: to the state that applies now, with the release of the key that prevented
// storing its words again.
func (e *Engine) setState(m *cairn.Memory, to cairn.State, b *cairn.Batch) error {
	switch {
	case to != cairn.StateActive && to != cairn.StateRetracted:
		return cairn.Errorf(cairn.Invalid, "state: can be set to active or retracted")
	case m.State == cairn.StateSuperseded && to == cairn.StateActive:
		return cairn.Errorf(cairn.Invalid, "state: the memory was replaced by %s; change that one", m.SupersededBy)
	case to == cairn.StateRetracted:
		e.facts.Retract(m)
		return nil
	case facts.Replaced(m, e.truth.Now()): // superseded before it was forgotten: it becomes superseded again
		m.State = cairn.StateSuperseded
		return nil
	}
	if m.State == cairn.StateExpired { // it has not expired after all
		m.ValidUntil = nil
	}
	if truth.Forgotten(m) {
		b.Release = append(b.Release, truth.ForgottenKey(m))
	}
	m.State, m.SupersededAt = cairn.StateActive, nil
	m.State = m.StateAt(e.truth.Now())
	if m.Fact != nil && m.Fact.Verification.Status == cairn.Rejected {
		fact := *m.Fact
		fact.Verification.Status = cairn.NeedsReview
		m.Fact = &fact
	}
	return nil
}

// setText changes the words of a memory, if its kind and the policy allow that.
func (e *Engine) setText(m *cairn.Memory, text string) error {
	if m.State == cairn.StateSuperseded {
		return cairn.Errorf(cairn.Invalid, "text: the memory was replaced by %s; change that one", m.SupersededBy)
	}
	var entry *cairn.Entry
	switch m.Kind {
	case cairn.KindNote, cairn.KindSummary:
		m.Text = ingest.Normalise(text)
	case cairn.KindEntry:
		changed := *m.Entry
		changed.Content = ingest.Normalise(text)
		entry = &changed
		m.Text = ingest.EntryText(changed)
	default:
		return cairn.Errorf(cairn.Invalid,
			"text: an %s keeps the exact words and cannot be edited; remember a correction with supersedes instead", m.Kind)
	}
	v := e.truth.Policy.Check(m.Role, m.Trust, m.Text)
	if v.Reason != "" {
		return cairn.Errorf(cairn.Invalid, "text: refused (%s) %s", v.Reason, v.Detail)
	}
	if v.Quarantine {
		m.State = cairn.StateQuarantined
	}
	changed := v.Text != m.Text
	m.Text = v.Text
	if entry != nil {
		m.Entry = entry
		if changed {
			truth.NewMasker().MaskEntry(e.truth.Policy, m)
		}
	}
	return nil
}

// wordingID returns the id of a former wording of a memory.
func wordingID(tenant string, id cairn.ID, version int64) cairn.ID {
	return cairn.DeriveID("wording", tenant, string(id), strconv.FormatInt(version, 10))
}
