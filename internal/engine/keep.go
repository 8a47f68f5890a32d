package engine

import (
	"context"
	"maps"
	"slices"
	"strconv"

	"github.com/cairn-memory/cairn"
	"github.com/cairn-memory/cairn/internal/facts"
	"github.com/cairn-memory/cairn/internal/ingest"
	"github.com/cairn-memory/cairn/internal/truth"
)

// Get returns a memory of the scope in whatever state it is; NotFound also for one that exists elsewhere.
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

// Update changes a memory. A new text goes through the gate as a new memory would; the old wording stays in the history
// under an id of its own. An edit is a correction, so the new wording holds from the old one's event time on; what changed
// in the world is remembered anew with Supersedes.
func (e *Engine) Update(ctx context.Context, s cairn.Scope, id cairn.ID, r cairn.UpdateRequest) (cairn.Memory, error) {
	if err := truth.CheckScope(s); err != nil {
		return cairn.Memory{}, err
	}
	if r.Text == nil && r.Metadata == nil && r.Tags == nil && r.State == nil {
		return cairn.Memory{}, cairn.Errorf(cairn.Invalid, "update: changes nothing; give text, metadata, tags or state")
	}
	same := r // whatever version the memory has by now
	same.RequestKey, same.Version = "", 0
	n, err := e.truth.Named(s, r.RequestKey, "update "+string(id), same)
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
		if err := facts.RefuseChange(s, &old); err != nil {
			return false, err
		}
		if r.Version != 0 && r.Version != old.Version {
			return false, cairn.Errorf(cairn.Conflict, "version: the memory has version %d, not %d; read it again", old.Version, r.Version)
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
		err = e.followAll(ctx, s, []cairn.Memory{m})
		if err == nil && m.Kind == cairn.KindFact {
			m, err = e.truth.Get(ctx, s, id) // as it is told now
		}
	}
	m.Masking = truth.UpdateMasking(r)
	return m, err
}

// extractAnew adds the job that derives facts from a new wording, if facts were derived from the old one.
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

