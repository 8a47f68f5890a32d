package operations

import (
	"github.com/trilith-memory/trilith/internal/door/op"
	"github.com/trilith-memory/trilith/internal/engine"
	"github.com/trilith-memory/trilith/internal/facts/derive"
	"github.com/trilith-memory/trilith/internal/recall"
	"github.com/trilith-memory/trilith/internal/review"
)

// factRows are the operations on facts, and the decisions about them.
func factRows() []*op.Op {
	return []*op.Op{
		op.Write("tell-fact", "POST /facts", (*derive.Deriver).TellFact,
			"Store a fact that you state as data", op.Repeatable, op.Columns("id", "fact.fact_type", "text")),
		op.Read("search-facts", "POST /facts/search", (*review.Reviewer).Facts,
			"Facts by relevance for a query, or newest first", op.Standby,
			op.Columns("relevance", "memory.id", "memory.fact.fact_type", "memory.text")),
		op.Read("actionable-facts", "GET /facts?view=actionable", (*recall.Reader).Actionable,
			"What is to be done, is pressing or is due soon: most pressing first, then by deadline", op.Standby,
			op.Columns("id", "fact.priority", "fact.action_deadline", "text")),
		op.Read("unverified-financial-facts", "GET /facts?view=unverified", (*review.Reviewer).UnverifiedFinancial,
			"Amounts of money that nobody has verified, largest first",
			op.Columns("id", "fact.financial.amount", "fact.financial.currency", "fact.verification.status", "text")),
		op.Read("financial-exposure", "GET /facts?view=exposure", op.Bare((*review.Reviewer).Exposure),
			"Exact sums of money by project, type and currency", op.Named("Exposure")),
		op.Read("fact-stats", "GET /facts?view=stats", op.Bare((*review.Reviewer).FactStats),
			"How many facts there are, by type, state and verification", op.Named("FactStats")),
		op.Write("verify-fact", "POST /facts/{id}?do=verify", engine.Changes.VerifyFact,
			"Record a person's decision about a fact", op.Columns("id", "fact.verification.status", "state")),

		op.Read("inbox", "GET /review", (*review.Reviewer).Inbox,
			"What waits for a person, the most pressing first", op.Columns("reason", "since", "id", "whose", "why")),
		op.Write("decide", "POST /review?do=decide", engine.Changes.Decide,
			"One decision about many items, each answered by itself", op.Long, op.Columns("id", "state", "verification_status", "error.detail")),
		op.Write("supersede-fact", "POST /facts/{id}?do=supersede", engine.Changes.SupersedeFact,
			"Correct a fact: by a sentence in any words, or by another fact",
			op.Columns("superseded.id", "by.id", "by.text")),
		op.Write("undo", "POST /changes/{id}/undo", engine.Changes.Undo,
			"Undo a decision, correction, edit, forgetting or merge: all is as before it",
			op.Doc("Id of the change, as the answer to it and its entries in the audit have it")),
		op.Write("auto-verify-facts", "POST /review?do=auto-verify", (*review.Reviewer).AutoVerify,
			"Verify pending facts that rest on enough independent sources", op.Long,
			op.Columns("left", "pending", "policy")),

		op.Read("similar-facts", "GET /facts/{id}?view=similar", (*review.Reviewer).SimilarFacts,
			"Facts that are similar to one, most similar first",
			op.Columns("score", "memory.id", "memory.fact.fact_type", "memory.text")),
		op.Read("duplicate-facts", "GET /facts?view=duplicates", (*review.Reviewer).DuplicateFacts,
			"Facts of one entity that say the same"),
		op.Read("conflicting-facts", "GET /facts?view=conflicts", (*review.Reviewer).FactConflicts,
			"Facts of one entity that cannot all hold"),
		op.Read("stale-facts", "GET /facts?view=stale", (*review.Reviewer).StaleFacts,
			"Facts of which nothing was heard for long, longest first",
			op.Columns("last_seen", "memory.id", "memory.fact.fact_type", "memory.text")),
	}
}
