package engine

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/facts"
	"github.com/trilith-memory/trilith/internal/facts/derive"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/truth"
	"github.com/trilith-memory/trilith/internal/truth/ingest"
)

// Get returns a memory of the scope in any state; NotFound also for one in another scope.
func (e *Engine) Get(ctx context.Context, s trilith.Scope, id trilith.ID) (trilith.Memory, error) {
	if err := truth.CheckScope(s); err != nil {
		return trilith.Memory{}, err
	}
	m, err := e.truth.Get(ctx, s, id)
	if err != nil {
		return trilith.Memory{}, err
	}
	e.recall.DescribeMemories(ctx, s, []*trilith.Memory{&m})
	return m, nil
}

// Update changes a memory. A new text passes the gate like that of a new memory; the old wording stays in the history
// under a new id. An edit is a correction, so the new wording holds from the old one's event time on; a change in the
// world is a new memory with Supersedes.
func (c Changes) Update(ctx context.Context, s trilith.Scope, r trilith.UpdateRequest) (trilith.Memory, error) {
	return undoable(ctx, c.e, s, r.RequestKey, changeOf,
		func(s trilith.Scope) (trilith.Memory, error) { return c.e.update(ctx, s, r.ID, r) })
}

// Delete forgets a memory, or erases it with everything derived from it. Erasing needs the right admin.
func (c Changes) Delete(ctx context.Context, s trilith.Scope, r trilith.DeleteRequest) (trilith.Deletion, error) {
	ids := []trilith.ID{r.ID}
	if _, err := c.e.Get(ctx, s, r.ID); err != nil {
		return trilith.Deletion{}, err
	}
	if r.Erase {
		receipt, err := c.e.Erase(ctx, s, trilith.EraseRequest{IDs: ids})
		return trilith.Deletion{IDs: ids, Receipt: &receipt}, err
	}
	done, err := c.e.Forget(ctx, s, trilith.ForgetRequest{IDs: ids})
	return trilith.Deletion{IDs: ids, Change: done.Change}, err
}

// Share makes a memory visible in a second scope of its tenant and returns the share: a reference, which follows the
// memory.
func (c Changes) Share(ctx context.Context, s trilith.Scope, r trilith.ShareRequest) (trilith.Memory, error) {
	return c.e.truth.Share(ctx, s, r.ID, r.Scope)
}