// edit returns the memory as r wants it and adds the wording that it had to the batch.
func (e *Engine) edit(old cairn.Memory, r cairn.UpdateRequest, b *cairn.Batch) (cairn.Memory, error) {
	m := old
	if r.State != nil {
		switch {
		case *r.State != cairn.StateActive && *r.State != cairn.StateRetracted:
			return m, cairn.Errorf(cairn.Invalid, "state: can be set to active or retracted")
		case m.State == cairn.StateSuperseded && *r.State == cairn.StateActive:
			return m, cairn.Errorf(cairn.Invalid, "state: the memory was replaced by %s; change that one", m.SupersededBy)
		}
		switch {
		case *r.State == cairn.StateRetracted:
			e.facts.Retract(&m)
		case facts.Replaced(&m, e.truth.Now()): // forgotten after it was replaced: it returns to where it was
			m.State = cairn.StateSuperseded
		default:
			if m.State == cairn.StateExpired { // it holds after all
				m.ValidUntil = nil
			}
			if truth.Forgotten(&m) {
				b.Release = append(b.Release, truth.ForgottenKey(&m))
			}
			m.State, m.SupersededAt = cairn.StateActive, nil
			m.State = m.StateAt(e.truth.Now())
			if m.Fact != nil && m.Fact.Verification.Status == cairn.Rejected {
				fact := *m.Fact
				fact.Verification.Status = cairn.NeedsReview
				m.Fact = &fact
			}
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
	truth.NewMasker().MaskBeside(&m)
	if r.Text == nil {
		return m, nil
	}
	if m.State == cairn.StateSuperseded {
		return m, cairn.Errorf(cairn.Invalid, "text: the memory was replaced by %s; change that one", m.SupersededBy)
	}
	var entry *cairn.Entry
	switch m.Kind {
	case cairn.KindNote, cairn.KindSummary:
		m.Text = ingest.Normalise(*r.Text)
	case cairn.KindEntry:
		changed := *m.Entry
		changed.Content = ingest.Normalise(*r.Text)
		entry = &changed
		m.Text = ingest.EntryText(changed)
	default:
		return m, cairn.Errorf(cairn.Invalid, "text: an %s is verbatim and cannot be edited; remember a correction with supersedes instead", m.Kind)
	}
	v := e.truth.Policy.Check(m.Role, m.Trust, m.Text)
	if v.Reason != "" {
		return m, cairn.Errorf(cairn.Invalid, "text: refused (%s) %s", v.Reason, v.Detail)
	}
	if v.Quarantine {
		m.State = cairn.StateQuarantined
	}
	changed := v.Text != m.Text
	m.Text = v.Text
	if entry != nil {
		m.Entry = entry
		if changed {
			truth.NewMasker().MaskEntry(e.truth.Policy, &m)
		}
	}
	now := e.truth.Now()
	past := old
	past.ID = wordingID(old.Scope.Tenant, old.ID, old.Version)
	past.Version, past.ExternalID = 1, ""
	past.State, past.SupersededBy, past.SupersededAt = cairn.StateSuperseded, old.ID, &now
	past.ValidUntil = &old.EventTime // it was a mistake: it never held
	b.Expect = append(b.Expect, cairn.Expect{ID: past.ID})
	b.Memories = append(b.Memories, past)
	m.Supersedes = []cairn.ID{past.ID}
	m.RecordedAt = now
	return m, nil
}

// wordingID is the id under which a former wording of a memory is kept.
func wordingID(tenant string, id cairn.ID, version int64) cairn.ID {
	return cairn.DeriveID("wording", tenant, string(id), strconv.FormatInt(version, 10))
}

// Forget takes memories out of search; see [cairn.ForgetRequest]. Ids that do not exist in the scope are NotFound and
// nothing is forgotten.
func (e *Engine) Forget(ctx context.Context, s cairn.Scope, r cairn.ForgetRequest) (cairn.ForgetResult, error) {
	if err := truth.CheckScope(s); err != nil {
		return cairn.ForgetResult{}, err
	}
	choose := func() ([]cairn.Memory, error) {
		ms, err := e.chosen(ctx, s, r.IDs, r.Sources, r.Filter)
		if err != nil {
			return nil, err
		}
		ms = slices.DeleteFunc(ms, func(m cairn.Memory) bool { return m.State == cairn.StateRetracted })
		return withoutFollowing(ms), nil
	}
	if r.RequestKey != "" && !r.DryRun {
		return e.forgetNamed(ctx, s, r, choose)
	}
	return e.forget(ctx, s, r.DryRun, choose)
}

// forgetNamed forgets under an idempotency key what choose chooses the first time.
func (e *Engine) forgetNamed(ctx context.Context, s cairn.Scope, r cairn.ForgetRequest, choose func() ([]cairn.Memory, error)) (cairn.ForgetResult, error) {
	key := r.RequestKey
	r.RequestKey = ""
	n, err := e.truth.Named(s, key, "forget", r)
	if err != nil {
		return cairn.ForgetResult{}, err
	}
	about, made, err := n.Begin(ctx, func() ([]truth.Target, error) {
		ms, err := choose()
		about := make([]truth.Target, len(ms))
		for i, m := range ms {
			about[i] = truth.Target{ID: m.ID, Version: m.Version}
		}
		return about, err
	})
	if err != nil {
		return cairn.ForgetResult{}, err
	}
	left := map[cairn.ID]int64{}
	for _, t := range about {
		left[t.ID] = t.Version
	}
	res := cairn.ForgetResult{IDs: truth.TargetIDs(about)}
	var done []cairn.Memory
	_, err = e.forget(ctx, s, false, func() ([]cairn.Memory, error) {
		ms, err := e.truth.Store.Get(ctx, s, slices.Sorted(maps.Keys(left)))
		if err != nil {
			return nil, err
		}
		done = slices.DeleteFunc(slices.Clone(ms), func(m cairn.Memory) bool { return m.State != cairn.StateRetracted })
		return slices.DeleteFunc(ms, func(m cairn.Memory) bool {
			return m.State == cairn.StateRetracted || made && m.Version != left[m.ID]
		}), nil
	})
	if err == nil && made { // it may have ended between the words and their facts
		err = e.followAll(ctx, s, done)
	}
	return res, err
}

// forget forgets what choose chooses, which is asked again after a conflict.
func (e *Engine) forget(ctx context.Context, s cairn.Scope, dry bool, choose func() ([]cairn.Memory, error)) (cairn.ForgetResult, error) {
	res := cairn.ForgetResult{IDs: []cairn.ID{}, DryRun: dry}
	var forgotten []cairn.Memory
	seen := map[cairn.ID]bool{}
	if err := truth.Retry(ctx, func() (bool, error) {
		ms, err := choose()
		if err != nil {
			return false, err
		}
		for _, m := range ms { // after a conflict: those that are left
			if !seen[m.ID] {
				seen[m.ID] = true
				res.IDs = append(res.IDs, m.ID)
				forgotten = append(forgotten, m)
			}
		}
		if dry || len(ms) == 0 {
			return false, nil
		}
		own, shared := truth.Apart(ms)
		for i := range own {
			if err := facts.RefuseChange(s, &own[i]); err != nil {
				return false, err
			}
		}
		if err := e.truth.Unshare(ctx, s, shared); err != nil {
			return true, err
		}
		return true, e.truth.InBatches(ctx, s, "forget", own, e.facts.Retract)
	}); err != nil {
		return cairn.ForgetResult{}, err
	}
	e.truth.Index.Notify()
	if dry {
		return res, nil
	}
	return res, e.followAll(ctx, s, forgotten)
}

// withoutFollowing leaves out the facts that rest on nothing but others of the memories: they go with these, and return with
// them, which what a person forgets by itself does not.
func withoutFollowing(ms []cairn.Memory) []cairn.Memory {
	words := map[cairn.ID]bool{}
	for i := range ms {
		words[ms[i].ID] = truth.CanBeEvidence(&ms[i])
	}
	return slices.DeleteFunc(ms, func(m cairn.Memory) bool {
		return m.Fact != nil && len(m.Fact.Evidence) > 0 &&
			!slices.ContainsFunc(m.Fact.Evidence, func(ev cairn.Evidence) bool { return !words[ev.EpisodeID] })
	})
}

// followAll lets facts follow what became of memories, and of facts themselves that a person decided about.
func (e *Engine) followAll(ctx context.Context, s cairn.Scope, ms []cairn.Memory) error {
	var episodes []cairn.ID
	var facts []cairn.Memory
	for i := range ms {
		if m := &ms[i]; m.Kind == cairn.KindFact {
			facts = append(facts, *m)
		} else if truth.CanBeEvidence(m) {
			episodes = append(episodes, m.ID)
		}
	}
	if err := e.facts.Follow(ctx, s, episodes); err != nil {
		return err
	}
	if err := e.facts.Retell(ctx, s, facts); err != nil {
		return err
	}
	return e.facts.RecordClosed(ctx, s, facts)
}

// chosen reads the memories that ids, sources or a filter choose; exactly one of them is given.
func (e *Engine) chosen(ctx context.Context, s cairn.Scope, ids, sources []cairn.ID, f cairn.Filter) ([]cairn.Memory, error) {
	if len(sources) == 0 {
		f, err := e.facts.WithTexts(ctx, s, f)
		if err == nil {
			err = truth.CheckSelection(ids, f)
		}
		if err != nil {
			return nil, err
		}
		return e.selection(ctx, s, ids, f)
	}
	if len(ids) > 0 || !f.IsZero() {
		return nil, cairn.Errorf(cairn.Invalid, "sources: give only one of ids, sources and filter")
	}
	return e.ofSources(ctx, s, sources)
}

// selection reads the memories that ids or a filter choose.
func (e *Engine) selection(ctx context.Context, s cairn.Scope, ids []cairn.ID, f cairn.Filter) ([]cairn.Memory, error) {
	if len(ids) == 0 {
		var ms []cairn.Memory
		for m, err := range e.truth.Store.List(ctx, s, cairn.Listing{Filter: f}) {
			if err != nil {
				return nil, err
			}
			ms = append(ms, m)
		}
		return ms, nil
	}
	ids = slices.Clone(ids)
	slices.Sort(ids)
	ids = slices.Compact(ids)
	for _, id := range ids {
		if err := id.Validate(); err != nil {
			return nil, err
		}
	}
	ms, err := e.truth.Store.Get(ctx, s, ids)
	if err != nil {
		return nil, err
	}
	if len(ms) != len(ids) {
		for i, id := range ids {
			if i >= len(ms) || ms[i].ID != id {
				return nil, cairn.Errorf(cairn.NotFound, "memory %s does not exist", id)
			}
		}
	}
	return ms, nil
}

// maxHistory bounds a history; longer ones are cut at their oldest end.
const maxHistory = 1000

// History returns the chain that a memory belongs to; see [cairn.History].
func (e *Engine) History(ctx context.Context, s cairn.Scope, id cairn.ID) (cairn.History, error) {
	if err := truth.CheckScope(s); err != nil {
		return cairn.History{}, err
	}
	head, err := e.truth.Get(ctx, s, id)
	if err != nil {
		return cairn.History{}, err
	}
	for range maxHistory {
		if head.SupersededBy == "" {
			break
		}
		next, err := e.truth.Get(ctx, s, head.SupersededBy)
		if cairn.KindOf(err) == cairn.NotFound && err != nil {
			break // the successor was erased
		}
		if err != nil {
			return cairn.History{}, err
		}
		head = next
	}
	h := cairn.History{Versions: []cairn.Memory{head}}
	seen := map[cairn.ID]bool{head.ID: true}
	for i := 0; i < len(h.Versions) && len(h.Versions) < maxHistory && !h.Truncated; i++ {
		older, err := e.truth.Store.Get(ctx, s, h.Versions[i].Supersedes)
		if err != nil {
			return cairn.History{}, err
		}
		for _, m := range older {
			if !seen[m.ID] {
				seen[m.ID] = true
				h.Versions = append(h.Versions, m)
			}
		}
		h.Versions, h.Truncated = truth.Fit(h.Versions)
	}
	e.facts.Discreet(ctx, s, facts.Pointers(h.Versions))
	return h, nil
}

// Jobs lists background jobs of the tenant, newest first.
func (e *Engine) Jobs(ctx context.Context, s cairn.Scope, l cairn.JobListing) ([]cairn.Job, error) {
	if err := truth.CheckScope(s); err != nil {
		return nil, err
	}
	jobs, err := e.truth.Queue.Jobs(ctx, s, l)
	if jobs == nil {
		jobs = []cairn.Job{}
	}
	if err != nil {
		return jobs, err
	}
	return jobs, e.derive.AddReports(ctx, s, jobs)
}

// RetryJob makes a dead job ready again.
func (e *Engine) RetryJob(ctx context.Context, s cairn.Scope, id cairn.ID) error {
	if err := truth.CheckScope(s); err != nil {
		return err
	}
	return e.truth.Queue.Retry(ctx, s, id)
}

// Audit returns the tenant's audit log after an entry, oldest first.
func (e *Engine) Audit(ctx context.Context, s cairn.Scope, after int64, limit int) ([]cairn.AuditEntry, error) {
	if err := truth.CheckScope(s); err != nil {
		return nil, err
	}
	return e.truth.Log.Audit(ctx, s, after, limit)
}
