package sessions

import (
	"context"
	"slices"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/recall/summary"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/truth"
)

// topics summarises the summaries of the sessions of a scope: one summary for each topic, named by the words that
// distinguish it from the others. Summaries of topics that no longer exist are removed. The largest topic comes first.
func (ss *Sessions) topics(ctx context.Context, s trilith.Scope, r trilith.SummarizeRequest) (
	trilith.SummarizeResult, error) {
	out := trilith.SummarizeResult{Summaries: []trilith.Memory{}}
	sources, before, err := ss.summaries(ctx, s)
	if err != nil {
		return out, err
	}
	texts := make([]string, len(sources))
	for i := range sources {
		for _, t := range summary.Read(sources[i].Text) {
			texts[i] += t.Text + "\n"
		}
	}
	made := map[string]bool{}
	for _, t := range summary.Topics(texts) {
		var of []trilith.Memory
		for _, i := range t.Members {
			of = append(of, sources[i])
		}
		j := truth.SummarizeJob{Scope: s, Of: trilith.SummaryOfTopic, Subject: t.Name, Tokens: r.Tokens, By: r.By}
		d, err := ss.write(ctx, j, of)
		if err != nil {
			return out, err
		}
		out.Usage = addUsage(out.Usage, d.usage)
		m, err := ss.put(ctx, j, material{sources: of}, &d)
		if err != nil {
			return out, err
		}
		made[t.Name] = true
		out.Summaries = append(out.Summaries, *m)
	}
	for i := range before {
		m := &before[i]
		if made[m.Summary.Subject] {
			continue
		}
		b := role.Batch{Expect: []role.Expect{{ID: m.ID, Version: m.Version}}, Delete: []role.Ref{{ID: m.ID}}}
		if _, err := ss.truth.Commit(ctx, s, b); truth.UnlessConflict(err) != nil {
			return out, err
		}
	}
	ss.truth.Index.Notify()
	if len(out.Summaries) == 0 && s.Actor != "summarize" {
		return out, trilith.Errorf(trilith.NotFound, "summarize: the scope has no summaries of sessions; make those first")
	}
	return out, nil
}

// summaries returns the summaries of sessions that the scope covers, ordered by time, and the topic summaries of
// exactly this scope.
func (ss *Sessions) summaries(ctx context.Context, s trilith.Scope) (sessions, topics []trilith.Memory, err error) {
	l := role.Listing{Order: role.OrderEvent, Filter: trilith.AllOf(
		trilith.Where("kind", trilith.OpEq, trilith.KindSummary), trilith.Where("state", trilith.OpEq, trilith.StateActive),
		truth.Unshared)}
	for m, err := range ss.truth.List(ctx, s, l) {
		switch {
		case err != nil:
			return nil, nil, err
		case m.Summary == nil:
		case m.Summary.Of == trilith.SummaryOfSession && len(sessions) < trilith.MaxSummarySources:
			sessions = append(sessions, m)
		case m.Summary.Of == trilith.SummaryOfTopic && m.Scope == s.Bare():
			topics = append(topics, m)
		}
	}
	slices.Reverse(sessions)
	return sessions, topics, nil
}
