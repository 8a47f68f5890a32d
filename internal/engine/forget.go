package engine

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/facts"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/truth"
)

// Forget removes memories from search; see [trilith.ForgetRequest]. If an id does not exist in the scope, it is NotFound
// and forgets nothing.
func (e *Engine) Forget(ctx context.Context, s trilith.Scope, r trilith.ForgetRequest) (trilith.ForgetResult, error) {
	return undoable(ctx, e, s, r.RequestKey, func(r *trilith.ForgetResult) *trilith.ID { return &r.Change },
		func(s trilith.Scope) (trilith.ForgetResult, error) { return e.forgetChosen(ctx, s, r) })
}

func (e *Engine) forgetChosen(ctx context.Context, s trilith.Scope, r trilith.ForgetRequest) (
	trilith.ForgetResult, error) {
	choose := func() ([]trilith.Memory, error) {
		ms, err := e.chosen(ctx, s, r.IDs, r.Sources, r.Filter)
		if err != nil {
			return nil, err
		}
		every := r.Filter.IsZero() || r.Filter.Names("state") // else only active ones
		ms = slices.DeleteFunc(ms, func(m trilith.Memory) bool {
			return m.State == trilith.StateRetracted || !every && m.State != trilith.StateActive
		})
		return withoutFollowing(ms), nil
	}
	if r.RequestKey != "" && !r.DryRun {
		return e.forgetNamed(ctx, s, r, choose)
	}
	return e.forget(ctx, s, r.DryRun, choose)
}

// forgetNamed forgets, under an idempotency key, what choose returned at the first request.
func (e *Engine) forgetNamed(ctx context.Context, s trilith.Scope, r trilith.ForgetRequest,
	choose func() ([]trilith.Memory, error)) (trilith.ForgetResult, error) {
	key := r.RequestKey
	r.RequestKey = ""
	n, err := e.truth.KeyedRequest(s, key, "forget", r)
	if err != nil {
		return trilith.ForgetResult{}, err
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
		return trilith.ForgetResult{}, err
	}
	left := map[trilith.ID]int64{}
	for _, t := range about {
		left[t.ID] = t.Version
	}
	res := trilith.ForgetResult{IDs: truth.TargetIDs(about)}
	var done []trilith.Memory
	_, err = e.forget(ctx, s, false, func() ([]trilith.Memory, error) {
		ms, err := e.truth.Memories(ctx, s, slices.Sorted(maps.Keys(left)))
		if err != nil {
			return nil, err
		}
		done = slices.DeleteFunc(slices.Clone(ms), func(m trilith.Memory) bool { return m.State != trilith.StateRetracted })
		return slices.DeleteFunc(ms, func(m trilith.Memory) bool {
			return m.State == trilith.StateRetracted || made && m.Version != left[m.ID]
		}), nil
	})
	if err == nil && made { // it may have ended before the facts were revised
		err = e.reviseAfter(ctx, s, done)
	}
	return res, err
}

