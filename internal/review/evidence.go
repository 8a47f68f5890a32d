package review

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/facts"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/truth"
)

// StaleFacts returns the active facts that nothing has confirmed for so many days, the longest unconfirmed first; ties
// are ordered by id. A fact is confirmed at the event times of the episodes that it rests on, or at its own if none is
// left, and when a person verified it.
func (rv *Reviewer) StaleFacts(ctx context.Context, s trilith.Scope, q trilith.StaleQuery) (trilith.StalePage, error) {
	page := trilith.StalePage{Items: []trilith.StaleFact{}}
	if err := truth.CheckScope(s); err != nil {
		return page, err
	}
	limit, err := truth.CheckLimit(q.Limit, trilith.DefaultPageSize, trilith.MaxPageSize)
	if err != nil {
		return page, err
	}
	before, err := rv.facts.DaysAgo(q.Days, trilith.DefaultStaleDays)
	if err != nil {
		return page, err
	}
	// A fact never begins to hold after it was stated, so newer ones need not be read.
	unheard := func(m *trilith.Memory) bool { return facts.LastSeen(m, nil).Before(before) }
	look := func(m *trilith.Memory, episodes []*trilith.Memory) {
		item := trilith.StaleFact{Memory: *m, LastSeen: facts.LastSeen(m, episodes)}
		if !item.LastSeen.Before(before) {
			return
		}
		at, _ := slices.BinarySearchFunc(page.Items, item, func(a, b trilith.StaleFact) int {
			return cmp.Or(a.LastSeen.Compare(b.LastSeen), cmp.Compare(a.Memory.ID, b.Memory.ID))
		})
		if at < limit {
			page.Items = slices.Insert(page.Items, at, item)[:min(limit, len(page.Items)+1)]
		}
	}
	store, ok := truth.Ability[role.Tallier](rv.truth)
	if !ok {
		filter := trilith.AllOf(rv.facts.ActiveFact(), trilith.Where("event_time", trilith.OpLt, before))
		err := rv.facts.EachWithEvidence(ctx, s, filter, unheard, look)
		page.Items, page.Truncated = truth.Fit(page.Items)
		return page, err
	}
	now := rv.truth.Now()
	for skip, most := 0, 2*limit; ; skip, most = skip+most, 2*most {
		ids, last, err := store.Unheard(ctx, s, now, before, skip, most)
		if err != nil {
			return page, err
		}
		for chunk := range slices.Chunk(ids, facts.EvidenceStep) {
			facts, err := rv.truth.Memories(ctx, s, chunk)
			if err != nil {
				return page, err
			}
			facts = slices.DeleteFunc(facts, func(m trilith.Memory) bool {
				return m.Fact == nil || m.SharedFrom != "" || m.StateAt(now) != trilith.StateActive ||
					!m.EventTime.Before(before) || !unheard(&m)
			})
			v, err := rv.facts.EvidenceOf(ctx, s, facts)
			if err != nil {
				return page, err
			}
			for i := range facts {
				look(&facts[i], v.Of(&facts[i]))
			}
		}
		if len(ids) < most || len(page.Items) == limit && last.After(page.Items[limit-1].LastSeen) {
			page.Items, page.Truncated = truth.Fit(page.Items)
			return page, nil
		}
	}
}

// AutoVerify verifies pending facts that satisfy a policy; see [trilith.AutoVerifyRequest]. It skips candidates: only a
// person accepts a proposal. It does not overwrite a person's decision made in the meantime.
func (rv *Reviewer) AutoVerify(ctx context.Context, s trilith.Scope, r trilith.AutoVerifyRequest) (
	trilith.AutoVerifyResult, error) {
	if err := truth.CheckScope(s); err != nil {
		return trilith.AutoVerifyResult{}, err
	}
	r.MinTrust, r.MinEvidence = cmp.Or(r.MinTrust, trilith.TrustUserStated), cmp.Or(r.MinEvidence, 2)
	out := trilith.AutoVerifyResult{Verified: []trilith.ID{}, DryRun: r.DryRun}
	switch {
	case !slices.Contains(trilith.Trusts(), r.MinTrust):
		return out, trilith.Errorf(
			trilith.Invalid, "min_trust: %.32q is not a tier; use user_confirmed, user_stated, imported, assistant_said, tool_output", string(r.MinTrust))
	case !(r.MinConfidence >= 0 && r.MinConfidence <= 1):
		return out, trilith.Errorf(trilith.Invalid, "min_confidence: must lie between 0 and 1")
	case r.MinEvidence < 1 || r.MinEvidence > 100:
		return out, trilith.Errorf(trilith.Invalid, "min_evidence: is %d, must be 1 to 100 (2 if left out)", r.MinEvidence)
	}
	out.Policy = policy(r)
	fit, err := rv.fitting(ctx, s, r, &out.Pending)
	if err != nil {
		return out, err
	}
	out.Left = max(len(fit)-role.MaxBatch, 0)
	for _, id := range fit[:len(fit)-out.Left] {
		done, err := rv.autoVerify(ctx, s, id, r, out.Policy)
		if err != nil {
			return out, err
		}
		if done {
			out.Verified = append(out.Verified, id)
		}
	}
	rv.truth.Index.Notify()
	return out, nil
}

