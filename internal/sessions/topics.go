package sessions

import (
	"context"
	"slices"

	"github.com/cairn-memory/cairn"
	"github.com/cairn-memory/cairn/internal/summary"
	"github.com/cairn-memory/cairn/internal/truth"
)

// topics summarises the summaries of the sessions of a scope: one summary for each topic, named by the words that
// distinguish it from the others. Summaries of topics that no longer exist are removed. The largest topic comes first.
func (ss *Sessions) topics(ctx context.Context, s cairn.Scope, r cairn.SummarizeRequest) (
	cairn.SummarizeResult, error) {
	out := cairn.SummarizeResult{Summaries: []cairn.Memory{}}
	sources, before, err := ss.summaries(ctx, s)
	if err != nil {
		return out, err
	}
	texts := make([]string, len(sources))
	for i := range sources {
		texts[i] = sources[i].Text
	}
	made := map[string]bool{}
	for _, t := range summary.Topics(texts) {
		var of []cairn.Memory
		for _, i := range t.Members {
			of = append(of, sources[i])
		}
		j := truth.SummarizeJob{Scope: s, Of: cairn.SummaryOfTopic, Subject: t.Name, Tokens: r.Tokens, By: r.By}
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
		b := cairn.Batch{Expect: []cairn.Expect{{ID: m.ID, Version: m.Version}}, Delete: []cairn.Ref{{ID: m.ID}}}
		if _, err := ss.truth.Commit(ctx, s, b); truth.UnlessConflict(err) != nil {
			return out, err
		}
	}
	ss.truth.Index.Notify()
	if len(out.Summaries) == 0 && s.Actor != "summarize" {
		return out, cairn.Errorf(cairn.NotFound, "summarize: the scope has no summaries of sessions; make those first")
	}
	return out, nil
}

// summaries returns the summaries of sessions that the scope covers, ordered by time, and the topic summaries of
// exactly this scope.
func (ss *Sessions) summaries(ctx context.Context, s cairn.Scope) (sessions, topics []cairn.Memory, err error) {
	l := cairn.Listing{Order: cairn.OrderEvent, Filter: cairn.AllOf(
		cairn.Where("kind", cairn.OpEq, cairn.KindSummary), cairn.Where("state", cairn.OpEq, cairn.StateActive),
		truth.Unshared)}
	for m, err := range ss.truth.Store.List(ctx, s, l) {
		switch {
		case err != nil:
			return nil, nil, err
		case m.Summary == nil:
		case m.Summary.Of == cairn.SummaryOfSession && len(sessions) < cairn.MaxSummarySources:
			sessions = append(sessions, m)
		case m.Summary.Of == cairn.SummaryOfTopic && m.Scope == s.Bare():
			topics = append(topics, m)
		}
	}
	slices.Reverse(sessions)
	return sessions, topics, nil
}
