package engine

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/cairn-memory/cairn"
)

// evidence is the memories that facts rest on, as the truth holds them now.
type evidence map[cairn.ID]*cairn.Memory

// of returns the episodes that support a fact and are there still, each once and in the order of its quotes.
func (v evidence) of(m *cairn.Memory) []*cairn.Memory {
	var out []*cairn.Memory
	if m.Fact == nil {
		return nil
	}
	for _, ev := range m.Fact.Evidence {
		if ep := v[ev.EpisodeID]; ep != nil && !ev.Withdrawn && !ev.Ends && !slices.Contains(out, ep) {
			out = append(out, ep)
		}
	}
	return out
}

// evidenceOf reads the episodes that facts rest on, also those outside of a narrow scope: a fact may rest on the words of
// several. They are looked at, never shown.
func (e *Engine) evidenceOf(ctx context.Context, s cairn.Scope, facts []cairn.Memory) (evidence, error) {
	var ids []cairn.ID
	for i := range facts {
		if facts[i].Fact != nil {
			for _, ev := range facts[i].Fact.Evidence {
				ids = append(ids, ev.EpisodeID)
			}
		}
	}
	slices.Sort(ids)
	out := evidence{}
	for chunk := range slices.Chunk(slices.Compact(ids), cairn.MaxBatch) {
		ms, err := e.cfg.Store.Get(ctx, tenantOf(s), chunk)
		if err != nil {
			return nil, err
		}
		for i := range ms {
			out[ms[i].ID] = &ms[i]
		}
	}
	return out, nil
}

// evidenceStep is how many facts are looked at together with what they rest on.
const evidenceStep = 500

// withEvidence calls f with each fact of the scope that the filter accepts and that is worth it, by ascending id, and the
// episodes that it rests on.
func (e *Engine) withEvidence(ctx context.Context, s cairn.Scope, filter cairn.Filter, worth func(*cairn.Memory) bool, f func(m *cairn.Memory, episodes []*cairn.Memory)) error {
	facts := make([]cairn.Memory, 0, evidenceStep)
	look := func() error {
		v, err := e.evidenceOf(ctx, s, facts)
		if err != nil {
			return err
		}
		for i := range facts {
			f(&facts[i], v.of(&facts[i]))
		}
		facts = facts[:0]
		return nil
	}
	for m, err := range e.cfg.Store.List(ctx, s, cairn.Listing{Filter: cairn.AllOf(filter, unshared)}) {
		if err != nil {
			return err
		}
		if !worth(&m) {
			continue
		}
		if facts = append(facts, m); len(facts) == evidenceStep {
			if err := look(); err != nil {
				return err
			}
		}
	}
	return look()
}

// StaleFacts returns the active facts of which nothing was heard for so many days ([cairn.DefaultStaleDays] if 0, at most
// 36500), the longest unheard of first, ties by id. What counts is the event time of the episodes that a fact rests on, of
// the fact itself where none is left, and the day when a person verified it. limit is 1 to MaxPageSize; DefaultPageSize if 0.
func (e *Engine) StaleFacts(ctx context.Context, s cairn.Scope, days, limit int) (cairn.StalePage, error) {
	page := cairn.StalePage{Items: []cairn.StaleFact{}}
	if err := checkScope(s); err != nil {
		return page, err
	}
	limit, err := checkLimit(limit, cairn.DefaultPageSize, cairn.MaxPageSize)
	if err != nil {
		return page, err
	}
	before, err := e.daysAgo(days, cairn.DefaultStaleDays)
	if err != nil {
		return page, err
	}
	// A fact never begins to hold after it was said: what is younger need not be looked at.
	unheard := func(m *cairn.Memory) bool { return lastSeen(m, nil).Before(before) }
	look := func(m *cairn.Memory, episodes []*cairn.Memory) {
		item := cairn.StaleFact{Memory: *m, LastSeen: lastSeen(m, episodes)}
		if !item.LastSeen.Before(before) {
			return
		}
		at, _ := slices.BinarySearchFunc(page.Items, item, func(a, b cairn.StaleFact) int {
			return cmp.Or(a.LastSeen.Compare(b.LastSeen), cmp.Compare(a.Memory.ID, b.Memory.ID))
		})
		if at < limit {
			page.Items = slices.Insert(page.Items, at, item)[:min(limit, len(page.Items)+1)]
		}
	}
	store, ok := e.cfg.Store.(hearing)
	if !ok {
		filter := cairn.AllOf(e.activeFact(), cairn.Where("event_time", cairn.OpLt, before))
		err := e.withEvidence(ctx, s, filter, unheard, look)
		page.Items, page.Truncated = Fit(page.Items)
		return page, err
	}
	now := e.now()
	for skip, most := 0, 2*limit; ; skip, most = skip+most, 2*most {
		ids, last, err := store.Unheard(ctx, s, now, before, skip, most)
		if err != nil {
			return page, err
		}
		for chunk := range slices.Chunk(ids, evidenceStep) {
			facts, err := e.cfg.Store.Get(ctx, s, chunk)
			if err != nil {
				return page, err
			}
			facts = slices.DeleteFunc(facts, func(m cairn.Memory) bool {
				return m.Fact == nil || m.SharedFrom != "" || m.StateAt(now) != cairn.StateActive || !m.EventTime.Before(before) || !unheard(&m)
			})
			v, err := e.evidenceOf(ctx, s, facts)
			if err != nil {
				return page, err
			}
			for i := range facts {
				look(&facts[i], v.of(&facts[i]))
			}
		}
		if len(ids) < most || len(page.Items) == limit && last.After(page.Items[limit-1].LastSeen) {
			page.Items, page.Truncated = Fit(page.Items)
			return page, nil
		}
	}
}

