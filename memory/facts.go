package memory

import (
	"context"

	"github.com/trilith-memory/trilith"
)

// Assimilate stores what was said about an entity, and derives facts from it. If the facts cannot be derived and
// indexed in time, the answer is Pending, and a job continues in the background.
func (m *Memory) Assimilate(
	ctx context.Context, s trilith.Scope, r trilith.AssimilateRequest,
) (trilith.AssimilateResult, error) {
	return m.engine.Assimilate(ctx, m.in(s), r)
}

// TellFact stores a fact that the program states as data; see [trilith.TellRequest]. There is no key: the program may
// speak for any system.
func (m *Memory) TellFact(ctx context.Context, s trilith.Scope, r trilith.TellRequest) (trilith.Memory, error) {
	s = m.in(s)
	if r.Source != nil {
		s.System = r.Source.System
	}
	return m.engine.TellFact(ctx, s, r)
}

// Lookup returns the facts of an entity: all of them, or with a query those that match it.
func (m *Memory) Lookup(ctx context.Context, s trilith.Scope, r trilith.LookupRequest) (trilith.LookupResult, error) {
	return m.engine.Lookup(ctx, m.in(s), r)
}

// Card says who somebody is, in at most [trilith.CardTokens] tokens.
func (m *Memory) Card(ctx context.Context, s trilith.Scope, r trilith.CardRequest) (trilith.Card, error) {
	return m.engine.Card(ctx, m.in(s), r)
}

// LookupSummary is Lookup in words: without a query the lines of the card and what belongs into none.
func (m *Memory) LookupSummary(
	ctx context.Context, s trilith.Scope, r trilith.LookupRequest,
) (trilith.SummaryResult, error) {
	return m.engine.LookupSummary(ctx, m.in(s), r)
}