// fitting returns the pending facts that satisfy a policy, by ascending id, and the number of all pending ones.
func (rv *Reviewer) fitting(ctx context.Context, s trilith.Scope, r trilith.AutoVerifyRequest, pending *int) (
	fit []trilith.ID, err error) {
	look := func(m *trilith.Memory, episodes []*trilith.Memory) {
		if satisfies(m, episodes, r) {
			fit = append(fit, m.ID)
		}
	}
	store, ok := truth.Ability[role.Tallier](rv.truth)
	if !ok {
		filter := trilith.AllOf(rv.facts.ActiveFact(),
			trilith.Where("verification_status", trilith.OpEq, string(trilith.PendingApproval)))
		err = rv.facts.EachWithEvidence(ctx, s, filter, func(m *trilith.Memory) bool {
			*pending++
			return maySatisfy(m, r)
		}, look)
		return fit, err
	}
	now := rv.truth.Now()
	var may []trilith.ID
	if *pending, fit, may, err = store.Pending(ctx, s, now, r); err != nil {
		return nil, err
	}
	for chunk := range slices.Chunk(may, facts.EvidenceStep) {
		facts, err := rv.truth.Memories(ctx, s, chunk)
		if err != nil {
			return nil, err
		}
		facts = slices.DeleteFunc(facts, func(m trilith.Memory) bool { return !isPending(&m, now) || !maySatisfy(&m, r) })
		v, err := rv.facts.EvidenceOf(ctx, s, facts)
		if err != nil {
			return nil, err
		}
		for i := range facts {
			look(&facts[i], v.Of(&facts[i]))
		}
	}
	slices.Sort(fit)
	return fit, nil
}

// isPending reports whether a memory is an active fact without a decision.
func isPending(m *trilith.Memory, now time.Time) bool {
	return m.Fact != nil && m.StateAt(now) == trilith.StateActive && m.Fact.Verification.Status == trilith.PendingApproval
}

// policy describes a policy in words, for notes.
func policy(r trilith.AutoVerifyRequest) string {
	text := fmt.Sprintf("%d or more independent sources of trust %s", r.MinEvidence, r.MinTrust)
	if r.MinConfidence > 0 {
		text += fmt.Sprintf(", confidence %g or more", r.MinConfidence)
	}
	const named = 4 // a note is short
	switch {
	case len(r.Types) > named:
		text += fmt.Sprintf(", of %d types", len(r.Types))
	case len(r.Types) > 0:
		text += ", of type " + strings.Join(truth.Texts(r.Types), " or ")
	}
	return text
}

// satisfies reports whether the episodes that a fact rests on satisfy a policy.
func satisfies(m *trilith.Memory, episodes []*trilith.Memory, r trilith.AutoVerifyRequest) bool {
	return maySatisfy(m, r) && independent(episodes, r.MinTrust) >= r.MinEvidence
}

// maySatisfy reports whether a fact can satisfy a policy, whatever its episodes are.
func maySatisfy(m *trilith.Memory, r trilith.AutoVerifyRequest) bool {
	if m.Fact.Confidence < r.MinConfidence || len(r.Types) > 0 && !slices.Contains(r.Types, m.Fact.Type) {
		return false
	}
	sources := map[trilith.ID]bool{}
	for _, ev := range m.Fact.Evidence {
		sources[ev.EpisodeID] = true
	}
	return len(sources) >= r.MinEvidence
}

// independent counts sources that do not depend on each other. Several quotes from one source count once, and so do
// equal texts. A statement of an assistant or a tool counts only if it is the first: a later one may repeat our own
// recall.
func independent(episodes []*trilith.Memory, least trilith.Trust) int {
	episodes = slices.SortedStableFunc(slices.Values(episodes), func(a, b *trilith.Memory) int {
		return cmp.Or(a.EventTime.Compare(b.EventTime), a.RecordedAt.Compare(b.RecordedAt))
	})
	heard := map[string]bool{}
	n := 0
	for i, ep := range episodes {
		source, text := "source "+string(cmp.Or(ep.SourceID, ep.ID)), "text "+strings.Join(strings.Fields(ep.Text), " ")
		switch {
		// a retracted or corrected statement supports nothing
		case ep.State != trilith.StateActive || !ep.Trust.AtLeast(least):
		case !ep.Trust.AtLeast(trilith.TrustImported) && i > 0:
		case heard[source] || heard[text]:
		default:
			n++
		}
		heard[source], heard[text] = true, true
	}
	return n
}

// autoVerify verifies one fact, unless a change has made it fail the policy.
func (rv *Reviewer) autoVerify(ctx context.Context, s trilith.Scope, id trilith.ID, r trilith.AutoVerifyRequest,
	note string) (done bool, err error) {
	if r.DryRun {
		return true, nil
	}
	err = truth.Retry(ctx, func() (bool, error) {
		done = false
		m, err := rv.truth.Get(ctx, s, id)
		if trilith.Is(err, trilith.NotFound) {
			return false, nil
		}
		if err != nil {
			return false, err
		}
		now := rv.truth.Now()
		if !isPending(&m, now) {
			return false, nil
		}
		v, err := rv.facts.EvidenceOf(ctx, s, []trilith.Memory{m})
		if err != nil || !satisfies(&m, v.Of(&m), r) {
			return false, err
		}
		fact := *m.Fact
		fact.Verification = trilith.Verification{Status: trilith.Verified, By: trilith.ByPolicy, At: &now, Note: note}
		version := m.Version
		m.Fact = &fact
		_, err = rv.truth.Commit(ctx, s, role.Batch{
			Expect:   []role.Expect{{ID: id, Version: version}},
			Memories: []trilith.Memory{m},
			Audit: rv.truth.Audit(
				s, "fact.verify", id, map[string]string{"decision": string(trilith.DecideVerify), "by": trilith.ByPolicy}),
		})
		done = err == nil
		return true, err
	})
	return done, err
}