// forget forgets what choose returns; it calls choose again after a conflict.
func (e *Engine) forget(ctx context.Context, s trilith.Scope, dry bool, choose func() ([]trilith.Memory, error)) (
	trilith.ForgetResult, error) {
	res := trilith.ForgetResult{IDs: []trilith.ID{}, DryRun: dry}
	var forgotten []trilith.Memory
	seen := map[trilith.ID]bool{}
	if err := truth.Retry(ctx, func() (bool, error) {
		ms, err := choose()
		if err != nil {
			return false, err
		}
		if len(ms) > role.MaxBatch { // the states before would be too many
			s.Change = ""
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
		own, shared := truth.SplitShares(ms)
		for i := range own {
			if err := facts.CheckChange(s, &own[i]); err != nil {
				return false, err
			}
		}
		if err := e.truth.Unshare(ctx, s, shared); err != nil {
			return true, err
		}
		if own, err = e.withRecords(ctx, s, own); err != nil {
			return false, err
		}
		own = slices.DeleteFunc(own, func(m trilith.Memory) bool {
			return m.Type == trilith.ToldType && m.State == trilith.StateRetracted
		})
		return true, e.truth.InBatches(ctx, s, "forget", own, e.facts.Retract)
	}); err != nil {
		return trilith.ForgetResult{}, err
	}
	e.truth.Index.Notify()
	if dry {
		return res, nil
	}
	return res, e.reviseAfter(ctx, s, forgotten)
}

// withRecords adds to memories the records of the told facts among them, which say nothing else.
func (e *Engine) withRecords(ctx context.Context, s trilith.Scope, ms []trilith.Memory) ([]trilith.Memory, error) {
	var ids []trilith.ID
	for _, m := range ms {
		for i := 0; m.Fact != nil && i < len(m.Fact.Evidence); i++ {
			if ev := m.Fact.Evidence[i]; strings.HasPrefix(ev.Rule, trilith.ToldRule) {
				ids = append(ids, ev.EpisodeID)
			}
		}
	}
	records, err := e.truth.Memories(ctx, truth.TenantOf(s), ids)
	return append(ms, slices.DeleteFunc(records, func(r trilith.Memory) bool {
		return r.Type != trilith.ToldType || slices.ContainsFunc(ms, func(m trilith.Memory) bool { return m.ID == r.ID })
	})...), err
}

// withoutFollowing drops facts that rest only on others of the memories. They are forgotten and restored along with
// these; a fact that a person forgets by itself is not.
func withoutFollowing(ms []trilith.Memory) []trilith.Memory {
	words := map[trilith.ID]bool{}
	for i := range ms {
		words[ms[i].ID] = truth.CanBeEvidence(&ms[i])
	}
	return slices.DeleteFunc(ms, func(m trilith.Memory) bool {
		return m.Fact != nil && len(m.Fact.Evidence) > 0 &&
			!slices.ContainsFunc(m.Fact.Evidence, func(ev trilith.Evidence) bool { return !words[ev.EpisodeID] })
	})
}

// reviseAfter updates the facts that rest on changed memories, and facts among the changed memories themselves.
func (e *Engine) reviseAfter(ctx context.Context, s trilith.Scope, ms []trilith.Memory) error {
	var episodes []trilith.ID
	var facts []trilith.Memory
	for i := range ms {
		if m := &ms[i]; m.Kind == trilith.KindFact {
			facts = append(facts, *m)
		} else if truth.CanBeEvidence(m) {
			episodes = append(episodes, m.ID)
		}
	}
	if err := e.facts.ReviseAfter(ctx, s, episodes); err != nil {
		return err
	}
	if err := e.facts.Replay(ctx, s, facts); err != nil {
		return err
	}
	return e.facts.RecordClosed(ctx, s, facts)
}

// chosen reads the memories selected by ids, sources or a filter; exactly one of them is given.
func (e *Engine) chosen(ctx context.Context, s trilith.Scope, ids, sources []trilith.ID, f trilith.Filter) (
	[]trilith.Memory, error) {
	if len(sources) == 0 {
		f, err := e.facts.ResolveFilter(ctx, s, f)
		if err == nil {
			err = truth.CheckSelection(ids, f)
		}
		if err != nil {
			return nil, err
		}
		return e.selection(ctx, s, ids, f)
	}
	if len(ids) > 0 || !f.IsZero() {
		return nil, trilith.Errorf(trilith.Invalid, "sources: give only one of ids, sources and filter")
	}
	return e.ofSources(ctx, s, sources)
}

// selection reads the memories selected by ids or a filter.
func (e *Engine) selection(ctx context.Context, s trilith.Scope, ids []trilith.ID, f trilith.Filter) ([]trilith.Memory,
	error) {
	if len(ids) == 0 {
		var ms []trilith.Memory
		for m, err := range e.truth.List(ctx, s, role.Listing{Filter: f}) {
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
	ms, err := e.truth.Memories(ctx, s, ids)
	if err != nil {
		return nil, err
	}
	if len(ms) != len(ids) {
		for i, id := range ids {
			if i >= len(ms) || ms[i].ID != id {
				return nil, trilith.Errorf(trilith.NotFound, "memory %s does not exist", id)
			}
		}
	}
	return ms, nil
}