// hearing is played by stores that know without reading facts when they were last heard of.
type hearing interface {
	// Unheard names active facts of which nothing was heard since a moment, by when they were heard of last, ties by id: so many, behind the
	// first ones that are skipped. last is when the last of them was heard of. A fact may have been heard of later than that says, and
	// never earlier: who reads it with its episodes knows.
	Unheard(ctx context.Context, s cairn.Scope, at, before time.Time, skip, most int) (ids []cairn.ID, last time.Time, err error)
}

// maxDays bounds how far back a number of days may lead.
const maxDays = 36500

// daysAgo is the moment so many days before now.
func (e *Engine) daysAgo(days, usual int) (time.Time, error) {
	if days < 0 || days > maxDays {
		return time.Time{}, cairn.Errorf(cairn.Invalid, "days: is %d, must be 1 to %d (%d if left out)", days, maxDays, usual)
	}
	return e.now().AddDate(0, 0, -cmp.Or(days, usual)), nil
}

func lastSeen(m *cairn.Memory, episodes []*cairn.Memory) time.Time {
	seen := m.EventTime
	if len(episodes) > 0 {
		seen = time.Time{}
	}
	for _, ep := range episodes {
		seen = later(seen, ep.EventTime)
	}
	if v := m.Fact.Verification; v.Status == cairn.Verified && v.At != nil && v.Decided() {
		seen = later(seen, *v.At)
	}
	return seen
}

// AutoVerify verifies pending facts that satisfy a policy; see [cairn.AutoVerifyRequest]. Candidates are proposals: only a
// person accepts one. What a person decides about a fact meanwhile stands.
func (e *Engine) AutoVerify(ctx context.Context, s cairn.Scope, r cairn.AutoVerifyRequest) (cairn.AutoVerifyResult, error) {
	if err := checkScope(s); err != nil {
		return cairn.AutoVerifyResult{}, err
	}
	r.MinTrust, r.MinEvidence = cmp.Or(r.MinTrust, cairn.TrustUserStated), cmp.Or(r.MinEvidence, 2)
	out := cairn.AutoVerifyResult{Verified: []cairn.ID{}, DryRun: r.DryRun}
	switch {
	case !slices.Contains(cairn.Trusts(), r.MinTrust):
		return out, cairn.Errorf(cairn.Invalid, "min_trust: %.32q is not a tier; use user_confirmed, user_stated, imported, assistant_said, tool_output", string(r.MinTrust))
	case !(r.MinConfidence >= 0 && r.MinConfidence <= 1):
		return out, cairn.Errorf(cairn.Invalid, "min_confidence: must lie between 0 and 1")
	case r.MinEvidence < 1 || r.MinEvidence > 100:
		return out, cairn.Errorf(cairn.Invalid, "min_evidence: is %d, must be 1 to 100 (2 if left out)", r.MinEvidence)
	}
	out.Policy = policy(r)
	fit, err := e.fitting(ctx, s, r, &out.Pending)
	if err != nil {
		return out, err
	}
	out.Left = max(len(fit)-cairn.MaxBatch, 0)
	for _, id := range fit[:len(fit)-out.Left] {
		done, err := e.autoVerify(ctx, s, id, r, out.Policy)
		if err != nil {
			return out, err
		}
		if done {
			out.Verified = append(out.Verified, id)
		}
	}
	e.index.Notify()
	return out, nil
}

// founded is played by stores that know without reading facts which of them satisfy a policy.
type founded interface {
	// Pending counts the active facts of the scope that are pending at a moment, shares left out, and names, by ascending id,
	// those that satisfy a policy, and those that may, which only the fact and its episodes tell.
	Pending(ctx context.Context, s cairn.Scope, at time.Time, r cairn.AutoVerifyRequest) (pending int, fit, may []cairn.ID, err error)
}