func (e *Engine) update(ctx context.Context, s trilith.Scope, id trilith.ID, r trilith.UpdateRequest) (trilith.Memory,
	error) {
	if r.Text == nil && r.Metadata == nil && r.Tags == nil && r.State == nil && r.ValidUntil == nil {
		return trilith.Memory{}, trilith.Errorf(
			trilith.Invalid, "update: changes nothing; give text, metadata, tags, valid_until or state")
	}
	same := r // without the version, which may have changed
	same.RequestKey, same.Version = "", 0
	n, err := e.truth.KeyedRequest(s, r.RequestKey, "update "+string(id), same)
	if err != nil {
		return trilith.Memory{}, err
	}
	var m trilith.Memory
	err = truth.Retry(ctx, func() (bool, error) {
		_, made, err := n.Before(ctx)
		if err != nil {
			return false, err
		}
		old, err := e.truth.Get(ctx, s, id)
		m = old
		if err != nil || made {
			return false, err
		}
		if err := facts.CheckChange(s, &old); err != nil {
			return false, err
		}
		if r.Version != 0 && r.Version != old.Version {
			return false, trilith.Errorf(trilith.Conflict, "version: the memory has version %d, not %d; read it again",
				old.Version, r.Version)
		}
		b := role.Batch{Expect: []role.Expect{{ID: id, Version: old.Version}}}
		if err := n.Note(&b, truth.Target{ID: id, Version: old.Version}); err != nil {
			return false, err
		}
		if m, err = e.edit(s, old, r, &b); err != nil {
			return false, err
		}
		b.Memories = append(b.Memories, m)
		if old.State != m.State || r.Text != nil {
			j, err := e.truth.Job(truth.JobRevise, truth.ReviseJob{Episodes: []trilith.ID{id}, Change: s.Change})
			if err != nil {
				return false, err
			}
			b.Jobs = []trilith.Job{j}
		}
		if r.Text != nil && m.State == trilith.StateActive {
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
		return trilith.Memory{}, err
	}
	e.truth.Index.Notify()
	if r.State != nil || r.Text != nil {
		err = e.reviseAfter(ctx, s, []trilith.Memory{m})
		if err == nil && m.Kind == trilith.KindFact {
			m, err = e.truth.Get(ctx, s, id) // its state after the replay
		}
	}
	m.Masking = truth.UpdateMasking(r)
	return m, err
}

// extractAnew queues the job that derives facts from a new wording, if facts were derived from the old one.
func (e *Engine) extractAnew(ctx context.Context, s trilith.Scope, m *trilith.Memory, b *role.Batch) error {
	src, _, err := e.source(ctx, truth.TenantOf(s), m.SourceID)
	if trilith.Is(err, trilith.NotFound) || err == nil && src.Extraction == nil {
		return nil
	}
	if err != nil {
		return err
	}
	jobs, err := e.derive.ExtractionJobs(
		derive.Reading{How: *src.Extraction, Scope: trilith.Scope{Fixed: src.Fixed}, Episodes: []trilith.ID{m.ID}})
	b.Jobs = append(b.Jobs, jobs...)
	return err
}

// edit returns the memory with the changes of r, and adds its former wording to the batch.
func (e *Engine) edit(s trilith.Scope, old trilith.Memory, r trilith.UpdateRequest, b *role.Batch) (
	trilith.Memory, error) {
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
		if err := e.setValidUntil(s, &m, *r.ValidUntil); err != nil {
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
func (e *Engine) keepWording(m *trilith.Memory, old trilith.Memory, until time.Time, b *role.Batch) {
	now := e.truth.Now()
	past := old
	past.ID = wordingID(old.Scope.Tenant, old.ID, old.Version)
	past.Version, past.ExternalID = 1, ""
	past.SupersededBy, past.SupersededAt, past.ValidUntil = old.ID, &now, &until
	if past.State != trilith.StateRetracted { // a forgotten one stays forgotten
		past.State = trilith.StateSuperseded
	}
	b.Expect = append(b.Expect, role.Expect{ID: past.ID})
	b.Memories = append(b.Memories, past)
	m.Supersedes = []trilith.ID{past.ID}
	m.RecordedAt = now
}

// setValidUntil sets the end of a memory; empty: none. A time in the past ends it now.
func (e *Engine) setValidUntil(s trilith.Scope, m *trilith.Memory, text string) error {
	until, err := ingest.ValidUntil("valid_until", text, e.truth.ClockOf(s).Zone)
	switch {
	case err != nil:
		return err
	case m.Kind == trilith.KindFact:
		return trilith.Errorf(trilith.Invalid, "valid_until: a fact ends when something says so; correct it instead")
	case m.State == trilith.StateSuperseded || m.SupersededBy != "":
		return trilith.Errorf(trilith.Invalid, "valid_until: the memory was replaced by %s; change that one", m.SupersededBy)
	case until != nil && !until.After(m.EventTime):
		return trilith.Errorf(trilith.Invalid, "valid_until: must be after the event time of the memory")
	}
	m.ValidUntil = until
	if m.State == trilith.StateExpired {
		m.State = trilith.StateActive
		m.State = m.StateAt(e.truth.Now())
	}
	return nil
}

// setState retracts a memory, or restores it: to the state that applies now, with the release of the key that prevented
// storing its words again.
func (e *Engine) setState(m *trilith.Memory, to trilith.State, b *role.Batch) error {
	switch {
	case to != trilith.StateActive && to != trilith.StateRetracted:
		return trilith.Errorf(trilith.Invalid, "state: can be set to active or retracted")
	case m.State == trilith.StateSuperseded && to == trilith.StateActive:
		return trilith.Errorf(trilith.Invalid, "state: the memory was replaced by %s; change that one", m.SupersededBy)
	case to == trilith.StateRetracted:
		e.facts.Retract(m)
		return nil
	case facts.Replaced(m, e.truth.Now()): // superseded before it was forgotten: it becomes superseded again
		m.State = trilith.StateSuperseded
		return nil
	}
	if m.State == trilith.StateExpired { // it has not expired after all
		m.ValidUntil = nil
	}
	if truth.Forgotten(m) {
		b.Release = append(b.Release, truth.ForgottenKey(m))
	}
	m.State, m.SupersededAt = trilith.StateActive, nil
	m.State = m.StateAt(e.truth.Now())
	if m.Fact != nil && m.Fact.Verification.Status == trilith.Rejected {
		fact := *m.Fact
		fact.Verification.Status = trilith.NeedsReview
		m.Fact = &fact
	}
	return nil
}

// setText changes the words of a memory, if its kind and the policy allow that.
func (e *Engine) setText(m *trilith.Memory, text string) error {
	if m.State == trilith.StateSuperseded {
		return trilith.Errorf(trilith.Invalid, "text: the memory was replaced by %s; change that one", m.SupersededBy)
	}
	var entry *trilith.Entry
	switch m.Kind {
	case trilith.KindNote, trilith.KindSummary:
		m.Text = ingest.Normalise(text)
	case trilith.KindEntry:
		changed := *m.Entry
		changed.Content = contentOf(*m.Entry, ingest.Normalise(text))
		entry = &changed
		m.Text = ingest.EntryText(changed)
	default:
		return trilith.Errorf(trilith.Invalid,
			"text: an %s keeps the exact words and cannot be edited; remember a correction with supersedes instead", m.Kind)
	}
	v := e.truth.Policy.Check(m.Role, m.Trust, m.Text)
	if v.Reason != "" {
		return trilith.Errorf(trilith.Invalid, "text: refused (%s) %s", v.Reason, v.Detail)
	}
	if v.Quarantine {
		m.State = trilith.StateQuarantined
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

// contentOf returns the content in a text for an entry. A text as reads give it, also with another content, has the
// entry's category and title before it and its structured data behind.
func contentOf(e trilith.Entry, text string) string {
	before := ingest.EntryText(trilith.Entry{Category: e.Category, Title: e.Title})
	behind := ingest.EntryText(trilith.Entry{Structured: e.Structured})
	content, ok := strings.CutPrefix("\n"+text+"\n", strings.TrimRight("\n"+before, "\n")+"\n")
	if !ok {
		return text
	}
	content = strings.TrimSuffix("\n"+content, "\n"+behind+"\n")
	return strings.TrimSuffix(strings.TrimPrefix(content, "\n"), "\n")
}

// wordingID returns the id of a former wording of a memory.
func wordingID(tenant string, id trilith.ID, version int64) trilith.ID {
	return trilith.DeriveID("wording", tenant, string(id), strconv.FormatInt(version, 10))
}
