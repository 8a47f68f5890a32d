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

// Reextract derives facts in the background: again from all sources of the scope that have facts, or with missing from
// conversations and notes without any.
func (m *Memory) Reextract(ctx context.Context, s trilith.Scope, missing bool) (trilith.Reextraction, error) {
	return m.engine.Reextract(ctx, m.in(s), missing)
}

// Inbox lists what waits for a person, the most pressing first.
func (m *Memory) Inbox(ctx context.Context, s trilith.Scope, r trilith.InboxQuery) (trilith.ReviewPage, error) {
	return m.engine.Inbox(ctx, m.in(s), r)
}

// Decide makes one decision about many items. Each has its own result.
func (m *Memory) Decide(ctx context.Context, s trilith.Scope, r trilith.BulkDecision) (trilith.DecisionReport, error) {
	return m.engine.Decide(ctx, m.in(s), r)
}

// Undo restores the state before a decision, correction, edit, forgetting or merge, by the id of the change.
func (m *Memory) Undo(ctx context.Context, s trilith.Scope, change trilith.ID) (trilith.Undone, error) {
	return m.engine.Undo(ctx, m.in(s), change)
}

// SupersedeFact corrects a fact: by a sentence in any words, or by another fact.
func (m *Memory) SupersedeFact(
	ctx context.Context, s trilith.Scope, id trilith.ID, r trilith.SupersedeRequest,
) (trilith.Supersession, error) {
	return m.engine.SupersedeFact(ctx, m.in(s), id, r)
}

// AutoVerify verifies pending facts that satisfy a policy.
func (m *Memory) AutoVerify(
	ctx context.Context, s trilith.Scope, r trilith.AutoVerifyRequest,
) (trilith.AutoVerifyResult, error) {
	return m.engine.AutoVerify(ctx, m.in(s), r)
}

// SimilarFacts returns the facts that are similar to one, the most similar first.
func (m *Memory) SimilarFacts(
	ctx context.Context, s trilith.Scope, id trilith.ID, minScore float64, limit int,
) (trilith.FactPage, error) {
	return m.engine.SimilarFacts(ctx, m.in(s), id, minScore, limit)
}

// DuplicateFacts returns facts of one entity that say the same.
func (m *Memory) DuplicateFacts(
	ctx context.Context, s trilith.Scope, threshold float64, limit int, cursor string,
) (trilith.FactGroups, error) {
	return m.engine.DuplicateFacts(ctx, m.in(s), threshold, limit, cursor)
}

// FactConflicts returns facts of one entity that cannot all hold.
func (m *Memory) FactConflicts(
	ctx context.Context, s trilith.Scope, limit int, cursor string,
) (trilith.FactGroups, error) {
	return m.engine.FactConflicts(ctx, m.in(s), limit, cursor)
}

// StaleFacts returns the facts that nothing has confirmed for so many days, the longest first.
func (m *Memory) StaleFacts(ctx context.Context, s trilith.Scope, days, limit int) (trilith.StalePage, error) {
	return m.engine.StaleFacts(ctx, m.in(s), days, limit)
}

// VerifyFact records the decision about a fact.
func (m *Memory) VerifyFact(
	ctx context.Context, s trilith.Scope, id trilith.ID, r trilith.VerifyRequest,
) (trilith.Memory, error) {
	return m.engine.VerifyFact(ctx, m.in(s), id, r)
}

// Facts finds facts by relevance for a query, or lists them newest first.
func (m *Memory) Facts(ctx context.Context, s trilith.Scope, q trilith.FactQuery) (trilith.FactPage, error) {
	return m.engine.Facts(ctx, m.in(s), q)
}

// Actionable returns the facts that ask for an action, are urgent, or are due in so many days (0:
// [trilith.DefaultAheadDays]), the most urgent first.
func (m *Memory) Actionable(ctx context.Context, s trilith.Scope, limit, days int) (trilith.Page, error) {
	return m.engine.Actionable(ctx, m.in(s), limit, days)
}

// UnverifiedFinancial returns unverified facts with at least an amount, the largest first.
func (m *Memory) UnverifiedFinancial(
	ctx context.Context, s trilith.Scope, minAmount string, limit int,
) (trilith.Page, error) {
	return m.engine.UnverifiedFinancial(ctx, m.in(s), minAmount, limit)
}

// Exposure sums the money of the active facts.
func (m *Memory) Exposure(ctx context.Context, s trilith.Scope) (trilith.Exposure, error) {
	return m.engine.Exposure(ctx, m.in(s))
}

// FactStats counts facts.
func (m *Memory) FactStats(ctx context.Context, s trilith.Scope) (trilith.FactStats, error) {
	return m.engine.FactStats(ctx, m.in(s))
}