// fitting returns the pending facts that satisfy a policy, by ascending id, and counts all that are pending.
func (e *Engine) fitting(ctx context.Context, s cairn.Scope, r cairn.AutoVerifyRequest, pending *int) (fit []cairn.ID, err error) {
	look := func(m *cairn.Memory, episodes []*cairn.Memory) {
		if satisfies(m, episodes, r) {
			fit = append(fit, m.ID)
		}
	}
	store, ok := e.cfg.Store.(founded)
	if !ok {
		filter := cairn.AllOf(e.activeFact(), cairn.Where("verification_status", cairn.OpEq, string(cairn.PendingApproval)))
		err = e.withEvidence(ctx, s, filter, func(m *cairn.Memory) bool {
			*pending++
			return maySatisfy(m, r)
		}, look)
		return fit, err
	}
	now := e.now()
	var may []cairn.ID
	if *pending, fit, may, err = store.Pending(ctx, s, now, r); err != nil {
		return nil, err
	}
	for chunk := range slices.Chunk(may, evidenceStep) {
		facts, err := e.cfg.Store.Get(ctx, s, chunk)
		if err != nil {
			return nil, err
		}
		facts = slices.DeleteFunc(facts, func(m cairn.Memory) bool { return !isPending(&m, now) || !maySatisfy(&m, r) })
		v, err := e.evidenceOf(ctx, s, facts)
		if err != nil {
			return nil, err
		}
		for i := range facts {
			look(&facts[i], v.of(&facts[i]))
		}
	}
	slices.Sort(fit)
	return fit, nil
}

// isPending reports whether a memory is an active fact that nobody has decided about.
func isPending(m *cairn.Memory, now time.Time) bool {
	return m.Fact != nil && m.StateAt(now) == cairn.StateActive && m.Fact.Verification.Status == cairn.PendingApproval
}

// policy says a policy in words, for notes.
func policy(r cairn.AutoVerifyRequest) string {
	text := fmt.Sprintf("%d or more independent sources of trust %s", r.MinEvidence, r.MinTrust)
	if r.MinConfidence > 0 {
		text += fmt.Sprintf(", confidence %g or more", r.MinConfidence)
	}
	const named = 4 // a note is short
	switch {
	case len(r.Types) > named:
		text += fmt.Sprintf(", of %d types", len(r.Types))
	case len(r.Types) > 0:
		text += ", of type " + strings.Join(texts(r.Types), " or ")
	}
	return text
}

// satisfies reports whether a fact satisfies a policy by the episodes that it rests on.
func satisfies(m *cairn.Memory, episodes []*cairn.Memory, r cairn.AutoVerifyRequest) bool {
	return maySatisfy(m, r) && independent(episodes, r.MinTrust) >= r.MinEvidence
}

// maySatisfy is what a policy asks of a fact whatever its episodes are.
func maySatisfy(m *cairn.Memory, r cairn.AutoVerifyRequest) bool {
	if m.Fact.Confidence < r.MinConfidence || len(r.Types) > 0 && !slices.Contains(r.Types, m.Fact.Type) {
		return false
	}
	sources := map[cairn.ID]bool{}
	for _, ev := range m.Fact.Evidence {
		sources[ev.EpisodeID] = true
	}
	return len(sources) >= r.MinEvidence
}

// independent counts sources that do not depend on each other. Several quotes of one source are one voice, and so is the
// same text again. What an assistant or a tool says counts only where nothing was known before: afterwards it may be our
// own recall, come back.
func independent(episodes []*cairn.Memory, least cairn.Trust) int {
	episodes = slices.SortedStableFunc(slices.Values(episodes), func(a, b *cairn.Memory) int {
		return cmp.Or(a.EventTime.Compare(b.EventTime), a.RecordedAt.Compare(b.RecordedAt))
	})
	heard := map[string]bool{}
	n := 0
	for i, ep := range episodes {
		source, text := "source "+string(cmp.Or(ep.SourceID, ep.ID)), "text "+strings.Join(strings.Fields(ep.Text), " ")
		switch {
		case ep.State != cairn.StateActive || !ep.Trust.AtLeast(least): // what was taken back or corrected speaks for nothing
		case !ep.Trust.AtLeast(cairn.TrustImported) && i > 0:
		case heard[source] || heard[text]:
		default:
			n++
		}
		heard[source], heard[text] = true, true
	}
	return n
}

// autoVerify verifies one fact unless it has changed so that the policy is not satisfied any more.
func (e *Engine) autoVerify(ctx context.Context, s cairn.Scope, id cairn.ID, r cairn.AutoVerifyRequest, note string) (done bool, err error) {
	if r.DryRun {
		return true, nil
	}
	err = retry(ctx, func() (bool, error) {
		done = false
		m, err := e.get(ctx, s, id)
		if cairn.KindOf(err) == cairn.NotFound && err != nil {
			return false, nil
		}
		if err != nil {
			return false, err
		}
		now := e.now()
		if !isPending(&m, now) {
			return false, nil
		}
		v, err := e.evidenceOf(ctx, s, []cairn.Memory{m})
		if err != nil || !satisfies(&m, v.of(&m), r) {
			return false, err
		}
		fact := *m.Fact
		fact.Verification = cairn.Verification{Status: cairn.Verified, By: cairn.ByPolicy, At: &now, Note: note}
		version := m.Version
		m.Fact = &fact
		_, err = e.commit(ctx, s, cairn.Batch{
			Expect:   []cairn.Expect{{ID: id, Version: version}},
			Memories: []cairn.Memory{m},
			Audit:    e.audit(s, "fact.verify", id, map[string]string{"decision": string(cairn.DecideVerify), "by": cairn.ByPolicy}),
		})
		done = err == nil
		return true, err
	})
	return done, err
}
